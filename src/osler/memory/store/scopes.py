"""The memories of a store in use: loaded from the log, kept up to date, and saved to it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from osler.errors import UserError
from osler.language import Language
from osler.memory.base import Memory, Turn
from osler.memory.core.items import AppendingMemory, ItemisedMemory, MemoryItem, turn_item
from osler.memory.store.file import StoreFile

_MOST = 256
"""Memories kept in use; the one that was longest unused is loaded again when it is wanted."""


class MemoryOwner(NamedTuple):
    """Whose memory it is: a user, or if none is named, an agent or a session."""

    kind: str
    name: str


@dataclass(eq=False)
class LiveScope:
    """One owner's memory in one language, as far as it was read from the file."""

    number: int
    language: Language
    memory: Memory
    generation: int
    turns: int = 0
    seq: int = 0
    """The last row of the log that is in the memory."""


@dataclass(eq=False)
class _Slot:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    live: LiveScope | None = None


class ScopeTable:
    """The scopes of a file, each with a memory of its own."""

    def __init__(self, file: StoreFile, make: Callable[[Language], Memory]) -> None:
        """Take an open file and what makes an empty memory."""
        self._file = file
        self._make = make
        self._slots: OrderedDict[int, _Slot] = OrderedDict()

    def of_owner(self, owner: MemoryOwner) -> dict[Language, int]:
        """The numbers of an owner's scopes by language; the one used last is the first."""
        sql = "SELECT language, number FROM scopes WHERE kind = ? AND owner = ? ORDER BY turns DESC"
        return {Language(row["language"]): row["number"] for row in self._file.rows(sql, *owner)}

    def number(self, owner: MemoryOwner, language: Language) -> int:
        """The number of an owner's scope in a language, made if there is none."""
        number = self.of_owner(owner).get(language)
        if number is None:
            with self._file.transaction():
                values = (*owner, language.value)
                self._file.rows(
                    "INSERT OR IGNORE INTO scopes (kind, owner, language) VALUES (?, ?, ?)", *values
                )
            number = self.of_owner(owner)[language]
        return number

    @asynccontextmanager
    async def reading(self, number: int) -> AsyncIterator[LiveScope]:
        """A scope's memory with everything saved so far.

        An add that is under way here is waited for.
        """
        slot = self._slot(number)
        async with slot.lock:
            yield self._caught_up(slot, number)

    @asynccontextmanager
    async def writing(self, number: int) -> AsyncIterator[LiveScope]:
        """The same, with nobody else adding to it.

        After an error the memory is loaded again from the file.
        """
        slot = self._slot(number)
        async with slot.lock, self._file.writing_to(number):
            try:
                yield self._caught_up(slot, number)
            except BaseException:
                slot.live = None
                raise

    def forget(self) -> None:
        """Load all memories again when they are wanted."""
        self._slots.clear()

    def _slot(self, number: int) -> _Slot:
        slot = self._slots.setdefault(number, _Slot())
        self._slots.move_to_end(number)
        if len(self._slots) > _MOST:
            oldest = next(iter(self._slots))
            if not self._slots[oldest].lock.locked():
                del self._slots[oldest]
        return slot

    def _caught_up(self, slot: _Slot, number: int) -> LiveScope:
        """Apply the rows of the log that are new; start again if the log was rewritten."""
        live = slot.live
        slot.live = None
        with self._file.transaction("DEFERRED"):
            rows = self._file.rows(
                "SELECT language, turns, generation FROM scopes WHERE number = ?", number
            )
            if not rows:
                raise UserError(
                    "the memory was reset by somebody else at the same time", "try again"
                )
            [row] = rows
            if live is None or live.generation != row["generation"]:
                language = Language(row["language"])
                live = LiveScope(number, language, self._make(language), row["generation"])
            log = self._file.rows(
                "SELECT seq, body FROM log WHERE scope = ? AND seq > ? ORDER BY seq",
                number,
                live.seq,
            )
        for log_row in log if isinstance(live.memory, AppendingMemory) else log[-1:]:
            with self._file.errors_named():
                state = _unpacked(log_row["body"])
            if isinstance(live.memory, AppendingMemory):
                live.memory.apply(state)
            else:
                live.memory.state = state
            live.seq = log_row["seq"]
        live.turns = row["turns"]
        slot.live = live
        return live

    def save_turn(self, live: LiveScope, turn: Turn) -> list[MemoryItem]:
        """Append what a turn changed to the log, within a transaction.

        Return the items that are new or changed.
        """
        [[last]] = self._file.rows(
            "SELECT coalesce(max(seq), 0) FROM log WHERE scope = ?", live.number
        )
        if last != live.seq:
            raise UserError("another process added to this memory at the same time", "add it again")
        items = [turn_item(turn)]
        memory = live.memory
        if isinstance(memory, AppendingMemory):
            delta = memory.delta()
            items = memory.items(delta) if isinstance(memory, ItemisedMemory) else items
            live.seq = self._append(live.number, delta)
        else:
            live.seq = self._append(live.number, memory.state)
            self._file.rows("DELETE FROM log WHERE scope = ? AND seq < ?", live.number, live.seq)
        live.turns = turn.number
        self._file.rows("UPDATE scopes SET turns = ? WHERE number = ?", turn.number, live.number)
        return items

    def rewrite(self, live: LiveScope) -> None:
        """Replace a scope's log by the state of its memory, within a transaction.

        Nothing older is left in it.
        """
        self.clear(live.number)
        if isinstance(live.memory, AppendingMemory):
            self._append(live.number, live.memory.delta(everything=True))

    def clear(self, number: int) -> None:
        """Remove a scope's log, within a transaction; who uses its memory loads it again."""
        self._file.rows("DELETE FROM log WHERE scope = ?", number)
        self._file.rows("DELETE FROM asked WHERE scope = ?", number)
        self._file.rows("UPDATE scopes SET generation = generation + 1 WHERE number = ?", number)

    def _append(self, number: int, state: dict[str, Any]) -> int:
        [[seq]] = self._file.rows(
            "INSERT INTO log (scope, body) VALUES (?, ?) RETURNING seq", number, _packed(state)
        )
        return int(seq)


def _packed(state: dict[str, Any]) -> bytes:
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), level=1)


def _unpacked(body: bytes) -> dict[str, Any]:
    try:
        state: dict[str, Any] = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError):
        raise sqlite3.DatabaseError("a row of its log cannot be read") from None
    return state
