"""Score answers and recalls by their words: which parts of the gold answer they contain, and whether they refuse."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from osler.bench.cases import BenchQuestion
from osler.eval.probes.claims import AnswerKind, claim
from osler.language import Language
from osler.language.words import content, plain, sentences
from osler.ranking import reaches

_MOST_WORDS = 0.75
"""Share of a part's content words that one line must have for the part to be in it."""
_ALL, _SOME = 0.75, 0.25
"""Shares of the parts from which an answer is right, and from which it is half right."""
_MARKS = re.compile(r"[^\w\0]+|_+")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d)[\W_]+(?=\d)")


@lru_cache(maxsize=4096)
def squeezed(text: str) -> str:
    """Letters and digits alone, levelled: what two spellings of one value share. Numbers side by side stay two."""
    return _MARKS.sub("", _BETWEEN_NUMBERS.sub("\0", plain(text))).replace("\0", ".")


def holds(text: str, value: str) -> bool:
    """Check whether a text contains a value, whatever its case, width, spaces and punctuation.

    A number is not in a longer one.
    """
    wanted, where = squeezed(value), squeezed(text)
    at = where.find(wanted) if wanted else -1
    while at >= 0:
        around = (where[at - 1 : at] + wanted[0], wanted[-1] + where[at + len(wanted) :][:1])
        if not any(pair.isdecimal() and len(pair) > 1 for pair in around):
            return True
        at = where.find(wanted, at + 1)
    return False


def parts_found(question: BenchQuestion, text: str, language: Language) -> float | None:
    """Return the share of the gold answer's parts that a text contains, or None without a gold answer.

    A part is there if the text contains it, or if one line or sentence has most of its content words. An answer of
    one piece is cut into its sentences.
    """
    wanted = question.parts or tuple(sentences(question.answer, language))
    if not wanted:
        return None
    lines = [frozenset(content(line, language)) for line in sentences(text, language)]
    found = [_is_in(part, text, lines, language) for part in wanted]
    return sum(found) / len(found)


def _is_in(part: str, text: str, lines: Collection[frozenset[str]], language: Language) -> bool:
    if holds(text, part):
        return True
    words = frozenset(content(part, language))
    return bool(words) and any(reaches(len(words & line) / len(words), _MOST_WORDS) for line in lines)


def graded(share: float | None) -> float | None:
    """The papers' scale: 1 if nearly all parts are there, 0.5 if some are, else 0."""
    if share is None:
        return None
    return 1.0 if reaches(share, _ALL) else 0.5 * reaches(share, _SOME)


def refuses(answer: str, language: Language) -> bool:
    """Check whether an answer says that it is not known."""
    return not answer.strip() or claim(answer, language) is AnswerKind.UNKNOWN


def agreement(one: Collection[object], other: Collection[object]) -> float:
    """Share of what two sets have in common; two empty ones agree."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first | second else 1.0
