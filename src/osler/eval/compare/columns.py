"""The measures of a comparison, and the figures of each column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from osler import row_labels
from osler.eval.statistics import Figure, Trial, mean, pass_hat_k
from osler.eval.verdict import Verdict
from osler.runs.events import Role
from osler.runs.makers import SEATS, Makers, Usage, seat_name
from osler.runs.plan import ONE_STEP, Column, told_variants
from osler.runs.short_names import ShortNames

Row = Mapping[str, Any]
Value = Callable[[Row], float | None]
"""Reads a number of one consultation; None leaves the consultation out of that figure alone."""


def _is(kind: str, *verdicts: Verdict) -> Value:
    name = f"{kind}_verdict"
    return lambda row: None if row[name] is None else row[name] in verdicts


def _is_among_five(row: Row) -> float | None:
    """Whether this judge calls one of the first five diagnoses right; None if it has not judged the differential."""
    rank = row["diagnosis_rank"]
    return rank is not None and rank <= 5 if row["differential_judged"] else None


def _used(seat: Role, name: str) -> Value:
    return lambda row: getattr(_makers(row).usage.get(seat.value, Usage()), name)


def _makers(row: Row) -> Makers:
    return row.get("makers") or Makers()


@dataclass(frozen=True)
class Measure:
    """One row of the table."""

    name: str
    label: str
    value: Value | None = None
    """How it is read; without it, the consultation's number of that name."""
    share: bool = True
    """A share between 0 and 1, shown in per cent; otherwise a mean."""
    tested: bool = False
    """Whether differences between columns are tested."""
    digits: int = 1
    unless_zero: bool = False
    """Left out of a table if no column has any of it."""
    bounds: str | None = None
    """The measure that it is the upper bound of; left out of a table in which no verdict on that is undecided."""
    of_asking: bool = False
    """Says how the doctor asked; a doctor who was told everything has none."""

    @property
    def row_label(self) -> str:
        """Its label, with a word on how it is counted if it is no share."""
        return self.label if self.share else row_labels.mean(self.label)

    def of(self, row: Row) -> float | None:
        """Return its value in one consultation."""
        if self.of_asking and row["memory"] == ONE_STEP:
            return None
        found = self.value(row) if self.value else row.get(self.name)
        return None if found is None else float(found)


def _asking(name: str, label: str, *, share: bool = False, digits: int = 1) -> Measure:
    return Measure(name, label, share=share, digits=digits, of_asking=True)


def _right(kind: str) -> list[Measure]:
    """The share that is right, and the share that is right if every undecided verdict turns out to be."""
    label, either = f"{kind} right", (Verdict.CORRECT, Verdict.UNDECIDED)
    return [
        Measure(kind, f"{label} %", _is(kind, Verdict.CORRECT), tested=True),
        Measure(f"{kind}_at_most", f"{label} at most %", _is(kind, *either), bounds=kind),
    ]


def _usage(what: str, label: str, digits: int) -> list[Measure]:
    """Usage of each role's model."""
    return [
        Measure(
            f"{what}_{seat}",
            label.format(seat=seat_name(seat)),
            _used(seat, what),
            share=False,
            digits=digits,
            unless_zero=True,
        )
        for seat in SEATS
    ]


MEASURES = (
    *_right("diagnosis"),
    Measure("diagnosis_partial", "diagnosis partly right %", _is("diagnosis", Verdict.PARTIAL)),
    Measure("diagnosis_top5", "right among five %", _is_among_five),
    *_right("treatment"),
    Measure("treatment_partial", "treatment partly right %", _is("treatment", Verdict.PARTIAL)),
    Measure("treatment_unsafe", "unsafe %", _is("treatment", Verdict.UNSAFE)),
    _asking("coverage", "key elements asked %", share=True),
    _asking("order_share", "order respected %", share=True),
    _asking("turns", "turns"),
    _asking("repeats", "repeated questions"),
    _asking("rounds_ratio", "turns / expected", digits=2),
    _asking("deciding_turn", "turn of deciding finding"),
    _asking("tests_asked", "tests asked for"),
    _asking("tests_cost", "cost of tests"),
    _asking("leaks", "patient: leaks", digits=2),
    _asking("fabrications", "patient: fabrications", digits=2),
    _asking("contradictions", "patient: contradictions", digits=2),
    _asking("refusals", "patient: refusals", digits=2),
    Measure("tokens_in", "tokens in", share=False, digits=0),
    Measure("tokens_out", "tokens out", share=False, digits=0),
    Measure("cost", "cost, USD", share=False, digits=4),
    *_usage("tokens", "tokens: {seat}", 0),
    *_usage("cost", "cost: {seat}, USD", 4),
    Measure("seconds", "seconds", share=False, digits=2),
)


