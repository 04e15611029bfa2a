"""The names of parameters that OpenAI-compatible servers take, to tell when one looks misspelt."""

from __future__ import annotations

from difflib import get_close_matches

from osler.errors import warn
from osler.models.spec import Spec

_NAMES = frozenset(
    {
        # OpenAI's protocol
        *(
            "temperature",
            "top_p",
            "max_tokens",
            "max_completion_tokens",
            "seed",
            "stop",
            "presence_penalty",
        ),
        *(
            "frequency_penalty",
            "logit_bias",
            "logprobs",
            "top_logprobs",
            "reasoning_effort",
            "verbosity",
            "user",
        ),
        *(
            "service_tier",
            "store",
            "metadata",
            "prediction",
            "prompt_cache_key",
            "safety_identifier",
            "extra_body",
        ),
        # vLLM, SGLang and TGI
        *(
            "top_k",
            "min_p",
            "repetition_penalty",
            "length_penalty",
            "min_tokens",
            "stop_token_ids",
            "ignore_eos",
        ),
        *(
            "skip_special_tokens",
            "spaces_between_special_tokens",
            "include_stop_str_in_output",
            "best_of",
        ),
        *(
            "use_beam_search",
            "bad_words",
            "allowed_token_ids",
            "prompt_logprobs",
            "truncate_prompt_tokens",
        ),
        *(
            "chat_template",
            "chat_template_kwargs",
            "add_generation_prompt",
            "continue_final_message",
            "priority",
        ),
        *(
            "guided_json",
            "guided_regex",
            "guided_choice",
            "guided_grammar",
            "guided_decoding_backend",
        ),
        *(
            "structured_outputs",
            "separate_reasoning",
            "stream_reasoning",
            "include_reasoning",
            "thinking_budget",
        ),
        *(
            "enable_thinking",
            "no_stop_trim",
            "regex",
            "ebnf",
            "do_sample",
            "typical_p",
            "watermark",
        ),
        # llama.cpp and Ollama
        *(
            "repeat_penalty",
            "repeat_last_n",
            "n_predict",
            "num_predict",
            "num_ctx",
            "n_probs",
            "min_keep",
            "grammar",
        ),
        *(
            "json_schema",
            "cache_prompt",
            "id_slot",
            "samplers",
            "typ_p",
            "tfs_z",
            "mirostat",
            "mirostat_tau",
        ),
        *(
            "mirostat_eta",
            "dynatemp_range",
            "dynatemp_exponent",
            "dry_multiplier",
            "dry_base",
            "dry_allowed_length",
        ),
        *(
            "dry_penalty_last_n",
            "xtc_probability",
            "xtc_threshold",
            "top_n_sigma",
            "keep_alive",
            "think",
            "options",
        ),
    }
)
_ALIKE = 0.8
"""How alike two names are, from 0 to 1, for one to be the other misspelt: `temprature` and
`temperature` are 0.95."""


def warn_of_misspelt_parameters(spec: Spec) -> None:
    """Warn of parameters that are nearly a known one.

    They are sent all the same: servers have some of their own.
    """
    for name, _ in spec.parameters:
        if name in _NAMES:
            continue
        near = get_close_matches(name.lower(), _NAMES, 1, _ALIKE)
        if near:
            remedy = "most servers ignore a parameter that they do not know"
            warn(
                f"the backbone's parameter {name!r} is sent as it is; did you mean {near[0]!r}?"
                f" {remedy}"
            )
