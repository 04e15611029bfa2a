"""The items of a store: what its memories hold, with ids, metadata, times and history."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from osler.errors import UserError
from osler.memory.base import Turn
from osler.memory.core.items import MemoryItem
from osler.memory.store.file import StoreFile
from osler.memory.store.filters import IDS

_VISIBLE_FIELDS = (
    *IDS,
    "actor_id",
    "valid_at",
    "created_at",
    "updated_at",
    "superseded_at",
    "superseded_by",
)


@dataclass(frozen=True)
class ItemSource:
    """What all items of one exchange have in common."""

    scope: int
    turn: Turn
    ids: Mapping[str, str]
    metadata: Mapping[str, Any]


class ItemTable:
    """Reads and writes items; whoever writes opens the transaction."""

    def __init__(self, file: StoreFile) -> None:
        """Take an open file."""
        self._file = file

    def add(self, items: Sequence[MemoryItem], source: ItemSource) -> list[dict[str, Any]]:
        """Insert new items, mark those that others took the place of, return an event each."""
        at = now()
        events = [self._put(item, source, at) for item in items]
        for item in items:
            if item.by is not None:
                self._file.rows(
                    "UPDATE items SET superseded_by = (SELECT id FROM items WHERE scope = ? AND key"
                    " = ?) WHERE scope = ? AND key = ?",
                    *(source.scope, item.by, source.scope, item.key),
                )
        return [event for event in events if event]

    def _put(self, item: MemoryItem, source: ItemSource, at: str) -> dict[str, Any] | None:
        rows = self._file.rows(
            "SELECT id, text, superseded_at FROM items WHERE scope = ? AND key = ?",
            source.scope,
            item.key,
        )
        if not rows:
            id = str(uuid4())
            turn = source.turn
            values = {
                "id": id,
                "scope": source.scope,
                "key": item.key,
                "text": item.text,
                **source.ids,
                "metadata": json.dumps(source.metadata, ensure_ascii=False),
                "created_at": at,
                "valid_at": turn.at.isoformat() if turn.at else at,
                "superseded_at": None if item.is_current else at,
                "actor_id": turn.said_by or turn.asked_by or None,
            }
            marks = ", ".join("?" * len(values))
            self._file.rows(
                f"INSERT INTO items ({', '.join(values)}) VALUES ({marks})", *values.values()
            )
            return {"id": id, "memory": item.text, "event": "ADD"}
        [row] = rows
        if not item.is_current and row["superseded_at"] is None:
            self._file.rows("UPDATE items SET superseded_at = ? WHERE id = ?", at, row["id"])
            self._changed(row["id"], "SUPERSEDE", None, at)
            return {"id": row["id"], "memory": row["text"], "event": "SUPERSEDE"}
        return None

    def find(self, id: str) -> sqlite3.Row:
        """An item that can be changed.

        Raises:
            UserError: There is none with that id, or it was deleted.
        """
        rows = self._file.rows("SELECT * FROM items WHERE id = ?", id)
        if not rows:
            raise UserError(
                f"there is no memory {str(id)[:60]!r}",
                "use an id that add, search or get_all returned",
            )
        if rows[0]["text"] is None:
            raise UserError(
                f"the memory {id} was deleted", "use an id that add, search or get_all returned"
            )
        return rows[0]

    def at_key(self, scope: int, key: str) -> dict[str, Any] | None:
        """The current item with that key."""
        rows = self._file.rows(
            "SELECT * FROM items WHERE scope = ? AND key = ? AND superseded_at IS NULL AND text IS"
            " NOT NULL",
            scope,
            key,
        )
        if rows:
            return shown(rows[0])
        return None

    def rows(self, ids: Mapping[str, str], *, superseded: bool = True) -> list[sqlite3.Row]:
        """Everything with these ids, oldest first."""
        conditions = [*(f"{name} = ?" for name in ids), "text IS NOT NULL"]
        conditions += [] if superseded else ["superseded_at IS NULL"]
        return self._file.rows(
            f"SELECT * FROM items WHERE {' AND '.join(conditions)} ORDER BY number", *ids.values()
        )

    def scopes(self, ids: Mapping[str, str]) -> list[int]:
        """The scopes that hold items with these ids."""
        conditions = " AND ".join(f"{name} = ?" for name in ids)
        sql = f"SELECT DISTINCT scope FROM items WHERE {conditions}"
        return [row[0] for row in self._file.rows(sql, *ids.values())]

    def reword(
        self, row: sqlite3.Row, text: str | None, metadata: Mapping[str, Any] | None
    ) -> None:
        """Give an item another text, or more metadata."""
        at = now()
        merged = {**json.loads(row["metadata"]), **(metadata or {})}
        self._file.rows(
            "UPDATE items SET text = ?, metadata = ?, updated_at = ? WHERE id = ?",
            *(
                row["text"] if text is None else text,
                json.dumps(merged, ensure_ascii=False),
                at,
                row["id"],
            ),
        )
        if text is not None:
            self._changed(row["id"], "UPDATE", row["text"], at)

    def erase(self, scope: int, keys: Iterable[str]) -> None:
        """Delete the content of items.

        Their ids, times and kinds of change stay for the history.
        """
        at = now()
        for key in keys:
            for row in self._file.rows(
                "SELECT id FROM items WHERE scope = ? AND key = ?", scope, key
            ):
                self._file.rows(
                    "UPDATE items SET text = NULL, metadata = NULL, actor_id = NULL, deleted_at = ?"
                    " WHERE id = ?",
                    at,
                    row[0],
                )
                self._file.rows("UPDATE changes SET old = NULL WHERE id = ?", row[0])
                self._changed(row[0], "DELETE", None, at)

    def history(self, id: str) -> list[dict[str, Any]]:
        """The changes of an item, oldest first; of a deleted one without its texts."""
        rows = self._file.rows("SELECT * FROM items WHERE id = ?", id)
        if not rows:
            raise UserError(
                f"there is no memory {str(id)[:60]!r}",
                "use an id that add, search or get_all returned",
            )
        [item] = rows
        changes = self._file.rows("SELECT * FROM changes WHERE id = ? ORDER BY number", id)
        # Each update stores the text before it; the last text is the item's own.
        earlier_texts = [row["old"] for row in changes if row["event"] == "UPDATE"]
        texts = iter([*earlier_texts, item["text"]])
        text = next(texts)
        history = [_change(id, None, text, "ADD", item["created_at"])]
        for row in changes:
            old = text
            if row["event"] == "UPDATE":
                text = next(texts)
            elif row["event"] == "DELETE":
                text = None
            history.append(_change(id, old, text, row["event"], row["at"]))
        if item["superseded_by"]:
            history[-1]["superseded_by"] = item["superseded_by"]
        return history

    def _changed(self, id: str, event: str, old: str | None, at: str) -> None:
        self._file.rows(
            "INSERT INTO changes (id, event, old, at) VALUES (?, ?, ?, ?)", id, event, old, at
        )


def shown(row: sqlite3.Row) -> dict[str, Any]:
    """An item as users see it."""
    item = {"id": row["id"], "memory": row["text"], "metadata": json.loads(row["metadata"])}
    return item | {name: row[name] for name in _VISIBLE_FIELDS if row[name] is not None}


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat()


def _change(id: str, old: str | None, new: str | None, event: str, at: str) -> dict[str, Any]:
    return {
        "memory_id": id,
        "event": event,
        "old_memory": old,
        "new_memory": new,
        "created_at": at,
        "is_deleted": event == "DELETE",
    }
