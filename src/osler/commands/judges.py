"""`osler judges`: examine a model before it judges."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument, Option

from osler.commands.options import Timeout
from osler.language import Language
from osler.settings.names import TIMEOUT

app = typer.Typer(help="Examine a model before it judges.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Without this, typer would make the only command the group itself."""


@app.command()
def check(
    spec: Annotated[str, Argument(help="The model, as for `osler score --judge`.", metavar="SPEC")],
    language: Annotated[
        list[Language] | None,
        Option("--language", help="Only this language (repeatable). Default: both."),
    ] = None,
    concurrency: Annotated[
        int, Option("--concurrency", min=1, max=100_000, help="Calls at the same time.")
    ] = 8,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Say how far a model agrees with labelled answers, and whether it may judge runs."""
    import asyncio

    from osler.eval.reader.check_judge import check_judge

    lines, may_judge = asyncio.run(
        check_judge(spec, language or list(Language), concurrency, timeout)
    )
    typer.echo("\n".join(lines))
    raise typer.Exit(0 if may_judge else 1)
