"""Shows by its answers whether a server samples as a request states.

At temperature 0 nothing but a penalty changes the likeliest answer. So the same question is asked
as Osler asks it, without the neutral parameters, and with a penalty: which answers differ tells
what the server adds, and what it takes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from osler.models.backbone import open_backbone
from osler.models.chat import ChatMessage, ask
from osler.models.errors import BackboneError
from osler.models.neutral import neutral_options
from osler.models.spec import Spec

_TEXT = "Describe an ordinary day of a nurse in one paragraph of about sixty words."
_RUN = "Write the word pain thirty times in one line, with spaces between, and nothing else."
_LONG_RUN = 20
"""Times in a row that show a model repeating a word as asked."""
_TOKENS = 48
"""Maximum tokens of each answer."""
_PENALTY = 1.5
"""A penalty that changes an answer if the server applies it."""
_AGAIN = 3
"""How often the same is asked."""


async def check_sampling(spec: Spec, *, limit: float) -> dict[str, str]:
    """Ask up to nine short questions, each of which may take `limit` seconds.

    Returns:
        What the answers tell, as lines to print with their labels.
    """
    answer = partial(_ask, spec, limit)
    try:
        alike = [await answer(_TEXT, temperature=0) for _ in range(_AGAIN)]
        varied = [await answer(_TEXT, temperature=1, seed=seed) for seed in range(_AGAIN)]
        lines = {"temperature": _temperature(alike, varied)}
        neutral = neutral_options(spec)
        names = _penalties(neutral)
        if names and len(set(alike)) > 1:
            lines["repetition"] = "cannot be told from answers that differ anyway"
        elif names:  # none if the spec sets a penalty itself
            without = dict.fromkeys(neutral)
            penalties = dict.fromkeys(names, _PENALTY)
            lines["repetition"] = await _repetition(answer, alike[0], without, penalties)
    except BackboneError as error:
        return {"sampling": f"cannot be told: {error.message}"}
    return lines


def _penalties(options: Mapping[str, Any]) -> list[str]:
    """The options by which a request would ask for a penalty on repetition."""
    names = [name for name in options if name.startswith("repe")]
    if not names and "frequency_penalty" in options:
        names = ["frequency_penalty"]
    return names


def _temperature(alike: list[str], varied: list[str]) -> str:
    different = len(set(alike))
    if different > 1:
        return (
            f"0 gives {different} different answers in {_AGAIN}: not honoured, or not deterministic"
        )
    if len(set(varied)) == 1:
        return (
            f"1 gives {_AGAIN} answers that are all the same: it is ignored, or answers are cached"
        )
    return "honoured: 0 gives the same answer again, 1 another"


async def _repetition(
    answer: Callable[..., Awaitable[str]],
    usual: str,
    without: Mapping[str, None],
    penalties: Mapping[str, float],
) -> str:
    if await answer(_TEXT, temperature=0, **without) != usual:
        return (
            "this server's default is a penalty; Osler's requests state none, and that is honoured"
        )
    if await answer(_TEXT, temperature=0, **penalties) != usual:
        return "no penalty by default, and a request's own is taken"
    text = await answer(_RUN, temperature=0)
    runs = re.findall(r"(?:\bpain\b\W*)+", text.lower())
    repeats = max((len(run.split()) for run in runs), default=0)
    evidence = f"asked for one word 30 times it wrote {repeats} in a row"
    if repeats < _LONG_RUN:
        return (
            "this server takes no penalty from requests, and may have one of its own that cannot"
            f" be undone: {evidence}"
        )
    return f"no penalty seen; this server takes none from requests ({evidence})"


async def _ask(spec: Spec, limit: float, question: str, **parameters: Any) -> str:
    """The answer under other parameters; one that is None is left out of the request."""
    changed_parameters = [item for item in spec.parameters if item[0] not in parameters]
    for name, value in parameters.items():
        changed_parameters.append((name, "null" if value is None else str(value)))
    changed = replace(spec, parameters=tuple(changed_parameters))
    backbone = open_backbone(changed, timeout=limit, max_tokens=_TOKENS, retries=0)
    try:
        answer = await ask(backbone.client, [ChatMessage("user", question)])
        return answer.text.strip()
    finally:
        await backbone.close()
