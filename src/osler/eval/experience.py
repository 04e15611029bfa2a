"""What experience is worth: accuracy by number of earlier cases, with new patients, and with the first ones again."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from osler import row_labels
from osler.eval.statistics import Figure
from osler.eval.text_tables import Grid
from osler.eval.verdict import Verdict
from osler.runs.lessons import EXPERIENCE, STAGE, Feedback, Stage
from osler.runs.plan import Column

Row = Mapping[str, Any]
_BLOCKS = 5
"""Parts into which the cases that are learned from are divided."""
_KINDS = ("diagnosis", "treatment")
_FIRST = "first"
_STAGES = {
    Stage.TRANSFER.value: "transfer: patients after the last lesson",
    _FIRST: "retention: the first patients, first time",
    Stage.AGAIN.value: "retention: the same patients again",
}
_NOTE = (
    "by how many cases of the stream came before; in brackets the difference to experience=none on the same cases, in"
    " points, and n, the answers that were judged"
)
_CERTIFICATE = (
    "certificate: no lesson reaches its own patient, in any language, nor one that is nearly a copy; nearest: the"
    " largest share of findings, numbers or words that a patient had in common with the patient of a lesson it could"
    " recall"
)


class Block(NamedTuple):
    """Cases of a stream, by how many came before them."""

    first: int
    last: int

    def __str__(self) -> str:
        """As tables show it."""
        return f"{self.first}" if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(frozen=True)
class StreamPart:
    """The answers of one kind in one part of a stream."""

    right: Figure
    against_none: float | None
    """The difference to `experience=none` on the same cases; None if that column is missing, or is this one."""


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


def experience_figures(rows: Mapping[str, tuple[str | None, Column, Sequence[Row]]]) -> ExperienceFigures | None:
    """Count the figures of columns with experience; None if there are none.

    Args:
        rows: By the columns' names the run, the column and its consultations.
    """
    learning = [row for _, _, some in rows.values() for row in some if row.get("stage") == Stage.LEARNING]
    if not learning:
        return None
    cases = 1 + max(row["stream_position"] for row in learning)
    size = math.ceil(cases / _BLOCKS)
    blocks = [Block(start, min(start + size, cases) - 1) for start in range(0, cases, size)]
    runs: dict[str | None, dict[Column, Sequence[Row]]] = defaultdict(dict)
    for run, column, some in rows.values():
        runs[run][column] = some
    columns = [
        _stream(name, column, runs[run], blocks)
        for name, (run, column, _) in rows.items()
        if column.variant(EXPERIENCE) and not column.variant(STAGE)
    ]
    return ExperienceFigures(columns, blocks)


def _stream(name: str, column: Column, by_column: Mapping[Column, Sequence[Row]], blocks: list[Block]) -> StreamFigures:
    mine = _parts(column, by_column, blocks)
    none = _parts(column.with_variant(EXPERIENCE, Feedback.NONE), by_column, blocks)
    is_none = column.variant(EXPERIENCE) == Feedback.NONE
    every = [*by_column[column], *mine[Stage.AGAIN]]
    answered = [row for row in every if not row["failed"]]
    return StreamFigures(
        name=name,
        column=column,
        parts={
            kind: {part: _part(some, [] if is_none else none[part], kind) for part, some in mine.items()}
            for kind in _KINDS
        },
        nearest=max((row["lessons_nearest"] for row in every if row.get("lessons_nearest") is not None), default=None),
        kept_away=sum(row.get("lessons_kept_away") or 0 for row in every),
        recalling=sum(bool(row.get("lessons_recalled")) for row in answered) / len(answered) if answered else None,
    )


def _parts(column: Column, by_column: Mapping[Column, Sequence[Row]], blocks: list[Block]) -> dict[str, Sequence[Row]]:
    """The consultations of a column by block and stage."""
    own, again = by_column.get(column, []), by_column.get(column.with_variant(STAGE, Stage.AGAIN), [])
    held_again = {_key(row) for row in again}
    learning = [row for row in own if row.get("stage") == Stage.LEARNING]
    parts: dict[str, Sequence[Row]] = {
        str(block): [row for row in learning if block.first <= row["stream_position"] <= block.last] for block in blocks
    }
    parts[Stage.TRANSFER.value] = [row for row in own if row.get("stage") == Stage.TRANSFER]
    parts[_FIRST] = [row for row in own if _key(row) in held_again]
    parts[Stage.AGAIN.value] = again
    return parts


def _key(row: Row) -> tuple[str, int]:
    return row["record"], row["trial"]


def _part(rows: Iterable[Row], none: Iterable[Row], kind: str) -> StreamPart:
    own, other = _right(rows, kind), _right(none, kind)
    by_patient: dict[str, list[float]] = defaultdict(list)
    for patient, right in own.values():
        by_patient[patient].append(right)
    shared = own.keys() & other.keys()
    difference = sum(own[key][1] - other[key][1] for key in shared) / len(shared) if shared else None
    return StreamPart(Figure.of(by_patient), difference)


def _right(rows: Iterable[Row], kind: str) -> dict[tuple[str, int], tuple[str, float]]:
    """Whether each judged answer is right, with its patient; undecided ones are not."""
    name = f"{kind}_verdict"
    judged = (row for row in rows if not row["failed"] and row[name] is not None)
    return {_key(row): (row["patient"], float(row[name] == Verdict.CORRECT)) for row in judged}


def tables(found: ExperienceFigures | None) -> list[Grid]:
    """Return the figures as tables of text; none without experience."""
    if found is None:
        return []
    columns = found.columns
    header = ["", *(column.name for column in columns)]
    labels = {str(block): f"after {block} cases" for block in found.blocks} | _STAGES
    made: list[Grid] = []
    for kind in _KINDS:
        rows = [
            [label, *(_cell(one.parts[kind][part]) for one in columns)]
            for part, label in labels.items()
            if any(one.parts[kind][part].right.n for one in columns)
        ]
        made.append(Grid(f"experience: {kind} right %", header, rows, [_NOTE]))
    recalling = ("–" if one.recalling is None else f"{100 * one.recalling:.0f}" for one in columns)
    nearest = ("–" if one.nearest is None else f"{one.nearest:.2f}" for one in columns)
    rows = [
        ["consultations that recalled a lesson %", *recalling],
        ["nearest patient of a lesson", *nearest],
        [row_labels.total("cases kept away"), *(str(one.kept_away) for one in columns)],
    ]
    return [*made, Grid("experience: who could learn from whom", header, rows, [_CERTIFICATE])]


def _cell(part: StreamPart) -> str:
    if part.right.value is None:
        return "–"
    difference = [] if part.against_none is None else [f"{100 * part.against_none:+.1f}"]
    return f"{100 * part.right.value:.1f} ({', '.join([*difference, f'n={part.right.n}'])})"


def as_json(found: ExperienceFigures | None) -> dict[str, Any] | None:
    """Return the same as plain data."""
    if found is None:
        return None
    columns = [{**asdict(one), "column": one.column.as_json()} for one in found.columns]
    return {"blocks": found.blocks, "columns": columns}
