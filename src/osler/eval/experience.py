"""What experience is worth.

Accuracy by number of earlier cases, with new patients, and with the first ones again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from osler import row_labels
from osler.eval.statistics import Figure
from osler.eval.verdict import Verdict
from osler.runs.lessons import EXPERIENCE, STAGE, Stage
from osler.runs.plan import Column
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation
from osler.settings.names import Feedback
from osler.tables import DASH, Table

_BLOCKS = 5
"""Parts into which the cases that are learned from are divided."""
_KINDS = (DIAGNOSIS, TREATMENT)
_FIRST = "first"
_STAGES = {
    Stage.TRANSFER.value: "transfer: patients after the last lesson",
    _FIRST: "retention: the first patients, first time",
    Stage.AGAIN.value: "retention: the same patients again",
}
_NOTE = (
    "by how many cases of the stream came before; in brackets the difference to experience=none on"
    " the same cases, in points, and n, the answers that were judged"
)
_CERTIFICATE = (
    "certificate: no lesson reaches its own patient, in any language, nor one that is nearly a"
    " copy; nearest: the largest share of findings, numbers or words that a patient had in common"
    " with the patient of a lesson it could recall"
)


class Block(NamedTuple):
    """Cases of a stream, by how many came before them."""

    first: int
    last: int

    def __str__(self) -> str:
        """As tables show it."""
        if self.first == self.last:
            return f"{self.first}"
        return f"{self.first}–{self.last}"


@dataclass(frozen=True)
class StreamPart:
    """The answers of one kind in one part of a stream."""

    right: Figure
    against_none: float | None
    """The difference to `experience=none` on the same cases; None if that column is missing, or is
    this one."""


@dataclass(frozen=True)
class StreamFigures:
    """The figures of one column whose doctor sees its cases one after the other."""

    name: str
    column: Column
    parts: dict[str, dict[str, StreamPart]]
    """By kind of answer, then by block or stage (`transfer`, `first`, `again`)."""
    nearest: float | None
    """How near the nearest patient of a lesson was to a patient that could recall it."""
    kept_away: int
    """Earlier cases whose lessons were kept away, over all consultations."""
    recalling: float | None
    """Share of consultations in which a lesson was recalled."""


@dataclass(frozen=True)
class ExperienceFigures:
    """The streams of a comparison."""

    columns: list[StreamFigures]
    blocks: list[Block]


class StreamColumn(NamedTuple):
    """A column of the table, with its consultations."""

    name: str
    run: str | None
    column: Column
    consultations: Sequence[ScoredConsultation]


def experience_figures(columns: Iterable[StreamColumn]) -> ExperienceFigures | None:
    """Count the figures of columns with experience; None if there are none."""
    runs: dict[str | None, dict[Column, Sequence[ScoredConsultation]]] = defaultdict(dict)
    learners = []
    last = -1
    for stream in columns:
        runs[stream.run][stream.column] = stream.consultations
        if stream.column.variant(EXPERIENCE) and not stream.column.variant(STAGE):
            learners.append(stream)
        positions = [_position(case) for case in _of_stage(stream.consultations, Stage.LEARNING)]
        last = max([last, *positions])
    if last < 0:
        return None
    size = math.ceil((last + 1) / _BLOCKS)
    blocks = [Block(start, min(start + size - 1, last)) for start in range(0, last + 1, size)]
    figures = [_stream(stream, runs[stream.run], blocks) for stream in learners]
    return ExperienceFigures(figures, blocks)


def _of_stage(
    consultations: Iterable[ScoredConsultation], stage: Stage
) -> list[ScoredConsultation]:
    return [consultation for consultation in consultations if consultation.measures.stage is stage]


def _position(consultation: ScoredConsultation) -> int:
    """Cases before this one in its stream."""
    return int(consultation.measures.number("stream_position") or 0)


def _stream(
    stream: StreamColumn,
    by_column: Mapping[Column, Sequence[ScoredConsultation]],
    blocks: list[Block],
) -> StreamFigures:
    column = stream.column
    mine = _parts(column, by_column, blocks)
    without: Mapping[str, Sequence[ScoredConsultation]] = {}
    if column.variant(EXPERIENCE) != Feedback.NONE:
        without = _parts(column.with_variant(EXPERIENCE, Feedback.NONE), by_column, blocks)
    every = [*by_column[column], *mine[Stage.AGAIN.value]]
    nearest = [consultation.measures.number("lessons_nearest") for consultation in every]
    kept_away = [consultation.measures.number("lessons_kept_away") for consultation in every]
    recalled = [
        bool(consultation.measures.number("lessons_recalled"))
        for consultation in every
        if not consultation.is_failed
    ]
    return StreamFigures(
        name=stream.name,
        column=column,
        parts={kind: _figures(kind, mine, without) for kind in _KINDS},
        nearest=max((value for value in nearest if value is not None), default=None),
        kept_away=int(sum(value or 0 for value in kept_away)),
        recalling=sum(recalled) / len(recalled) if recalled else None,
    )


def _figures(
    kind: str,
    mine: Mapping[str, Sequence[ScoredConsultation]],
    without: Mapping[str, Sequence[ScoredConsultation]],
) -> dict[str, StreamPart]:
    """One kind of answer in every part, beside the column without experience."""
    return {
        name: _part(consultations, without.get(name, ()), kind)
        for name, consultations in mine.items()
    }


def _parts(
    column: Column,
    by_column: Mapping[Column, Sequence[ScoredConsultation]],
    blocks: list[Block],
) -> dict[str, Sequence[ScoredConsultation]]:
    """The consultations of a column by block and stage."""
    own = by_column.get(column, [])
    again = by_column.get(column.with_variant(STAGE, Stage.AGAIN), [])
    repeated = {_key(consultation) for consultation in again}
    learning = _of_stage(own, Stage.LEARNING)
    parts: dict[str, Sequence[ScoredConsultation]] = {
        str(block): [case for case in learning if block.first <= _position(case) <= block.last]
        for block in blocks
    }
    parts[Stage.TRANSFER.value] = _of_stage(own, Stage.TRANSFER)
    parts[_FIRST] = [consultation for consultation in own if _key(consultation) in repeated]
    parts[Stage.AGAIN.value] = again
    return parts


def _key(consultation: ScoredConsultation) -> tuple[str, int]:
    return consultation.case, consultation.trial


class _Answer(NamedTuple):
    patient: str
    right: float


def _part(
    mine: Iterable[ScoredConsultation], without: Iterable[ScoredConsultation], kind: str
) -> StreamPart:
    own = _answers(mine, kind)
    other = _answers(without, kind)
    by_patient: dict[str, list[float]] = defaultdict(list)
    for answer in own.values():
        by_patient[answer.patient].append(answer.right)
    gains = [own[key].right - other[key].right for key in own.keys() & other.keys()]
    return StreamPart(Figure.of(by_patient), sum(gains) / len(gains) if gains else None)


def _answers(
    consultations: Iterable[ScoredConsultation], kind: str
) -> dict[tuple[str, int], _Answer]:
    """Whether each judged answer is right, with its patient; undecided ones are not."""
    answers = {}
    for consultation in consultations:
        verdict = consultation.verdict(kind)
        if verdict is not None and not consultation.is_failed:
            right = float(verdict == Verdict.CORRECT)
            answers[_key(consultation)] = _Answer(consultation.patient, right)
    return answers


def experience_tables(figures: ExperienceFigures | None) -> list[Table]:
    """Return the figures as tables; none without experience."""
    if figures is None:
        return []
    columns = figures.columns
    header = ["", *(column.name for column in columns)]
    labels = {str(block): f"after {block} cases" for block in figures.blocks} | _STAGES
    tables: list[Table] = []
    for kind in _KINDS:
        rows = []
        for part, label in labels.items():
            parts = [column.parts[kind][part] for column in columns]
            if any(each.right.n for each in parts):
                rows.append([label, *map(_cell, parts)])
        tables.append(Table.of(f"experience: {kind} right %", header, rows, [_NOTE]))
    return [*tables, _certificate(columns, header)]


def _certificate(columns: Sequence[StreamFigures], header: Sequence[str]) -> Table:
    """Who could learn from whom."""
    recalling = [
        DASH if column.recalling is None else f"{100 * column.recalling:.0f}" for column in columns
    ]
    nearest = [DASH if column.nearest is None else f"{column.nearest:.2f}" for column in columns]
    rows = [
        ["consultations that recalled a lesson %", *recalling],
        ["nearest patient of a lesson", *nearest],
        [row_labels.total("cases kept away"), *(str(column.kept_away) for column in columns)],
    ]
    return Table.of("experience: who could learn from whom", header, rows, [_CERTIFICATE])


def _cell(part: StreamPart) -> str:
    if part.right.value is None:
        return DASH
    inside = [f"n={part.right.n}"]
    if part.against_none is not None:
        inside.insert(0, f"{100 * part.against_none:+.1f}")
    return f"{100 * part.right.value:.1f} ({', '.join(inside)})"


def experience_json(figures: ExperienceFigures | None) -> dict[str, Any] | None:
    """Return the same as plain data."""
    if figures is None:
        return None
    columns = [{**asdict(column), "column": column.column.as_json()} for column in figures.columns]
    return {"blocks": figures.blocks, "columns": columns}
