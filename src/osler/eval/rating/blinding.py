"""Remove from a text what tells a rater which column it is from, or what a table cannot hold.

A model may name itself, and memories number their lines each in its own way. The wording itself
stays: facts read unlike a dialogue.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePath

EXCEL_LIMIT = 32_767
"""Characters a cell can hold, counted as UTF-16 does."""
MASK = "[…]"
_SAYS_NOTHING = frozenset({"rules", "human", "local"})
_AFTER_MODEL = re.compile(r"(?:@https?://\S*)?(?:\s+\w+=\S+)*$")
"""The server and the parameters in a backbone's spec."""
_FAMILY = re.compile(r"[A-Za-z]{3,}")
_PLAIN_WORD = re.compile(r"[a-z]+")
_FORM = re.compile(
    r"^(?:Turn \d+|第\d+轮)[:：]?\s*"
    r"|(?:\bFact |事实)?#\d+(?: #\d+)*[:：]\s*"
    r"|\s*(?:\(turn [\d, ]+\)|（第[\d、]+轮）)$",
    re.MULTILINE,
)
"""Headings, numbers and sources of recalled lines."""


def without_form(recall: str) -> list[str]:
    """Return the lines of a recall without the numbers and headings by which memories differ."""
    return [line for part in _FORM.sub("", recall).splitlines() if (line := part.strip())]


class Mask:
    """Hides the names of columns wherever they occur."""

    def __init__(self, backbones: Iterable[str], ways: Iterable[str]) -> None:
        """Take the specs of all models, strategies and memories.

        What is hidden must not tell which of them it is.
        """
        names = {name for spec in backbones for name in _names_of_model(spec)}
        self._names = names | {name for spec in ways for name in _names_of_way(spec)}

    def hide(self, text: str, case: str) -> str:
        """The text without these names, and without the name of its case."""
        longest_first = sorted({*self._names, case}, key=lambda name: (-len(name), name))
        some = "|".join(map(re.escape, longest_first))
        # A version goes with the name before it: Qwen2.5-7B, GPT-4o.
        named = rf"(?<![A-Za-z0-9])(?:{some})(?:[-_.:]?\d[\w.-]*)?(?![A-Za-z0-9])"
        return re.sub(named, MASK, text, flags=re.IGNORECASE)


def _names_of_model(spec: str) -> Iterator[str]:
    """The spec, provider and model in it, and the family that a model would call itself.

    Qwen of Qwen2.5-7B.
    """
    if spec in _SAYS_NOTHING:
        return
    yield spec
    model = _AFTER_MODEL.sub("", spec)
    kind, _, rest = model.partition(":")
    for name in (
        [PurePath(rest).stem] if kind == "local" else {model, *re.split("[:/]", model)} - {""}
    ):
        yield name
        family = _FAMILY.match(name)
        if family:
            yield family[0]


def _names_of_way(spec: str) -> Iterator[str]:
    """The spec and the class it may name.

    A plain word such as `raw` or `none` is also one of the language.
    """
    if not _PLAIN_WORD.fullmatch(spec):
        yield spec
        if ":" in (name := spec.partition(",")[0]):
            yield name.rpartition(":")[2]


def clean(text: str) -> str:
    """The text as a cell may hold it: without control characters, no longer than Excel reads."""
    level = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    kept = "".join(
        char
        for char in level
        if char == "\n" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Cn"}
    )
    raw = kept.strip().encode("utf-16-le")
    if len(raw) <= 2 * EXCEL_LIMIT:
        return kept.strip()
    return raw[: 2 * (EXCEL_LIMIT - 1)].decode("utf-16-le", "ignore") + "…"
