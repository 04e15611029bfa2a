"""The page: everything a run came to, put together into one file."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from osler.eval.compare import Comparison, compare
from osler.eval.compare.grid import Grid, grids
from osler.eval.report.consultations import MOST, consultations
from osler.eval.report.failures import failures
from osler.eval.report.markup import Html, bounded, element, joined, table
from osler.eval.report.pictures import Picture, Pictures
from osler.eval.report.plots import style
from osler.eval.report.snapshot import Row, Snapshot, shown_in_full
from osler.eval.report.svg import inline
from osler.runs.run_pages import cost_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_LONGEST_CELL = 200
_MADE_WITH = ("numpy", "matplotlib", "scikit-learn")


def page_of(run: Snapshot, judge: str | None = None, ruler: str | None = None) -> tuple[str, list[Picture]]:
    """The page as text, and its figures.

    Raises:
        UserError: that judge has not judged this run.
    """
    rows = list(run.rows(judge, ruler))
    comparison = compare([run], judge=judge, ruler=ruler) if rows else None
    pictures = Pictures(run, rows, comparison.columns).draw() if comparison else []
    sections = list(_sections(run, rows, comparison, pictures))
    links = (element("a", title, href=f"#{anchor}") for anchor, title, _ in sections)
    body = (element("section", element("h2", title, id=f"{anchor}"), inside) for anchor, title, inside in sections)
    template = Template((files("osler.eval.report") / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=element("span", bounded(run.path.stem, 120)),
        lead=_lead(run, rows, run.judge(judge)),
        warnings=_warnings(run, comparison),
        contents=joined(links),
        sections=joined(body),
    )
    return text, pictures


def _sections(
    run: Snapshot, rows: list[Row], comparison: Comparison | None, pictures: list[Picture]
) -> Iterator[tuple[str, str, Html]]:
    """Every section: its anchor, its title and what is in it."""
    if comparison is not None:
        shown = {row["number"] for row in shown_in_full(rows, MOST)}
        yield (
            "comparison",
            "Comparison",
            joined(_grid(grid, main=not place) for place, grid in enumerate(grids(comparison))),
        )
        yield "figures", "Figures", _figures(pictures)
        yield "failures", "Failures", failures(run, rows, comparison.columns, shown)
        yield "consultations", "Consultations", consultations(run, rows, comparison.columns, shown)
    yield "made-with", "Made with", _made_with(run)


def _lead(run: Snapshot, rows: list[Row], judge: str) -> Html:
    if not rows:
        return element("p", "No consultation of this run has ended yet, so there is nothing to show but its settings.")
    patients = len({row["patient"] for row in rows})
    languages = " and ".join(sorted({{"en": "English", "zh": "Chinese"}[row["language"]] for row in rows}))
    last = max(row["at"] for row in rows)[:16].replace("T", " ")
    told = (
        f"{len(rows):,} consultation(s) with {patients:,} patient(s), in {languages}, judged by {bounded(judge, 80)}."
        f" The last of them ended {bounded(last, 40)} UTC."
    )
    return element("p", told)


def _warnings(run: Snapshot, comparison: Comparison | None) -> Html:
    if comparison is None or not comparison.warnings:
        return Html()
    # A page is passed on: the run's name says enough, the folder it lay in is nobody's business.
    told = (warning.replace(str(run.path), run.path.name) for warning in comparison.warnings[:50])
    items = (element("li", bounded(warning, 400)) for warning in told)
    return element("aside", element("strong", "To know before reading"), element("ul", *items), class_="warnings")


def _grid(grid: Grid, *, main: bool) -> Html:
    header: list[str | Html] = [bounded(cell, _LONGEST_CELL) for cell in grid.header]
    if main:
        linked = (element("a", cell, href=f"#column-{place}") for place, cell in enumerate(header[1:], start=1))
        header = [header[0], *linked]
    rows = ([_cell(cell, row[0], main=main) for cell in row] for row in grid.rows)
    notes = (element("p", bounded(note, 400), class_="note") for note in grid.notes if not note.startswith("! "))
    title = [] if main else [element("h3", grid.title.capitalize())]
    return joined([*title, table(header, rows, numbers=main), *notes])


def _cell(cell: str, row: str, *, main: bool) -> str | Html:
    shown = bounded(cell, _LONGEST_CELL)
    if main and row.startswith("failed") and cell.isdecimal() and int(cell):
        return element("a", shown, href="#failures")
    return shown


def _figures(pictures: list[Picture]) -> Html:
    """Those that were drawn, then why the others were not."""
    drawn = [_figure(picture, picture.drawing) for picture in pictures if picture.drawing is not None]
    words = [
        element("p", element("strong", f"{picture.title}. "), picture.caption, id=f"figure-{picture.name}")
        for picture in pictures
        if picture.drawing is None
    ]
    return joined([element("div", *drawn, class_="figures"), *words])


def _figure(picture: Picture, drawing: Drawing) -> Html:
    with style():
        drawn = inline(drawing, picture.name, f"{picture.title}. {picture.caption}")
    words = element("figcaption", picture.caption)
    return element("figure", element("h3", picture.title), drawn, words, id=f"figure-{picture.name}")


def _made_with(run: Snapshot) -> Html:
    about, standing = run.about, run.file.status()
    prompts = ", ".join(f"{language} {mark}" for language, mark in about["prompts"].items())
    judges = ", ".join(f"{name} ({count:,})" for name, count in run.file.judges().items())
    held = f"{standing.done:,} answered, {standing.failed:,} failed, {standing.todo:,} still to be held"
    used = f"{standing.attempts:,} attempts, {standing.calls:,} calls, {standing.tokens:,} tokens"
    used += cost_text(standing, digits=4)
    told = [
        ("run", run.path.name),
        ("consultations", held),
        ("used", f"{used}, {standing.seconds:.0f} s"),
        ("judges, and how many each judged", judges or "none"),
        ("Osler", about["version"]),
        ("prompts", prompts),
        *((name.replace("_", " "), _setting(value)) for name, value in about["settings"].items()),
        ("report by", ", ".join([f"Python {platform.python_version()}", *map(_version, _MADE_WITH)])),
    ]
    return _table_of(told)


def _table_of(told: Iterable[tuple[str, str]]) -> Html:
    return table(["setting", "value"], ([name, bounded(value, 400)] for name, value in told))


def _version(package: str) -> str:
    return f"{package} {version(package)}"


def _setting(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items() if one is not None) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)
