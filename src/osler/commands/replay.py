"""`osler replay` and `osler diff`: consultations played, held again, forked, and laid side by side."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from osler.commands.run_options import MOST, RunName, Timeout, Trial
from osler.errors import UserError

if TYPE_CHECKING:
    from osler.replay.diff import Side
    from osler.runs.plan import Selector
    from osler.runs.store import RunFile
    from osler.runs.transcript import Transcript

T = TypeVar("T")
_EVERY = 5.0
"""Seconds between lines of progress."""


def replay(
    run: RunName,
    case: Annotated[str | None, typer.Argument(help="A record's id, or its patient's.")] = None,
    memory: Annotated[
        list[str] | None,
        typer.Option("--memory", help="Which memory. With --fork-at: the new one; twice: the old, then the new one."),
    ] = None,
    backbone: Annotated[
        list[str] | None,
        typer.Option("--backbone", help="Which doctor. With --fork-at: the new one; twice: the old, then the new one."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy", help="Which strategy. With --fork-at: the new one; twice: the old, then the new one."
        ),
    ] = None,
    trial: Trial = None,
    speed: Annotated[float, typer.Option("--speed", min=0.125, max=64, help="Playback speed.")] = 1.0,
    from_turn: Annotated[int, typer.Option("--from-turn", min=1, help="Turn to start from.")] = 1,
    plain: Annotated[bool, typer.Option("--plain", help="Print it as plain text.")] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Re-run it, or the whole run, with the recorded answers and list differences."),
    ] = False,
    fork_at: Annotated[
        int | None,
        typer.Option("--fork-at", help="Keep this many turns, then continue with another doctor, strategy or memory."),
    ] = None,
    timeout: Timeout = 60.0,
) -> None:
    """Replay a consultation, re-run it to check for changes, or fork it at a turn."""
    from osler.runs.plan import Selector

    if verify and fork_at is not None:
        raise UserError("--verify and --fork-at cannot be done at once", "give one of them")
    if fork_at is not None:
        _fork(run, _given(run, case), fork_at, (backbone, strategy, memory), trial, timeout)
        return
    kind = (_one(backbone, "--backbone"), _one(strategy, "--strategy"), _one(memory, "--memory"))
    if verify:
        _verify(run, Selector(case, *kind, trial))
    else:
        from osler.records.pages import printed
        from osler.replay.pages import transcript_page
        from osler.runs.store import RunFile

        with RunFile.open(run) as opened:
            found = opened.find(Selector(_given(run, case), *kind, trial))
        if plain or not _interactive():
            printed(transcript_page(found, details=True, from_turn=from_turn))
        else:
            from osler.replay.player import play

            play(found, speed, from_turn)


def diff(
    run: RunName,
    case: Annotated[str, typer.Argument(help="A record's id, or its patient's.")],
    other_case: Annotated[
        str | None, typer.Argument(metavar="[CASE2]", help="The other one's, such as the patient's other language.")
    ] = None,
    with_run: Annotated[Path | None, typer.Option("--with", help="The run of the second, if it is another.")] = None,
    memory: Annotated[
        list[str] | None, typer.Option("--memory", help="Of both; twice: of the first, then of the second.")
    ] = None,
    backbone: Annotated[
        list[str] | None, typer.Option("--backbone", help="Of both; twice: of the first, then of the second.")
    ] = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="Of both; twice: of the first, then of the second.")
    ] = None,
    trial: Annotated[
        list[int] | None,
        typer.Option("--trial", min=1, max=MOST, help="Of both; twice: of the first, then of the second."),
    ] = None,
) -> None:
    """Compare two consultations of the same patient turn by turn, with the first difference marked."""
    from osler.records.pages import printed
    from osler.replay.diff import DiffPage, check_same_patient
    from osler.runs.plan import Selector

    kinds = zip(
        _two(backbone, "--backbone"),
        _two(strategy, "--strategy"),
        _two(memory, "--memory"),
        _two(trial, "--trial"),
        strict=True,
    )
    first, second = kinds
    left = _side(run, Selector(case, *first))
    right = _side(with_run or run, Selector(other_case or case, *second))
    check_same_patient(left.transcript, right.transcript)
    if left == right:
        raise UserError(
            "both are the same consultation", "give --memory, --strategy, --backbone or --trial twice, or --with RUN"
        )
    printed(DiffPage(left, right))


def _verify(run: Path, selector: Selector) -> None:
    from osler.records.pages import printed
    from osler.replay.verify import other_version, verify, verify_page
    from osler.runs.store import RunFile

    began = told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told
        if done < len(numbers) and time.monotonic() - told > _EVERY:
            told = time.monotonic()
            typer.echo(f"{done} of {len(numbers)} re-run", err=True)

    with RunFile.open(run) as opened:
        numbers = opened.find_ended(selector)
        if line := other_version(opened):
            typer.echo(f"osler: {line}", err=True)
        verified = verify(opened, numbers, tell)
    printed(verify_page(verified, len(numbers) - len(verified), time.monotonic() - began))
    if any(verified.values()):
        raise typer.Exit(1)


def _fork(
    run: Path, case: str, turn: int, given: tuple[list[str] | None, ...], trial: int | None, timeout: float
) -> None:
    from osler.records.pages import printed
    from osler.replay.diff import DiffPage
    from osler.replay.rerun import Parent, fork
    from osler.runs.plan import PLAIN, Column, Selector
    from osler.runs.store import RunFile

    options = ("--backbone", "--strategy", "--memory")
    pairs = [_old_new(values, option) for values, option in zip(given, options, strict=True)]
    old_backbone, old_strategy, old_memory = (old for old, _ in pairs)
    backbone, strategy, memory = (new for _, new in pairs)
    with RunFile.open(run) as opened:
        numbers = opened.find_ended(Selector(case, old_backbone, old_strategy, old_memory, trial))
        if len(numbers) > 1:
            raise UserError(
                f"{case!r} fits {len(numbers)} consultations",
                "give --memory, --strategy or --backbone twice, first that of the one to fork, then the new one;"
                " or --trial",
            )
        recorded = opened.transcript(numbers[0])
        assert recorded is not None
        parent = Parent(opened.path, recorded, opened.record(recorded.header.case), opened.settings)
    header = recorded.header
    column = Column.of(
        backbone or header.backbone,
        strategy or header.strategy or PLAIN,
        memory or header.memory,
        header.variants,
    )
    path, number = fork(parent, turn, column, timeout)
    with RunFile.open(parent.run) as opened, RunFile.open(path) as forks:
        printed(DiffPage(_side_of(opened, numbers[0], recorded), _side_of(forks, number, forks.transcript(number))))
        trial = forks.cell(number).trial
    typer.echo(f"\nforked after turn {turn}; kept in {path} as trial {trial}", err=True)


def _side(run: Path, selector: Selector) -> Side:
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        return _side_of(opened, *opened.find_cell(selector))


def _side_of(run: RunFile, number: int, transcript: Transcript | None) -> Side:
    from osler.replay.diff import Side
    from osler.replay.verify import stored_ladder

    assert transcript is not None
    return Side(run.path.stem, transcript, run.verdicts(number, stored_ladder(run)))


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _given(run: Path, case: str | None) -> str:
    if case is None:
        raise UserError("no consultation is named", f"write `osler replay {run} CASE`; only --verify takes a whole run")
    return case


def _one(values: Sequence[T] | None, option: str) -> T | None:
    if values and len(values) > 1:
        raise UserError(f"{option} is given {len(values)} times", "give it once")
    return values[0] if values else None


def _two(values: Sequence[T] | None, option: str) -> tuple[T | None, T | None]:
    """One value stands for both."""
    if not values:
        return None, None
    if len(values) > 2:
        raise UserError(f"{option} is given {len(values)} times", "give it once for both, or twice")
    return values[0], values[-1]


def _old_new(values: Sequence[str] | None, option: str) -> tuple[str | None, str | None]:
    """One value is the new one."""
    first, last = _two(values, option)
    return (first if values and len(values) == 2 else None), last
