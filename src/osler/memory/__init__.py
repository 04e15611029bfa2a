"""The doctor's memory of earlier turns; pluggable, and usable without the rest of Osler."""

from osler.memory.base import (
    Change,
    Fact,
    Memory,
    MemorySettings,
    Purpose,
    Query,
    Recall,
    Thinker,
    Turn,
)
from osler.memory.registry import check_memories, memory_factory, memory_names

__all__ = [
    "Change",
    "Fact",
    "Memory",
    "MemorySettings",
    "Purpose",
    "Query",
    "Recall",
    "Thinker",
    "Turn",
    "check_memories",
    "memory_factory",
    "memory_names",
]
