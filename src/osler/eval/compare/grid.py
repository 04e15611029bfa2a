"""The tables of a comparison, and all its figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from osler import row_labels
from osler.eval.causes import as_json as causes_json
from osler.eval.causes import tables as cause_tables
from osler.eval.compare.columns import MEASURES, ColumnFigures, Measure
from osler.eval.compare.comparison import SIGNIFICANT, ColumnDifference, Comparison
from osler.eval.compare.noise import MOST, POWER
from osler.eval.experience import as_json as experience_json
from osler.eval.experience import tables as experience_tables
from osler.eval.intervals import FEWEST, Interval
from osler.eval.run_answers import has_judged_differentials
from osler.eval.statistics import NO_INTERVAL
from osler.eval.text_tables import Grid, p_text
from osler.runs.makers import intervention_rows, maker_note, own_merit, share_rows
from osler.runs.short_names import backbone_name, same_models

_COUNTED = {
    "consultations": "consultations",
    "patients": "patients",
    "failed (left out)": "failed",
    "unparsed": "unparsed",
    "not judged (left out)": "unjudged",
    "memory calls failed in": "memory_failures",
}
"""Rows of counts, and where a column has them."""
_MEMORIES = ("none", "raw", "tim")
_TABLE_3: dict[str, dict[str, tuple[float, float, float]]] = {
    "HuatuoGPT-II 13B": {"diagnosis": (18.18, 25.00, 27.27), "treatment": (2.27, 4.54, 6.82)},
    "Baichuan2 13B": {"diagnosis": (20.45, 20.45, 22.27), "treatment": (2.27, 2.27, 4.54)},
    "ChatGLM2 6B": {"diagnosis": (15.91, 22.72, 22.72), "treatment": (0.0, 0.0, 2.27)},
    "ChatGLM3 6B": {"diagnosis": (2.27, 20.45, 20.45), "treatment": (2.27, 9.10, 9.10)},
    "GPT-3.5": {"diagnosis": (18.18, 22.73, 22.73), "treatment": (4.55, 6.82, 6.82)},
    "GPT-4": {"diagnosis": (0.0, 50.00, 50.00), "treatment": (0.0, 6.82, 6.82)},
}
"""What the papers published: accuracy in per cent over 44 patients, none / raw / TiM."""


def grids(comparison: Comparison, *, paper: bool = False) -> list[Grid]:
    """The table, its differences, experience, causes of losses, the groups asked for, and the papers' figures."""
    found = [_main(comparison), *_makers(comparison.columns)]
    if comparison.differences:
        found += [_differences(comparison.differences), _tests(comparison)]
    found += experience_tables(comparison.experience)
    found += cause_tables(comparison.causes)
    found += [_group(name, columns) for name, columns in (comparison.groups or {}).items()]
    return [*found, _paper()] if paper else found


def _main(comparison: Comparison) -> Grid:
    columns = comparison.columns
    marked = {(one.measure, id(one.first)) for one in comparison.differences if one.is_told_apart}
    rows = list(_counts(columns))
    for measure in MEASURES:
        cells = [shown(column, measure, mark="*" if (measure.name, id(column)) in marked else "") for column in columns]
        if _is_wanted(measure, columns) and any(cell != "–" for cell in cells):
            rows.append([measure.row_label, *cells])
        if measure.bounds and _is_wanted(measure, columns):
            undecided = [str(column.undecided[measure.bounds]) for column in columns]
            rows.append([row_labels.total(f"{measure.bounds} undecided"), *undecided])
    most = max((max(column.passes, default=0) for column in columns), default=0)
    rows += [[f"pass^{k} %", *(_passed(column, k) for column in columns)] for k in range(2, most + 1)]
    notes = [row_labels.NOTE, *comparison.judge_notes, *comparison.ruler_notes]
    if any("(n=" in cell for row in rows for cell in row):
        notes.append("n: what a figure was counted from, where that is not every consultation with an answer")
    if most > 1:
        notes.append("pass^k: all of k trials of a record are right; its n are records with at least k trials")
    notes += [*_no_interval(columns), *_undecided(columns), *_notes(comparison)]
    if not has_judged_differentials(comparison.judge):
        notes.append(f"right among five is not measured: {comparison.judge} judged final diagnoses, no differentials")
    if marked:
        notes.append("* told apart from its reference: see the paired differences")
    for column, ceiling, gap in comparison.gaps:
        notes.append(f"{column.name} is {100 * gap:.1f} points below the ceiling ({ceiling.name})")
    notes += [f"! {warning}" for warning in comparison.warnings]
    about = f"judge: {comparison.judge}; patient: {backbone_name(comparison.patient_backbone)}"
    about += f"; after earlier visits, {comparison.filler} turn(s) of small talk" if comparison.visits else ""
    return _by_column("comparison", columns, rows, [f"{about}; in brackets 95 % intervals", *notes])


