"""The columns of a table: all consultations of one column, in figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from osler.eval.statistics import (
    Interval,
    PassHatK,
    Trial,
    clustered_standard_error,
    mean,
    mean_interval,
    pass_hat_k,
)
from osler.eval.verdict import Verdict
from osler.runs.events import Role
from osler.runs.makers import SEATS, Makers, Usage, seat_name
from osler.runs.plan import ONE_STEP, Column, told_variants
from osler.runs.short_names import ShortNames

Row = Mapping[str, Any]
Value = Callable[[Row], float | None]
"""A number of one consultation; None where it has none, which leaves it out of that figure alone."""

SEED = 0
"""Of the bootstrap: the same table gives the same intervals."""


def _is(kind: str, *verdicts: Verdict) -> Value:
    def value(row: Row) -> float | None:
        verdict = row[f"{kind}_verdict"]
        return None if verdict is None else float(verdict in verdicts)

    return value


def _number(name: str) -> Value:
    def value(row: Row) -> float | None:
        found = row.get(name)
        return None if found is None else float(found)

    return value


def _asked(name: str) -> Value:
    """A measure of how the doctor asked; who was told everything has none."""
    value = _number(name)
    return lambda row: None if row["memory"] == ONE_STEP else value(row)


def _within(most: int) -> Value:
    def value(row: Row) -> float | None:
        if row["diagnosis_verdict"] is None:
            return None
        rank = row["diagnosis_rank"]
        return float(rank is not None and rank <= most)

    return value


@dataclass(frozen=True)
class Measure:
    """One row of the table."""

    name: str
    label: str
    value: Value
    share: bool = True
    """A share between 0 and 1, shown in per cent; otherwise a mean."""
    tested: bool = False
    """Whether differences between columns are tested."""
    digits: int = 1
    unless_zero: bool = False
    """Left out of a table where no column has any of it."""


def _used(seat: Role, value: Callable[[Usage], float | None]) -> Value:
    return lambda row: value(_makers(row).usage.get(seat.value, Usage()))


def _makers(row: Row) -> Makers:
    found = row.get("makers")
    return found if isinstance(found, Makers) else Makers()


def _of_seats() -> Iterator[Measure]:
    """What the model of each seat used."""
    for seat in SEATS:
        name = seat_name(seat)
        tokens, cost = _used(seat, lambda used: used.tokens), _used(seat, lambda used: used.cost)
        yield Measure(f"tokens_{seat}", f"tokens: {name}", tokens, share=False, digits=0, unless_zero=True)
        yield Measure(f"cost_{seat}", f"cost: {name}, USD", cost, share=False, digits=4, unless_zero=True)


MEASURES = (
    Measure("diagnosis", "diagnosis right %", _is("diagnosis", Verdict.CORRECT), tested=True),
    Measure("diagnosis_partial", "diagnosis partly right %", _is("diagnosis", Verdict.PARTIAL)),
    Measure("diagnosis_top5", "right among five %", _within(5)),
    Measure("treatment", "treatment right %", _is("treatment", Verdict.CORRECT), tested=True),
    Measure("treatment_partial", "treatment partly right %", _is("treatment", Verdict.PARTIAL)),
    Measure("treatment_unsafe", "unsafe %", _is("treatment", Verdict.UNSAFE)),
    Measure("coverage", "key elements asked %", _asked("coverage")),
    Measure("order_share", "order respected %", _asked("order_share")),
    Measure("turns", "turns", _asked("turns"), share=False),
    Measure("repeats", "repeated questions", _asked("repeats"), share=False),
    Measure("rounds_ratio", "turns / expected", _asked("rounds_ratio"), share=False, digits=2),
    Measure("deciding_turn", "turn of deciding finding", _asked("deciding_turn"), share=False),
    Measure("tests_asked", "tests asked for", _asked("tests_asked"), share=False),
    Measure("tests_cost", "cost of tests", _asked("tests_cost"), share=False),
    Measure("leaks", "patient: leaks", _asked("leaks"), share=False, digits=2),
    Measure("fabrications", "patient: fabrications", _asked("fabrications"), share=False, digits=2),
    Measure("contradictions", "patient: contradictions", _asked("contradictions"), share=False, digits=2),
    Measure("refusals", "patient: refusals", _asked("refusals"), share=False, digits=2),
    Measure("tokens_in", "tokens in", _number("tokens_in"), share=False, digits=0),
    Measure("tokens_out", "tokens out", _number("tokens_out"), share=False, digits=0),
    Measure("cost", "cost, USD", _number("cost"), share=False, digits=4),
    *sorted(_of_seats(), key=lambda measure: measure.digits),
    Measure("seconds", "seconds", _number("seconds"), share=False, digits=2),
)


@dataclass(frozen=True)
class Figure:
    """One number of a column, with what it rests on."""

    value: float | None
    n: int
    """Consultations it was counted from."""
    interval: Interval | None = None
    error: float | None = None
    """Standard error, clustered by patient."""


@dataclass(frozen=True)
class ColumnFigures:
    """All consultations of one column."""

    column: Column
    """Its names as the run was given them, servers and all."""
    backbone_name: str
    """Short, and no other backbone's of the table."""
    memory_name: str
    run: str | None
    """Which run, where several are compared."""
    consultations: int
    patients: int
    failed: int
    unparsed: int
    unjudged: int
    """Ended with an answer that this judge has not judged; they are in no score."""
    memory_failures: int | None
    """Consultations with an answer in which a call of the memory's model failed; None: the run does not tell."""
    figures: dict[str, Figure]
    makers: Makers = field(default_factory=Makers)
    """Of the consultations with an answer."""
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
        """What the doctor remembers with."""
        return self.column.memory

    @property
    def answered(self) -> int:
        """Consultations that ended with an answer: what every figure is counted from unless it tells its own n."""
        return self.consultations - self.failed


