"""The figures of each column: every measure over the column's consultations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from osler.eval.measures import Measure, ValueOfPair, all_measures
from osler.eval.statistics import Figure, Trial, mean, pass_hat_k
from osler.eval.twin_pairs import TwinPairs, pairs_among
from osler.eval.verdict import Verdict
from osler.runs.events import Ending
from osler.runs.makers import Makers
from osler.runs.plan import Column, told_variants
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation
from osler.runs.short_names import ShortNames

ACCURACY = f"{DIAGNOSIS}_right"
"""The measure that columns are first compared in."""


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
    """Verdicts on the diagnosis and on the treatment that the judge left undecided; scores count
    them as not right."""
    memory_failures: int | None
    """Answered consultations in which a call of the memory's model failed; None if the run does not
    say."""
    figures: dict[str, Figure]
    """Shares and means by the name of the measure, over the consultations with an answer; measures
    over pairs of twins only where there are any."""
    pairs: int = 0
    """Pairs of twins of which both consultations ended with an answer."""
    pairs_left_out: int = 0
    """Pairs of which a half failed, or has not ended."""
    totals: dict[str, float] = field(default_factory=dict)
    """Sums over all consultations that ended, of the measures that a place shows as totals."""
    makers: Makers = field(default_factory=Makers)
    """Counts over the consultations with an answer."""
    passes: dict[int, float | None] = field(default_factory=dict)
    """pass^k of the diagnosis: the chance that k trials of a record are all right."""
    pass_records: dict[int, int] = field(default_factory=dict)
    """Records with at least k trials, which pass^k was counted from."""
    values: dict[str, dict[Trial, float]] = field(default_factory=dict, repr=False)
    """Of the measures whose differences are tested, and of their upper bounds."""
    trials: frozenset[Trial] = field(default_factory=frozenset, repr=False)
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
        """Consultations that ended with an answer.

        What every figure is counted from unless it tells its own n.
        """
        return self.consultations - self.failed


def by_column(
    consultations: Iterable[ScoredConsultation],
) -> dict[Column, list[ScoredConsultation]]:
    """The consultations of each column, in order."""
    groups: dict[Column, list[ScoredConsultation]] = defaultdict(list)
    for consultation in consultations:
        groups[consultation.column].append(consultation)
    return dict(groups)


def columns_of(
    consultations: Iterable[ScoredConsultation],
    run: str | None = None,
    names: ShortNames | None = None,
    measures: Sequence[Measure] | None = None,
) -> list[ColumnFigures]:
    """Return the columns of a run in order; failures are counted and never scored.

    Args:
        consultations: Those of one run that have ended.
        run: Its name, if several runs are compared.
        names: The short names of all columns of the table; without them, of this run's.
        measures: What is measured; all measures unless some are named.
    """
    groups = by_column(consultations)
    short = names or ShortNames.of(groups)
    chosen = all_measures() if measures is None else measures
    return [_column(column, group, chosen, run, short) for column, group in groups.items()]


def _column(
    column: Column,
    consultations: list[ScoredConsultation],
    measures: Sequence[Measure],
    run: str | None,
    names: ShortNames,
) -> ColumnFigures:
    answered = [consultation for consultation in consultations if not consultation.is_failed]
    pairs = pairs_among(consultations)
    measures = [measure for measure in measures if measure.of_pair is None or pairs]
    values = {
        measure.name: _values(measure, answered, pairs)
        for measure in measures
        if measure.is_tested or measure.upper_bound_of
    }
    passes = _passes(values.get(ACCURACY, {}))
    return ColumnFigures(
        column=column,
        backbone_name=names.backbones[column.backbone],
        memory_name=names.memories[column.memory],
        run=run,
        consultations=len(consultations),
        patients=len({consultation.patient for consultation in consultations}),
        failed=len(consultations) - len(answered),
        unparsed=sum(consultation.ending is Ending.UNPARSED for consultation in consultations),
        unjudged=sum(not consultation.is_judged for consultation in answered),
        undecided={kind: _undecided(answered, kind) for kind in (DIAGNOSIS, TREATMENT)},
        memory_failures=_memory_failures(answered),
        figures={measure.name: _figure(measure, answered, pairs) for measure in measures},
        pairs=len(pairs.complete),
        pairs_left_out=pairs.left_out,
        totals={
            measure.name: _total(measure, consultations)
            for measure in measures
            if measure.totals_in
        },
        makers=Makers.together(consultation.makers for consultation in answered),
        passes={k: figure.value for k, figure in passes.items()},
        pass_records={k: figure.n for k, figure in passes.items()},
        values=values,
        trials=frozenset(map(trial_of, consultations)),
    )


def _figure(measure: Measure, answered: Sequence[ScoredConsultation], pairs: TwinPairs) -> Figure:
    """Return a share of replies, or a share of consultations or pairs, or a mean over them."""
    if measure.is_of_replies:
        return Figure.of(_of_replies(measure, answered))
    values = _values(measure, answered, pairs)
    by_patient = _grouped(values, lambda trial: trial.patient)
    if measure.is_share:
        return Figure.of(by_patient)
    # A mean of counts, times or costs stands without an interval: the intervals of `Figure.of` are
    # about shares. They rest on values from 0 to 1, and so hold with few patients, too; a value
    # without a highest one can be far outside of what few patients show.
    return Figure(mean(by_patient), len(values))


def _values(
    measure: Measure, answered: Iterable[ScoredConsultation], pairs: TwinPairs
) -> dict[Trial, float]:
    """The values of the consultations that have one, or of the pairs."""
    if measure.of_pair is not None:
        return _of_pairs(measure.of_pair, pairs)
    values = {}
    for consultation in answered:
        value = measure.in_figures(consultation)
        if value is not None:
            values[trial_of(consultation)] = value
    return values


def _of_pairs(value_of: ValueOfPair, pairs: TwinPairs) -> dict[Trial, float]:
    """The values of the pairs that have one.

    Twins are one patient, so that intervals and tests take a pair as one, and with it the same pair
    in another language.
    """
    values = {}
    for pair in pairs.complete:
        value = value_of(pair)
        if value is not None:
            values[trial_of(pair.twin)] = float(value)
    return values


def _total(measure: Measure, consultations: Iterable[ScoredConsultation]) -> float:
    values = [measure.of(consultation) for consultation in consultations]
    return sum(value for value in values if value is not None)


def _undecided(answered: Iterable[ScoredConsultation], kind: str) -> int:
    return sum(consultation.verdict(kind) == Verdict.UNDECIDED for consultation in answered)


def _memory_failures(answered: Iterable[ScoredConsultation]) -> int | None:
    counts = [consultation.measures.number("memory_failures") for consultation in answered]
    measured = [count for count in counts if count is not None]
    if measured:
        return sum(count > 0 for count in measured)
    return None


def _of_replies(measure: Measure, answered: Iterable[ScoredConsultation]) -> dict[str, list[float]]:
    """1 or 0 for every reply that was read, by patient."""
    by_patient: dict[str, list[float]] = defaultdict(list)
    for consultation in answered:
        faulty = int(measure.of(consultation) or 0)
        read = consultation.replies_read
        if read:
            by_patient[consultation.patient] += [1.0] * faulty + [0.0] * (read - faulty)
    return by_patient


def trial_of(consultation: ScoredConsultation) -> Trial:
    """Return what this consultation shares with the same one in another column.

    A patient's records in two languages are two trials; intervals and tests take them together, as
    those of one patient.
    """
    return Trial(patient=consultation.patient, number=consultation.trial, record=consultation.case)


def _grouped(values: Mapping[Trial, float], key: Callable[[Trial], str]) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for trial, value in values.items():
        groups[key(trial)].append(value)
    return groups


def _passes(values: Mapping[Trial, float]) -> dict[int, Figure]:
    """Compute pass^k over the trials of each record.

    Two languages of a patient are not a repetition.
    """
    records = list(_grouped(values, lambda trial: trial.record).values())
    most = max(map(len, records), default=0)
    if most < 2:
        return {}
    successes = [round(sum(record)) for record in records]
    trials = [len(record) for record in records]
    return {k: pass_hat_k(successes, trials, k) for k in range(1, most + 1)}
