"""Draw the figures with matplotlib: SVG in the page's own colours, and files for a paper."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from osler.errors import printable
from osler.eval.intervals import Interval
from osler.tables.markup import Html, element

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.0
"""Inches: on a phone the letters of a wider figure would be too small to read."""
LONGEST_LABEL = 28
"""Characters of a column's name in a figure."""
INK = "#1f2328"
FAINT = "#8c959f"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6e7781")
"""After Okabe and Ito, whose colours the colour-blind can tell apart."""
_MARKERS = "osD^vP"
_PNG_DPI = 300
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so figures are the same everywhere
    "font.size": 10,
    "text.parse_math": False,  # names of models are not formulas
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), FAINT),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "axes.linewidth": 0.8,
    "legend.fontsize": 8,
}
_THEMED = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    **{colour: f"var(--series-{place})" for place, colour in enumerate(SERIES)},
}
"""A file has the colours of a light page; inside the page, the style sheet sets them for day and
night."""
_NOT_NEEDED = re.compile(
    r'<metadata>.*?</metadata>|<style[^>]*>.*?</style>| xmlns(?::\w+)?="[^"]*"|(?<=<g) id="[^"]*"',
    re.DOTALL,
)
"""Namespaces look like addresses, the style would hold for the whole page, and ids of groups are
not unique in it."""


class Point(NamedTuple):
    """A value, its position, and its interval."""

    x: float
    y: float
    interval: Interval | None = None


class Series(NamedTuple):
    """What one column of the comparison shows in a figure."""

    label: str
    colour: str
    """The same in all figures, as is the marker, for those who see no colours and where colours
    come round again."""
    marker: str
    points: tuple[Point, ...]

    @classmethod
    def of(cls, label: str, place: int, points: Iterable[Point]) -> Self:
        """The series of the column at that place."""
        return cls(
            label, SERIES[place % len(SERIES)], _MARKERS[place % len(_MARKERS)], tuple(points)
        )


def style(more: Mapping[Any, Any] = MappingProxyType({})) -> AbstractContextManager[None]:
    """Style that all figures share; they are drawn and saved within it."""
    from matplotlib import rc_context

    return rc_context({**_STYLE, **more})


def bars(series: Sequence[Series]) -> Figure:
    """Draw one bar per series, with its interval, in per cent; x of the point is its n."""
    figure, axes = _axes(0.75 + 0.44 * len(series))
    for row, column in enumerate(series):
        point = column.points[0]
        axes.barh(row, 100 * point.y, height=0.62, color=column.colour)
        end = 100 * point.y
        if point.interval is not None:
            low = 100 * point.interval.low
            high = 100 * point.interval.high
            axes.plot([low, high], [row, row], color=INK, linewidth=1.4, solid_capstyle="butt")
            end = max(end, high)
        axes.text(end + 2, row, f"{100 * point.y:.0f} %", va="center")
    axes.set_yticks(
        range(len(series)),
        [f"{column.label}\nn = {column.points[0].x:.0f}" for column in series],
        fontsize=9,
    )
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlim(0, 118)
    axes.set_xticks(range(0, 101, 25), [f"{tick} %" for tick in range(0, 101, 25)])
    return figure


def lines(series: Sequence[Series], x_label: str, *, every: bool = False) -> Figure:
    """One line per series in per cent; with `every`, each x of a point is a tick."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    figure, axes = _percent_axes(series, x_label)
    for place, column in enumerate(series):
        # A line that others cover is wider, and can still be seen.
        wider = (len(series) - 1 - place) * min(1.5, 5 / len(series))
        _plot(axes, column, size=4.5 + wider, width=1.6 + wider)
    ticks = sorted(set().union(*([point.x for point in column.points] for column in series)))
    axes.xaxis.set_major_locator(FixedLocator(ticks) if every else MaxNLocator(integer=True))
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def scatter(series: Sequence[Series], x_label: str) -> Figure:
    """One point per series, with its interval."""
    figure, axes = _percent_axes(series, x_label)
    for column in series:
        _plot(axes, column, size=7, width=0)
    xs = [column.points[0].x for column in series]
    if min(xs) > 0 and max(xs) > 20 * min(xs):
        axes.set_xscale("log")
    else:
        axes.set_xlim(0, 1.1 * max(xs))
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def inline(figure: Figure, name: str, label: str) -> Html:
    """The figure for the page: its text is text, its colours are the page's."""
    drawn = _svg(figure, name, text="none")
    drawn = _NOT_NEEDED.sub("", drawn[drawn.index("<svg") :]).replace("xlink:href", "href")
    inside = drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")]
    for colour, themed in _THEMED.items():
        inside = inside.replace(colour, themed)
    width, height = figure.get_size_inches() * 72
    # Attributes of SVG keep their capitals, which `element` leaves as they are given.
    return element(
        "svg", Html(inside), role="img", aria_label=label, viewBox=f"0 0 {width:g} {height:g}"
    )


def files(figure: Figure, name: str) -> dict[str, bytes]:
    """The figure for a paper, by file name; letters are outlines, and look the same everywhere."""
    png = io.BytesIO()
    with style():
        figure.savefig(
            png, format="png", dpi=_PNG_DPI, facecolor="white", metadata={"Software": None}
        )
    return {f"{name}.svg": svg(figure, name), f"{name}.png": png.getvalue()}


def svg(figure: Figure, name: str) -> bytes:
    """The figure for a paper, as SVG."""
    return _svg(figure, name, text="path").encode()


def pdf(figure: Figure) -> bytes:
    """The figure for a paper, as PDF: the same bytes for the same figure."""
    drawn = io.BytesIO()
    no_metadata = dict.fromkeys(("Creator", "Producer", "CreationDate"))
    with style({"pdf.fonttype": 42}):
        figure.savefig(drawn, format="pdf", metadata=no_metadata)
    return drawn.getvalue()


def drawable(name: str) -> str:
    """Return a name without characters that the font of figures does not have."""
    from matplotlib.font_manager import findfont, get_font

    characters = get_font(findfont("DejaVu Sans")).get_charmap()
    return "".join(
        char if ord(char) in characters else "\N{WHITE SQUARE}" for char in printable(name)
    )


def _svg(figure: Figure, name: str, *, text: str) -> str:
    drawn = io.StringIO()
    # The salt makes ids the same in every report.
    with style({"svg.fonttype": text, "svg.hashsalt": name}):
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(drawn, format="svg", transparent=True, metadata=no_metadata)
    return drawn.getvalue()


def _axes(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _percent_axes(series: Sequence[Series], x_label: str) -> tuple[Figure, Axes]:
    """Axes with per cent from below to above, and room for the legend."""
    figure, axes = _axes(3.2 + 0.1 * len(series))
    axes.set_xlabel(x_label)
    axes.set_ylim(0, 102)
    axes.set_yticks(range(0, 101, 25), [f"{tick} %" for tick in range(0, 101, 25)])
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _plot(axes: Axes, column: Series, *, size: float, width: float) -> None:
    """The points of a series with their intervals."""
    xs = [point.x for point in column.points]
    ys = [100 * point.y for point in column.points]
    look: dict[str, Any] = {"color": column.colour, "marker": column.marker, "label": column.label}
    axes.plot(xs, ys, markersize=size, linewidth=width, clip_on=False, **look)
    for point in column.points:
        if point.interval is not None:
            ends = (100 * point.interval.low, 100 * point.interval.high)
            axes.plot(
                [point.x, point.x],
                ends,
                color=column.colour,
                linewidth=1,
                alpha=0.55,
                clip_on=False,
            )
