"""The bundled records as the retrieval module sees them."""

from __future__ import annotations

from functools import cache

from osler.agents.ram import RecordIndex
from osler.records import RecordPool


@cache
def index_of(record: str) -> RecordIndex:
    """The index of one of them."""
    return RecordIndex(RecordPool.open().get(record))


def found(record: str, question: str) -> set[str]:
    """The names of the entries that a question finds."""
    return {match.entry.name for match in index_of(record).search(question)}
