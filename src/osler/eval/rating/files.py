"""Writing files whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from osler.errors import UserError
from osler.private import write_private


def write_whole(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write all files of a folder beside their places first, then move them there in the order given.

    Raises:
        UserError: One of them is there already, or cannot be written.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}", "create it first")
    for path in (folder / name for name in files):
        if path.is_dir():
            raise UserError(f"{path} is a folder", "choose another name")
        if path.exists() and not force:
            raise UserError(f"{path} is there already", "choose another name, or add --force to replace it")
    work = None
    try:
        work = Path(tempfile.mkdtemp(prefix=".rating.", dir=folder))
        for name, content in files.items():
            write_private(work / name, content)
        for name in files:
            (work / name).replace(folder / name)
    except OSError as error:
        raise UserError(f"{folder} cannot be written to ({error.strerror or error})", "choose another place") from None
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)
