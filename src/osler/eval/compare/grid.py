"""A comparison as rows of text, and these as a terminal table, Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from osler.eval.compare.columns import MEASURES, ColumnFigures, Measure
from osler.eval.compare.comparison import SIGNIFICANT, ColumnDifference, Comparison
from osler.eval.compare.published import MEMORIES, TABLE_3
from osler.runs.makers import intervention_rows, maker_note, own_merit, share_rows
from osler.runs.short_names import backbone_name, same_models


@dataclass(frozen=True)
class Grid:
    """A table of text."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def grids(comparison: Comparison, *, paper: bool = False) -> list[Grid]:
    """The table, its differences, the groups that were asked for, and the papers' figures."""
    found = [_main(comparison), *_makers(comparison.columns)]
    if comparison.differences:
        found.append(_differences(comparison))
    for name, columns in (comparison.groups or {}).items():
        found.append(_group(name, columns))
    if paper:
        found.append(_paper())
    return found


def _main(comparison: Comparison) -> Grid:
    columns = comparison.columns
    patient = backbone_name(comparison.patient_backbone)
    marked = {
        (difference.measure, id(difference.first)) for difference in comparison.differences if difference.is_significant
    }
    rows = [
        ["consultations", *(str(column.consultations) for column in columns)],
        ["patients", *(str(column.patients) for column in columns)],
        ["failed (left out)", *(str(column.failed) for column in columns)],
        ["unparsed", *(str(column.unparsed) for column in columns)],
    ]
    for label, counts in (
        ("not judged (left out)", [column.unjudged for column in columns]),
        ("memory calls failed in", [column.memory_failures for column in columns]),
    ):
        if any(counts):
            rows.append([label, *("–" if count is None else str(count) for count in counts)])
    for measure in MEASURES:
        cells = [shown(column, measure, mark="*" if (measure.name, id(column)) in marked else "") for column in columns]
        wanted = not measure.unless_zero or any(column.figures[measure.name].value for column in columns)
        if wanted and any(cell != "–" for cell in cells):
            rows.append([measure.label, *cells])
    most = max((max(column.passes, default=0) for column in columns), default=0)
    for k in range(2, most + 1):
        rows.append([f"pass^{k} %", *(_passed(column, k) for column in columns)])
    notes = [f"judge: {comparison.judge}; patient: {patient}; in brackets 95 % intervals"]
    notes += comparison.ruler_notes
    if any("(n=" in cell for row in rows for cell in row):
        notes.append("n: what a figure was counted from, where that is not every consultation with an answer")
    if most > 1:
        notes.append("pass^k: all of k trials of a record are right; its n are records with at least k trials")
    notes += [*own_merit(column.makers for column in columns), *_same_models(columns)]
    unpriced = [column.name for column in columns if column.figures["cost"].n < column.answered]
    if unpriced:
        notes.append(f"cost not known, or not of all: {', '.join(unpriced)}; OSLER_PRICES names a table of prices")
    if marked:
        notes.append(f"* differs from its reference, p < {SIGNIFICANT} after Holm's correction over the table")
    for column, ceiling, gap in comparison.gaps:
        notes.append(f"{column.name} is {100 * gap:.1f} points below the ceiling ({ceiling.name})")
    notes += [f"! {warning}" for warning in comparison.warnings]
    return Grid("comparison", ["", *(column.name for column in columns)], rows, notes)


def _makers(columns: list[ColumnFigures]) -> list[Grid]:
    """Who made what, where not rules alone did."""
    makers = [column.makers for column in columns]
    if all(one.is_by_rules_alone for one in makers):
        return []
    rows = [*share_rows(makers), *intervention_rows(makers)]
    notes = [maker_note(makers), "counted over all consultations with an answer"]
    return [Grid("who made what", ["", *(column.name for column in columns)], rows, notes)] if rows else []


def _same_models(columns: list[ColumnFigures]) -> list[str]:
    """What the numbers behind the names of models mean, where there are any."""
    alike = same_models({column.backbone: column.backbone_name for column in columns})
    told = "the same model at different servers; `osler runs status` shows their addresses"
    return [f"{', '.join(names)}: {told}" for names in alike]


def _passed(column: ColumnFigures, k: int) -> str:
    value = column.passes.get(k)
    return "–" if value is None else f"{100 * value:.1f} (n={column.pass_records[k]})"


def shown(column: ColumnFigures, measure: Measure, mark: str = "") -> str:
    """A figure as a table shows it: with its n, where that is not the column's."""
    figure = column.figures[measure.name]
    if figure.value is None:
        return "–"
    scale = 100 if measure.share else 1
    text = f"{scale * figure.value:.{measure.digits}f}"
    if figure.interval is not None:
        text += f" [{scale * figure.interval.low:.0f}, {scale * figure.interval.high:.0f}]"
    text += mark
    return text if figure.n == column.answered else f"{text} (n={figure.n})"


