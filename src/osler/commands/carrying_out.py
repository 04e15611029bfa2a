"""The options that say how a run is carried out, shared by the commands that hold consultations."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from osler.runs.plan import Limits
    from osler.simulator.session import How


class Engine(StrEnum):
    """Where consultations are held."""

    LOCAL = "local"
    RAY = "ray"


def known_runs(incomplete: str) -> list[str]:
    """For the shell's completion: the runs of the usual folder."""
    names = (path.stem for path in Path("runs").glob("*.osler"))
    return sorted(name for name in names if name.startswith(incomplete))


MOST = 1_000_000_000
"""Larger numbers of trials or turns are mistakes, and some are more than a run file can hold."""
RUN_TO_WRITE = "The run: a name, or a file ending in .osler."
RunName = Annotated[Path, typer.Argument(help="A run: its name, or its file.", autocompletion=known_runs)]
RunTokens = Annotated[int | None, typer.Option("--run-tokens", min=1, help="Tokens the whole run may use.")]
RunCost = Annotated[float | None, typer.Option("--run-cost", min=0, help="USD the whole run may cost.")]
RunSeconds = Annotated[float | None, typer.Option("--run-seconds", min=0.1, help="Seconds the whole run may take.")]
Trial = Annotated[int | None, typer.Option("--trial", min=1, max=MOST, help="Where the run has several.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=100_000, help="Consultations at a time.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=1_000, help="Processes that share the work; 1, or on Ray one per CPU."),
]
EngineName = Annotated[Engine, typer.Option("--engine", help="Where consultations are held.")]
RayAddress = Annotated[
    str | None, typer.Option("--ray-address", help="The Ray cluster; without it, one is started here.")
]
Rpm = Annotated[float | None, typer.Option("--rpm", min=0.1, help="Requests per minute to one endpoint.")]
Tpm = Annotated[float | None, typer.Option("--tpm", min=1, help="Tokens per minute to one endpoint.")]
Timeout = Annotated[float, typer.Option("--timeout", min=1, help="Seconds one model call may take.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print only the table.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON instead of the table.")]


def how_from(
    *,
    concurrency: int,
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    limits: Limits,
    rpm: float | None,
    tpm: float | None,
    timeout: float,
    temperature: float,
    cache: Path | None,
    quiet: bool,
    as_json: bool,
) -> How:
    """The options of the command line as one thing."""
    from osler.models.rate_limit import Rates
    from osler.simulator.clients import ClientSettings
    from osler.simulator.session import How

    # A memory thinks while its consultation goes on: one consultation alone has two calls under way.
    rates = Rates(max(concurrency, 2), rpm, tpm)
    return How(
        concurrency=concurrency,
        workers=workers,
        engine=engine.value,
        ray_address=ray_address,
        limits=limits,
        clients=ClientSettings(timeout=timeout, temperature=temperature, rates=rates, cache=cache),
        quiet=quiet,
        as_json=as_json,
    )
