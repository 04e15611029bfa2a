"""The tables of a comparison, for the terminal and as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.eval.causes import as_json as causes_json
from osler.eval.causes import tables as cause_tables
from osler.eval.compare.columns import MEASURES, ColumnFigures, Measure
from osler.eval.compare.comparison import SIGNIFICANT, ColumnDifference, Comparison
from osler.runs.makers import intervention_rows, maker_note, own_merit, share_rows
from osler.runs.short_names import backbone_name, same_models
from osler.wide_table import WideTable

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


@dataclass(frozen=True)
class Grid:
    """A table of text."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def grids(comparison: Comparison, *, paper: bool = False) -> list[Grid]:
    """The table, its differences, the causes of lost consultations, the groups asked for, and the papers' figures."""
    found = [_main(comparison), *_makers(comparison.columns)]
    if comparison.differences:
        found.append(_differences(comparison))
    found += [Grid(*table) for table in cause_tables(comparison.causes)]
    found += [_group(name, columns) for name, columns in (comparison.groups or {}).items()]
    return [*found, _paper()] if paper else found


def _main(comparison: Comparison) -> Grid:
    columns = comparison.columns
    marked = {(one.measure, id(one.first)) for one in comparison.differences if one.is_significant}
    rows = list(_counts(columns))
    for measure in MEASURES:
        cells = [shown(column, measure, mark="*" if (measure.name, id(column)) in marked else "") for column in columns]
        wanted = not measure.unless_zero or any(column.figures[measure.name].value for column in columns)
        if wanted and any(cell != "–" for cell in cells):
            rows.append([measure.label, *cells])
    most = max((max(column.passes, default=0) for column in columns), default=0)
    rows += [[f"pass^{k} %", *(_passed(column, k) for column in columns)] for k in range(2, most + 1)]
    notes = [*comparison.ruler_notes]
    if any("(n=" in cell for row in rows for cell in row):
        notes.append("n: what a figure was counted from, where that is not every consultation with an answer")
    if most > 1:
        notes.append("pass^k: all of k trials of a record are right; its n are records with at least k trials")
    notes += _notes(comparison)
    if marked:
        notes.append(f"* differs from its reference, p < {SIGNIFICANT} after Holm's correction over the table")
    for column, ceiling, gap in comparison.gaps:
        notes.append(f"{column.name} is {100 * gap:.1f} points below the ceiling ({ceiling.name})")
    notes += [f"! {warning}" for warning in comparison.warnings]
    about = f"judge: {comparison.judge}; patient: {backbone_name(comparison.patient_backbone)}"
    return _by_column("comparison", columns, rows, [f"{about}; in brackets 95 % intervals", *notes])


def _counts(columns: list[ColumnFigures]) -> Iterator[list[str]]:
    """Rows that count what was run and what is left out; the last two only if there is any."""
    for label, name in _COUNTED.items():
        counts = [getattr(column, name) for column in columns]
        if any(counts) or name not in {"unjudged", "memory_failures"}:
            yield [label, *("–" if count is None else str(count) for count in counts)]


def _notes(comparison: Comparison) -> Iterator[str]:
    """On the models and what they cost."""
    columns = comparison.columns
    yield from own_merit(column.makers for column in columns)
    for names in same_models({column.backbone: column.backbone_name for column in columns}):
        told = "the same model at different servers; `osler runs status` shows their addresses"
        yield f"{', '.join(names)}: {told}"
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


def _differences(comparison: Comparison) -> Grid:
    header = ["measure", "column", "against", "n", "no partner", "points", "95 %", "ahead : behind"]
    header += ["test", "p", "p (Holm)"]
    notes = ["paired by record and trial; n: pairs; no partner: judged in the column alone : in the other alone"]
    rows = [_difference(one) for one in comparison.differences]
    return Grid("paired differences", header, rows, [*notes, *comparison.unpaired])


