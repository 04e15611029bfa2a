"""`osler view` and `osler export`: runs as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from osler.commands.options import known_runs

Runs = Annotated[
    list[Path] | None,
    Argument(
        help="Runs, by name or file. Default: all runs in `runs/`.", autocompletion=known_runs
    ),
]


def view(
    runs: Runs = None,
    host: Annotated[str, Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", min=0, max=65535, help="The port; 0: any free port.")
    ] = 0,
    token: Annotated[
        str | None, Option("--token", help="Secret token in the URL. Default: a random one.")
    ] = None,
    backbone: Annotated[
        list[str] | None,
        Option("--backbone", help="A model that players may choose, besides rules (repeatable)."),
    ] = None,
    memory: Annotated[
        list[str] | None,
        Option(
            "--memory",
            help="A memory that players may choose, e.g. package.module:Class (repeatable).",
        ),
    ] = None,
    no_browser: Annotated[bool, Option("--no-browser", help="Only print the URL.")] = False,
) -> None:
    """Open runs in the browser.

    Tables, conversations, memories, and the correct answer on demand.
    """
    from osler.view.server import serve

    serve(
        runs or (),
        host=host,
        port=port,
        token=token,
        browser=not no_browser,
        backbones=backbone or (),
        memories=memory or (),
    )


def export(
    runs: Runs = None,
    out: Annotated[
        Path, Option("--out", "-o", help="Output folder; an earlier export there is replaced.")
    ] = Path("site"),
    form: Annotated[Literal["html"], Option("--format", help="Output format.")] = "html",
) -> None:
    """Export runs as HTML files that open without a server."""
    from osler.view.export import export as write

    exported = write(runs or (), out)
    size = (
        f"{exported.consultations:,} consultation(s) of {exported.runs} run(s),"
        f" {exported.size / 2**20:,.1f} MiB"
    )
    if exported.unreadable:
        typer.echo(
            f"{exported.unreadable:,} consultation(s) cannot be read and were left out.", err=True
        )
    typer.echo(f"{exported.folder / 'index.html'} ({size})")
