"""Options that several commands share: how a run is executed, and which run or trial is meant."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Engine(StrEnum):
    """Where consultations run."""

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
RunTokens = Annotated[int | None, typer.Option("--run-tokens", min=1, help="Maximum tokens of the whole run.")]
RunCost = Annotated[float | None, typer.Option("--run-cost", min=0, help="Maximum cost of the whole run in USD.")]
RunSeconds = Annotated[float | None, typer.Option("--run-seconds", min=0.1, help="Maximum seconds of the whole run.")]
Trial = Annotated[int | None, typer.Option("--trial", min=1, max=MOST, help="Where the run has several.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=100_000, help="Consultations at the same time.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=1_000, help="Worker processes. Default: 1, or on Ray one per CPU."),
]
EngineName = Annotated[Engine, typer.Option("--engine", help="Where consultations run.")]
RayAddress = Annotated[
    str | None, typer.Option("--ray-address", help="Address of the Ray cluster. Default: start one here.")
]
Rpm = Annotated[float | None, typer.Option("--rpm", min=0.1, help="Maximum requests per minute to one endpoint.")]
Tpm = Annotated[float | None, typer.Option("--tpm", min=1, help="Maximum tokens per minute to one endpoint.")]
Timeout = Annotated[float, typer.Option("--timeout", min=1, help="Timeout of one model call in seconds.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print only the table.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON instead of the table.")]
