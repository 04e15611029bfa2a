"""Write files completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from osler.errors import UserError
from osler.private import write_private


def check_free(path: Path, *, force: bool) -> None:
    """Raise a `UserError` if a folder, or a file without `force`, is there already."""
    if path.is_dir():
        raise UserError(f"{path} is a folder", "choose another name")
    if path.exists() and not force:
        raise UserError(
            f"{path} is there already", "choose another name, or add --force to replace it"
        )


def write_whole(files: Mapping[Path, bytes], *, force: bool) -> None:
    """Write all files to temporary names first, then rename them in the order given.

    Raises:
        UserError: One of them is there already, or cannot be written.
    """
    for path in files:
        check_free(path, force=force)
    waiting = {path.with_name(f".{path.name}.{token_hex(4)}"): path for path in files}
    try:
        for there, path in waiting.items():
            write_private(there, files[path])
        for there, path in waiting.items():
            there.replace(path)
    except OSError as error:
        where = next(iter(files))
        raise UserError(
            f"{where} cannot be written ({error.strerror or error})",
            "check the disk and the rights of the folder",
        ) from None
    finally:
        for there in waiting:
            there.unlink(missing_ok=True)


def check_folder(folder: Path) -> None:
    """Raise a `UserError` if there is no such folder."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}", "create it first")
