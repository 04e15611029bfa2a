"""The numbers that a reply tells, and whether what was handed over supports them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from osler.eval.oracle.clauses import clauses
from osler.language import Language
from osler.language.numerals import values, written_values

_LEAST_WORDED = 4
"""From which a number in words counts: `one`, `a couple` and 两三 are said without meaning them."""
_SCALES = frozenset({10.0, 100.0, 1000.0, 10000.0})
"""What most numbers in words are made of."""
_PER = {Language.EN: (7, 10, 12, 24, 30, 60, 100, 1000), Language.ZH: (2, 7, 10, 12, 24, 30, 60, 100, 1000)}
"""What a person may have multiplied or divided a number by: weeks and days, hours and minutes, m and cm; kg and 斤."""


def unsupported_values(reply: str, texts: Iterable[str], language: Language) -> Iterator[str]:
    """The numbers of a reply that none of the texts supports: as they are written, those in words with their clause."""
    texts = tuple(texts)
    known = frozenset[float]().union(*map(values, texts))
    for quote, readings in written_values(reply):
        if not any(all(_follows(value, known, language) for value in reading) for reading in readings):
            yield quote
    written = {value for text in texts for _, readings in written_values(text) for value in readings[0]}
    pieces = known.union(_pieces(written))
    for clause in clauses(reply, language):
        in_digits = {value for _, readings in written_values(clause.text) for reading in readings for value in reading}
        worded = {value for value in values(clause.text) - in_digits if value >= _LEAST_WORDED}
        worded = worded - _SCALES or worded
        if worded and not any(_follows(value, pieces, language) for value in worded):
            yield clause.text


def _follows(value: float, known: frozenset[float], language: Language) -> bool:
    """Whether a number is one of those known, also in another unit or by another clock."""
    if value in known or any(value * per in known or value / per in known for per in _PER[language]):
        return True
    return value <= 12 and value + 12 in known


def _pieces(known: Collection[float]) -> Iterator[float]:
    """What is said one after the other (`thirty-eight seven`), and what lies between two (six kilos of 61 to 55)."""
    for number in known:
        whole, _, part = str(number).partition(".")
        yield from (float(whole), float(part), number % 100)
    yield from (abs(one - other) for one in known for other in known if one != other)
