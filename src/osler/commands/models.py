"""`osler models`: the model files Osler can fetch by itself."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="Fetch and list model files for local backbones.", no_args_is_help=True)


@app.command()
def pull(name: Annotated[str, typer.Argument(help="Which model; `osler models list` shows them.")]) -> None:
    """Download a model file into the cache, unless it is there."""
    from osler.errors import UserError
    from osler.models.local import KNOWN, fetch

    if name not in KNOWN:
        raise UserError(f"there is no model {name!r} to pull", f"use {' or '.join(KNOWN)}")
    typer.echo(fetch(KNOWN[name]))


@app.command("list")
def list_models() -> None:
    """List the model files: name, size and path."""
    from osler.models.local import KNOWN

    for weights in KNOWN.values():
        where = str(weights.path) if weights.present else f"not here yet; `osler models pull {weights.name}` fetches it"
        typer.echo(f"{weights.name}  {weights.size / 1e6:.0f} MB  {where}")
