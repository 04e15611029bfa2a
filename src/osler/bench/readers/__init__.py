"""Readers of the data sets, one file each; the layout of a folder says which one it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from osler.bench.cases import BenchCase
from osler.bench.readers.gvd import is_gvd, read_gvd
from osler.bench.readers.kdconv import is_kdconv, read_kdconv
from osler.bench.readers.locomo import is_locomo, read_locomo
from osler.bench.readers.medmemorybench import is_medmemorybench, read_medmemorybench
from osler.bench.readers.perltqa import is_perltqa, read_perltqa
from osler.bench.readers.scm import is_scm, read_scm
from osler.errors import UserError


class DataReader(NamedTuple):
    """How one data set is recognised and read."""

    name: str
    fits: Callable[[Path], bool]
    """Whether a folder holds it."""
    read: Callable[[Path], Iterator[BenchCase]]


def read_data(folder: Path, corrections: Path | None = None) -> list[BenchCase]:
    """Read every data set in a folder or directly below it.

    Args:
        folder: The folder of one data set, or of several.
        corrections: Corrections of the published audit of LoCoMo.

    Raises:
        UserError: There is none, or a file is not as published.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}", "give the folder of a data set with --data")
    readers = (
        DataReader("GVD", is_gvd, read_gvd),
        DataReader("KdConv", is_kdconv, read_kdconv),
        DataReader("SCM", is_scm, read_scm),
        DataReader("LoCoMo", is_locomo, partial(read_locomo, corrections=corrections)),
        DataReader("PerLTQA", is_perltqa, read_perltqa),
        DataReader("MedMemoryBench", is_medmemorybench, read_medmemorybench),
    )
    folders = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    cases: list[BenchCase] = []
    for path in folders:
        for reader in readers:
            if reader.fits(path):
                cases += reader.read(path)
    if not cases:
        names = ", ".join(reader.name for reader in readers)
        raise UserError(
            f"{folder} holds no data set that the bench knows",
            f"it reads {names}: see docs/bench.md",
        )
    if corrections is not None and not any(map(is_locomo, folders)):
        raise UserError(f"--corrections are for LoCoMo, which is not in {folder}", "leave them out")
    return cases
