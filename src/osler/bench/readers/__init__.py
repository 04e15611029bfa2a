"""Readers of the data sets, one file each; the layout of a folder says which one it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from osler.bench.cases import BenchCase
from osler.bench.readers.scm import is_scm, read_scm
from osler.errors import UserError


class DataReader(NamedTuple):
    """How one data set is recognised and read."""

    name: str
    fits: Callable[[Path], bool]
    """Whether a folder holds it."""
    read: Callable[[Path], Iterator[BenchCase]]


READERS = (DataReader("SCM", is_scm, read_scm),)


def read_data(folder: Path, corrections: Path | None = None) -> list[BenchCase]:
    """Read every data set in a folder or directly below it.

    Raises:
        UserError: There is none, or a file is not as published.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}", "give the folder of a data set with --data")
    folders = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    cases = [case for place in folders for reader in READERS if reader.fits(place) for case in reader.read(place)]
    if not cases:
        known = ", ".join(reader.name for reader in READERS)
        raise UserError(f"{folder} holds no data set that the bench knows", f"it reads {known}: see docs/bench.md")
    return cases
