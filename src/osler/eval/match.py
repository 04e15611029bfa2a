"""Whether an answer names the truth: normalised names and aliases, negation heeded."""

from __future__ import annotations

import re

from osler.records.language import Language
from osler.records.schema import Diagnosis, Treatment
from osler.words import content, plain

_NEGATED = {
    Language.EN: re.compile(r"\b(?:no|not|without|exclude[sd]?|rule[sd]? out|unlikely|versus|vs)\b[^,.;]*"),
    Language.ZH: re.compile(r"(?:不是|并非|排除|不考虑|除外|不支持|无)[^，。；、]*"),
}
_COVER = 0.6


def names_diagnosis(answer: str, truth: Diagnosis, language: Language) -> bool:
    """Whether the answer is the diagnosis under one of its names."""
    return any(_says(answer, name, language) for name in truth.names)


def names_treatment(answer: str, truth: Treatment, language: Language) -> bool:
    """Whether the answer holds every part of the treatment, or a whole one by any name, and nothing unsafe."""
    if any(_says(answer, name, language) for unsafe in truth.unsafe for name in unsafe.names):
        return False
    if truth.parts and all(any(_says(answer, name, language) for name in part.names) for part in truth.parts):
        return True
    return any(_covers(answer, name, language) for name in (*truth.names, *truth.alternatives))


def _says(answer: str, name: str, language: Language) -> bool:
    level = _NEGATED[language].sub(" ", plain(answer))
    if language is Language.ZH and plain(name).replace(" ", "") in level.replace(" ", ""):
        return True
    said, wanted = frozenset(content(level, language)), frozenset(content(name, language))
    return bool(wanted) and wanted <= said


def _covers(answer: str, name: str, language: Language) -> bool:
    said, wanted = frozenset(content(answer, language)), frozenset(content(name, language))
    return bool(wanted) and len(said & wanted) / len(wanted) >= _COVER
