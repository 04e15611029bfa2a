"""Where one ask of a question ends and the next begins."""

from __future__ import annotations

import re

from osler.records.language import Language
from osler.words import content

_BETWEEN = {
    Language.EN: re.compile(
        r"[.?!;:]\s+|,\s*(?:and|or|also|plus)?\s+|\s+(?:and|or|as well as|plus|also)\s+", re.IGNORECASE
    ),
    Language.ZH: re.compile(r"[，。？！；：、,?!;]|还有|以及|另外|或者|和|或|跟|与"),
}


def separate_asks(question: str, language: Language) -> list[str]:
    """The question, and its parts where it has several."""
    parts = [part for part in _BETWEEN[language].split(question) if part and content(part, language)]
    return [question, *(parts if len(parts) > 1 else ())]