def _difference(one: ColumnDifference) -> list[str]:
    found, labels = one.paired, {measure.name: measure.label for measure in MEASURES}
    interval = found.interval
    return [
        *(labels[one.measure].removesuffix(" %"), one.first.name, one.second.name, str(found.n)),
        f"{found.left_out_first} : {found.left_out_second}",
        "–" if found.difference is None else f"{100 * found.difference:+.1f}",
        "–" if interval is None else f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]",
        f"{found.only_first} : {found.only_second}",
        found.test.value.replace("_", " ") if found.test else "–",
        *(_p(found.p_value), _p(one.p_holm)),
    ]


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _group(name: str, columns: list[ColumnFigures]) -> Grid:
    tested = [measure for measure in MEASURES if measure.tested]
    rows = [["consultations", *(str(column.consultations) for column in columns)]]
    rows += [[measure.label, *(shown(column, measure) for column in columns)] for measure in tested]
    return _by_column(name, columns, rows)


def _paper() -> Grid:
    rows = [
        [model, *(f"{value:.2f}" for kind in ("diagnosis", "treatment") for value in figures[kind])]
        for model, figures in _TABLE_3.items()
    ]
    header = ["", *(f"{kind} {memory}" for kind in ("diagnosis", "treatment") for memory in _MEMORIES)]
    note = "published figures, 44 other patients, other prompts and judges: a landmark, not a competitor"
    return Grid("the papers' Table 3, accuracy %", header, rows, [note])


def page(tables: list[Grid]) -> Group:
    """One table under the other."""
    parts: list[RenderableType] = []
    for grid in tables:
        parts += [_table(grid), *(Text(note, style="dim") for note in grid.notes), Text()]
    return Group(*parts[:-1])


def _table(grid: Grid) -> RenderableType:
    names, *headers = (name.replace(" ", "\n") if place else name for place, name in enumerate(grid.header))
    if not names:
        return WideTable(grid.title, headers, grid.rows)
    table = Table(title=Text(grid.title), title_justify="left")
    for place, name in enumerate((names, *headers)):
        # Folded, never cut: names of models often differ at their ends.
        table.add_column(Text(name), justify="right" if place else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def markdown(grid: Grid) -> str:
    """As Markdown."""
    header, *rows = (f"| {' | '.join(map(_md, row))} |" for row in (grid.header, *grid.rows))
    lines = [f"**{_plain(grid.title)}**", "", header, f"| --- |{' ---: |' * (len(grid.header) - 1)}", *rows]
    return "\n".join([*lines, "", *(f"{_md(note)}  " for note in grid.notes)]).rstrip() + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _md(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"} | {
    char: f"\\{char}" for char in "&%$#_{}"
}


def latex(grid: Grid) -> str:
    """As a LaTeX table for booktabs."""
    header, *rows = (" & ".join(map(_tex, row)) + r" \\" for row in (grid.header, *grid.rows))
    lines = [r"\begin{table}", rf"\caption{{{_tex(grid.title)}}}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule"]
    lines += [r"\end{tabular}", *(rf"\par\footnotesize {_tex(note)}" for note in grid.notes), r"\end{table}"]
    return "\n".join(lines) + "\n"


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
    groups = (comparison.groups or {}).items()
    told = {
        "judge": comparison.judge,
        "patient_backbone": comparison.patient_backbone,
        "patient_ruler": comparison.ruler,
        "patient_ruler_notes": comparison.ruler_notes,
        "warnings": comparison.warnings,
        "unpaired": comparison.unpaired,
        "columns": list(map(_column_json, comparison.columns)),
        "differences": list(map(_difference_json, comparison.differences)),
        "causes": causes_json(comparison.causes),
        "groups": {name: list(map(_column_json, columns)) for name, columns in groups},
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


def _difference_json(one: ColumnDifference) -> dict[str, Any]:
    names = {"measure": one.measure, "column": one.first.name, "against": one.second.name}
    return {**names, **asdict(one.paired), "p_holm": one.p_holm}


def _column_json(column: ColumnFigures) -> dict[str, Any]:
    names = ("consultations", "patients", "failed", "unparsed", "unjudged", "memory_failures", "passes", "pass_records")
    told = {"name": column.name, "run": column.run, **column.column.as_json()}
    told |= {name: getattr(column, name) for name in names}
    figures = {name: asdict(figure) for name, figure in column.figures.items()}
    return {**told, "figures": figures, "makers": asdict(column.makers)}


WRITERS: dict[str, Callable[[Grid], str]] = {"markdown": markdown, "latex": latex, "csv": csv_text}
