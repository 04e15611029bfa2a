"""Compares the columns of one or several runs in pairs, over the same consultations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from osler.errors import UserError
from osler.eval.causes import LostCauses, lost_causes
from osler.eval.compare.columns import MEASURES, ColumnFigures, Row, columns_of
from osler.eval.compare.noise import Noise, noise_of
from osler.eval.experience import ExperienceFigures, experience_figures
from osler.eval.faithfulness import RULES
from osler.eval.faithfulness.patient_verdicts import ruler_agreement, ruler_notes, ruler_of
from osler.eval.intervals import Interval
from osler.eval.reader.marks import mark_notes
from osler.eval.runs import Run
from osler.eval.statistics import Paired, holm, paired
from osler.runs.lessons import STAGE
from osler.runs.makers import saved_note
from osler.runs.plan import ONE_STEP, Column
from osler.runs.run_servers import server_warnings
from osler.runs.short_names import ShortNames

if TYPE_CHECKING:
    import pandas as pd

SIGNIFICANT = 0.05
_MOST_NAMED, _MOST_COLUMNS = 3, 4
"""Records or trials that a note names, and columns."""
_SHARED = {
    "patient_backbone": "patient's backbone",
    "ram_backbone": "RAM's backbone",
    "results": "source of results",
    "answer_tokens": "length of a model's answer",
    "budget": "recall budget",
    "visits": "playing of earlier visits",
    "filler": "small talk between visits",
}
"""Settings that all runs of a comparison have to share, and what warnings call them."""


@dataclass(frozen=True)
class ColumnDifference:
    """One column against another, in one measure."""

    measure: str
    first: ColumnFigures
    second: ColumnFigures
    paired: Paired
    undecided: int
    """Undecided verdicts among the pairs, of either column; the test counts them as not right."""
    bounds: Interval | None
    """The difference if all undecided verdicts were decided for the second column, and if for the first."""
    p_holm: float | None = None
    """Corrected over all differences of the table."""
    noise: Noise | None = None
    """At the level that the correction asks of this table; None if the columns share no consultation."""

    @property
    def is_significant(self) -> bool:
        """Whether it holds after the correction, which is whether it is larger than its noise."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def depends_on_undecided(self) -> bool:
        """Whether the undecided verdicts could turn the column that is ahead into the one behind, or level."""
        return bool(self.undecided) and self.bounds is not None and self.bounds.low <= 0 <= self.bounds.high

    @property
    def is_told_apart(self) -> bool:
        """Whether the columns are told apart: significant, whatever the undecided verdicts turn out to be."""
        return self.is_significant and not self.depends_on_undecided


@dataclass(frozen=True)
class Comparison:
    """A table, with what its reader has to know."""

    columns: list[ColumnFigures]
    differences: list[ColumnDifference]
    judge: str
    patient_backbone: str
    visits: bool = False
    """Whether the memories heard earlier visits first."""
    filler: int = 0
    """Turns of small talk between these visits."""
    warnings: tuple[str, ...] = ()
    unpaired: tuple[str, ...] = ()
    """Consultations of a column without a partner in the one it is compared with, a line each."""
    ruler: str = RULES
    """Who counted leaks, fabrications and contradictions of the patient."""
    judge_notes: tuple[str, ...] = ()
    """How far the judge agrees with people."""
    ruler_notes: tuple[str, ...] = ()
    """Who that is, in a few words."""
    ruler_agreement: str = ""
    """How far that agrees with people: recall and precision on labelled replies."""
    saved: tuple[str, ...] = ()
    """What sharing answers saved, a line for each run in which any were shared."""
    causes: LostCauses | None = None
    """Why consultations were lost, if a run was explained."""
    experience: ExperienceFigures | None = None
    """What lessons from earlier patients are worth, if a column has any."""
    groups: dict[str, list[ColumnFigures]] | None = None
    """The same columns by language or specialty, if that was asked for."""

    @property
    def gaps(self) -> list[tuple[ColumnFigures, ColumnFigures, float]]:
        """Every interactive column with the ceiling of its doctor, and how far below it is."""
        ceilings = {_doctor(column): column for column in self.columns if column.memory == ONE_STEP}
        found = []
        for column in self.columns:
            ceiling = ceilings.get(_doctor(column))
            if ceiling is None or ceiling is column:
                continue
            high, low = ceiling.figures["diagnosis"].value, column.figures["diagnosis"].value
            if high is not None and low is not None:
                found.append((column, ceiling, high - low))
        return found

    def frame(self) -> pd.DataFrame:
        """Return one row per column and measure: the figure with its n and interval, and any paired difference."""
        import pandas as pd

        differences = {(one.first.name, one.measure): one for one in self.differences}
        rows = []
        for column in self.columns:
            names = {"column": column.name, "run": column.run, **column.column.as_row()}
            for measure, figure in column.figures.items():
                low, high = figure.interval or (None, None)
                row = {**names, "measure": measure, "value": figure.value, "low": low, "high": high, "n": figure.n}
                one = differences.get((column.name, measure))
                rows.append(row | dict(zip(_TESTED, _tested(one) if one else [None] * len(_TESTED), strict=True)))
        return pd.DataFrame(rows)


