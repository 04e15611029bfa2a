"""`osler play`: take part in a consultation as the doctor or the patient."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from osler.commands.options import RUN_TO_WRITE, PoolPath, Seed, Timeout
from osler.settings.names import TIMEOUT

if TYPE_CHECKING:
    from osler.language import Language


def play(
    role: Annotated[Literal["doctor", "patient"], Option("--as", help="Your role.")] = "doctor",
    case: Annotated[
        str | None,
        Option(
            "--case", help="A record's id, or its patient's. Default: one that you have not played."
        ),
    ] = None,
    pool: PoolPath = "bundled",
    language: Annotated[
        str | None, Option("--language", help="en or zh. Default: the language of your terminal.")
    ] = None,
    patient: Annotated[
        str, Option("--patient", help="As doctor: the patient's model, or rules.")
    ] = "rules",
    doctor: Annotated[
        str, Option("--doctor", help="As patient: the doctor's model, or rules.")
    ] = "rules",
    memory: Annotated[
        str, Option("--memory", help="The memory that takes notes for the doctor.")
    ] = "tim",
    strategy: Annotated[
        str, Option("--strategy", help="As patient: the doctor's strategy.")
    ] = "plain",
    seed: Seed = 0,
    timeout: Timeout = TIMEOUT,
    out: Annotated[
        Path | None,
        Option("--out", "-o", help=f"{RUN_TO_WRITE} Default: play-doctor or play-patient."),
    ] = None,
) -> None:
    """Play the doctor or the patient in a consultation, and see your score."""
    from osler.language import Language
    from osler.play.lobby import PlayLobby
    from osler.play.played_runs import PlayRequest
    from osler.play.terminal import play as at_terminal
    from osler.records.pool import RecordPool
    from osler.runs.events import Role
    from osler.simulator.clients import ClientSettings

    records = RecordPool.open(pool).only(languages=[language] if language else None)
    only = Language(language) if language else None
    preferred = _terminal_language()
    request = PlayRequest(
        Role(role), case, only, doctor, patient, memory, strategy, seed, out, preferred=preferred
    )
    lobby = PlayLobby(records, clients=ClientSettings(timeout=timeout))
    code = at_terminal(lobby, request, _print)
    if code:
        sys.exit(code)  # the line that says what was kept is the last one


def _terminal_language() -> Language:
    """The language that the environment asks for; English unless it is Chinese."""
    from osler.language import Language

    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    if next(filter(None, named), "").lower().startswith("zh"):
        return Language.ZH
    return Language.EN


def _print(line: str) -> None:
    """A line, wrapped where there is a terminal."""
    from rich.console import Console
    from rich.text import Text

    width = shutil.get_terminal_size().columns
    Console().print(Text(line), width=width, soft_wrap=not sys.stdout.isatty())
