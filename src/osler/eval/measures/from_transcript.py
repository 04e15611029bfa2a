"""The measures of one consultation.

Numbers that follow from its transcript and the patient's record alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from osler.errors import UserError
from osler.eval.course import Course
from osler.eval.faithfulness.exact import exactly_faulty
from osler.records.schema import RESULTS, Category, Entry, Part, PatientRecord, Relevance, Status
from osler.runs.events import Called, JoinedStream, LessonsRecalled, Role
from osler.runs.lessons import Stage
from osler.runs.makers import Makers
from osler.runs.reply_faults import FaultyReply
from osler.runs.transcript import Transcript

TESTS = RESULTS - {Category.SIGN}
"""Categories of what is done in a laboratory or with a machine, which have a price."""
VERSION = "9"
"""Changes when a measure does, so that stored figures are not compared with others."""


@dataclass(frozen=True)
class Measures:
    """How a consultation went. None means that nothing can be said, never zero.

    Key elements are the entries of a part that are not incidental. An entry counts as asked for if
    the question asks for its whole category, or if RAM returned it and, if a model is RAM, the
    reply discloses it or the question has its name. Order goes by the turn in which an entry was
    first asked for. What was asked, in which order and when is the doctor's own: questions of its
    strategy and silent turns are left out.
    """

    coverage: float | None
    """Share of the key elements for the diagnosis that were asked for; None if the record has
    none."""
    coverage_treatment: float | None
    """The same for the key elements of the treatment plan."""
    order_respected: float | None
    """Share of all pairs of the exam order whose members were both asked for, the first not later
    than the second. A pair with a member that was never asked for counts as not respected. None if
    the record has no order."""
    order_pairs: int
    """Pairs of the exam order that can be judged: both members were asked for."""
    order_share: float | None
    """Share of these whose first was not asked for later than its second; None if there are
    none."""
    rounds: int
    """Questions that were asked, also by its strategy."""
    rounds_expected: int
    """Questions that the record says a good consultation takes."""
    rounds_ratio: float
    """`rounds` divided by `rounds_expected`."""
    repeats: int
    """Questions of the doctor itself for which the retrieval found only what it had found for
    earlier ones."""
    deciding_turn: int | None
    """The turn in which the deciding finding was first disclosed; None if never, or the record has
    none.

    Of the entries that decide the diagnosis (of the key ones if none is marked) and are not
    `not_done`: the one that comes last in the exam order; without one there, the tests and
    examinations among them; without these, all that are marked. If that leaves several, the first
    that was disclosed.
    """
    tests_asked: int
    """Different tests, examinations and pre-operative tests that were asked for and have been
    done."""
    tests_not_done: int
    """The same that were asked for and have not been done."""
    tests_cost: float | None
    """What those that have been done cost together; None without prices, or if one has none."""
    unpriced: tuple[str, ...]
    """The tests that have no price, by name."""
    replies: int
    """The patient's replies to questions."""
    names_diagnosis: int
    """Replies with a listed name of the diagnosis, word for word, that is not in the question."""
    unknown_digits: int
    """Replies with digits that stand in nothing the patient had: entries so far, questions, opening
    words, age."""
    faulty_replies: tuple[FaultyReply, ...]
    """The replies that are counted in these two, with the names and digits."""
    disclosed_share: float | None
    """Share of the entries retrieved in a turn that its reply disclosed, over all replies; None if
    there were none."""
    memory_failures: int
    """Failed calls of the memory's model: what it should have made of a turn is missing."""
    makers: Makers
    """Who made the questions, replies, retrievals and thoughts, how models' words were changed, and
    what they used."""
    stream_position: int | None = None
    """Cases before this one in the stream of its column; None, like the next two, if it stands
    alone."""
    stage: Stage | None = None
    """Which part of the stream it belongs to: `learning`, `transfer` or `again`."""
    lessons_nearest: float | None = None
    """How near the nearest patient of the lessons that it could recall is; None without lessons."""
    lessons_kept_away: int = 0
    """Earlier cases whose lessons were kept away from it."""
    lessons_recalled: int = 0
    """Different lessons from earlier patients that were recalled."""


