"""`osler backbones`: see whether a model answers before a run depends on it."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="Check a model before a run.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Without this, typer would make the only command the group itself."""


@app.command()
def check(
    spec: Annotated[
        str,
        typer.Argument(
            help="rules, local, local:PATH, openai:MODEL, azure:DEPLOYMENT, anthropic:MODEL, gemini:MODEL,"
            " ollama:MODEL, MODEL@URL or package.module:Class; parameters as in 'openai:MODEL top_p=0.9'. Keys:"
            " OPENAI_API_KEY and so on; of a host, OSLER_KEY_ and its name, as in OSLER_KEY_MODELS_EXAMPLE_ORG.",
            metavar="SPEC",
        ),
    ],
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for each answer.")] = 60.0,
) -> None:
    """Ask a model two short questions: whether it answers, how fast, and whether it follows a JSON schema."""
    import asyncio

    from osler.models import parse_spec

    if parse_spec(spec).kind == "rules":
        typer.echo("rules: needs no model")
        return
    from osler.models.backbone import check_backbone

    for label, value in asyncio.run(check_backbone(spec, limit=timeout)).items():
        typer.echo(f"{label:<12}{value}")
