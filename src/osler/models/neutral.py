"""The sampling that every request states, so that a server's own defaults decide no answer.

Servers take defaults from the model's files or their command line: vLLM applies
`generation_config.json`, Ollama and llama.cpp have a penalty on repetition. A request therefore
says that it wants none of that.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from osler.models.errors import BackboneError, FailureKind
from osler.models.spec import Spec

_OPENAI = {"top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
_OLLAMA = {**_OPENAI, "top_k": -1, "repeat_penalty": 1}
_LLAMA_CPP = {**_OLLAMA, "min_p": 0}
_NEUTRAL: dict[str, dict[str, Any]] = {
    "compatible": {**_LLAMA_CPP, "repetition_penalty": 1},  # vLLM, SGLang and TGI call it so
    "local": _LLAMA_CPP,
    "ollama": _OLLAMA,
    "openai": _OPENAI,
    "azure": _OPENAI,
    "gemini": {"top_p": 1},  # its newer models refuse penalties
}
"""By kind of backbone.

Anthropic's models refuse `top_p` beside a temperature, and have no penalties."""
_ALIASES = {"repeat_penalty": "repetition_penalty", "repetition_penalty": "repeat_penalty"}
_NOT_OPENAI = frozenset({"top_k", "min_p", "repeat_penalty", "repetition_penalty"})
"""Not in OpenAI's protocol.

A server that refuses one of them refuses all that it does not know, one at a time."""


def neutral_options(spec: Spec) -> dict[str, Any]:
    """What a request states, without the parameters that its spec sets or leaves out by `null`."""
    own = spec.options().keys()
    options = {}
    for name, value in _NEUTRAL.get(spec.kind, {}).items():
        if name not in own and _ALIASES.get(name) not in own:
            options[name] = value
    return options


def refused_options(error: BackboneError, stated: Collection[str]) -> frozenset[str]:
    """Which of the stated parameters a server refuses; empty if it refuses something else."""
    if error.kind is not FailureKind.REFUSED or error.status not in {400, 422}:
        return frozenset()
    refused = {name for name in stated if re.search(rf"\b{name}\b", error.detail)}
    if not refused.isdisjoint(_NOT_OPENAI):
        refused |= _NOT_OPENAI.intersection(stated)
    return frozenset(refused)