@dataclass(frozen=True)
class ColumnFigures:
    """All consultations of one column."""

    column: Column
    """Its names as the run was given them, servers and all."""
    backbone_name: str
    """Short, and unique in the table."""
    memory_name: str
    run: str | None
    """Which run, if several are compared."""
    consultations: int
    patients: int
    failed: int
    unparsed: int
    unjudged: int
    """Ended with an answer that this judge has not judged; not part of any score."""
    undecided: dict[str, int]
    """Verdicts on the diagnosis and on the treatment that the judge left undecided; scores count them as not right."""
    memory_failures: int | None
    """Answered consultations in which a call of the memory's model failed; None if the run does not say."""
    figures: dict[str, Figure]
    makers: Makers = field(default_factory=Makers)
    """Counts over the consultations with an answer."""
    passes: dict[int, float | None] = field(default_factory=dict)
    """pass^k of the diagnosis: the chance that k trials of a record are all right."""
    pass_records: dict[int, int] = field(default_factory=dict)
    """Records with at least k trials, which pass^k was counted from."""
    values: dict[str, dict[Trial, float]] = field(default_factory=dict, repr=False)
    held: frozenset[Trial] = field(default_factory=frozenset, repr=False)
    """All of its consultations, failures too."""

    @property
    def name(self) -> str:
        """In one line."""
        parts = (self.run, self.backbone_name, self.column.strategy, self.memory_name)
        return " ".join((*filter(None, parts), *told_variants(self.column.variants)))

    @property
    def backbone(self) -> str:
        """The doctor's."""
        return self.column.backbone

    @property
    def memory(self) -> str:
        """The doctor's memory."""
        return self.column.memory

    @property
    def answered(self) -> int:
        """Consultations that ended with an answer: what every figure is counted from unless it tells its own n."""
        return self.consultations - self.failed


def columns_of(rows: Iterable[Row], run: str | None = None, names: ShortNames | None = None) -> list[ColumnFigures]:
    """Return the columns of a run in order; failures are counted and never scored.

    If several runs are compared, it has a name, and the short names are those of all columns of the table.
    """
    groups: dict[Column, list[Row]] = defaultdict(list)
    for row in rows:
        groups[Column.from_row(row)].append(row)
    known = names or ShortNames.of(groups)
    return [_column(key, known, run, some) for key, some in groups.items()]


def _column(column: Column, names: ShortNames, run: str | None, rows: list[Row]) -> ColumnFigures:
    answered = [row for row in rows if not row["failed"]]
    figures, values = {}, {}
    for measure in MEASURES:
        found = {_trial(row): number for row in answered if (number := measure.of(row)) is not None}
        by_patient = _grouped(found, lambda trial: trial.patient)
        figures[measure.name] = Figure.of(by_patient) if measure.share else Figure(mean(by_patient), len(found))
        if measure.tested or measure.bounds:
            values[measure.name] = found
    broken = [count for row in answered if (count := row.get("memory_failures")) is not None]
    passes = _passes(values["diagnosis"])
    return ColumnFigures(
        column=column,
        backbone_name=names.backbones[column.backbone],
        memory_name=names.memories[column.memory],
        run=run,
        consultations=len(rows),
        patients=len({row["patient"] for row in rows}),
        failed=len(rows) - len(answered),
        unparsed=sum(row["ending"] == "unparsed" for row in rows),
        unjudged=sum(row["diagnosis_verdict"] is None for row in answered),
        undecided={
            kind: sum(row[f"{kind}_verdict"] == Verdict.UNDECIDED for row in answered)
            for kind in ("diagnosis", "treatment")
        },
        memory_failures=sum(count > 0 for count in broken) if broken else None,
        figures=figures,
        makers=Makers.together(map(_makers, answered)),
        passes={k: found.value for k, found in passes.items()},
        pass_records={k: found.n for k, found in passes.items()},
        values=values,
        held=frozenset(map(_trial, rows)),
    )


def _trial(row: Row) -> Trial:
    """Identify the same consultation in another column; two languages of a patient are two, of one cluster."""
    return Trial(row["patient"], row["trial"], row["record"])


def _grouped(found: Mapping[Trial, float], by: Callable[[Trial], str]) -> dict[str, list[float]]:
    grouped: dict[str, list[float]] = defaultdict(list)
    for trial, value in found.items():
        grouped[by(trial)].append(value)
    return grouped


def _passes(found: Mapping[Trial, float]) -> dict[int, Figure]:
    """Compute pass^k over the trials of each record: two languages of a patient are not a repetition."""
    records = _grouped(found, lambda trial: trial.record).values()
    most = max(map(len, records), default=0)
    successes, trials = [round(sum(values)) for values in records], [len(values) for values in records]
    return {k: pass_hat_k(successes, trials, k) for k in range(1, most + 1)} if most > 1 else {}
