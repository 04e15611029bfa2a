"""Earlier visits of a patient, and the facts of them that matter at the last one."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from osler.language import Speaker
from osler.records.fields import Frozen, Line, MaybeLine, one_line

_OPENS = datetime.time(9)
_TURN = datetime.timedelta(minutes=1)


def clock(day: datetime.date, turn: int = 0) -> datetime.datetime:
    """Return when something is said: a visit opens at nine, and a turn takes a minute."""
    return datetime.datetime.combine(day, _OPENS) + turn * _TURN


def _lines(text: str) -> str:
    """Normalise each line, and leave out the empty ones."""
    return "\n".join(filter(None, map(one_line, text.splitlines())))


Lines = Annotated[str, Field(max_length=4000), AfterValidator(_lines)]
"""Several lines, possibly none."""


class VisitExchange(Frozen):
    """What was asked and answered at an earlier visit, word for word."""

    question: Line
    reply: Line
    results: Lines = ""
    """Reports that the doctor was handed with the reply, a line of `Name: report` each."""


class Visit(Frozen):
    """One earlier visit."""

    date: datetime.date
    speaker: Speaker | None = None
    """Who answered; the record's speaker unless given."""
    exchanges: Annotated[tuple[VisitExchange, ...], Field(min_length=1, max_length=100)]
    treatment: MaybeLine = ""
    outcome: MaybeLine = ""
    """What became of it."""
    changed: tuple[Line, ...] = ()
    """What earlier visits said and is no longer so, for whoever checks the record; no agent sees
    it."""


class PastExchange(NamedTuple):
    """An exchange of an earlier visit, or how the visit ended: then only `results` has text."""

    number: int
    """1 is the first of the first visit; they are counted through all visits."""
    date: datetime.date
    speaker: Speaker
    question: str = ""
    reply: str = ""
    results: str = ""

    @property
    def text(self) -> str:
        """All that was said and reported."""
        return "\n".join(filter(None, (self.question, self.reply, self.results)))


def past_exchanges(visits: Sequence[Visit], speaker: Speaker) -> tuple[PastExchange, ...]:
    """All that was said at earlier visits, in order, by `speaker` unless a visit says otherwise."""
    past: list[PastExchange] = []
    for visit in visits:
        for exchange in visit.exchanges:
            past.append(
                PastExchange(
                    number=len(past) + 1,
                    date=visit.date,
                    speaker=visit.speaker or speaker,
                    question=exchange.question,
                    reply=exchange.reply,
                    results=exchange.results,
                )
            )
        end = " ".join(filter(None, (visit.treatment, visit.outcome)))
        if end:
            number = len(past) + 1
            past.append(PastExchange(number, visit.date, visit.speaker or speaker, results=end))
    return tuple(past)


def _without_groups(value: object) -> object:
    """Leave out lists within a list: records of earlier versions have them, for rules now gone."""
    if not isinstance(value, (list, tuple)):
        return value
    return [text for text in value if not isinstance(text, (list, tuple))]


WholeAnswers = Annotated[tuple[Line, ...], BeforeValidator(_without_groups)]
"""Answers that are compared as a whole."""


class KeyFact(Frozen):
    """What a doctor has to know of earlier visits at the last; a probe asks the memory for it."""

    question: Line
    answer: Line
    visit: Annotated[int, Field(ge=1)]
    """The visit at which it was said last; 1 is the first."""
    exchanges: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """The exchanges of that visit that tell it, each by itself.

    1 is the first, and how the visit ended is the last. Whether a memory recalls the fact is known
    only with them."""
    accept: WholeAnswers = ()
    """Other answers that are right if they are the whole answer. Any other is read by a model."""
    outdated: WholeAnswers = ()
    """Answers that were right before and have been corrected since: a model that reads answers
    gets them."""
    about: Line = "patient"
    """Whose it is: `patient`, or a relative."""


def check_visits(
    date: datetime.date | None, visits: Sequence[Visit], key_facts: Sequence[KeyFact]
) -> None:
    """Raise ValueError, with the field before a colon, if visits and facts do not fit together."""
    if not visits:
        if key_facts:
            raise ValueError(
                "key_facts: there are no visits that they could be from; add the visits or remove"
                " them"
            )
        return
    if date is None:
        raise ValueError(
            "date: is missing; a record with earlier visits needs the date of the last one"
        )
    for number, (earlier, later) in enumerate(pairwise(visits), start=2):
        if earlier.date >= later.date:
            raise ValueError(
                f"visits: visit {number} is on {later.date}, not after {earlier.date}; put the"
                " oldest first"
            )
    if visits[-1].date >= date:
        raise ValueError(
            f"visits: visit {len(visits)} is on {visits[-1].date}, not before the record's date"
            f" {date}"
        )
    for fact in key_facts:
        if fact.visit > len(visits):
            raise ValueError(
                f"key_facts: {fact.question!r} is from visit {fact.visit}, and there are"
                f" {len(visits)}"
            )
        count = len(past_exchanges([visits[fact.visit - 1]], Speaker.PATIENT))
        last = max(fact.exchanges, default=1)
        if last > count:
            raise ValueError(
                f"key_facts: {fact.question!r} is from exchange {last} of visit {fact.visit}, which"
                f" has {count}"
            )
