"""A file of memories for many users: `MemoryStore`."""

from osler.memory.store.memory_store import MemoryStore

__all__ = ["MemoryStore"]
