"""Detect questions that ask again, by what the retrieval made of them."""

from __future__ import annotations

from osler.agents.messages import Selection

RequestedItem = tuple[tuple[str, ...], tuple[str, ...]]
"""What was read from a question, and the entries that were found for it."""


class Repeats:
    """What the questions of one consultation have asked for so far.

    A question repeats if entries were found for it and all that it asks for was asked for before.
    Where a model read the question into things, each thing with its entries counts by itself. Rules
    tell no such things apart: for them the whole question counts, that is the same things read from
    it and the same entries in the same order. A question for which nothing was found is never
    called a repeat.
    """

    def __init__(self) -> None:
        """Start before the first question."""
        self._requested: set[RequestedItem] = set()

    def saw(self, selection: Selection) -> bool:
        """Take in what was found for a question; True if it asks for nothing new."""
        items = set(_requested_items(selection))
        is_repeat = bool(selection.entries) and items <= self._requested
        self._requested |= items
        return is_repeat


def _requested_items(selection: Selection) -> list[RequestedItem]:
    if selection.things:
        return [((thing.name.casefold(),), thing.entries) for thing in selection.things]
    return [(selection.asked_for, tuple(entry.name for entry in selection.entries))]
