"""Why the consultations of a table were lost: shares of each cause, and columns cause by cause.

`osler explain` finds the causes and stores them in the run; here they are only read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from osler.eval.statistics import NO_INTERVAL, Figure, Paired, Trial, holm, paired
from osler.eval.verdict import Verdict
from osler.runs.scored import DIAGNOSIS, ScoredConsultation
from osler.runs.store import RunFile
from osler.runs.store.explanations import explanations
from osler.tables import DASH, Table, p_text


class Cause(StrEnum):
    """Why a consultation ended with a diagnosis that is not right."""

    MEMORY = "memory"
    """The doctor is right from the full dialogue: its memory did not recall what it needed."""
    PATIENT = "patient"
    """It is right if it also has what was handed to the patient: told wrongly, or not at all."""
    RETRIEVAL = "retrieval"
    """It is right if it also has what its questions asked for: the retrieval module did not bring
    it."""
    INQUIRY = "inquiry"
    """It is right from the whole record: it never asked for what it needed."""
    KNOWLEDGE = "knowledge"
    """It is wrong from the whole record, too."""
    CONCLUSION = "conclusion"
    """Nothing was missing at the end, and it still ended wrong."""
    JUDGE = "judge"
    """Judges disagree whether it is right, or its judge cannot tell."""


@dataclass(frozen=True)
class ColumnCauses:
    """The lost consultations of one column."""

    name: str
    lost: int
    """Judged, and not right."""
    causes: dict[Trial, str | None]
    """Why each consultation was lost, and None for one that was right; those without an explanation
    are not there."""

    @property
    def counts(self) -> Counter[str]:
        """How many were lost by each cause."""
        return Counter(cause for cause in self.causes.values() if cause)

    @property
    def is_known(self) -> bool:
        """Whether there is anything to compare.

        A lost consultation is explained, or none was lost.
        """
        return not self.lost or bool(self.counts)

    def share(self, cause: Cause) -> Figure:
        """Return the share of a cause among the explained, with its interval over patients."""
        by_patient: dict[str, list[float]] = defaultdict(list)
        for trial, lost_by in self.causes.items():
            if lost_by:
                by_patient[trial.patient].append(float(lost_by == cause))
        return Figure.of(by_patient)

    def lost_by(self, cause: Cause) -> dict[Trial, float]:
        """1 for each consultation lost by that cause, 0 for one that was right or lost by another.

        For pairing.
        """
        return {trial: float(lost_by == cause) for trial, lost_by in self.causes.items()}


@dataclass(frozen=True)
class CauseDifference:
    """Consultations that one column loses by a cause and another does not, paired."""

    cause: Cause
    column: str
    against: str
    paired: Paired
    p_holm: float | None = None


@dataclass(frozen=True)
class LostCauses:
    """The causes of all columns of a table."""

    columns: list[ColumnCauses]
    differences: list[CauseDifference]
    unpaired: tuple[str, ...]
    """Columns whose causes are compared with no other's, as nothing is explained, a line each."""
    noise: tuple[str, ...]
    """How far the causes themselves depend on chance, a line each."""


class _Pair(NamedTuple):
    column: ColumnCauses
    reference: ColumnCauses


def lost_causes(
    consultations: Mapping[str, Sequence[ScoredConsultation]],
    pairs: Iterable[tuple[str, str]],
    runs: Iterable[tuple[RunFile, str]],
) -> LostCauses | None:
    """Return the causes of columns; None if nothing is explained.

    Args:
        consultations: Those of each column, by the column's name.
        pairs: Names of the columns that are compared with each other.
        runs: The run files, each with the judge whose verdicts are shown.
    """
    columns = {name: _column(name, of_column) for name, of_column in consultations.items()}
    if not any(column.counts for column in columns.values()):
        return None
    compared = [_Pair(columns[first], columns[second]) for first, second in dict.fromkeys(pairs)]
    unknown: dict[str, None] = {}
    for pair in compared:
        unknown |= {column.name: None for column in pair if not column.is_known}
    steps: list[dict[str, Any]] = []
    for file, judge in runs:
        for explanation in explanations(file, judge).values():
            steps += explanation.steps
    return LostCauses(
        columns=list(columns.values()),
        differences=_differences(compared),
        unpaired=tuple(
            f"{name}: no lost consultation is explained, so its causes are not paired; `osler"
            " explain` explains them"
            for name in unknown
        ),
        noise=tuple(_noise_lines(steps)),
    )


def _differences(pairs: Iterable[_Pair]) -> list[CauseDifference]:
    """Compare the columns cause by cause, with p-values that are corrected over all of them."""
    differences = []
    for column, reference in pairs:
        if not (column.is_known and reference.is_known):
            continue
        for cause in Cause:
            if column.counts[cause] or reference.counts[cause]:
                result = paired(column.lost_by(cause), reference.lost_by(cause))
                differences.append(CauseDifference(cause, column.name, reference.name, result))
    corrected = holm([difference.paired.p_value for difference in differences])
    return [
        replace(difference, p_holm=p) for difference, p in zip(differences, corrected, strict=True)
    ]


