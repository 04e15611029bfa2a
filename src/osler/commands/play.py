"""`osler play`: a person in one of the chairs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from osler.commands.records import PoolPath, Seed
from osler.commands.run_options import RUN_TO_WRITE, Timeout


class Chairs(StrEnum):
    """Where one can sit."""

    DOCTOR = "doctor"
    PATIENT = "patient"


def play(
    chair: Annotated[Chairs, typer.Option("--as", help="Your chair: doctor or patient.")] = Chairs.DOCTOR,
    case: Annotated[
        str | None,
        typer.Option("--case", help="A record's id, or its patient's; without it, one that you have not played."),
    ] = None,
    pool: PoolPath = "bundled",
    language: Annotated[
        str | None, typer.Option("--language", help="Only en or zh; without it, the one your terminal is set to.")
    ] = None,
    patient: Annotated[str, typer.Option("--patient", help="As doctor: who answers you, a model or rules.")] = "rules",
    doctor: Annotated[str, typer.Option("--doctor", help="As patient: who asks you, a model or rules.")] = "rules",
    memory: Annotated[str, typer.Option("--memory", help="What remembers beside you, or for the doctor.")] = "tim",
    strategy: Annotated[str, typer.Option("--strategy", help="As patient: how the doctor's model works.")] = "plain",
    seed: Seed = 0,
    timeout: Timeout = 60.0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help=f"{RUN_TO_WRITE} Without it, play-doctor or the like."),
    ] = None,
) -> None:
    """Take a chair: ask and conclude as the doctor, or answer as the patient, and see how it went."""
    from osler.commands.records import open_pool
    from osler.language import Language
    from osler.play.lobby import PlayLobby
    from osler.play.reader import fitted, reader_language
    from osler.play.request import PlayRequest, PlayRole
    from osler.play.terminal import play as at_terminal
    from osler.simulator.clients import ClientSettings

    records = open_pool(pool, languages=[language] if language else None)
    wish = PlayRequest(
        PlayRole(chair.value),
        case,
        Language(language) if language else None,
        doctor,
        patient,
        memory,
        strategy,
        seed,
        out,
        preferred=reader_language(),
    )
    table = PlayLobby(records, clients=ClientSettings(timeout=timeout))
    if code := at_terminal(table, wish, lambda line: typer.echo(fitted(line))):
        sys.exit(code)  # the line that says what was kept is the last one
