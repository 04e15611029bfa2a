"""HTML that is escaped by construction.

Text from a record or a model can only become text on the page.

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
    """An element with its children.

    An attribute without a value is left out, and `class_` stands for `class`.
    """
    written = [
        f' {key.rstrip("_").replace("_", "-")}="{escape(unturned(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return Html(f"<{name}{''.join(written)}>{joined(children)}</{name}>")


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
    head = element("tr", *(element("th", cell, scope="col") for cell in header))
    body = element("tbody", *map(_row, rows))
    kind = "numbers" if numbers else None
    table = element("table", element("thead", head), body, class_=kind)
    return element("div", table, class_="scroll", tabindex="0")


def _row(cells: Iterable[str | Html]) -> Html:
    name, *others = cells
    return element("tr", element("th", name), *(element("td", cell) for cell in others))
