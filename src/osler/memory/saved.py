"""A memory in one file: written completely or not at all, and refused if it was changed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.memory.base import Memory

FORMAT = 1


def save(memory: Memory, path: Path, **about: Any) -> None:
    """Write a memory's snapshot, and extra data to save with it.

    Writes to a temporary file, then renames it, so a crash leaves either the old file or the new one.

    Raises:
        UserError: The file cannot be written.
    """
    body = json.dumps({"memory": memory.name, "about": about, "state": memory.snapshot()}, ensure_ascii=False)
    text = json.dumps({"format": FORMAT, "sha256": _sum(body)}) + "\n" + body
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"the memory cannot be saved to {path} ({error.strerror})", "give another place") from None


def restore(memory: Memory, path: Path) -> dict[str, Any]:
    """Load a saved memory into `memory` and return the extra data saved with it.

    Raises:
        UserError: There is no such file, it is damaged, or it is of another memory or form.
    """
    try:
        first, _, body = path.read_text(encoding="utf-8", errors="surrogatepass").partition("\n")
        head = json.loads(first)
        sound = isinstance(head, dict) and head.get("sha256") == _sum(body)
    except OSError as error:
        raise UserError(f"the memory {path} cannot be read ({error.strerror})", "check the path") from None
    except ValueError:
        sound = False
    if not sound:
        raise UserError(f"{path} is not a saved memory, or it is damaged", "give a file that a memory was saved to")
    if head.get("format") != FORMAT:
        raise UserError(f"{path} has form {head.get('format')}, not {FORMAT}", "use the version of Osler that saved it")
    data = json.loads(body)
    if data["memory"] != memory.name:
        raise UserError(
            f"{path} holds the memory {data['memory']!r}, not {memory.name!r}", "give a file of its own to each"
        )
    memory.restore(data["state"])
    about: dict[str, Any] = data["about"]
    return about


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