def columns_of(rows: Iterable[Row], run: str | None = None, names: ShortNames | None = None) -> list[ColumnFigures]:
    """The columns of a run in the order they come; failures are counted and never scored.

    Args:
        rows: Of one run.
        run: What the run is called, where several are compared.
        names: Short names of all columns of the table; without them, those of these rows are told apart.
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
        found = {_trial(row): number for row in answered if (number := measure.value(row)) is not None}
        by_patient = _by_patient(found)
        figures[measure.name] = Figure(
            value=mean(by_patient),
            n=len(found),
            interval=mean_interval(by_patient, SEED) if measure.share else None,
            error=clustered_standard_error(by_patient) if measure.share else None,
        )
        if measure.tested:
            values[measure.name] = found
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
        memory_failures=_memory_failures(answered),
        figures=figures,
        makers=Makers.together(map(_makers, answered)),
        passes={k: found.value for k, found in passes.items()},
        pass_records={k: found.patients for k, found in passes.items()},
        values=values,
        held=frozenset(map(_trial, rows)),
    )


def _trial(row: Row) -> Trial:
    """What the same consultation in another column is found by; two languages of a patient are two, of one cluster."""
    return Trial(row["patient"], row["trial"], row["record"])


def _memory_failures(answered: list[Row]) -> int | None:
    told = [count for row in answered if (count := row.get("memory_failures")) is not None]
    return sum(count > 0 for count in told) if told else None


def _by_patient(found: Mapping[Trial, float]) -> dict[str, list[float]]:
    grouped: dict[str, list[float]] = defaultdict(list)
    for trial, value in found.items():
        grouped[trial.patient].append(value)
    return grouped


def _passes(found: Mapping[Trial, float]) -> dict[int, PassHatK]:
    """Over the trials of each record: two languages of a patient are no repetition."""
    grouped: dict[tuple[str, str], list[float]] = defaultdict(list)
    for trial, value in found.items():
        grouped[trial.patient, trial.record].append(value)
    most = max(map(len, grouped.values()), default=0)
    successes = [round(sum(values)) for values in grouped.values()]
    trials = [len(values) for values in grouped.values()]
    return {k: pass_hat_k(successes, trials, k) for k in range(1, most + 1)} if most > 1 else {}
