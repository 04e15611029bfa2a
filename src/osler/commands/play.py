"""`osler play`: take part in a consultation as the doctor or the patient."""

from __future__ import annotations

import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from osler.commands.records import PoolPath, Seed
from osler.commands.run_options import RUN_TO_WRITE, Timeout

if TYPE_CHECKING:
    from osler.language import Language


class Role(StrEnum):
    """Who the person is."""

    DOCTOR = "doctor"
    PATIENT = "patient"


def play(
    role: Annotated[Role, typer.Option("--as", help="Your role: doctor or patient.")] = Role.DOCTOR,
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
    """Play the doctor or the patient in a consultation, and see your score."""
    from osler.commands.records import open_pool
    from osler.language import Language
    from osler.play.lobby import PlayLobby
    from osler.play.played_runs import PlayRequest
    from osler.play.terminal import play as at_terminal
    from osler.runs.events import Role as EventRole
    from osler.simulator.clients import ClientSettings

    records = open_pool(pool, languages=[language] if language else None)
    request = PlayRequest(
        EventRole(role.value),
        case,
        Language(language) if language else None,
        doctor,
        patient,
        memory,
        strategy,
        seed,
        out,
        preferred=_terminal_language(),
    )
    lobby = PlayLobby(records, clients=ClientSettings(timeout=timeout))
    if code := at_terminal(lobby, request, _print):
        sys.exit(code)  # the line that says what was kept is the last one


def _terminal_language() -> Language:
    """The language that the environment asks for; English unless it is Chinese."""
    from osler.language import Language

    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return Language.ZH if next(filter(None, named), "").lower().startswith("zh") else Language.EN


def _print(line: str) -> None:
    """A line, wrapped where there is a terminal."""
    from rich.console import Console
    from rich.text import Text

    width = shutil.get_terminal_size().columns
    Console().print(Text(line), width=width, soft_wrap=not sys.stdout.isatty())
