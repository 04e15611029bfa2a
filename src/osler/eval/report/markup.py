"""HTML that is escaped by construction: text from a record or a model can only become text on the page.

It also cannot change the text direction (bidi controls).
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from osler.errors import printable, unturned

LONGEST = 2_000
"""Characters of one thing that somebody said; a page must not grow with a babbling model."""


class Html(str):
    """Text that is markup already; every other text is escaped when it enters an element."""

    __slots__ = ()


def element(name: str, *children: str | Html, **attributes: str | None) -> Html:
    """An element with its children; an attribute without a value is left out, and `class_` stands for `class`."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(unturned(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{told}>{joined(children)}</{name}>")


def joined(parts: Iterable[str | Html]) -> Html:
    """One after the other."""
    return Html("".join(part if isinstance(part, Html) else escape(unturned(part)) for part in parts))


def bounded(text: str, most: int = LONGEST) -> str:
    """One line without control characters, cut where it gets too long."""
    # Cut before and after: a text of a hundred megabytes is not looked at, and what it becomes may be longer.
    shown = printable(text[: most + 1])
    return shown if len(text) <= most and len(shown) <= most else f"{shown[:most]} …"


def table(header: Iterable[str | Html], rows: Iterable[Iterable[str | Html]], *, numbers: bool = False) -> Html:
    """A table in a box that scrolls by itself; with `numbers`, every column but the first is set to the right."""
    kind = "numbers" if numbers else None
    head = element("tr", *(element("th", cell, scope="col") for cell in header))
    body = [
        element("tr", *(element("th" if not place else "td", cell) for place, cell in enumerate(row))) for row in rows
    ]
    made = element("table", element("thead", head), element("tbody", *body), class_=kind)
    return element("div", made, class_="scroll", tabindex="0")
