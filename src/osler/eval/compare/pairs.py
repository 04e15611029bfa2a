"""Which columns of a table are compared with which, and what they do not share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from osler.eval.compare.columns import ColumnFigures
from osler.runs.lessons import STAGE
from osler.runs.plan import Column
from osler.settings.names import ONE_STEP

_MOST_NAMED = 3
"""Records or trials that a note names."""


class ColumnPair(NamedTuple):
    """A column, and the one that it is compared with."""

    column: ColumnFigures
    reference: ColumnFigures


DiffersAlone = Callable[[ColumnFigures, ColumnFigures], bool]
"""Whether two columns differ in one thing and in nothing else: the earlier, then the later."""


class Doctor(NamedTuple):
    """What the columns of one doctor share, whatever its memory."""

    run: str | None
    column: Column
    """Any of its columns, with an empty memory."""


def doctor_of(column: ColumnFigures) -> Doctor:
    """Return the doctor of a column, whom it shares with the same doctor's other memories."""
    return Doctor(column.run, replace(column.column, memory=""))


def pairs_of(columns: Sequence[ColumnFigures], against: str | None) -> Iterator[ColumnPair]:
    """Pair the columns of a table: with another memory, strategy, variant, and backbone or run.

    A memory is compared with its doctor's reference, wherever in the table that stands. In
    everything else a column is compared with the first before it that differs from it in that
    alone. So a column may be in several pairs.
    """
    references = _memory_references(columns, against)
    differ_alone = [_differ_in_strategy, *_variant_checks(columns), _differ_in_backbone]
    for place, column in enumerate(columns):
        reference = references.get(doctor_of(column))
        # The ceiling is not one of the memories: `Comparison.gaps` sets it beside them.
        if reference is not None and reference is not column and column.memory != ONE_STEP:
            yield ColumnPair(column, reference)
        for differs_alone in differ_alone:
            earlier = _first_that_differs(differs_alone, columns[:place], column)
            if earlier is not None:
                yield ColumnPair(column, earlier)


def _memory_references(
    columns: Iterable[ColumnFigures], against: str | None
) -> dict[Doctor, ColumnFigures]:
    """For each doctor the first column that remembers, or the one with the memory named."""
    references: dict[Doctor, ColumnFigures] = {}
    for column in columns:
        if column.memory != ONE_STEP and against in (None, column.memory):
            references.setdefault(doctor_of(column), column)
    return references


def _first_that_differs(
    differs_alone: DiffersAlone, earlier: Iterable[ColumnFigures], later: ColumnFigures
) -> ColumnFigures | None:
    return next((column for column in earlier if differs_alone(column, later)), None)


def _differ_in_strategy(earlier: ColumnFigures, later: ColumnFigures) -> bool:
    # No two columns of a run are equal, so what is equal with one strategy differs in it.
    with_strategy = replace(earlier.column, strategy=later.column.strategy)
    return earlier.run == later.run and with_strategy == later.column


def _variant_checks(columns: Iterable[ColumnFigures]) -> list[DiffersAlone]:
    """Return a check for each variant of a table: whether two columns differ in that alone."""
    # A dictionary for a set in order.
    names: dict[str, None] = {}
    for column in columns:
        for name, _ in column.column.variants:
            names[name] = None
    return [partial(_differ_in_variant, name) for name in names]


def _differ_in_variant(name: str, earlier: ColumnFigures, later: ColumnFigures) -> bool:
    """Check whether two columns of a run differ in one variant alone.

    A column whose variant `STAGE` is set holds the first cases of another column once more, to see
    what the doctor retained. It is compared with that other column alone, and nothing with it.
    """
    before = earlier.column
    after = later.column
    if earlier.run != later.run or before.variant(STAGE):
        return False
    if after.variant(STAGE) and name != STAGE:
        return False
    return before != after and before.with_variant(name, after.variant(name)) == after


def _differ_in_backbone(earlier: ColumnFigures, later: ColumnFigures) -> bool:
    """Check whether two columns differ in nothing but the backbone, the run, or both.

    The rules doctor and people have no strategy (it is empty): whatever strategy the other column
    has then counts as the same.
    """
    before = earlier.column
    after = later.column
    is_same_place = earlier.run == later.run and before.backbone == after.backbone
    if is_same_place:
        return False
    is_either_without = not (before.strategy and after.strategy)
    is_same_strategy = before.strategy == after.strategy or is_either_without
    is_same_otherwise = (before.memory, before.variants) == (after.memory, after.variants)
    return is_same_strategy and is_same_otherwise


def without_partner(pairs: Iterable[ColumnPair]) -> Iterator[str]:
    """Yield a line for each column with consultations that its partner does not have."""
    for pair in pairs:
        ways = ((pair.column, pair.reference), (pair.reference, pair.column))
        for column, other in ways:
            alone = column.trials - other.trials
            if alone:
                share = f"{len(alone)} of {len(column.trials)} consultations"
                reasons = "; ".join(_reasons(column, other))
                yield f"{column.name}: {share} have no partner in {other.name}: {reasons}"


def _reasons(column: ColumnFigures, other: ColumnFigures) -> Iterator[str]:
    """Say why consultations of a column have no partner in another."""
    alone = column.trials - other.trials
    records = records_of(other)
    other_records = [trial.record for trial in alone if trial.record not in records]
    if other_records:
        yield f"{len(other_records)} with other records ({first_few(set(other_records))})"
    numbers = {trial.number for trial in alone if trial.record in records}
    if numbers:
        count = len(alone) - len(other_records)
        yield f"{count} of trials that were not held there ({first_few(numbers)})"


def records_of(column: ColumnFigures) -> frozenset[str]:
    """The records that a column's consultations are about."""
    return frozenset(trial.record for trial in column.trials)


def first_few(names: Collection[str] | Collection[int]) -> str:
    """The first few names, with dots if there are more."""
    shown = ", ".join(map(str, sorted(names)[:_MOST_NAMED]))
    if len(names) > _MOST_NAMED:
        return f"{shown}, …"
    return shown