_TESTED = (
    *("against", "difference", "difference_at_least", "difference_at_most", "p_holm", "told_apart"),
    *("noise", "noise_rerun", "patients_needed", "trials_needed"),
)
"""Columns of a frame for the differences that were tested."""


def _tested(one: ColumnDifference) -> list[str | float | None]:
    """Return what a frame says of a difference."""
    noise = [None] * 4 if one.noise is None else astuple(one.noise)
    return [
        one.second.name,
        one.paired.difference,
        *(one.bounds or (None, None)),
        one.p_holm,
        one.is_told_apart,
        *noise,
    ]


def compare(
    runs: Sequence[Run],
    *,
    judge: str | None = None,
    against: str | None = None,
    by: str | None = None,
    ruler: str | None = None,
) -> Comparison:
    """Compare the columns of runs.

    Args:
        runs: One or several; with several, every column names its run.
        judge: Whose verdicts; the rules' ladder unless another is named.
        against: The memory that the others are compared with; without it, the first of each doctor.
        by: `language` or `specialty`, for a table of each.
        ruler: Whose leaks and fabrications; a model's that judged all replies of all runs, or else the rules'.

    Raises:
        UserError: A run was not judged by that judge, or there is nothing to compare.
    """
    files = [run.file for run in runs]
    chosen = ruler_of(files, ruler)
    rows: list[tuple[str | None, list[Row]]] = [(_label(run, runs), list(run.rows(judge, chosen))) for run in runs]
    names = ShortNames.of(Column.from_row(row) for _, some in rows for row in some)
    columns = [column for label, some in rows for column in columns_of(some, label, names)]
    if not columns:
        raise UserError("no consultation has ended yet", "go on with the run")
    if against is not None and not any(column.memory == against for column in columns):
        known = ", ".join(sorted({column.memory for column in columns}))
        raise UserError(f"no column has the memory {against!r}", f"give one of {known}")
    pairs, settings = list(_pairs(columns, against)), runs[0].about["settings"]
    named = _rows_by_name(rows, columns)
    return Comparison(
        columns=columns,
        differences=_differences(pairs),
        judge=runs[0].judge(judge),
        patient_backbone=settings["patient_backbone"],
        visits=settings.get("visits", False),
        filler=settings.get("filler", 0),
        warnings=tuple(_warnings(runs, columns)),
        unpaired=tuple(_without_partner(pairs)),
        ruler=chosen,
        judge_notes=tuple(mark_notes(files, runs[0].judge(judge))),
        ruler_notes=tuple(ruler_notes(files, chosen)),
        ruler_agreement=ruler_agreement(files, chosen),
        saved=tuple(_saved(rows)),
        causes=lost_causes(
            named, [(one.name, two.name) for one, two in pairs], [(run.file, run.judge(judge)) for run in runs]
        ),
        experience=experience_figures({one.name: (one.run, one.column, named[one.name]) for one in columns}),
        groups=_groups(rows, by, names) if by is not None else None,
    )


def _saved(rows: list[tuple[str | None, list[Row]]]) -> Iterator[str]:
    """Say of each run, by its name if there are several, what sharing answers saved in it."""
    for label, some in rows:
        for note in saved_note(row["makers"] for row in some):
            yield f"{label}: {note}" if label else note


def _rows_by_name(rows: list[tuple[str | None, list[Row]]], columns: list[ColumnFigures]) -> dict[str, list[Row]]:
    """The consultations of each column, by its name."""
    by_column: dict[tuple[str | None, Column], list[Row]] = defaultdict(list)
    for label, some in rows:
        for row in some:
            by_column[label, Column.from_row(row)].append(row)
    return {column.name: by_column[column.run, column.column] for column in columns}


