"""Create a run file, and check one before it is resumed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from osler.errors import StorageError, UserError
from osler.private import private_file
from osler.runs.store import row_checksums, search_index
from osler.runs.store.check import require_sound
from osler.runs.store.reader import RunFile
from osler.runs.store.row_checksums import write_checksums
from osler.runs.store.run_names import run_name
from osler.runs.store.statements import as_json
from osler.runs.store.tables import FORMAT, MARK, TABLES
from osler.settings.stored import changed_settings


def create_run_file(path: Path, about: dict[str, Any]) -> None:
    """Create an empty run: it appears under its name once it is whole."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        private_file(new)  # SQLite gives its log the same rights
        with closing(sqlite3.connect(new)) as file, file:
            file.execute("BEGIN IMMEDIATE")
            file.execute(f"PRAGMA application_id={MARK}")
            file.execute(f"PRAGMA user_version={FORMAT}")
            for table in (*TABLES, row_checksums.TABLE, search_index.TABLE):
                file.execute(table)
            write_checksums(file)
            file.executemany(
                "INSERT INTO about VALUES (?, ?)",
                [(name, as_json(value)) for name, value in about.items()],
            )
        new.replace(path)
    except BaseException:
        remove([new])
        raise


def check_resume(path: Path, about: dict[str, Any], *, same_prompts: bool) -> None:
    """Refuse to resume what is not a run, is damaged, or was made with other settings."""
    with RunFile.open(path, verified=False) as run:
        require_sound(run)
        before = run.about()
        changes = changed_settings(before["settings"], about["settings"])
        if before.get("version") != about.get("version"):
            changes.append(f"version of Osler: {before.get('version')} → {about.get('version')}")
        if changes:
            raise UserError(
                f"the run {path} was made with other settings ({', '.join(changes)})",
                "give another --out or the same settings, or move it away",
            )
        if same_prompts:
            _check_prompts(run)


def _check_prompts(run: RunFile) -> None:
    """Refuse a run whose consultations used prompts that have other words now."""
    changed = run.changed_prompts()
    if changed:
        if len(changed) == 1:
            prompts = f"prompt {changed[0]} has"
        else:
            prompts = f"prompts {', '.join(changed)} have"
        raise UserError(
            f"the {prompts} changed since the run {run.path} began",
            "give another --out, or the prompts as they were",
        )


def cannot_write(path: Path, error: Exception) -> StorageError:
    """The error for a run that cannot be written, and how to go on."""
    reason = getattr(error, "strerror", None) or str(error)
    return StorageError(
        f"the run {path} cannot be written ({reason})",
        f"free disk space or give another --out; what was saved of the run {run_name(path)} is"
        " kept: re-run the same command with it to resume",
    )


def remove(paths: Iterable[Path]) -> None:
    """Remove a file, and folders that are empty."""
    for path in paths:
        with suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()
