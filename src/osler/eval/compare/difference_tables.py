"""The tables of the differences between columns, and of their tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from osler.eval.compare.differences import SIGNIFICANT, ColumnDifference
from osler.eval.compare.noise import MOST, POWER
from osler.eval.figure_text import points_text
from osler.eval.intervals import FEWEST
from osler.eval.measures import all_measures
from osler.tables import DASH, Table, p_text


def difference_table(differences: Sequence[ColumnDifference]) -> Table:
    """How large the differences are beside what chance does."""
    header = ["measure", "column", "against", "points", "noise", "result", "needed"]
    rows = [_difference_row(difference) for difference in differences]
    if any(difference.undecided for difference in differences):
        header.append("bounds")
        for row, difference in zip(rows, differences, strict=True):
            row.append(points_text(difference.bounds))
    return Table.of("paired differences", header, rows, _difference_notes(differences))


def _difference_row(difference: ColumnDifference) -> list[str]:
    points = difference.paired.difference
    noise = difference.noise
    return [
        *_names(difference),
        DASH if points is None else f"{100 * points:+.1f}",
        DASH if noise is None else f"± {100 * noise.floor:.1f}",
        _result(difference),
        _needed(difference),
    ]


def _names(difference: ColumnDifference) -> list[str]:
    labels = {measure.name: measure.label.en for measure in all_measures()}
    return [labels[difference.measure], difference.first.name, difference.second.name]


def _result(difference: ColumnDifference) -> str:
    if difference.paired.difference is None:
        return DASH
    if difference.depends_on_undecided:
        return "not told apart: depends on undecided"
    if difference.is_told_apart:
        return "told apart"
    return "not told apart"


def _has_too_few_patients(difference: ColumnDifference) -> bool:
    """Check whether the columns share so few patients that there is neither interval nor noise."""
    return 0 < difference.paired.patients < FEWEST


def _needed(difference: ColumnDifference) -> str:
    """How many patients, or trials per record with the same patients, it would need."""
    if _has_too_few_patients(difference):
        return "too few patients"
    if difference.noise is None or difference.is_significant:
        return DASH
    patients = difference.noise.patients_needed
    trials = difference.noise.trials_needed
    if patients is None:
        return "no difference seen"
    text = f"{patients:,} patients" if patients <= MOST else f"more than {MOST:,} patients"
    if trials is None:
        return text
    return f"{text} or {trials:,} trials"


def _difference_notes(differences: Iterable[ColumnDifference]) -> Iterator[str]:
    yield (
        "noise: how far two equally good columns differ by chance; if no two columns of this table"
        " differed, in 95 % of such tables all differences would be inside. Told apart: larger"
        f" than the noise, p (Holm) < {SIGNIFICANT}"
    )
    noises = [difference.noise for difference in differences if difference.noise]
    reruns = [noise.rerun for noise in noises if noise.rerun is not None]
    needed = (
        f"needed: for a chance of {100 * POWER:.0f} % to tell such a difference apart, if it is"
        " real"
    )
    if reruns:
        yield (
            f"{needed}; trials: of each record with the same patients, named where more trials"
            " would be enough"
        )
        yield (
            f"running both columns again would move a difference by up to {100 * max(reruns):.1f}"
            " points"
        )
    else:
        yield f"{needed}; a run with --trials 2 or more also tells how many trials would do"
    if any(difference.undecided for difference in differences):
        yield (
            "bounds: the difference if all undecided verdicts were decided against the column, and"
            " if for it"
        )


def significance_table(differences: Iterable[ColumnDifference], unpaired: Iterable[str]) -> Table:
    """What the differences were counted from, and their tests."""
    header = [
        *("measure", "column", "against", "n", "no partner"),
        *("95 %", "ahead : behind", "p", "p (Holm)"),
    ]
    notes = [
        "paired by record and trial; n: pairs; no partner: judged in the column alone : in the"
        " other alone",
        "p: exact sign-flip test over patients, which is McNemar's with one consultation per"
        " patient; Holm: corrected",
        *unpaired,
    ]
    return Table.of("tests of the differences", header, map(_test_row, differences), notes)


def _test_row(difference: ColumnDifference) -> list[str]:
    result = difference.paired
    interval = points_text(result.interval)
    if _has_too_few_patients(difference):
        interval = "too few patients"
    return [
        *_names(difference),
        str(result.n),
        f"{result.left_out_first} : {result.left_out_second}",
        interval,
        f"{result.only_first} : {result.only_second}",
        p_text(result.p_value),
        p_text(difference.p_holm),
    ]