def _label(run: Run, runs: Sequence[Run]) -> str | None:
    same = sum(other.path.stem == run.path.stem for other in runs)
    return None if len(runs) == 1 else run.path.stem if same == 1 else str(run.path)


def _differences(pairs: Iterable[Pair]) -> list[ColumnDifference]:
    """Test every pair in every tested measure, then correct the p-values and find the noise at the corrected level.

    Holm's correction rejects the p-values below 0.05 divided by the number of those that it does not reject: that one
    level makes a difference significant exactly if it is larger than its noise.
    """
    tested = [measure.name for measure in MEASURES if measure.tested]
    found = [_difference(name, column, reference) for column, reference in pairs for name in tested]
    corrected = holm([difference.paired.p_value for difference in found])
    level = SIGNIFICANT / max(1, sum(p is not None and p >= SIGNIFICANT for p in corrected))
    return [
        replace(one, p_holm=p, noise=noise_of(one.first.values[one.measure], one.second.values[one.measure], level))
        for one, p in zip(found, corrected, strict=True)
    ]


def _difference(measure: str, first: ColumnFigures, second: ColumnFigures) -> ColumnDifference:
    """Pair two columns, with undecided verdicts as not right, and with the bounds that they leave."""
    mine, theirs = first.values[measure], second.values[measure]
    shared = mine.keys() & theirs.keys()
    my_open, their_open = (
        sum(column.values[f"{measure}_at_most"][trial] - column.values[measure][trial] for trial in shared)
        for column in (first, second)
    )
    result, bounds = paired(mine, theirs), None
    if result.difference is not None:
        bounds = Interval(result.difference - their_open / result.n, result.difference + my_open / result.n)
    return ColumnDifference(measure, first, second, result, round(my_open + their_open), bounds)


Pair = tuple[ColumnFigures, ColumnFigures]
Doctor = tuple[str | None, Column]
"""The run, and the column without its memory."""


def _doctor(column: ColumnFigures) -> Doctor:
    return column.run, replace(column.column, memory="")


def _pairs(columns: list[ColumnFigures], against: str | None) -> Iterable[Pair]:
    """Pair each memory with its doctor's reference, and each column with the first that differs in one other thing."""
    references: dict[Doctor, ColumnFigures] = {}
    for column in columns:
        if column.memory != ONE_STEP and against in (None, column.memory):
            references.setdefault(_doctor(column), column)
    for place, column in enumerate(columns):
        reference = references.get(_doctor(column))
        if reference is not None and reference is not column and column.memory != ONE_STEP:
            yield column, reference
        for differ in (_in_strategy, _in_variants, _in_backbone):
            first = next((one for one in columns[:place] if differ(one, column)), None)
            if first is not None:
                yield column, first


def _in_strategy(one: ColumnFigures, other: ColumnFigures) -> bool:
    return one.run == other.run and replace(one.column, strategy=other.column.strategy) == other.column


def _in_variants(one: ColumnFigures, other: ColumnFigures) -> bool:
    """Check whether they differ in variants alone; cases that are held again are compared with their first time."""
    if one.column.variant(STAGE) or one.run != other.run:
        return False
    if other.column.variant(STAGE):
        return other.column.with_variant(STAGE, None) == one.column
    return replace(one.column, variants=other.column.variants) == other.column


def _in_backbone(one: ColumnFigures, other: ColumnFigures) -> bool:
    """Check whether they differ in backbone or run alone; no strategy is compared with every strategy."""
    mine, theirs = one.column, other.column
    if (one.run, mine.backbone) == (other.run, theirs.backbone):
        return False
    same_way = mine.strategy == theirs.strategy or not (mine.strategy and theirs.strategy)
    return same_way and (mine.memory, mine.variants) == (theirs.memory, theirs.variants)


