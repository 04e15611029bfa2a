"""Write records in another format, all or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from osler.errors import UserError, warn
from osler.private import make_private
from osler.records.pool import RecordPool
from osler.records.registry import Format, format_named, formats
from osler.records.schema import Diagnosis, PatientRecord


def write_records(
    pool: RecordPool,
    target: Path,
    to: str | None = None,
    *,
    force: bool = False,
    inspect: Callable[[Diagnosis], str | None] = lambda _: None,
) -> tuple[int, str]:
    """Write the pool's records to a file, or to a folder if a file holds a single record.

    Everything is written to a temporary place first and moved at the end, so that a problem leaves
    nothing behind. Returns how many records there were, and the name of the format. `inspect` may
    remark on each diagnosis.
    """
    form = _format(target, to)
    if target.exists() and not force:
        raise UserError(
            f"{target} is there already", "choose another name, or add --force to replace it"
        )
    if not target.parent.is_dir():
        raise UserError(f"there is no folder {target.parent}", "create it first")
    as_file = target.suffix.lower() in form.suffixes
    ids: list[str] = []
    records = _inspected(pool, inspect, ids)
    if form.single and as_file:
        records = iter([_single_record(records, target, form)])
    assert form.write is not None
    # In the folder of the target, since only a move within one file system is all or nothing.
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        output = Path(folder) / target.name
        if as_file or not form.single:
            form.write(records, output)
        else:
            output.mkdir()
            for record in records:
                form.write([record], output / f"{record.id}{form.suffixes[0]}")
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        make_private(output)
        os.replace(output, target)
    return len(ids), form.name


def _inspected(
    pool: RecordPool, inspect: Callable[[Diagnosis], str | None], ids: list[str]
) -> Iterator[PatientRecord]:
    """The records, each with its warnings; their ids are added to `ids`."""
    for reading in pool.chosen():
        record = reading.expect()
        notes = [*reading.notes, inspect(record.diagnosis)]
        for note in filter(None, notes):
            warn(f"{record.id}: {note}")
        ids.append(record.id)
        yield record


def _format(target: Path, to: str | None) -> Format:
    writable = [form for form in formats() if form.write is not None]
    names = ", ".join(form.name for form in writable)
    if to is not None:
        form = format_named(to)
        if form.write is None:
            raise UserError(f"the format {to} can only be read", f"use one of {names}")
        return form
    # Where formats share an ending, a plain `.jsonl` means ours; the others are asked for by name.
    sharing = [form for form in writable if target.suffix.lower() in form.suffixes]
    if sharing:
        return sharing[-1]
    if target.suffix:
        problem = f"the ending {target.suffix!r} belongs to no format that can be written"
        raise UserError(problem, f"name one with --to: {names}")
    return format_named("yaml")


def _single_record(records: Iterator[PatientRecord], target: Path, form: Format) -> PatientRecord:
    first = next(records, None)
    second = next(records, None)
    if first is None or second is not None:
        number = "none" if first is None else "several"
        raise UserError(
            f"a {form.name} file holds one record and there are {number}",
            f"give a folder ({target.with_suffix('')}) with --to {form.name}, or choose one with"
            " --id",
        )
    return first
