"""Answers kept over runs, by the content of their request: one SQLite file that several processes may share."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from osler.errors import StorageError, UserError
from osler.models.completion import Completion
from osler.private import private_file

_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"


class ResponseCache:
    """Remembers what models answered. Off unless asked for: a comparison wants fresh answers."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            UserError: The file cannot be used.
        """
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            private_file(path)
            self._file = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"the cache {path} cannot be used ({error})", "give another --cache, or none") from None

    def get(self, key: str) -> Completion | None:
        """The answer to that request, if one is kept."""
        row = self._file.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
        return Completion.model_validate_json(row[0]) if row else None

    def put(self, key: str, answer: Completion) -> None:
        """Keep an answer. The first one stays: who asked for a cache asked for the same answer again."""
        try:
            self._file.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, answer.model_dump_json()))
        except sqlite3.Error as error:
            raise StorageError(
                f"the cache {self._path} cannot be written ({error})", "make room, and re-run the command to resume"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
