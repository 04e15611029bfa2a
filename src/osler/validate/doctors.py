"""Doctors beside human doctors: how much a turn asks, and in which order topics come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from osler.errors import UserError
from osler.eval.intervals import Interval
from osler.eval.runs import load_run
from osler.eval.statistics import Figure
from osler.language import Language
from osler.records.schema import Category, PatientRecord
from osler.runs.transcript import Transcript
from osler.validate.ask import things_asked
from osler.validate.cases import InterviewCase
from osler.validate.listed_words import length
from osler.validate.results import AskedInterview

HUMAN = "human"
"""What tables call the doctors of the interviews."""
_QUESTION_MARKS = "?？"
_FEWEST_TOPICS = 3
_CORRELATIONS = Interval(-1.0, 1.0)


@dataclass(frozen=True)
class DoctorTurn:
    """What is known of one turn of a doctor."""

    text: str
    topics: tuple[Category, ...] = ()
    """Categories of the record's entries that RAM found for it."""
    things: int | None = None
    """Things that it asks for; None if no model read it."""


@dataclass(frozen=True)
class DoctorConsultation:
    """The turns of a doctor in one consultation."""

    name: str
    language: Language
    turns: tuple[DoctorTurn, ...]


@dataclass(frozen=True)
class DoctorColumn:
    """A doctor: the human ones together, or a column of a run."""

    name: str
    consultations: tuple[DoctorConsultation, ...]


@dataclass(frozen=True)
class DoctorFigures:
    """What is counted of one doctor's turns in one language."""

    name: str
    consultations: int
    turns: Figure
    """Per consultation."""
    lengths: tuple[int, ...]
    mean_length: Figure
    question_marks: Figure
    things: Figure
    order: Figure
    """Kendall's tau of the order of topics with the human doctors' mean order."""
    places: Mapping[Category, float]
    """When each topic first comes up, as a share of the consultation, on average."""

    def quantile(self, share: float) -> float | None:
        """The length that this share of the turns does not exceed."""
        return float(np.quantile(self.lengths, share)) if self.lengths else None


def human_doctors(cases: Sequence[InterviewCase], asked: Iterable[AskedInterview]) -> DoctorColumn:
    """The human doctors; what RAM read in their turns is taken from the first patient it has."""
    read_by_interview: dict[str, AskedInterview] = {}
    for interview in asked:
        if interview.is_whole:
            before = read_by_interview.get(interview.interview)
            if before is None or not _is_read(before):
                read_by_interview[interview.interview] = interview
    consultations = []
    for case in cases:
        read = read_by_interview.get(case.interview.id)
        consultations.append(_human_consultation(case, read))
    return DoctorColumn(HUMAN, tuple(consultations))


def _is_read(interview: AskedInterview) -> bool:
    """Whether a model read the questions."""
    return any(reply.things is not None for reply in interview.replies)


def _human_consultation(case: InterviewCase, read: AskedInterview | None) -> DoctorConsultation:
    turns = []
    for place, exchange in enumerate(case.interview.exchanges):
        topics: tuple[Category, ...] = ()
        things = None
        if read is not None:
            topics = _topics(read.replies[place].entries, case.record)
            things = read.replies[place].things
        turns.append(DoctorTurn(exchange.question, topics, things))
    return DoctorConsultation(case.interview.id, case.interview.language, tuple(turns))


def doctors_of_run(path: Path) -> list[DoctorColumn]:
    """The doctors of a run, a column each.

    Raises:
        UserError: There is no such run, or nobody asked anything in it.
    """
    run = load_run(path)
    by_column: defaultdict[str, list[DoctorConsultation]] = defaultdict(list)
    try:
        for transcript in run.file.transcripts():
            record = run.file.record(transcript.header.case)
            consultation = _consultation(transcript, record)
            if transcript.ending.is_answer and consultation.turns:
                by_column[str(transcript.header.column)].append(consultation)
    finally:
        run.close()
    if not by_column:
        raise UserError(f"no doctor asked anything in {path}", "give a run with consultations")
    return [DoctorColumn(name, tuple(own)) for name, own in by_column.items()]