def measure(
    transcript: Transcript, record: PatientRecord, prices: Mapping[str, float] | None = None
) -> Measures:
    """Measure one consultation of a record.

    Args:
        transcript: The consultation, however it ended.
        record: The patient's record, as it was then.
        prices: Of tests, by a name or an alias in the record's language.

    Raises:
        UserError: A price is not a sum of money.
    """
    course, pairs = Course.of(transcript, record), record.order_pairs()
    own = course.own
    order = _order(pairs, own.asked)
    tests = [
        entry for entry in record.entries if entry.category in TESTS and entry.name in own.asked
    ]
    done = [entry for entry in tests if entry.status is not Status.NOT_DONE]
    price = _cost(done, prices)
    disclosures = [own.told[name] for name in _deciding(record, pairs) if name in own.told]
    faulty = exactly_faulty(course, record)
    failed_calls = [
        call
        for call in transcript.of(Called)
        if call.role is Role.MEMORY and call.failure is not None
    ]
    return Measures(
        coverage=_coverage(record, Part.DIAGNOSIS, own),
        coverage_treatment=_coverage(record, Part.TREATMENT, own),
        order_respected=order.respected,
        order_pairs=order.pairs,
        order_share=order.share,
        rounds=transcript.turns,
        rounds_expected=record.expected_rounds,
        rounds_ratio=transcript.turns / record.expected_rounds,
        repeats=transcript.repeats,
        deciding_turn=min(disclosures, default=None),
        tests_asked=len(done),
        tests_not_done=len(tests) - len(done),
        tests_cost=price.total,
        unpriced=price.unpriced,
        replies=sum(exchange.answer is not None for exchange in course.exchanges),
        names_diagnosis=sum(bool(reply.faults.names_diagnosis) for reply in faulty),
        unknown_digits=sum(bool(reply.faults.unknown_digits) for reply in faulty),
        faulty_replies=faulty,
        disclosed_share=_disclosed_share(course),
        memory_failures=len(failed_calls),
        makers=Makers.of(transcript),
        **_stream_measures(transcript),
    )


def _disclosed_share(course: Course) -> float | None:
    """Share of the entries retrieved for a question that its reply disclosed."""
    disclosed: list[bool] = []
    for exchange in course.exchanges:
        if exchange.answer is not None:
            names = exchange.answer.disclosed
            disclosed += [entry.name in names for entry in exchange.entries]
    return sum(disclosed) / len(disclosed) if disclosed else None


def _stream_measures(transcript: Transcript) -> dict[str, Any]:
    """The measures of a consultation that is one of a stream."""
    joined = next(iter(transcript.of(JoinedStream)), None)
    if joined is None:
        return {}
    recalled: set[tuple[str, str]] = set()
    for event in transcript.of(LessonsRecalled):
        recalled |= {(match.lesson.case, match.lesson.text) for match in event.recall.lessons}
    return {
        "stream_position": joined.position,
        "stage": joined.stage,
        "lessons_nearest": joined.nearest,
        "lessons_kept_away": len(joined.kept_away),
        "lessons_recalled": len(recalled),
    }


def key_elements(record: PatientRecord, part: Part) -> list[Entry]:
    """Return the entries that a good work-up asks for: all of that part that are not incidental."""
    return [
        entry
        for entry in record.entries
        if entry.part is part and entry.relevance is not Relevance.INCIDENTAL
    ]


def _coverage(record: PatientRecord, part: Part, course: Course) -> float | None:
    elements = key_elements(record, part)
    if not elements:
        return None
    return sum(entry.name in course.asked for entry in elements) / len(elements)


class _Order(NamedTuple):
    """How far the examination order was kept, as `Measures` has it."""

    respected: float | None
    pairs: int
    share: float | None


def _order(pairs: Collection[tuple[str, str]], asked: Mapping[str, int]) -> _Order:
    """Compare the turns of first questions with the pairs (earlier, later)."""
    turns = [
        (asked[first], asked[second])
        for first, second in pairs
        if first in asked and second in asked
    ]
    in_order = sum(first <= second for first, second in turns)
    return _Order(
        respected=in_order / len(pairs) if pairs else None,
        pairs=len(turns),
        share=in_order / len(turns) if turns else None,
    )


def _deciding(record: PatientRecord, pairs: Collection[tuple[str, str]]) -> list[str]:
    """Return the names of the finding that settles the diagnosis, or of several equally good."""
    findings = [
        entry
        for entry in key_elements(record, Part.DIAGNOSIS)
        if entry.status is not Status.NOT_DONE
    ]
    marked = [entry for entry in findings if entry.relevance is Relevance.DECIDING]
    pool = marked or findings
    in_pairs = set[str]().union(*pairs)
    ordered = in_pairs & {entry.name for entry in pool}
    overtaken = {first for first, second in pairs if second in ordered}
    last = [entry for entry in pool if entry.name in ordered - overtaken]
    tests = [entry for entry in pool if entry.category in TESTS]
    return [entry.name for entry in last or tests or marked]


class _Cost(NamedTuple):
    total: float | None
    """None as soon as one test has no price."""
    unpriced: tuple[str, ...]


def _cost(done: Collection[Entry], prices: Mapping[str, float] | None) -> _Cost:
    """Add up prices, found by a test's name or else its first alias that has one.

    Case does not matter.
    """
    if prices is None:
        return _Cost(None, ())
    for name, price in prices.items():
        if not math.isfinite(price) or price < 0:
            raise UserError(
                f"the price of {name!r} is {price}", "give a number that is not negative"
            )
    by_name = {name.strip().casefold(): price for name, price in prices.items()}
    sums: list[float] = []
    unpriced: dict[str, None] = {}
    for name, aliases in {entry.name: entry.aliases for entry in done}.items():
        priced = [
            each for each in (name.casefold(), *map(str.casefold, aliases)) if each in by_name
        ]
        if priced:
            sums.append(by_name[priced[0]])
        else:
            unpriced[name] = None
    return _Cost(None if unpriced else math.fsum(sums), tuple(unpriced))
