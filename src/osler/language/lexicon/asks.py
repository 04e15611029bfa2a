"""Where one ask of a question ends and the next begins."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import content

_BETWEEN = {
    Language.EN: re.compile(
        r"[.?!;:]\s+|,\s*(?:and|or|also|plus)?\s+|\s+(?:and|or|as well as|plus|also)\s+", re.IGNORECASE
    ),
    Language.ZH: re.compile(r"[，。？！；：、,?!;]|还有|以及|另外|或者|和|或|跟|与"),
}
_OF_THE_RESULT = {
    Language.EN: frozenset({"show", "shown", "result", "find", "found", "say", "said", "normal", "abnormal"}),
    Language.ZH: frozenset({"结果", "如何", "正常", "异常", "看到", "查出", "发现"}),
}
"""Words of a part that only asks how something came out: "…, and what did it show?"."""


def taken_apart(question: str, language: Language) -> tuple[list[str], str]:
    """The question and its parts, where it has several; and what is left of it without asking how something came out.

    That is all of it where it has no other parts.
    """
    parts = [part for part in _BETWEEN[language].split(question) if part and content(part, language)]
    more = [part for part in parts if _asks_for_more(part, language)]
    core = ", ".join(more) if 0 < len(more) < len(parts) else question
    return [question, *(more if len(more) > 1 else ())], core


def _asks_for_more(part: str, language: Language) -> bool:
    """Whether a part of a question asks for a thing, and not only how one came out that another part names."""
    return not _OF_THE_RESULT[language].issuperset(content(part, language))