def _differences(comparison: Comparison) -> Grid:
    labels = {measure.name: measure.label for measure in MEASURES}
    rows = [
        [
            labels[one.measure].removesuffix(" %"),
            one.first.name,
            one.second.name,
            str(one.paired.n),
            f"{one.paired.left_out_first} : {one.paired.left_out_second}",
            "–" if one.paired.difference is None else f"{100 * one.paired.difference:+.1f}",
            _interval(one),
            f"{one.paired.only_first} : {one.paired.only_second}",
            one.paired.test.value.replace("_", " ") if one.paired.test else "–",
            _p(one.paired.p_value),
            _p(one.p_holm),
        ]
        for one in comparison.differences
    ]
    header = [
        *("measure", "column", "against", "n", "no partner", "points", "95 %", "ahead : behind"),
        *("test", "p", "p (Holm)"),
    ]
    notes = ["paired by record and trial; n: pairs; no partner: judged in the column alone : in the other alone"]
    return Grid("paired differences", header, rows, [*notes, *comparison.unpaired])


def _interval(difference: ColumnDifference) -> str:
    interval = difference.paired.interval
    return "–" if interval is None else f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _group(name: str, columns: list[ColumnFigures]) -> Grid:
    tested = [measure for measure in MEASURES if measure.tested]
    rows = [["consultations", *(str(column.consultations) for column in columns)]]
    rows += [[measure.label, *(shown(column, measure) for column in columns)] for measure in tested]
    return Grid(name, ["", *(column.name for column in columns)], rows)


def _paper() -> Grid:
    rows = [
        [model, *(f"{value:.2f}" for kind in ("diagnosis", "treatment") for value in figures[kind])]
        for model, figures in TABLE_3.items()
    ]
    header = ["", *(f"{kind} {memory}" for kind in ("diagnosis", "treatment") for memory in MEMORIES)]
    note = "published figures, 44 other patients, other prompts and judges: a landmark, not a competitor"
    return Grid("the papers' Table 3, accuracy %", header, rows, [note])


def markdown(grid: Grid) -> str:
    """As Markdown."""
    lines = [f"**{_plain(grid.title)}**", "", _row(map(_md, grid.header))]
    lines.append(_row(["---", *("---:" for _ in grid.header[1:])]))
    lines += [_row(map(_md, row)) for row in grid.rows]
    return "\n".join([*lines, "", *(f"{_md(note)}  " for note in grid.notes)]).rstrip() + "\n"


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _md(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"} | {
    char: f"\\{char}" for char in "&%$#_{}"
}


def latex(grid: Grid) -> str:
    """As a LaTeX table for booktabs."""
    lines = [
        r"\begin{table}",
        rf"\caption{{{_tex(grid.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}",
    ]
    lines += [r"\toprule", _tex_row(grid.header), r"\midrule", *(_tex_row(row) for row in grid.rows), r"\bottomrule"]
    lines += [r"\end{tabular}", *(rf"\par\footnotesize {_tex(note)}" for note in grid.notes), r"\end{table}"]
    return "\n".join(lines) + "\n"


def _tex_row(cells: list[str]) -> str:
    return " & ".join(map(_tex, cells)) + r" \\"


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in _plain(text))


def csv_text(grid: Grid) -> str:
    """As CSV; a cell that a spreadsheet would take for a formula is quoted with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (grid.header, *grid.rows):
        writer.writerow([f"'{cell}" if cell[:1] in {"=", "@"} else cell for cell in row])
    return out.getvalue()


def json_text(comparison: Comparison) -> str:
    """All figures as JSON."""
    return json.dumps(
        {
            "judge": comparison.judge,
            "patient_backbone": comparison.patient_backbone,
            "patient_ruler": comparison.ruler,
            "patient_ruler_notes": comparison.ruler_notes,
            "warnings": comparison.warnings,
            "unpaired": comparison.unpaired,
            "columns": [_column_json(column) for column in comparison.columns],
            "differences": [
                {
                    "measure": one.measure,
                    "column": one.first.name,
                    "against": one.second.name,
                    **asdict(one.paired),
                    "p_holm": one.p_holm,
                }
                for one in comparison.differences
            ],
            "groups": {
                name: [_column_json(column) for column in columns]
                for name, columns in (comparison.groups or {}).items()
            },
        },
        ensure_ascii=False,
        indent=2,
    )


def _column_json(column: ColumnFigures) -> dict[str, Any]:
    names = ("consultations", "patients", "failed", "unparsed", "unjudged", "memory_failures", "passes", "pass_records")
    told = {"name": column.name, "run": column.run, **column.column.as_json()}
    told |= {name: getattr(column, name) for name in names}
    figures = {name: asdict(figure) for name, figure in column.figures.items()}
    return {**told, "figures": figures, "makers": asdict(column.makers)}


WRITERS: dict[str, Callable[[Grid], str]] = {"markdown": markdown, "latex": latex, "csv": csv_text}
