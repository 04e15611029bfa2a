"""Why the consultations of a table were lost: shares of each cause, and columns compared cause by cause.

`osler explain` finds the causes and stores them in the run; here they are only read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from osler.eval.statistics import NO_INTERVAL, Figure, Paired, Trial, holm, paired
from osler.eval.text_tables import Grid, p_text
from osler.eval.verdict import Verdict
from osler.runs.store import RunFile
from osler.runs.store.explanations import StoredExplanation, explanations

Row = Mapping[str, Any]


class Cause(StrEnum):
    """Why a consultation ended with a diagnosis that is not right."""

    MEMORY = "memory"
    """The doctor is right from the full dialogue: its memory did not recall what it needed."""
    PATIENT = "patient"
    """It is right if it also has what was handed to the patient: told wrongly, or not at all."""
    RETRIEVAL = "retrieval"
    """It is right if it also has what its questions asked for: the retrieval module did not bring it."""
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
    """Why each consultation was lost, and None for one that was right; those without an explanation are not there."""

    @property
    def counts(self) -> Counter[str]:
        """How many were lost by each cause."""
        return Counter(cause for cause in self.causes.values() if cause)

    @property
    def is_known(self) -> bool:
        """Whether there is anything to compare: a lost consultation is explained, or none was lost."""
        return not self.lost or bool(self.counts)

    def share(self, cause: Cause) -> Figure:
        """Return the share of a cause among the explained ones, with its interval over patients."""
        by_patient: dict[str, list[float]] = defaultdict(list)
        for trial, found in self.causes.items():
            if found:
                by_patient[trial.patient].append(float(found == cause))
        return Figure.of(by_patient)

    def lost_by(self, cause: Cause) -> dict[Trial, float]:
        """1 for each consultation lost by that cause, 0 for one that was right or lost by another; for pairing."""
        return {trial: float(found == cause) for trial, found in self.causes.items()}


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


def lost_causes(
    rows: Mapping[str, Sequence[Row]], pairs: Iterable[tuple[str, str]], runs: Iterable[tuple[RunFile, str]]
) -> LostCauses | None:
    """Return the causes of columns; None if nothing is explained.

    Args:
        rows: The consultations of each column, by the column's name.
        pairs: Names of the columns that are compared with each other.
        runs: The run files, each with the judge whose verdicts are shown.
    """
    columns = {name: _column(name, some) for name, some in rows.items()}
    if not any(column.counts for column in columns.values()):
        return None
    wanted = [(columns[first], columns[second]) for first, second in dict.fromkeys(pairs)]
    unknown = dict.fromkeys(column.name for pair in wanted for column in pair if not column.is_known)
    found = [
        CauseDifference(cause, first.name, second.name, paired(first.lost_by(cause), second.lost_by(cause)))
        for first, second in wanted
        for cause in Cause
        if first.is_known and second.is_known and (first.counts[cause] or second.counts[cause])
    ]
    corrected = holm([one.paired.p_value for one in found])
    told = [one for file, judge in runs for one in explanations(file, judge).values()]
    return LostCauses(
        columns=list(columns.values()),
        differences=[replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True)],
        unpaired=tuple(
            f"{name}: no lost consultation is explained, so its causes are not paired; `osler explain` explains them"
            for name in unknown
        ),
        noise=tuple(_noise_lines(told)),
    )


def _column(name: str, rows: Sequence[Row]) -> ColumnCauses:
    lost, causes = 0, {}
    for row in rows:
        right = row["diagnosis_verdict"] == Verdict.CORRECT
        lost += row["diagnosis_verdict"] is not None and not right
        if right or row["cause"]:
            causes[Trial(row["patient"], row["trial"], row["record"])] = None if right else row["cause"]
    return ColumnCauses(name, lost, causes)


def _noise_lines(found: Sequence[StoredExplanation]) -> Iterable[str]:
    """Say how often the same question to the same doctor had another answer, and what the judge could not tell."""
    steps = [step for one in found for step in one.steps]
    again = [step for step in steps if step["step"] == "same"]
    if again:
        turned = sum(bool(step["right"]) for step in again)
        yield (
            f"asked again from the same recall, the doctor was right in {turned} of {len(again)} lost consultations:"
            " the noise of these causes"
        )
    repeated = [step for step in steps if len(step["trials"]) > 1]
    if repeated:
        split = sum(len({trial["verdict"] == Verdict.CORRECT for trial in step["trials"]}) > 1 for step in repeated)
        yield f"the trials of one step disagreed in {split} of {len(repeated)} steps"
    answers = [trial["verdict"] for step in steps for trial in step["trials"]]
    if unsure := answers.count(Verdict.UNDECIDED):
        yield f"the judge could not decide {unsure} of {len(answers)} answers; they count as not right"


def tables(found: LostCauses | None) -> list[Grid]:
    """Return the causes as tables of text; none if nothing is explained."""
    if found is None:
        return []
    columns = found.columns
    rows = [["lost (diagnosis not right)", *(str(column.lost) for column in columns)]]
    rows.append(["explained", *(str(column.counts.total()) for column in columns)])
    for cause in Cause:
        if any(column.counts[cause] for column in columns):
            rows.append([cause.value, *(_share(column, cause) for column in columns)])
    notes = [
        f"{column.name}: {count} consultation(s) were lost that the same doctor wins from the full dialogue"
        for column in columns
        if (count := column.counts[Cause.MEMORY])
    ]
    if any(column.share(cause).lacks_interval for column in columns for cause in Cause):
        notes.append(NO_INTERVAL)
    notes = ["share of the explained; in brackets 95 % intervals over patients", *notes, *found.noise, *found.unpaired]
    made = [Grid("why consultations were lost", ["", *(column.name for column in columns)], rows, notes)]
    if found.differences:
        header = ["cause", "column", "against", "n", "lost here : there alone", "p", "p (Holm)"]
        note = "paired by record and trial: lost by that cause, against right or lost by another"
        made.append(Grid("causes, paired", header, [_difference(one) for one in found.differences], [note]))
    return made


def _share(column: ColumnCauses, cause: Cause) -> str:
    figure = column.share(cause)
    if figure.value is None:
        return "–"
    between = f" [{100 * figure.interval.low:.0f}, {100 * figure.interval.high:.0f}]" if figure.interval else ""
    return f"{column.counts[cause]}: {100 * figure.value:.0f} %{between}"


def _difference(one: CauseDifference) -> list[str]:
    found = one.paired
    counts = f"{found.only_first} : {found.only_second}"
    return [one.cause.value, one.column, one.against, str(found.n), counts, p_text(found.p_value), p_text(one.p_holm)]


def as_json(found: LostCauses | None) -> dict[str, Any] | None:
    """Return the same as plain data."""
    if found is None:
        return None
    columns = []
    for column in found.columns:
        causes = {cause.value: {"count": column.counts[cause], **asdict(column.share(cause))} for cause in Cause}
        told = {"name": column.name, "lost": column.lost, "explained": column.counts.total()}
        columns.append({**told, "causes": causes})
    differences = [
        {"cause": one.cause, "column": one.column, "against": one.against, **asdict(one.paired), "p_holm": one.p_holm}
        for one in found.differences
    ]
    return {"columns": columns, "differences": differences, "unpaired": found.unpaired, "noise": found.noise}