def _is_wanted(measure: Measure, columns: list[ColumnFigures]) -> bool:
    """Leave out what no column has any of, and upper bounds where nothing is undecided."""
    if measure.bounds:
        return any(column.undecided[measure.bounds] for column in columns)
    return not measure.unless_zero or any(column.figures[measure.name].value for column in columns)


def _counts(columns: list[ColumnFigures]) -> Iterator[list[str]]:
    """Rows that count what was run and what is left out; the last two only if there is any."""
    for label, name in _COUNTED.items():
        counts = [getattr(column, name) for column in columns]
        if any(counts) or name not in {"unjudged", "memory_failures"}:
            yield [label, *("–" if count is None else str(count) for count in counts)]


def _no_interval(columns: list[ColumnFigures]) -> Iterator[str]:
    """Say why shares stand without brackets, if some do."""
    shares = [measure.name for measure in MEASURES if measure.share]
    if any(column.figures[name].lacks_interval for column in columns for name in shares):
        yield NO_INTERVAL


def _undecided(columns: list[ColumnFigures]) -> Iterator[str]:
    told = [
        f"{column.name} {column.undecided[kind]} of {column.figures[kind].n} {kinds}"
        for kind, kinds in (("diagnosis", "diagnoses"), ("treatment", "treatments"))
        for column in columns
        if column.undecided[kind]
    ]
    if told:
        yield f"undecided, counted as not right, and in the upper bound as right: {', '.join(told)}"
        yield "`osler score RUN --judge SPEC` lets a model decide them; `osler compare --judge NAME` shows its verdicts"


def _notes(comparison: Comparison) -> Iterator[str]:
    """On the models and what they cost."""
    columns = comparison.columns
    yield from own_merit(column.makers for column in columns)
    for names in same_models({column.backbone: column.backbone_name for column in columns}):
        told = "the same model at different servers; `osler runs status` shows their addresses"
        yield f"{', '.join(names)}: {told}"
    yield from comparison.saved
    unpriced = [column.name for column in columns if column.figures["cost"].n < column.answered]
    if unpriced:
        yield f"cost not known, or not of all: {', '.join(unpriced)}; OSLER_PRICES names a table of prices"


def _by_column(title: str, columns: list[ColumnFigures], rows: list[list[str]], notes: Sequence[str] = ()) -> Grid:
    return Grid(title, ["", *(column.name for column in columns)], rows, [*notes])


def _makers(columns: list[ColumnFigures]) -> list[Grid]:
    """Rows that say who made what, unless only rules did."""
    makers = [column.makers for column in columns]
    if all(one.is_by_rules_alone for one in makers):
        return []
    rows = [*share_rows(makers), *intervention_rows(makers)]
    notes = [maker_note(makers), "counted over all consultations with an answer"]
    return [_by_column("who made what", columns, rows, notes)] if rows else []


def _passed(column: ColumnFigures, k: int) -> str:
    value = column.passes.get(k)
    return "–" if value is None else f"{100 * value:.1f} (n={column.pass_records[k]})"


def shown(column: ColumnFigures, measure: Measure, mark: str = "") -> str:
    """A figure as a table shows it: with its n, if that is not the column's."""
    figure = column.figures[measure.name]
    if figure.value is None:
        return "–"
    scale = 100 if measure.share else 1
    text = f"{scale * figure.value:.{measure.digits}f}"
    if figure.interval is not None:
        text += f" [{scale * figure.interval.low:.0f}, {scale * figure.interval.high:.0f}]"
    text += mark
    return text if figure.n == column.answered else f"{text} (n={figure.n})"


_LABELS = {measure.name: measure.label.removesuffix(" %") for measure in MEASURES}


def _pair(one: ColumnDifference) -> list[str]:
    return [_LABELS[one.measure], one.first.name, one.second.name]


def _differences(found: list[ColumnDifference]) -> Grid:
    """How large the differences are beside what chance does."""
    header = ["measure", "column", "against", "points", "noise", "result", "needed"]
    rows = [
        [
            *_pair(one),
            "–" if one.paired.difference is None else f"{100 * one.paired.difference:+.1f}",
            "–" if one.noise is None else f"± {100 * one.noise.floor:.1f}",
            *(_result(one), _needed(one)),
        ]
        for one in found
    ]
    if any(one.undecided for one in found):
        header.append("bounds")
        rows = [[*row, _points(one.bounds)] for row, one in zip(rows, found, strict=True)]
    return Grid("paired differences", header, rows, [*_difference_notes(found)])


def _tests(comparison: Comparison) -> Grid:
    """What the differences were counted from, and their tests."""
    header = ["measure", "column", "against", "n", "no partner", "95 %", "ahead : behind", "p", "p (Holm)"]
    rows = [
        [
            *(*_pair(one), str(one.paired.n), f"{one.paired.left_out_first} : {one.paired.left_out_second}"),
            *(_interval_text(one), f"{one.paired.only_first} : {one.paired.only_second}"),
            *(p_text(one.paired.p_value), p_text(one.p_holm)),
        ]
        for one in comparison.differences
    ]
    notes = [
        "paired by record and trial; n: pairs; no partner: judged in the column alone : in the other alone",
        "p: exact sign-flip test over patients, which is McNemar's with one consultation per patient; Holm: corrected",
        *comparison.unpaired,
    ]
    return Grid("tests of the differences", header, rows, notes)


