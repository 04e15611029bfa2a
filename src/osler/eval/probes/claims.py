"""What a text claims, by rules: yes or no, what it says of which words, its times, whether it is sure.

`No fever, but a cough` says (fever, denied) and (cough, affirmed). Two texts agree when they share such (word,
affirmed/denied) pairs. Negating a word makes a different pair. The cues are in `words/probe_cues.yaml`, separate from
the rules of the doctor and of the memories, which they measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache

from osler.eval.vocabulary import cue, read
from osler.language import Language
from osler.language.words import content, numbers, plain

_MARKS = ",.:，。：、"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]{2,}")
_UNITS = {
    "minute": "minute|分钟",
    "hour": "hour|个?小时",
    "day": "day|天|日",
    "week": "week|个?星期|周",
    "month": "month|个?月",
    "year": "year|年",
}
_TIME = re.compile(
    rf"(?P<number>\d+(?:\.\d+)?)[ -]*(?:{'|'.join(f'(?P<{name}>{unit})' for name, unit in _UNITS.items())})(?!龄)"
)

Signed = frozenset[tuple[str, bool]]
"""Words, each with whether it is affirmed."""


class AnswerKind(StrEnum):
    """What an answer says, before it is looked at closely."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not known"
    TELLS = "tells"


def has(key: str, text: str, language: Language) -> bool:
    """Check whether a text contains a cue of `probe_cues.yaml`."""
    return cue("probe_cues", key, language).search(plain(text).strip()) is not None


def claim(answer: str, language: Language) -> AnswerKind:
    """Classify an answer: yes, no, not known, or telling something."""
    if has("says_yes", answer, language):
        return AnswerKind.YES
    if has("unknown", answer, language):
        return AnswerKind.UNKNOWN
    return AnswerKind.NO if has("says_no", answer, language) else AnswerKind.TELLS


def says_not_done(text: str, language: Language) -> bool:
    """Check whether a text says that a test was never done."""
    return has("not_done", text, language)


def without_opening(answer: str, language: Language) -> str:
    """An answer without its yes or no, which would deny the words after it."""
    for opening in ("says_yes", "says_no"):
        found = cue("probe_cues", opening, language).match(plain(answer))
        if found and answer[found.end() : found.end() + 1] in tuple(_MARKS):
            return answer[found.end() :].lstrip(f" {_MARKS}")
    return answer


def in_language(answer: str, language: Language) -> bool:
    """Check whether an answer is in the language of the consultation; names and numbers may be in any."""
    chinese = _CHINESE.search(answer) is not None
    if language is Language.ZH:
        return chinese
    return not chinese and bool(_LATIN.search(plain(answer)) or numbers(answer))


@lru_cache(maxsize=16384)
def signed(text: str, language: Language) -> Signed:
    """Return a text's content words, denied if a negation precedes them in the clause. Numbers are left out."""
    found: set[tuple[str, bool]] = set()
    for clause in cue("probe_cues", "clause", language).split(plain(text)):
        negation = cue("probe_cues", "negation", language).search(clause)
        denied = negation.start() if negation else len(clause)
        found.update((word, True) for word in unsigned(clause[:denied], language))
        found.update((word, False) for word in unsigned(clause[denied:], language))
    return frozenset(found)


@lru_cache(maxsize=16384)
def unsigned(text: str, language: Language) -> frozenset[str]:
    """The words of weight alone."""
    said = (word for word in content(plain(text), language) if not word[0].isdigit() and not word.endswith("n't"))
    return frozenset(said) - _carriers(language)


@cache
def _carriers(language: Language) -> frozenset[str]:
    words = read("probe_cues")["carriers"][language]
    return frozenset(content(words, language) if language is Language.EN else words.split())


def with_sign(words: Iterable[str], affirmed: bool) -> Signed:
    """Words that are all affirmed or all denied."""
    return frozenset((word, affirmed) for word in words)


def share(wanted: Signed, there: Signed) -> float:
    """Return how much of what is wanted is there; 0 if nothing is wanted."""
    return len(wanted & there) / len(wanted) if wanted else 0.0


def opposed(wanted: Signed, there: Signed) -> float:
    """Return how much of what is wanted is there only negated: denied instead of affirmed, or the other way."""
    turned = frozenset((word, not affirmed) for word, affirmed in there)
    return len((wanted - there) & turned) / len(wanted) if wanted else 0.0


def times(text: str) -> frozenset[tuple[str, str]]:
    """Return spans and distances of time as (number, unit): `40 hours` and `40个小时` are the same."""
    return frozenset(
        (found["number"], next(name for name in _UNITS if found[name])) for found in _TIME.finditer(plain(text))
    )