def _column(name: str, consultations: Iterable[ScoredConsultation]) -> ColumnCauses:
    lost = 0
    causes: dict[Trial, str | None] = {}
    for consultation in consultations:
        verdict = consultation.verdict(DIAGNOSIS)
        is_right = verdict == Verdict.CORRECT
        lost += verdict is not None and not is_right
        if is_right or consultation.cause:
            trial = Trial(consultation.patient, consultation.trial, consultation.case)
            causes[trial] = None if is_right else consultation.cause
    return ColumnCauses(name, lost, causes)


def _noise_lines(steps: Sequence[dict[str, Any]]) -> Iterable[str]:
    """Say how often the same question had another answer, and what the judge could not tell."""
    again = [step for step in steps if step["step"] == "same"]
    if again:
        turned = sum(bool(step["right"]) for step in again)
        yield (
            f"asked again from the same recall, the doctor was right in {turned} of {len(again)}"
            " lost consultations: the noise of these causes"
        )
    repeated = [step for step in steps if len(step["trials"]) > 1]
    if repeated:
        split = sum(_disagree(step["trials"]) for step in repeated)
        yield f"the trials of one step disagreed in {split} of {len(repeated)} steps"
    answers: list[str] = []
    for step in steps:
        answers += [trial["verdict"] for trial in step["trials"]]
    undecided = answers.count(Verdict.UNDECIDED)
    if undecided:
        yield (
            f"the judge could not decide {undecided} of {len(answers)} answers; they count as not"
            " right"
        )


def _disagree(trials: Iterable[dict[str, Any]]) -> bool:
    return len({trial["verdict"] == Verdict.CORRECT for trial in trials}) > 1


def cause_tables(lost: LostCauses | None) -> list[Table]:
    """Return the causes as tables; none if nothing is explained."""
    if lost is None:
        return []
    columns = lost.columns
    rows = [
        ["lost (diagnosis not right)", *(str(column.lost) for column in columns)],
        ["explained", *(str(column.counts.total()) for column in columns)],
    ]
    for cause in Cause:
        if any(column.counts[cause] for column in columns):
            rows.append([cause.value, *(_share_text(column, cause) for column in columns)])
    header = ["", *(column.name for column in columns)]
    tables = [Table.of("why consultations were lost", header, rows, _notes(lost))]
    if lost.differences:
        header = ["cause", "column", "against", "n", "lost here : there alone", "p", "p (Holm)"]
        note = "paired by record and trial: lost by that cause, against right or lost by another"
        rows = [_difference_row(difference) for difference in lost.differences]
        tables.append(Table.of("causes, paired", header, rows, [note]))
    return tables


def _notes(lost: LostCauses) -> Iterable[str]:
    yield "share of the explained; in brackets 95 % intervals over patients"
    for column in lost.columns:
        count = column.counts[Cause.MEMORY]
        if count:
            yield (
                f"{column.name}: {count} consultation(s) were lost that the same doctor wins from"
                " the full dialogue"
            )
    if any(_lacks_interval(column) for column in lost.columns):
        yield NO_INTERVAL
    yield from lost.noise
    yield from lost.unpaired


def _lacks_interval(column: ColumnCauses) -> bool:
    return any(column.share(cause).lacks_interval for cause in Cause)


def _share_text(column: ColumnCauses, cause: Cause) -> str:
    """How many were lost by a cause, and their share with its interval."""
    figure = column.share(cause)
    if figure.value is None:
        return DASH
    text = f"{column.counts[cause]}: {100 * figure.value:.0f} %"
    if figure.interval is not None:
        text += f" [{100 * figure.interval.low:.0f}, {100 * figure.interval.high:.0f}]"
    return text


def _difference_row(difference: CauseDifference) -> list[str]:
    result = difference.paired
    return [
        *(difference.cause.value, difference.column, difference.against, str(result.n)),
        f"{result.only_first} : {result.only_second}",
        *(p_text(result.p_value), p_text(difference.p_holm)),
    ]


def causes_json(lost: LostCauses | None) -> dict[str, Any] | None:
    """Return the same as plain data."""
    if lost is None:
        return None
    return {
        "columns": [_column_json(column) for column in lost.columns],
        "differences": [_difference_json(difference) for difference in lost.differences],
        "unpaired": lost.unpaired,
        "noise": lost.noise,
    }


def _column_json(column: ColumnCauses) -> dict[str, Any]:
    causes = {
        cause.value: {"count": column.counts[cause], **asdict(column.share(cause))}
        for cause in Cause
    }
    explained = column.counts.total()
    return {"name": column.name, "lost": column.lost, "explained": explained, "causes": causes}


def _difference_json(difference: CauseDifference) -> dict[str, Any]:
    return {
        "cause": difference.cause,
        "column": difference.column,
        "against": difference.against,
        **asdict(difference.paired),
        "p_holm": difference.p_holm,
    }
