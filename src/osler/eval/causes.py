"""Why the consultations of a table were lost: shares of each cause, and columns compared cause by cause.

`osler explain` finds the causes and stores them in the run; here they are only read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from osler.eval.statistics import Figure, Paired, Trial, holm, paired
from osler.eval.verdict import Verdict
from osler.runs.store import RunFile
from osler.runs.store.explanations import StoredExplanation, explanations

Row = Mapping[str, Any]
SAME = "same"
"""The first step: the doctor is asked again from the same recall."""
_SEED = 0


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
    counts: dict[Cause, int]
    shares: dict[Cause, Figure]
    """Of the explained ones, with intervals over patients."""
    values: dict[Cause, dict[Trial, float]]
    """1 for each consultation lost by that cause, 0 for one that was right or lost by another; for pairing."""

    @property
    def explained(self) -> int:
        """How many of the lost ones have a cause."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class CauseDifference:
    """Consultations that one column loses by a cause and another does not, paired."""

    cause: Cause
    first: str
    second: str
    paired: Paired
    p_holm: float | None = None


@dataclass(frozen=True)
class LostCauses:
    """The causes of all columns of a table."""

    columns: list[ColumnCauses]
    differences: list[CauseDifference]
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
    found = [
        CauseDifference(cause, first, second, paired(columns[first].values[cause], columns[second].values[cause]))
        for first, second in dict.fromkeys(pairs)
        for cause in Cause
        if columns[first].counts.get(cause) or columns[second].counts.get(cause)
    ]
    corrected = holm([one.paired.p_value for one in found])
    told = [one for file, judge in runs for one in explanations(file, judge).values()]
    return LostCauses(
        columns=list(columns.values()),
        differences=[replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True)],
        noise=tuple(noise_lines(told)),
    )


def _column(name: str, rows: Sequence[Row]) -> ColumnCauses:
    judged = [row for row in rows if row["diagnosis_verdict"] is not None]
    lost = [row for row in judged if row["diagnosis_verdict"] != Verdict.CORRECT]
    known = [row for row in judged if row["diagnosis_verdict"] == Verdict.CORRECT or row["cause"]]
    counts = Counter(Cause(row["cause"]) for row in lost if row["cause"])
    shares = {}
    for cause in Cause:
        by_patient: dict[str, list[float]] = defaultdict(list)
        for row in (row for row in lost if row["cause"]):
            by_patient[row["patient"]].append(float(row["cause"] == cause))
        shares[cause] = Figure.of(by_patient, _SEED)
    values = {
        cause: {Trial(row["patient"], row["trial"], row["record"]): float(row["cause"] == cause) for row in known}
        for cause in Cause
    }
    return ColumnCauses(name, len(lost), dict(counts), shares, values)


def noise_lines(found: Sequence[StoredExplanation]) -> Iterable[str]:
    """Say how often the same question to the same doctor had another answer, and what the judge could not tell."""
    steps = [step for one in found for step in one.steps]
    again = [step for step in steps if step["step"] == SAME]
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


Table = tuple[str, list[str], list[list[str]], list[str]]
"""Title, header, rows and notes, as a `Grid` takes them."""


def tables(found: LostCauses | None) -> list[Table]:
    """Return the causes as tables of text; none if nothing is explained."""
    if found is None:
        return []
    columns = found.columns
    rows = [["lost (diagnosis not right)", *(str(column.lost) for column in columns)]]
    rows.append(["explained", *(str(column.explained) for column in columns)])
    for cause in Cause:
        if any(column.counts.get(cause) for column in columns):
            rows.append([cause.value, *(_share(column, cause) for column in columns)])
    notes = [
        f"{column.name}: {count} consultation(s) were lost that the same doctor wins from the full dialogue"
        for column in columns
        if (count := column.counts.get(Cause.MEMORY))
    ]
    notes = ["share of the explained; in brackets 95 % intervals over patients", *notes, *found.noise]
    made: list[Table] = [("why consultations were lost", ["", *(column.name for column in columns)], rows, notes)]
    if found.differences:
        header = ["cause", "column", "against", "n", "lost here : there alone", "p", "p (Holm)"]
        note = "paired by record and trial: lost by that cause, against right or lost by another"
        made.append(("causes, paired", header, [_difference(one) for one in found.differences], [note]))
    return made


def _share(column: ColumnCauses, cause: Cause) -> str:
    figure = column.shares[cause]
    if figure.value is None:
        return "–"
    between = f" [{100 * figure.interval.low:.0f}, {100 * figure.interval.high:.0f}]" if figure.interval else ""
    return f"{column.counts.get(cause, 0)}: {100 * figure.value:.0f} %{between}"


def _difference(one: CauseDifference) -> list[str]:
    found = one.paired
    tested = ("–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}" for p in (found.p_value, one.p_holm))
    counts = f"{found.only_first} : {found.only_second}"
    return [one.cause.value, one.first, one.second, str(found.n), counts, *tested]


def as_json(found: LostCauses | None) -> dict[str, Any] | None:
    """Return the same as plain data."""
    if found is None:
        return None
    columns = [
        {
            "name": column.name,
            "lost": column.lost,
            "explained": column.explained,
            "causes": {
                cause.value: {"count": column.counts.get(cause, 0), **asdict(column.shares[cause])} for cause in Cause
            },
        }
        for column in found.columns
    ]
    differences = [
        {
            "cause": one.cause.value,
            "column": one.first,
            "against": one.second,
            **asdict(one.paired),
            "p_holm": one.p_holm,
        }
        for one in found.differences
    ]
    return {"columns": columns, "differences": differences, "noise": list(found.noise)}
