"""`osler validate`: hold simulated patients beside interviews with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from osler.commands.options import PoolPath, Seed, Timeout, print_page
from osler.settings.names import ANSWER_TOKENS, OSLER, RULES, TIMEOUT

if TYPE_CHECKING:
    from osler.validate.results import AskedInterview


def validate(
    transcripts: Annotated[
        list[Path],
        Argument(help="Files or folders of interviews with people; see docs/validating.md."),
    ],
    pool: PoolPath,
    patient: Annotated[
        list[str] | None,
        Option("--patient", help="The patient's model, or rules (repeatable). Default: rules."),
    ] = None,
    patient_agent: Annotated[
        list[str] | None,
        Option(
            "--patient-agent",
            help="How the patient's model is played: osler, agentclinic, craftmd, patientsim or"
            " package.module:Class (repeatable). Default: osler.",
        ),
    ] = None,
    ram: Annotated[
        str | None,
        Option(
            "--ram", help="The model that retrieves from the record, or rules. Default: --patient."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        Option("--judge", help="The model that reads the replies. Default: nobody reads them."),
    ] = None,
    doctor: Annotated[
        list[Path] | None,
        Option("--doctor", help="A run whose doctors are held beside the human ones (repeatable)."),
    ] = None,
    interview: Annotated[
        list[str] | None, Option("--interview", help="Only the interview of this id (repeatable).")
    ] = None,
    limit: Annotated[
        int | None, Option("--limit", min=1, help="Maximum number of interviews per language.")
    ] = None,
    out: Annotated[
        Path, Option("--out", "-o", help="Folder of the replies, the page and the figures.")
    ] = Path("validation"),
    seed: Seed = 0,
    temperature: Annotated[
        float, Option("--temperature", min=0, max=2, help="Sampling temperature of the patients.")
    ] = 0.0,
    answer_tokens: Annotated[
        int, Option("--answer-tokens", min=50, help="Maximum tokens of one answer of a patient.")
    ] = ANSWER_TOKENS,
    concurrency: Annotated[
        int, Option("--concurrency", min=1, max=10_000, help="Interviews at the same time.")
    ] = 4,
    timeout: Timeout = TIMEOUT,
    form: Annotated[
        Literal["table", "markdown", "latex", "csv", "html", "json"],
        Option("--format", help="Format of the tables; json: all figures."),
    ] = "table",
) -> None:
    """Ask simulated patients what human doctors asked, and print them beside the human replies.

    Re-run the same command to resume.
    """
    from osler.stdout import spared_stdout
    from osler.tables import WRITERS, on_terminal
    from osler.validate.ask import AskSettings
    from osler.validate.page import figures_json, write_results
    from osler.validate.run import RunOptions
    from osler.validate.validation import ValidationRequest, validate_patients

    request = ValidationRequest(
        transcripts=transcripts,
        pool=pool,
        patients=patient or [RULES],
        agents=patient_agent or [OSLER],
        ram=ram,
        judge=judge,
        doctors=doctor or [],
        interviews=interview or [],
        limit=limit,
        folder=out,
        options=RunOptions(AskSettings(seed, temperature, answer_tokens), concurrency, timeout),
    )
    with spared_stdout():
        validation = validate_patients(request, _progress, lambda line: typer.echo(line, err=True))
    written = write_results(validation, out)
    if form == "json":
        typer.echo(figures_json(validation))
    elif form == "table":
        print_page(on_terminal(validation.tables()))
    else:
        typer.echo("\n".join(WRITERS[form](table) for table in validation.tables()), nl=False)
    for line in validation.warnings:
        typer.echo(f"osler: {line}", err=True)
    typer.echo(f"page: {written}", err=True)


def _progress(asked: AskedInterview, done: int, total: int) -> None:
    failure = f": {asked.failure}" if asked.failure else ""
    typer.echo(f"{done}/{total} {asked.column.name}: {asked.interview}{failure}", err=True)
