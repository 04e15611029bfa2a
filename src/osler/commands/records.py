"""`osler records`: look at, check and convert patient records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from osler.records.pool import RecordPool

app = typer.Typer(help="Look at, check and convert patient records.", no_args_is_help=True)

PoolPath = Annotated[str, typer.Option("--pool", help="A folder or file of records, or `bundled`.", metavar="PATH")]
_ONLY = "Only these: a record's id, or a patient's for all its records (repeatable)."
Cases = Annotated[list[str] | None, typer.Option("--case", help=_ONLY)]
Specialties = Annotated[list[str] | None, typer.Option("--specialty", help="Only these specialties (repeatable).")]
Languages = Annotated[list[str] | None, typer.Option("--language", help="Only en or zh (repeatable).")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of records.")]
Sample = Annotated[int | None, typer.Option("--sample", min=1, help="Draw this many records at random.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the random draw.")]


def open_pool(
    path: str,
    *,
    ids: list[str] | None = None,
    specialties: list[str] | None = None,
    languages: list[str] | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> RecordPool:
    """The pool that the options of a command describe."""
    from osler.records.pool import RecordPool

    return RecordPool.open(path).only(
        ids=ids, specialties=specialties, languages=languages, limit=limit, sample=sample, seed=seed
    )


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
    from osler.records.pages import listing, printed

    chosen = open_pool(pool, specialties=specialty, languages=language, limit=limit, sample=sample, seed=seed)
    printed(listing(chosen))


@app.command()
def show(
    record_id: Annotated[
        str, typer.Argument(metavar="ID", help="Record id, or patient id if the patient has one record.")
    ],
    pool: PoolPath = "bundled",
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Print one record."""
    from osler.records.pages import page, printed

    record = open_pool(pool).find(record_id)
    if as_json:
        typer.echo(record.model_dump_json(indent=2))
    else:
        printed(page(record))


@app.command()
def validate(
    path: Annotated[str, typer.Argument(help="A folder or file of records, or `bundled`.")] = "bundled",
) -> None:
    """Check every record and list all problems."""
    from osler.errors import UserError, printable
    from osler.records.pages import PoolCheck, printed

    check = PoolCheck.of(open_pool(path))
    for line in check.mended:
        typer.echo(f"mended: {printable(line)}", err=True)
    for problem in check.problems:
        typer.echo(printable(str(problem)), err=True)
    if check.problems:
        files = len({problem.file for problem in check.problems})
        raise UserError(
            f"{len(check.problems)} problem(s) in {files} file(s), {check.sound} sound record(s)",
            "mend them and validate again",
        )
    printed(check.table())


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A folder or file of records, or `bundled`.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A file (its suffix says the format) or a folder.")],
    to: Annotated[
        str | None, typer.Option("--to", help="The format, if the suffix of OUT does not say it.", metavar="FORMAT")
    ] = None,
    record_id: Annotated[list[str] | None, typer.Option("--id", help=_ONLY)] = None,
    specialty: Specialties = None,
    language: Languages = None,
    limit: Limit = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write records in another format. A problem in any of them leaves OUT as it was."""
    from osler.records.convert import write_records

    pool = open_pool(source, ids=record_id, specialties=specialty, languages=language, limit=limit)
    count, form = write_records(pool, target, to, force=force)
    typer.echo(f"{count} record(s) written to {target} as {form}")


@app.command()
def schema() -> None:
    """Print the JSON schema of a record."""
    import json

    from osler.records.schema import PatientRecord

    typer.echo(json.dumps(PatientRecord.model_json_schema(), indent=2, ensure_ascii=False))
