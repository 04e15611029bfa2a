"""The figures, drawn: few lines, every series labelled where it stands, colours that all can tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from osler.errors import printable
from osler.eval.report.svg import FAINT, INK, RAMP, SERIES
from osler.eval.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.0
"""Inches: on a phone the letters of a wider figure would be too small to read."""
LONGEST_LABEL = 28
"""Characters of a column's name in a figure."""
_MARKERS = "osD^vP"
_MANY = 400
"""Points from which they are drawn smaller."""
_LINE = 8.0
"""Per cent of an axis that a line of text is high."""


@dataclass(frozen=True)
class Point:
    """A value, where it stands, and how sure it is."""

    x: float
    y: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Series:
    """What one column of the comparison shows in a figure."""

    label: str
    place: int
    """Of the column, which gives its colour and marker in all figures."""
    points: tuple[Point, ...]

    @property
    def colour(self) -> str:
        """The column's colour."""
        return SERIES[self.place % len(SERIES)]

    @property
    def marker(self) -> str:
        """The column's marker, for those who see no colours and where colours come round again."""
        return _MARKERS[self.place % len(_MARKERS)]


def style() -> AbstractContextManager[None]:
    """What all figures share; drawn and saved within it."""
    from matplotlib import rc_context

    return rc_context(
        {
            "font.family": "DejaVu Sans",  # comes with matplotlib, so figures are the same everywhere
            "font.size": 10,
            "text.parse_math": False,  # names of models are not formulas
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": FAINT,
            "axes.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": FAINT,
            "ytick.color": FAINT,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
        }
    )


def bars(series: Sequence[Series]) -> Figure:
    """One bar per series, with its interval, in per cent; x of the point is what it was counted from."""
    figure, axes = _axes(0.75 + 0.44 * len(series))
    for row, one in enumerate(series):
        point = one.points[0]
        axes.barh(row, 100 * point.y, height=0.62, color=one.colour)
        end = 100 * point.y
        if point.interval is not None:
            low, high = 100 * point.interval.low, 100 * point.interval.high
            axes.plot([low, high], [row, row], color=INK, linewidth=1.4, solid_capstyle="butt")
            end = max(end, high)
        axes.text(end + 2, row, f"{100 * point.y:.0f} %", va="center")
    axes.set_yticks(range(len(series)), [f"{one.label}\nn = {one.points[0].x:.0f}" for one in series], fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlim(0, 118)
    axes.set_xticks(range(0, 101, 25), [f"{tick} %" for tick in range(0, 101, 25)])
    return figure


def lines(series: Sequence[Series], x_label: str, *, every: bool = False) -> Figure:
    """One line per series in per cent, named at its end; with `every`, each x of a point is a tick."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = _axes(3.2)
    for place, one in enumerate(series):
        beneath = len(series) - 1 - place  # a line that others cover is wider than they are, and can still be seen
        xs, ys = [point.x for point in one.points], [100 * point.y for point in one.points]
        axes.plot(
            xs,
            ys,
            color=one.colour,
            marker=one.marker,
            markersize=4.5 + 1.5 * min(beneath, 5),
            linewidth=1.6 + 1.5 * min(beneath, 5),
            clip_on=False,
        )
        _whiskers(axes, one)
    last = max(point.x for one in series for point in one.points)
    ends = _apart([100 * one.points[-1].y for one in series], _LINE)
    for one, y in zip(series, ends, strict=True):
        axes.annotate(one.label, (last, y), xytext=(10, 0), textcoords="offset points", va="center", color=one.colour)
    if every:
        ticks = sorted({point.x for one in series for point in one.points})
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(x_label)
    _per_cent(axes)
    return figure


def scatter(series: Sequence[Series], x_label: str) -> Figure:
    """One point per series, with its interval, named beside it."""
    figure, axes = _axes(3.2)
    xs = [one.points[0].x for one in series]
    if min(xs) > 0 and max(xs) > 20 * min(xs):
        axes.set_xscale("log")
    else:
        axes.set_xlim(0, 1.35 * max(xs))
    near = 0.3 * (max(xs) - min(xs))
    named: list[tuple[float, float]] = []
    for one in series:
        point = one.points[0]
        axes.plot(
            point.x, 100 * point.y, color=one.colour, marker=one.marker, markersize=7, linestyle="", clip_on=False
        )
        _whiskers(axes, one)
        y = 100 * point.y + 3
        while any(abs(point.x - x) <= near and abs(y - other) < _LINE for x, other in named):
            y += _LINE
        named.append((point.x, y))
        axes.annotate(one.label, (point.x, y), xytext=(8, 0), textcoords="offset points", color=one.colour)
    axes.set_xlabel(x_label)
    _per_cent(axes)
    return figure


def cloud(groups: Mapping[tuple[int, str], Sequence[tuple[float, float]]], steps: Sequence[str]) -> Figure:
    """Points by step of the ramp and by marker; the axes of such a map mean nothing, so there are none."""
    figure, axes = _axes(4.2)
    size = 3.2 if sum(map(len, groups.values())) > _MANY else 4.5
    for (step, marker), points in groups.items():
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=RAMP[step], marker=marker, markersize=size, linestyle="", markeredgewidth=0)
    axes.set_axis_off()
    for step, name in enumerate(steps):
        left = (step + 0.5) / len(steps)
        axes.plot(left, 1.09, transform=axes.transAxes, color=RAMP[step], marker="o", markersize=6, clip_on=False)
        axes.text(left, 1.05, name, transform=axes.transAxes, ha="center", va="top", fontsize=9)
    return figure


def drawable(name: str) -> str:
    """A name as figures can show it: without characters that their font has not."""
    from matplotlib.font_manager import findfont, get_font

    known = get_font(findfont("DejaVu Sans")).get_charmap()
    return "".join(char if ord(char) in known else "\N{WHITE SQUARE}" for char in printable(name))


def _axes(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _whiskers(axes: Axes, one: Series) -> None:
    for point in one.points:
        if point.interval is not None:
            ends = (100 * point.interval.low, 100 * point.interval.high)
            axes.plot([point.x, point.x], ends, color=one.colour, linewidth=1, alpha=0.55, clip_on=False)


def _per_cent(axes: Axes) -> None:
    axes.set_ylim(0, 102)
    axes.set_yticks(range(0, 101, 25), [f"{tick} %" for tick in range(0, 101, 25)])
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)


def _apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Places for labels near where they belong, none on another."""
    order = sorted(range(len(wanted)), key=lambda place: -wanted[place])
    found = list(wanted)
    for above, below in pairwise(order):
        found[below] = min(found[below], found[above] - gap)
    # Labels that were pushed below the axis push the others up again.
    floor = 0.0
    for place in reversed(order):
        found[place] = max(found[place], floor)
        floor = found[place] + gap
    return found
