"""Earlier visits of a patient, and the facts of them that matter at the last one: parts of a patient record."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field

from osler.language import Speaker
from osler.records.fields import Frozen, Line, MaybeLine, one_line

_OPENS = datetime.time(9)
_TURN = datetime.timedelta(minutes=1)
_LETTER = re.compile("[a-z]", re.IGNORECASE)


def clock(day: datetime.date, turn: int = 0) -> datetime.datetime:
    """Return when something is said: a visit opens at nine, and a turn takes a minute."""
    return datetime.datetime.combine(day, _OPENS) + turn * _TURN


def _lines(text: str) -> str:
    """Normalise each line, and leave out the empty ones."""
    return "\n".join(filter(None, map(one_line, text.splitlines())))


Lines = Annotated[str, Field(max_length=4000), AfterValidator(_lines)]
"""Several lines, possibly none."""
Group = Annotated[tuple[Line, ...], Field(min_length=1)]


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
    """What earlier visits said and is no longer so, for whoever checks the record; no agent is shown it."""


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
    """Return all that was said at earlier visits, in order; `speaker` answered unless a visit says otherwise."""
    found: list[PastExchange] = []
    for visit in visits:
        end = " ".join(filter(None, (visit.treatment, visit.outcome)))
        said = [(one.question, one.reply, one.results) for one in visit.exchanges] + ([("", "", end)] if end else [])
        found += [
            PastExchange(number, visit.date, visit.speaker or speaker, *texts)
            for number, texts in enumerate(said, start=len(found) + 1)
        ]
    return tuple(found)


class KeyFact(Frozen):
    """What a doctor has to know of the earlier visits at the last one; a probe asks the memory for it."""

    question: Line
    answer: Line
    visit: Annotated[int, Field(ge=1)]
    """The visit at which it was said last; 1 is the first."""
    accept: Annotated[tuple[Group, ...], Field(min_length=1)]
    """A right answer has at least one text of each group; one group says what the fact is about."""
    outdated: tuple[Group, ...] = ()
    """An answer with one text of each of these groups tells what was corrected since."""
    about: Line = "patient"
    """Whose it is: `patient`, or a relative."""

    def is_right(self, answer: str) -> bool:
        """Check whether an answer has what is so now."""
        return _has_each(answer, self.accept)

    def is_outdated(self, answer: str) -> bool:
        """Check whether an answer has only what was corrected since."""
        return bool(self.outdated) and _has_each(answer, self.outdated) and not self.is_right(answer)


def _has_each(answer: str, groups: Sequence[Group]) -> bool:
    return all(any(_has(answer, text) for text in group) for group in groups)


def _has(answer: str, text: str) -> bool:
    """Check whether a text is part of an answer, in any case, from the start of a word on.

    "Head" is no part of "ahead", and a number is never found within a longer one.
    """
    if text.casefold() not in answer.casefold():
        return False
    before = r"(?<![\d.])" if text[0].isdigit() else r"(?<![a-z])" if _LETTER.match(text) else ""
    after = r"(?!\.?\d)" if text[-1].isdigit() else ""
    return re.search(f"{before}{re.escape(text)}{after}", answer, re.IGNORECASE) is not None


def check_visits(date: datetime.date | None, visits: Sequence[Visit], key_facts: Sequence[KeyFact]) -> None:
    """Raise ValueError, with the field before a colon, if visits and facts do not fit together."""
    if not visits:
        if key_facts:
            raise ValueError("key_facts: there are no visits that they could be from; add the visits or remove them")
        return
    if date is None:
        raise ValueError("date: is missing; a record with earlier visits needs the date of the last one")
    for number, (one, two) in enumerate(pairwise(visits), start=2):
        if one.date >= two.date:
            raise ValueError(f"visits: visit {number} is on {two.date}, not after {one.date}; put the oldest first")
    if visits[-1].date >= date:
        raise ValueError(f"visits: visit {len(visits)} is on {visits[-1].date}, not before the record's date {date}")
    for fact in key_facts:
        if fact.visit > len(visits):
            raise ValueError(f"key_facts: {fact.question!r} is from visit {fact.visit}, and there are {len(visits)}")
