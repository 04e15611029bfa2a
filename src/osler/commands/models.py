"""`osler backbones` and `osler models`: check that a model answers, and fetch model files."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument, Option

from osler.errors import UserError

backbones = typer.Typer(help="Check a model before a run.", no_args_is_help=True)
app = typer.Typer(help="Download and list model files for local backbones.", no_args_is_help=True)


@backbones.callback()
def _group() -> None:
    """Without this, typer would make the only command the group itself."""


@backbones.command()
def check(
    spec: Annotated[
        str,
        Argument(
            help=(
                "rules, local, local:PATH, openai:MODEL, azure:DEPLOYMENT, anthropic:MODEL,"
                " gemini:MODEL,"
                " ollama:MODEL, MODEL@URL or package.module:Class, with parameters after a space:"
                " 'openai:MODEL top_p=0.9'."
                " API keys are read from OPENAI_API_KEY and so on, or from OSLER_KEY_ and the host,"
                " e.g."
                " OSLER_KEY_MODELS_EXAMPLE_ORG."
            ),
            metavar="SPEC",
        ),
    ],
    timeout: Annotated[
        float, Option("--timeout", min=0.1, help="Seconds to wait for each answer.")
    ] = 60.0,
    sampling: Annotated[
        bool,
        Option(
            "--sampling/--no-sampling",
            help="Also check temperature and repetition penalty: up to nine calls.",
        ),
    ] = True,
) -> None:
    """Check that a model answers, how fast, and whether it follows a JSON schema.

    Also whether it samples as asked.
    """
    import asyncio

    from osler.models import parse_spec
    from osler.models.backbone import check_backbone
    from osler.models.sampling_check import check_sampling
    from osler.models.servers import describe_servers

    parsed = parse_spec(spec)
    if parsed.kind == "rules":
        typer.echo("rules: needs no model")
        return
    lines = asyncio.run(check_backbone(spec, limit=timeout))
    for description in asyncio.run(describe_servers([spec])).values():
        lines["server"] = str(description)
    _print_lines(lines)
    if sampling:
        _print_lines(asyncio.run(check_sampling(parsed, limit=timeout)))


def _print_lines(lines: dict[str, str]) -> None:
    for label, value in lines.items():
        typer.echo(f"{label:<12}{value}")


@app.command()
def pull(name: Annotated[str, Argument(help="The model; `osler models list` shows them.")]) -> None:
    """Download a model file into the cache, unless it is there."""
    from osler.models.local import KNOWN, fetch

    if name not in KNOWN:
        raise UserError(f"there is no model {name!r} to pull", f"use {' or '.join(KNOWN)}")
    typer.echo(fetch(KNOWN[name]))


@app.command("list")
def list_models() -> None:
    """List the model files: name, size and path."""
    from osler.models.local import KNOWN

    for weights in KNOWN.values():
        if weights.present:
            where = str(weights.path)
        else:
            where = f"not here yet; `osler models pull {weights.name}` fetches it"
        typer.echo(f"{weights.name}  {weights.size / 1e6:.0f} MB  {where}")