def _result(one: ColumnDifference) -> str:
    if one.paired.difference is None:
        return "–"
    if one.depends_on_undecided:
        return "not told apart: depends on undecided"
    return "told apart" if one.is_told_apart else "not told apart"


def _has_too_few_patients(one: ColumnDifference) -> bool:
    """Check whether the columns share consultations of so few patients that there is neither interval nor noise."""
    return 0 < one.paired.patients < FEWEST


def _needed(one: ColumnDifference) -> str:
    """How many patients, or trials per record with the same patients, the difference would need."""
    if _has_too_few_patients(one):
        return "too few patients"
    if one.noise is None or one.is_significant:
        return "–"
    patients, trials = one.noise.patients_needed, one.noise.trials_needed
    if patients is None:
        return "no difference seen"
    told = f"{patients:,} patients" if patients <= MOST else f"more than {MOST:,} patients"
    return told if trials is None else f"{told} or {trials:,} trials"


def _interval_text(one: ColumnDifference) -> str:
    return "too few patients" if _has_too_few_patients(one) else _points(one.paired.interval)


def _points(interval: Interval | None) -> str:
    return "–" if interval is None else f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def _difference_notes(found: list[ColumnDifference]) -> Iterator[str]:
    yield (
        "noise: how far two equally good columns differ by chance; if no two columns of this table differed, in 95 % of"
        f" such tables all differences would be inside. Told apart: larger than the noise, p (Holm) < {SIGNIFICANT}"
    )
    reruns = [one.noise.rerun for one in found if one.noise and one.noise.rerun is not None]
    needed = f"needed: for a chance of {100 * POWER:.0f} % to tell such a difference apart, if it is real"
    if reruns:
        yield f"{needed}; trials: of each record with the same patients, named where more trials would be enough"
        yield f"running both columns again would move a difference by up to {100 * max(reruns):.1f} points"
    else:
        yield f"{needed}; a run with --trials 2 or more also tells how many trials would do"
    if any(one.undecided for one in found):
        yield "bounds: the difference if all undecided verdicts were decided against the column, and if for it"


def _group(name: str, columns: list[ColumnFigures]) -> Grid:
    tested = [measure for measure in MEASURES if measure.tested or (measure.bounds and _is_wanted(measure, columns))]
    rows = [["consultations", *(str(column.consultations) for column in columns)]]
    rows += [[measure.row_label, *(shown(column, measure) for column in columns)] for measure in tested]
    return _by_column(name, columns, rows, [*_no_interval(columns)])


def _paper() -> Grid:
    rows = [
        [model, *(f"{value:.2f}" for kind in ("diagnosis", "treatment") for value in figures[kind])]
        for model, figures in _TABLE_3.items()
    ]
    header = ["", *(f"{kind} {memory}" for kind in ("diagnosis", "treatment") for memory in _MEMORIES)]
    note = "published figures, 44 other patients, other prompts and judges: a landmark, not a competitor"
    return Grid("the papers' Table 3, accuracy %", header, rows, [note])


def json_text(comparison: Comparison) -> str:
    """All figures as JSON."""
    groups = (comparison.groups or {}).items()
    told = {
        "judge": comparison.judge,
        "patient_backbone": comparison.patient_backbone,
        "visits": comparison.visits,
        "filler": comparison.filler,
        "patient_ruler": comparison.ruler,
        "judge_notes": comparison.judge_notes,
        "patient_ruler_notes": comparison.ruler_notes,
        "patient_ruler_agreement": comparison.ruler_agreement,
        "saved": comparison.saved,
        "warnings": comparison.warnings,
        "unpaired": comparison.unpaired,
        "columns": list(map(_column_json, comparison.columns)),
        "differences": list(map(_difference_json, comparison.differences)),
        "causes": causes_json(comparison.causes),
        "experience": experience_json(comparison.experience),
        "groups": {name: list(map(_column_json, columns)) for name, columns in groups},
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


def _difference_json(one: ColumnDifference) -> dict[str, Any]:
    names = {"measure": one.measure, "column": one.first.name, "against": one.second.name}
    told = {name: getattr(one, name) for name in ("p_holm", "is_told_apart", "undecided", "bounds")}
    return {**names, **asdict(one.paired), **told, "noise": asdict(one.noise) if one.noise else None}


def _column_json(column: ColumnFigures) -> dict[str, Any]:
    names = (*_COUNTED.values(), "undecided", "passes", "pass_records")
    told = {"name": column.name, "run": column.run, **column.column.as_json()}
    told |= {name: getattr(column, name) for name in names}
    figures = {name: asdict(figure) for name, figure in column.figures.items()}
    return {**told, "figures": figures, "makers": asdict(column.makers)}
