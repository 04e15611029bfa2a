"""`osler view` and `osler export`: runs as a page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from osler.commands.run_options import known_runs

Runs = Annotated[
    list[Path] | None,
    typer.Argument(help="Runs, by name or file; without any, all of `runs/`.", autocompletion=known_runs),
]


Folder = Annotated[Path, typer.Option("--out", "-o", help="The folder; an earlier export there is replaced.")]


class Format(StrEnum):
    """What a run can be exported as."""

    HTML = "html"


def view(
    runs: Runs = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0: any that is free.")] = 0,
    token: Annotated[
        str | None, typer.Option("--token", help="The secret part of the address; without it, one is made.")
    ] = None,
    backbone: Annotated[
        list[str] | None,
        typer.Option("--backbone", help="A model that can be played with on the page, besides rules (repeatable)."),
    ] = None,
    memory: Annotated[
        list[str] | None,
        typer.Option("--memory", help="A memory that can be chosen there, as in package.module:Class (repeatable)."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Look at runs in the browser: tables, conversations, what was remembered, and the truth behind a click."""
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
    out: Folder = Path("site"),
    form: Annotated[Format, typer.Option("--format", help="As what.")] = Format.HTML,
) -> None:
    """Write the same page as files that open from disk, without a server."""
    from osler.view.export import export as write

    made = write(runs or (), out)
    told = f"{made.consultations:,} consultation(s) of {made.runs} run(s), {made.size / 2**20:,.1f} MiB"
    if made.unreadable:
        typer.echo(f"{made.unreadable:,} consultation(s) cannot be read and were left out.", err=True)
    typer.echo(f"{made.folder / 'index.html'} ({told})")
