"""HTML that is escaped by construction.

Text from a record or a model can only become text on the page, and it cannot change the direction
of the text around it (bidi controls).
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
    """An element with its children.

    An attribute without a value is left out, and `class_` stands for `class`.
    """
    opening = name
    for key, value in attributes.items():
        if value is not None:
            attribute = key.rstrip("_").replace("_", "-")
            opening += f' {attribute}="{escape(unturned(value))}"'
    return Html(f"<{opening}>{joined(children)}</{name}>")


def joined(parts: Iterable[str | Html]) -> Html:
    """One after the other."""
    return Html("".join(map(_escaped, parts)))


def _escaped(part: str | Html) -> str:
    if isinstance(part, Html):
        return part
    return escape(unturned(part))


def bounded(text: str, most: int = LONGEST) -> str:
    """One line without control characters, cut where it gets too long."""
    # Cut before and after: a text of a hundred megabytes is not looked at, and what it becomes may
    # be longer.
    line = printable(text[: most + 1])
    is_whole = len(text) <= most and len(line) <= most
    if is_whole:
        return line
    return f"{line[:most]} …"


def table_element(
    header: Iterable[str | Html], rows: Iterable[Iterable[str | Html]], *, numbers: bool = False
) -> Html:
    """A table in a box that scrolls by itself.

    With `numbers`, every column but the first is set to the right.
    """
    headings = [element("th", cell, scope="col") for cell in header]
    head = element("tr", *headings)
    body = element("tbody", *map(_row, rows))
    kind = "numbers" if numbers else None
    table = element("table", element("thead", head), body, class_=kind)
    return element("div", table, class_="scroll", tabindex="0")


def _row(cells: Iterable[str | Html]) -> Html:
    name, *others = cells
    parts = [element("th", name)]
    parts += [element("td", cell) for cell in others]
    return element("tr", *parts)
