"""Write a bench as one HTML page: a table and curves for each data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any

from osler.bench.figures import DataFigures, bench_figures
from osler.bench.person import STAGES, TOP
from osler.bench.store import BenchFolder
from osler.bench.table import bench_table
from osler.eval.report import drawing
from osler.eval.report.drawing import Point, Series
from osler.eval.write_files import check_free, write_whole
from osler.tables import html_table
from osler.tables.markup import Html, bounded, element, joined

_LONGEST = 200
"""Characters of a cell or a note."""


def write_page(
    folder: BenchFolder, ks: Sequence[int], to: Path | None = None, *, force: bool = True
) -> Path:
    """Write the page to a file, or into the folder of the bench; curves need matplotlib.

    Raises:
        UserError: It is no folder of a bench, or the file is there already and is not to be
            replaced.
    """
    page = to or folder.page
    if not force:
        check_free(page, force=False)
    settings = folder.settings()
    # The curves take every k up to the largest, the tables only those that were asked for.
    every_k = range(1, max(ks) + 1)
    figures = bench_figures(folder.results(), settings["memories"], every_k, settings)
    sections = []
    links = []
    for place, data in enumerate(figures):
        heading = element("h2", data.data, id=f"data-{place}")
        sections.append(element("section", heading, _section(data, ks, settings)))
        links.append(element("a", data.data, href=f"#data-{place}"))
    html = (files("osler.eval.report") / "page.html").read_text(encoding="utf-8")
    text = Template(html).substitute(
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
        f" {settings['model'] or 'no model'}, read by {settings['judge'] or 'nobody'}."
    )


def _section(data: DataFigures, ks: Sequence[int], settings: dict[str, Any]) -> Html:
    figures = [] if find_spec("matplotlib") is None else list(_figures(data, max(ks)))
    table = html_table(bench_table(data, ks, settings))
    return joined([table, element("div", *figures, class_="figures")])


def _figures(data: DataFigures, most: int) -> Iterator[Html]:
    """The top-k curve, and what is left of the first quarter of the history as it grows."""
    curve = {k: f"hit@{k}" for k in range(1, most + 1)}
    title = "Share of questions with a gold turn among the first k."
    yield from _figure(data, "top-k", title, curve, "k")
    stages = {percent: f"first quarter at {percent} %: hit@{TOP}" for percent in STAGES}
    title = f"Questions about the first quarter of the history, asked again as it grows: hit@{TOP}."
    yield from _figure(data, "filling", title, stages, "% of the history")


def _figure(
    data: DataFigures, name: str, title: str, rows: dict[int, str], label: str
) -> Iterator[Html]:
    """One line for each memory, through these measures by their x; nothing if none was measured."""
    series = []
    for place, memory in enumerate(data.memories):
        points = []
        for x, row in rows.items():
            figure = memory.figures.get(row)
            if figure is not None and figure.value is not None:
                points.append(Point(x, figure.value, figure.interval))
        if points:
            memory_name = bounded(drawing.drawable(memory.memory), drawing.LONGEST_LABEL)
            # The place decides the colour, so that a memory has one colour in all figures.
            series.append(Series.of(memory_name, place, points))
    if series:
        with drawing.style():
            chart = drawing.lines(series, label, every=True)
        svg = drawing.inline(chart, f"{name}-{data.data}", title)
        yield element("figure", svg, element("figcaption", title))
