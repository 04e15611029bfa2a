"""Write a bench as one HTML page: a table and curves for each data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any

from osler.bench.figures import DataFigures, bench_figures, bench_grid
from osler.bench.person import STAGES, TOP
from osler.bench.store import BenchFolder
from osler.eval.report import drawing
from osler.eval.report.drawing import Point, Series
from osler.eval.report.markup import Html, bounded, element, joined, table
from osler.eval.text_tables import Grid
from osler.eval.write_files import check_free, write_whole

_LONGEST = 200


def write_page(folder: BenchFolder, ks: Sequence[int], to: Path | None = None, *, force: bool = True) -> Path:
    """Write the page to a file, or into the folder of the bench; curves need matplotlib.

    Raises:
        UserError: It is no folder of a bench, or the file is there already and is not to be replaced.
    """
    page = to or folder.page
    if not force:
        check_free(page, force=False)
    settings, curve = folder.settings(), range(1, max(ks) + 1)
    found = bench_figures(folder.results(), settings["memories"], [*curve], settings)
    sections = [
        element("section", element("h2", one.data, id=f"data-{place}"), _section(one, ks, settings))
        for place, one in enumerate(found)
    ]
    links = (element("a", one.data, href=f"#data-{place}") for place, one in enumerate(found))
    template = Template((files("osler.eval.report") / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=element("span", "Memory bench"),
        lead=element("p", bounded(_lead(settings), _LONGEST)),
        warnings=Html(),
        contents=joined(links),
        sections=joined(sections),
    )
    text = text.replace("report of a run", "memory bench")
    write_whole({page: text.encode()}, force=force)
    return page


def _lead(settings: dict[str, Any]) -> str:
    return (
        f"{len(settings['memories'])} memories, budget {settings['budget']} tokens, answers by"
        f" {settings['model'] or 'no model'}, judged by {settings['judge'] or 'nobody'}."
    )


def _section(found: DataFigures, ks: Sequence[int], settings: dict[str, Any]) -> Html:
    figures = list(_figures(found, max(ks))) if find_spec("matplotlib") is not None else []
    return joined([_table(bench_grid(found, ks, settings)), element("div", *figures, class_="figures")])


def _table(grid: Grid) -> Html:
    notes = (element("p", bounded(note, _LONGEST), class_="note") for note in grid.notes)
    rows = ([bounded(cell, _LONGEST) for cell in row] for row in grid.rows)
    return joined([table([bounded(cell, _LONGEST) for cell in grid.header], rows, numbers=True), *notes])


def _figures(found: DataFigures, most: int) -> Iterator[Html]:
    """The top-k curve, and what is left of the first quarter of the history as it grows."""
    curve = {k: f"hit@{k}" for k in range(1, most + 1)}
    yield from _figure(found, "top-k", "Share of questions with a gold turn among the first k.", curve, "k")
    fills = {percent: f"first quarter at {percent} %: hit@{TOP}" for percent in STAGES}
    title = f"Questions about the first quarter of the history, asked again as it grows: hit@{TOP}."
    yield from _figure(found, "filling", title, fills, "% of the history")


def _figure(found: DataFigures, name: str, title: str, rows: dict[int, str], label: str) -> Iterator[Html]:
    """One line for each memory, through the measures of these names; nothing if none was measured."""
    series = []
    for place, one in enumerate(found.memories):
        figures = {x: one.figures[row] for x, row in rows.items() if row in one.figures}
        points = [Point(x, figure.value, figure.interval) for x, figure in figures.items() if figure.value is not None]
        if points:
            series.append(Series.of(bounded(drawing.drawable(one.memory), drawing.LONGEST_LABEL), place, points))
    if series:
        with drawing.style():
            drawn = drawing.lines(series, label, every=True)
        svg = drawing.inline(drawn, f"{name}-{found.data}", title)
        yield element("figure", svg, element("figcaption", title))
