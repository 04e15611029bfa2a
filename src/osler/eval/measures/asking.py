"""The doctor's way of working: what it asked for, in which order, how soon it had what decides, and at what price."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

from osler.errors import UserError
from osler.eval.measures.course import Course
from osler.records.schema import RESULTS, Category, Entry, Part, PatientRecord, Relevance, Status

TESTS = frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})
"""What is done in a laboratory or with a machine, and has a price."""


def is_result(entry: Entry) -> bool:
    """Whether an entry is what somebody found by looking: a sign, a test or an examination."""
    return entry.category in RESULTS


def key_elements(record: PatientRecord, part: Part) -> list[Entry]:
    """The entries that a good work-up asks for: all of that part that are not incidental."""
    return [entry for entry in record.entries if entry.part is part and entry.relevance is not Relevance.INCIDENTAL]


def coverage(record: PatientRecord, part: Part, course: Course) -> float | None:
    """The share of a part's key elements that came up; None where the record has none."""
    elements = key_elements(record, part)
    return sum(entry.name in course.asked for entry in elements) / len(elements) if elements else None


class OrderKept(NamedTuple):
    """How the exam order was kept."""

    respected: float | None
    """Of all pairs."""
    pairs: int
    """Those of which both were asked for."""
    share: float | None
    """Of these."""


def order(pairs: Collection[tuple[str, str]], asked: Mapping[str, int]) -> OrderKept:
    """Hold the turns in which examinations were first asked for against the pairs (earlier, later)."""
    judged = [(asked[first], asked[second]) for first, second in pairs if first in asked and second in asked]
    kept = sum(first <= second for first, second in judged)
    return OrderKept(kept / len(pairs) if pairs else None, len(judged), kept / len(judged) if judged else None)


def deciding(record: PatientRecord, pairs: Collection[tuple[str, str]]) -> list[Entry]:
    """The finding that settles the diagnosis, or several where one is as good as the other.

    Looked for among the deciding entries first and, where the record marks none, among the key ones: what comes last
    of them in the exam order; else the tests and examinations; else, but for deciding entries alone, all of them.
    What was never done has no finding.
    """
    found = [entry for entry in key_elements(record, Part.DIAGNOSIS) if entry.status is not Status.NOT_DONE]
    marked = [entry for entry in found if entry.relevance is Relevance.DECIDING]
    pool = marked or found
    names = {entry.name for entry in pool}
    ordered = {name for pair in pairs for name in pair} & names
    overtaken = {first for first, second in pairs if second in ordered}
    last = [entry for entry in pool if entry.name in ordered - overtaken]
    return last or [entry for entry in pool if entry.category in TESTS] or marked


def deciding_turn(record: PatientRecord, pairs: Collection[tuple[str, str]], told: Mapping[str, int]) -> int | None:
    """The turn in which the doctor first had it."""
    return min((told[entry.name] for entry in deciding(record, pairs) if entry.name in told), default=None)


def tests(record: PatientRecord, asked: Collection[str]) -> tuple[list[Entry], list[Entry]]:
    """The tests and examinations that came up: those that were done, and those that were not."""
    found = [entry for entry in record.entries if entry.category in TESTS and entry.name in asked]
    undone = [entry for entry in found if entry.status is Status.NOT_DONE]
    return [entry for entry in found if entry.status is not Status.NOT_DONE], undone


class Cost(NamedTuple):
    """What tests cost together; None as soon as one has no price."""

    total: float | None
    unpriced: tuple[str, ...]


def cost(done: Collection[Entry], prices: Mapping[str, float] | None) -> Cost:
    """Add up prices, found by a test's name or else its first alias that has one; case does not matter.

    Raises:
        UserError: A price is not a sum of money.
    """
    if prices is None:
        return Cost(None, ())
    for name, price in prices.items():
        if not math.isfinite(price) or price < 0:
            raise UserError(f"the price of {name!r} is {price}", "give a number that is not negative")
    table = {name.strip().casefold(): price for name, price in prices.items()}
    found = {entry.name: _price(entry, table) for entry in done}
    unpriced = tuple(name for name, price in found.items() if price is None)
    total = None if unpriced else math.fsum(price for price in found.values() if price is not None)
    return Cost(total, unpriced)


def _price(entry: Entry, table: Mapping[str, float]) -> float | None:
    names = (name.casefold() for name in (entry.name, *entry.aliases))
    return next((table[name] for name in names if name in table), None)
