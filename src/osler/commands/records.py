"""`osler records`: look at, check and convert patient records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from osler.commands.options import PoolPath, Seed, print_page
from osler.errors import UserError, printable
from osler.simulator.options import Languages, Limit, Sample, Specialties

app = typer.Typer(help="Look at, check and convert patient records.", no_args_is_help=True)


@app.command("list")
def list_records(
    pool: PoolPath = "bundled",
    specialty: Specialties = None,
    language: Languages = None,
    limit: Limit = None,
    sample: Sample = None,
    seed: Seed = 0,
) -> None:
    """List the records of a pool, one line each."""
    from osler.records.pages import listing
    from osler.records.pool import RecordPool

    chosen = RecordPool.open(pool).only(
        specialties=specialty, languages=language, limit=limit, sample=sample, seed=seed
    )
    print_page(listing(chosen))


@app.command()
def show(
    record_id: Annotated[str, Argument(metavar="ID", help="Record id, or patient id if the patient has one record.")],
    pool: PoolPath = "bundled",
    as_json: Annotated[bool, Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Print one record."""
    from osler.records.pages import page
    from osler.records.pool import RecordPool

    record = RecordPool.open(pool).find(record_id)
    if as_json:
        typer.echo(record.model_dump_json(indent=2))
    else:
        print_page(page(record))


@app.command()
def validate(
    path: Annotated[str, Argument(help="A folder or file of records, or `bundled`.")] = "bundled",
) -> None:
    """Check every record and list all problems."""
    from osler.eval.known_illness import inspect_diagnosis
    from osler.records.pages import PoolCheck
    from osler.records.pool import RecordPool

    check = PoolCheck.of(RecordPool.open(path), inspect_diagnosis)
    for line in check.mended:
        typer.echo(f"mended: {printable(line)}", err=True)
    for line in check.notes:
        typer.echo(f"note: {printable(line)}", err=True)
    for problem in check.problems:
        typer.echo(printable(str(problem)), err=True)
    if check.problems:
        files = len({problem.file for problem in check.problems})
        raise UserError(
            f"{len(check.problems)} problem(s) in {files} file(s), {check.sound} sound record(s)",
            "mend them and validate again",
        )
    print_page(check.table())


@app.command()
def convert(
    source: Annotated[str, Argument(metavar="IN", help="A folder or file of records, or `bundled`.")],
    target: Annotated[Path, Argument(metavar="OUT", help="A folder, or a file whose suffix names the format.")],
    to: Annotated[
        str | None, Option("--to", help="The format, if the suffix of OUT does not name it.", metavar="FORMAT")
    ] = None,
    record_id: Annotated[
        list[str] | None, Option("--id", help="Only this record, or all records of this patient (repeatable).")
    ] = None,
    specialty: Specialties = None,
    language: Languages = None,
    limit: Limit = None,
    force: Annotated[bool, Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Write records in another format. OUT is not touched if any record has a problem."""
    from osler.eval.known_illness import inspect_diagnosis
    from osler.records.convert import write_records
    from osler.records.pool import RecordPool

    pool = RecordPool.open(source).only(ids=record_id, specialties=specialty, languages=language, limit=limit)
    count, form = write_records(pool, target, to, force=force, inspect=inspect_diagnosis)
    typer.echo(f"{count} record(s) written to {target} as {form}")


@app.command()
def schema() -> None:
    """Print the JSON schema of a record."""
    import json

    from osler.records.schema import PatientRecord

    typer.echo(json.dumps(PatientRecord.model_json_schema(), indent=2, ensure_ascii=False))