def _warnings(runs: Sequence[Run], columns: list[ColumnFigures]) -> Iterable[str]:
    about = [run.about for run in runs]
    for key, label in _SHARED.items():
        values = list(dict.fromkeys(str(one["settings"].get(key, "none")) for one in about))
        if len(values) > 1:
            yield f"NOT COMPARABLE: the {label} differs between runs ({' / '.join(values)})"
    for one, other in pairwise(runs):
        if _version(one) != _version(other) or _prompts_differ(one, other):
            yield "the runs were made with different versions of Osler or its prompts"
            break
    judged = {run.judge() for run in runs}
    if len(judged) > 1:
        yield f"the runs were judged by different judges ({', '.join(sorted(judged))}); `osler score` judges again"
    yield from server_warnings(run.file for run in runs)
    yield from _other_records(runs)
    yield from _different_patients([column for column in columns if not column.column.variant(STAGE)])
    yield from _left_out(columns)
    for run in runs:
        left = run.file.status().todo
        if left:
            yield f"{run.path}: {left} consultation(s) of its plan are still to be held"


def _version(run: Run) -> object:
    """What a run was made with; runs of earlier versions also keep one hash over all prompts of a language."""
    return run.about["version"], run.about.get("prompts")


def _prompts_differ(one: Run, other: Run) -> bool:
    """Check whether both runs used a prompt that had other words in one of them."""
    mine, theirs = one.file.prompts(), other.file.prompts()
    return any(theirs.get(name, known) != known for name, known in mine.items())


def _other_records(runs: Sequence[Run]) -> Iterable[str]:
    """Find records whose content differs under the same name: such a pair is not about the same patient."""
    first: dict[str, str] = {}
    changed: set[str] = set()
    for run in runs:
        for name, digest in run.file.ask("SELECT id, hash FROM records"):
            if first.setdefault(name, digest) != digest:
                changed.add(name)
    if changed:
        yield f"NOT COMPARABLE: {len(changed)} record(s) of the same name differ between runs ({_some(changed)})"


def _left_out(columns: list[ColumnFigures]) -> Iterable[str]:
    """Say what is left out of scores, and what is in them although something failed."""
    for column in columns:
        if column.failed == column.consultations:
            yield f"{column.name}: every consultation failed; it has no score"
        elif column.failed:
            yield f"{column.name}: {column.failed} of {column.consultations} failed and are left out of its scores"
    if told := _shares(columns, lambda column: column.unjudged):
        yield f"no verdict yet, and left out of the scores: {told}; `osler score` judges them"
    if told := _shares(columns, lambda column: column.memory_failures):
        yield f"a call of the memory's model failed in consultations that are in the scores: {told}"


def _shares(columns: list[ColumnFigures], count: Callable[[ColumnFigures], int | None]) -> str:
    return ", ".join(f"{column.name} {n} of {column.answered}" for column in columns if (n := count(column)))


def _groups(rows: list[tuple[str | None, list[Row]]], by: str, names: ShortNames) -> dict[str, list[ColumnFigures]]:
    kinds = sorted({str(row[by]) for _, some in rows for row in some})
    return {
        kind: [
            column
            for label, some in rows
            for column in columns_of((row for row in some if str(row[by]) == kind), label, names)
        ]
        for kind in kinds
    }


def _without_partner(pairs: Iterable[Pair]) -> Iterator[str]:
    """Return a line for each column with consultations that its reference does not have."""
    for column, other in (ordered for one, two in pairs for ordered in ((one, two), (two, one))):
        alone = column.held - other.held
        if not alone:
            continue
        known = _records(other)
        elsewhere = [trial.record for trial in alone if trial.record not in known]
        numbers = {trial.number for trial in alone if trial.record in known}
        reasons = []
        if elsewhere:
            reasons.append(f"{len(elsewhere)} with other records ({_some(set(elsewhere))})")
        if numbers:
            reasons.append(f"{len(alone) - len(elsewhere)} of trials that were not held there ({_some(numbers)})")
        share = f"{len(alone)} of {len(column.held)} consultations have no partner in {other.name}"
        yield f"{column.name}: {share}: {'; '.join(reasons)}"


def _different_patients(columns: list[ColumnFigures]) -> Iterator[str]:
    """Warn if the columns of a table are not about the same patients, or about other records of them."""
    kinds: dict[frozenset[str], ColumnFigures] = {}
    for column in columns:
        kinds.setdefault(_records(column), column)
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


def _records(column: ColumnFigures) -> frozenset[str]:
    return frozenset(trial.record for trial in column.held)


def _some(names: set[str] | set[int]) -> str:
    """The first few of them."""
    return ", ".join(map(str, sorted(names)[:_MOST_NAMED])) + (", …" if len(names) > _MOST_NAMED else "")
