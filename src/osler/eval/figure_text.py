"""How every table shows a figure: shares in per cent, and the interval in brackets."""

from __future__ import annotations

from osler.eval.intervals import Interval
from osler.eval.statistics import Figure
from osler.tables import DASH


def share_text(figure: Figure | None, digits: int = 1) -> str:
    """A share in per cent with its interval."""
    return figure_text(figure, digits=digits, scale=100)


def figure_text(figure: Figure | None, *, digits: int = 1, scale: int = 1) -> str:
    """A figure with its interval; a dash if nothing was measured."""
    if figure is None or figure.value is None:
        return DASH
    text = f"{scale * figure.value:.{digits}f}"
    if figure.interval is not None:
        text += f" [{scale * figure.interval.low:.0f}, {scale * figure.interval.high:.0f}]"
    return text


def points_text(interval: Interval | None) -> str:
    """An interval of a difference between shares, in points; a dash without one."""
    if interval is None:
        return DASH
    return f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