def _consultation(transcript: Transcript, record: PatientRecord) -> DoctorConsultation:
    turns = []
    for turn in transcript.turn_views:
        if turn.asked is not None and turn.question:
            topics = _topics(turn.retrieved_names, record)
            turns.append(DoctorTurn(turn.question, topics, things_asked(turn)))
    header = transcript.header
    return DoctorConsultation(f"{header.case}/{header.trial}", header.language, tuple(turns))


def _topics(names: Collection[str], record: PatientRecord) -> tuple[Category, ...]:
    found = [entry.category for entry in record.entries if entry.name in names]
    return tuple(dict.fromkeys(found))


def doctor_figures(columns: Sequence[DoctorColumn], language: Language) -> list[DoctorFigures]:
    """Count the turns of all doctors in one language; the first column is the human doctors."""
    human = _in_language(columns[0], language)
    figures = []
    for column in columns:
        own = _in_language(column, language)
        if own:
            figures.append(_figures(column.name, own, human, is_human=column is columns[0]))
    return figures


def _in_language(column: DoctorColumn, language: Language) -> list[DoctorConsultation]:
    return [own for own in column.consultations if own.language is language]


def _figures(
    name: str,
    consultations: Sequence[DoctorConsultation],
    human: Sequence[DoctorConsultation],
    *,
    is_human: bool,
) -> DoctorFigures:
    turns: dict[str, list[float]] = {}
    lengths: dict[str, list[float]] = {}
    marks: dict[str, list[float]] = {}
    things: dict[str, list[float]] = {}
    order: dict[str, list[float]] = {}
    for own in consultations:
        turns[own.name] = [float(len(own.turns))]
        lengths[own.name] = [float(length(turn.text, own.language)) for turn in own.turns]
        marks[own.name] = [float(_question_marks(turn.text)) for turn in own.turns]
        things[own.name] = [float(turn.things) for turn in own.turns if turn.things is not None]
        others = [other for other in human if other is not own] if is_human else human
        agreement = order_agreement(first_places(own), mean_places(others))
        if agreement is not None:
            order[own.name] = [agreement]
    every_length: list[int] = []
    for sizes in lengths.values():
        every_length += map(int, sizes)
    return DoctorFigures(
        name=name,
        consultations=len(consultations),
        turns=Figure.of(turns, scale=None),
        lengths=tuple(sorted(every_length)),
        mean_length=Figure.of(lengths, scale=None),
        question_marks=Figure.of(marks, scale=None),
        things=Figure.of(things, scale=None),
        order=Figure.of(order, scale=_CORRELATIONS),
        places=mean_places(consultations),
    )


def _question_marks(text: str) -> int:
    return sum(char in _QUESTION_MARKS for char in text)


def first_places(consultation: DoctorConsultation) -> dict[Category, float]:
    """When each topic first comes up, from 0 (the first turn) to nearly 1."""
    places: dict[Category, float] = {}
    for number, turn in enumerate(consultation.turns):
        for topic in turn.topics:
            places.setdefault(topic, number / len(consultation.turns))
    return places


def mean_places(consultations: Iterable[DoctorConsultation]) -> dict[Category, float]:
    """The same on average over the consultations in which a topic comes up."""
    every_place: defaultdict[Category, list[float]] = defaultdict(list)
    for consultation in consultations:
        for topic, place in first_places(consultation).items():
            every_place[topic].append(place)
    return {topic: sum(places) / len(places) for topic, places in every_place.items()}


def order_agreement(
    own: Mapping[Category, float], reference: Mapping[Category, float]
) -> float | None:
    """Kendall's tau-b of two orders over the topics of both.

    None with fewer than three topics, and where all come up at once.
    """
    topics = sorted(own.keys() & reference.keys())
    if len(topics) < _FEWEST_TOPICS:
        return None
    agreeing = own_untied = reference_untied = 0
    for place, first in enumerate(topics):
        for second in topics[place + 1 :]:
            own_sign = np.sign(own[first] - own[second])
            reference_sign = np.sign(reference[first] - reference[second])
            agreeing += int(own_sign * reference_sign)
            own_untied += int(own_sign != 0)
            reference_untied += int(reference_sign != 0)
    if not own_untied or not reference_untied:
        return None
    return agreeing / float(np.sqrt(own_untied * reference_untied))
