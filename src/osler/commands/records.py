"""`osler records`: look at, check and convert patient records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from osler.commands.options import (
    Languages,
    Limit,
    PoolPath,
    Sample,
    Seed,
    Specialties,
    Timeout,
    Twins,
    print_page,
)
from osler.errors import UserError, printable

app = typer.Typer(help="Look at, check and convert patient records.", no_args_is_help=True)


@app.command("list")
def list_records(
    pool: PoolPath = "bundled",
    specialty: Specialties = None,
    language: Languages = None,
    twins: Twins = False,
    limit: Limit = None,
    sample: Sample = None,
    seed: Seed = 0,
) -> None:
    """List the records of a pool, one line each."""
    from osler.records.pages import listing
    from osler.records.pool import RecordPool

    chosen = RecordPool.open(pool).only(
        specialties=specialty,
        languages=language,
        limit=limit,
        sample=sample,
        seed=seed,
        pairs=twins,
    )
    print_page(listing(chosen))


@app.command()
def show(
    record_id: Annotated[
        str, Argument(metavar="ID", help="Record id, or patient id if the patient has one record.")
    ],
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
    """Check every record: list all problems, and note what a reader should look at again."""
    from osler.eval.known_illness import inspect_diagnosis
    from osler.records.pages import PoolCheck
    from osler.records.pool import RecordPool
    from osler.records.visit_notes import visit_notes

    check = PoolCheck.of(RecordPool.open(path), inspect_diagnosis, visit_notes)
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
    if check.twins:
        typer.echo(f"and {check.twins} twin(s), all sound")


@app.command()
def convert(
    source: Annotated[
        str,
        Argument(
            metavar="IN", help="A folder or file of records, or `bundled`; with --with, texts."
        ),
    ],
    target: Annotated[
        Path | None,
        Argument(metavar="[OUT]", help="A folder, or a file whose suffix names the format."),
    ] = None,
    to: Annotated[
        str | None,
        Option("--to", help="The format, if the suffix of OUT does not name it.", metavar="FORMAT"),
    ] = None,
    model: Annotated[
        str | None,
        Option(
            "--with",
            metavar="SPEC",
            help=(
                "Let this model structure free text into records; OUT is a .jsonl file or a folder."
            ),
        ),
    ] = None,
    record_id: Annotated[
        list[str] | None,
        Option("--id", help="Only this record, or all records of this patient (repeatable)."),
    ] = None,
    specialty: Specialties = None,
    language: Languages = None,
    twins: Twins = False,
    limit: Limit = None,
    force: Annotated[bool, Option("--force", help="Overwrite what is there.")] = False,
    cache: Annotated[
        Path | None, Option("--cache", help="With --with: file that keeps the model's answers.")
    ] = None,
    concurrency: Annotated[
        int, Option("--concurrency", min=1, max=1000, help="With --with: texts at the same time.")
    ] = 4,
    timeout: Timeout = 300.0,
) -> None:
    """Write records in another format, or structure free text into records with a model.

    Without --with, OUT is not touched if any record has a problem. With --with, records are written
    one by one; re-run the same command to resume.
    """
    if model is not None:
        if to or specialty or language or twins:
            raise UserError(
                "--to, --specialty, --language and --twins do not go with --with", "leave them out"
            )
        out = target or Path(f"{Path(source).stem}.records.jsonl")
        how: dict[str, Any] = {"cache": cache, "concurrency": concurrency, "timeout": timeout}
        _structure(source, out, model, ids=record_id, limit=limit, force=force, **how)
        return
    if target is None:
        raise UserError("there is no OUT to write to", "name a folder or a file")
    from osler.eval.known_illness import inspect_diagnosis
    from osler.records.convert import write_records
    from osler.records.pool import RecordPool

    pool = RecordPool.open(source).only(
        ids=record_id, specialties=specialty, languages=language, limit=limit, pairs=twins
    )
    count, form = write_records(pool, target, to, force=force, inspect=inspect_diagnosis)
    typer.echo(f"{count} record(s) written to {target} as {form}")


def _structure(source: str, out: Path, model: str, **options: Any) -> None:
    from osler.eval.known_illness import inspect_diagnosis
    from osler.structuring.convert_texts import convert_texts

    result = convert_texts(
        Path(source), out, model, tell=typer.echo, inspect=inspect_diagnosis, **options
    )
    left_out: set[str] = set()
    for report in result.reports:
        left_out |= {*report.left_out}
    if left_out:
        typer.echo(f"fields not shown to the model: {printable(', '.join(sorted(left_out)))}")
    typer.echo(f"{result.summary()}; written to {out}")
    if result.failed:
        raise UserError(
            f"{len(result.failed)} text(s) did not become records",
            "mend the texts, or name another model: the same request is not asked again",
        )


@app.command()
def schema() -> None:
    """Print the JSON schema of a record."""
    import json

    from osler.records.schema import PatientRecord

    typer.echo(json.dumps(PatientRecord.model_json_schema(), indent=2, ensure_ascii=False))
