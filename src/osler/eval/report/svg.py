"""A drawn figure as SVG inside the page, in the page's own colours, and as files for a paper."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from osler.eval.report.markup import Html, element

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT = "#1f2328", "#8c959f"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6e7781")
"""After Okabe and Ito, whose colours the colour-blind can tell apart."""
RAMP = ("#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#0c2c84")
"""From first to last, told apart by lightness alone if need be."""

_THEMED = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    **{colour: f"var(--series-{place})" for place, colour in enumerate(SERIES)},
    **{colour: f"var(--ramp-{place})" for place, colour in enumerate(RAMP)},
}
"""A file has the colours of a light page; inside the page, the style sheet says what they are by day and night."""
_COLOUR = re.compile("|".join(_THEMED))
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NOT_NEEDED = re.compile(
    r'<metadata>.*?</metadata>|<style[^>]*>.*?</style>| xmlns(?::\w+)?="[^"]*"|(?<=<g) id="[^"]*"', re.DOTALL
)
"""Namespaces look like addresses, the style would hold for the whole page, and ids of groups are not unique in it."""
_PNG_DPI = 300


def inline(figure: Figure, name: str, label: str) -> Html:
    """The figure for the page: its text is text, its colours are the page's."""
    drawn = _svg(figure, name, text="none")
    drawn = _NOT_NEEDED.sub("", drawn[drawn.index("<svg") :]).replace("xlink:href", "href")
    inside = _COLOUR.sub(lambda found: _THEMED[found[0]], drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")])
    width, height = figure.get_size_inches() * 72
    # Attributes of SVG keep their capitals, which `element` leaves as they are given.
    return element("svg", Html(inside), role="img", aria_label=label, viewBox=f"0 0 {width:g} {height:g}")


def files(figure: Figure, name: str) -> dict[str, bytes]:
    """The figure for a paper, by file name: letters as outlines, so that it looks the same everywhere."""
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=_PNG_DPI, facecolor="white", metadata={"Software": None})
    return {f"{name}.svg": _svg(figure, name, text="path").encode(), f"{name}.png": png.getvalue()}


def _svg(figure: Figure, name: str, *, text: str) -> str:
    from matplotlib import rc_context

    drawn = io.StringIO()
    with rc_context({"svg.fonttype": text, "svg.hashsalt": name}):  # the salt makes ids the same in every report
        figure.savefig(drawn, format="svg", transparent=True, metadata=_NO_METADATA)
    return drawn.getvalue()
