"""Which consultations of two columns can be paired, and which are alone: a reader has to know both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from osler.eval.compare.columns import ColumnFigures

_MOST_NAMED = 3
_MOST_COLUMNS = 4


def without_partner(pairs: Iterable[tuple[ColumnFigures, ColumnFigures]]) -> Iterator[str]:
    """A line for each column of which a part was not held in the column it is compared with."""
    for first, second in pairs:
        for column, other in ((first, second), (second, first)):
            if line := _alone(column, other):
                yield line


def _alone(column: ColumnFigures, other: ColumnFigures) -> str:
    alone = column.held - other.held
    if not alone:
        return ""
    known = _records(other)
    elsewhere = [trial for trial in alone if trial.record not in known]
    numbers = {trial.number for trial in alone if trial.record in known}
    reasons = []
    if elsewhere:
        reasons.append(f"{len(elsewhere)} with other records ({_some({trial.record for trial in elsewhere})})")
    if numbers:
        trials = ", ".join(map(str, sorted(numbers)[:_MOST_NAMED])) + (", …" if len(numbers) > _MOST_NAMED else "")
        reasons.append(f"{len(alone) - len(elsewhere)} of trials that were not held there ({trials})")
    share = f"{len(alone)} of {len(column.held)} consultations have no partner in {other.name}"
    return f"{column.name}: {share}: {'; '.join(reasons)}"


def different_patients(columns: list[ColumnFigures]) -> Iterator[str]:
    """A warning where the columns of a table are not about the same patients, or about other records of them."""
    kinds: dict[frozenset[str], ColumnFigures] = {}
    for column in columns:
        kinds.setdefault(frozenset(_records(column)), column)
    if len(kinds) < 2:
        return
    patients = [frozenset(trial.patient for trial in column.held) for column in kinds.values()]
    same = len(set(patients)) == 1
    sets = list(kinds) if same else patients
    told = [f"{column.name} {len(some)}" for column, some in zip(kinds.values(), sets, strict=True)][:_MOST_COLUMNS]
    if len(kinds) > _MOST_COLUMNS:
        told.append("…")
    shared = len(frozenset.intersection(*sets))
    what = "the same patients, but not the same records of them" if same else "different patients"
    yield (
        f"the columns hold {what} ({', '.join(told)}; in all of them {shared});"
        " only the paired differences compare like with like"
    )


def _records(column: ColumnFigures) -> set[str]:
    return {trial.record for trial in column.held}


def _some(names: Collection[str]) -> str:
    shown = sorted(names)[:_MOST_NAMED]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")
