"""Commands that look at single consultations: `show`, `memory show`, `replay` and `diff`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer import Argument, Option

from osler.commands.options import (
    MOST,
    Backbone,
    CaseName,
    Memory,
    RunName,
    Strategy,
    Trial,
    Variant,
    open_run,
    print_page,
)
from osler.errors import UserError
from osler.simulator.options import Timeout

if TYPE_CHECKING:
    from osler.eval.faithfulness import ReplyVerdict
    from osler.replay.diff import Side
    from osler.runs.plan import Selector
    from osler.runs.store import RunFile
    from osler.runs.transcript import Transcript

T = TypeVar("T")
_EVERY = 5.0
"""Seconds between lines of progress."""
_FORKED = "With --fork-at: the new one; if given twice, the old and the new one."
_BOTH = "of both; if given twice, of the first and of the second."

memory_app = typer.Typer(no_args_is_help=True, help="Inspect a doctor's memory of one patient.")


def show(
    run: RunName,
    case: CaseName,
    memory: Memory = None,
    strategy: Strategy = None,
    backbone: Backbone = None,
    variant: Variant = None,
    trial: Trial = None,
    details: Annotated[bool, Option("--details", help="Also show what was retrieved, recalled and refused.")] = False,
) -> None:
    """Print one consultation."""
    from osler.eval.faithfulness.patient_verdicts import faults_in
    from osler.replay.pages import transcript_page
    from osler.runs.plan import Selector

    with open_run(run) as opened:
        cell, transcript = opened.find_cell(Selector(case, backbone, strategy, memory, trial, variant))
        _, faults = faults_in(opened, cell)
    lines = {turn: list(_fault_lines(verdict)) for turn, verdict in faults.items()}
    print_page(transcript_page(transcript, details=details, faults=lines))


def _fault_lines(verdict: ReplyVerdict) -> Iterator[str]:
    """What is wrong with a reply, a line for each kind of fault."""
    for what, found in (
        ("gives the diagnosis away", verdict.leaks),
        ("fabricates", tuple(claim.quote for claim in verdict.unsupported)),
        ("says the opposite of", verdict.turned_round),
    ):
        if found:
            yield f"{what}: {'; '.join(found)}"


@memory_app.command("show")
def show_memory(
    run: RunName,
    case: CaseName,
    memory: Memory = None,
    strategy: Strategy = None,
    backbone: Backbone = None,
    variant: Variant = None,
    trial: Trial = None,
) -> None:
    """Print turn by turn what was recalled, inserted, superseded, merged and forgotten."""
    from osler.replay.pages import memory_page
    from osler.runs.plan import Selector

    with open_run(run) as opened:
        print_page(memory_page(opened.find(Selector(case, backbone, strategy, memory, trial, variant))))


def replay(
    run: RunName,
    case: Annotated[str | None, Argument(help="A record's id, or its patient's.")] = None,
    memory: Annotated[list[str] | None, Option("--memory", help=f"Which memory. {_FORKED}")] = None,
    backbone: Annotated[list[str] | None, Option("--backbone", help=f"Which doctor's model. {_FORKED}")] = None,
    strategy: Annotated[list[str] | None, Option("--strategy", help=f"Which strategy. {_FORKED}")] = None,
    variant: Variant = None,
    trial: Trial = None,
    speed: Annotated[float, Option("--speed", min=0.125, max=64, help="Playback speed.")] = 1.0,
    from_turn: Annotated[int, Option("--from-turn", min=1, help="Turn to start from.")] = 1,
    plain: Annotated[bool, Option("--plain", help="Print it as plain text.")] = False,
    verify: Annotated[
        bool,
        Option("--verify", help="Re-run it, or the whole run, with the recorded answers and list differences."),
    ] = False,
    fork_at: Annotated[
        int | None,
        Option("--fork-at", help="Keep this many turns, then continue with another model, strategy or memory."),
    ] = None,
    timeout: Timeout = 60.0,
) -> None:
    """Replay a consultation, re-run it to check for changes, or fork it at a turn."""
    from osler.runs.plan import Selector

    if verify and fork_at is not None:
        raise UserError("--verify and --fork-at cannot be combined", "give one of them")
    if case is None and not verify:
        raise UserError("no consultation is named", f"write `osler replay {run} CASE`; only --verify takes a whole run")
    given = {"backbone": backbone, "strategy": strategy, "memory": memory}
    if fork_at is not None:
        old: dict[str, Any] = {
            name: _two(values, name)[0] for name, values in given.items() if values and len(values) > 1
        }
        new = {name: values[-1] for name, values in given.items() if values}
        _fork(run, Selector(case, **old, trial=trial, variants=variant), new, fork_at, timeout)
        return
    chosen: dict[str, Any] = {name: _one(values, name) for name, values in given.items()}
    selector = Selector(case, **chosen, trial=trial, variants=variant)
    if verify:
        _verify(run, selector)
    else:
        _play(run, selector, speed, from_turn, plain=plain)


def diff(
    run: RunName,
    case: CaseName,
    other_case: Annotated[
        str | None, Argument(metavar="[CASE2]", help="The second record, e.g. the patient's other language.")
    ] = None,
    with_run: Annotated[Path | None, Option("--with", help="The run of the second. Default: the same.")] = None,
    memory: Annotated[list[str] | None, Option("--memory", help=f"The memory {_BOTH}")] = None,
    backbone: Annotated[list[str] | None, Option("--backbone", help=f"The doctor's model {_BOTH}")] = None,
    strategy: Annotated[list[str] | None, Option("--strategy", help=f"The strategy {_BOTH}")] = None,
    variant: Annotated[list[str] | None, Option("--variant", help=f"The variant {_BOTH}")] = None,
    trial: Annotated[list[int] | None, Option("--trial", min=1, max=MOST, help=f"The trial {_BOTH}")] = None,
) -> None:
    """Compare two consultations of the same patient turn by turn, with the first difference marked."""
    from osler.replay.diff import DiffPage, check_same_patient
    from osler.runs.plan import Selector

    given = {"backbone": backbone, "strategy": strategy, "memory": memory, "trial": trial, "variants": variant}
    pairs: dict[str, tuple[Any, Any]] = {name: _two(values, name) for name, values in given.items()}
    left = _side(run, Selector(case, **{name: first for name, (first, _) in pairs.items()}))
    right = _side(with_run or run, Selector(other_case or case, **{name: last for name, (_, last) in pairs.items()}))
    check_same_patient(left.transcript, right.transcript)
    if left == right:
        raise UserError(
            "both are the same consultation",
            "give --memory, --strategy, --backbone, --variant or --trial twice, or --with RUN",
        )
    print_page(DiffPage(left, right))


def _play(run: Path, selector: Selector, speed: float, from_turn: int, *, plain: bool) -> None:
    from osler.replay.pages import transcript_page

    with open_run(run) as opened:
        found = opened.find(selector)
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    if plain or not is_terminal:
        print_page(transcript_page(found, details=True, from_turn=from_turn))
    else:
        from osler.replay.player import play

        play(found, speed, from_turn)


def _verify(run: Path, selector: Selector) -> None:
    from osler.replay.verify import other_version, verify, verify_page

    began = told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told
        if done < len(numbers) and time.monotonic() - told > _EVERY:
            told = time.monotonic()
            typer.echo(f"{done} of {len(numbers)} re-run", err=True)

    with open_run(run) as opened:
        numbers = opened.find_ended(selector)
        if line := other_version(opened):
            typer.echo(f"osler: {line}", err=True)
        verified = verify(opened, numbers, tell)
    print_page(verify_page(verified, len(numbers) - len(verified), time.monotonic() - began))
    if any(verified.values()):
        raise typer.Exit(1)


def _fork(run: Path, selector: Selector, new: dict[str, str], turn: int, timeout: float) -> None:
    from osler.replay.diff import DiffPage
    from osler.replay.rerun import Parent, fork
    from osler.runs.plan import PLAIN, Column
    from osler.simulator.build import check_strategies

    if "strategy" in new:
        check_strategies([new["strategy"]])  # also where the new doctor has no model
    with open_run(run) as opened:
        numbers = opened.find_ended(selector)
        if len(numbers) > 1:
            raise UserError(
                f"{selector.case!r} fits {len(numbers)} consultations",
                "give --memory, --strategy or --backbone twice, first that of the one to fork, then the new one;"
                " or --trial",
            )
        recorded = opened.transcript(numbers[0])
        assert recorded is not None
        parent = Parent(opened.path, recorded, opened.record(recorded.header.case), opened.settings)
    header = recorded.header
    column = Column.of(
        new.get("backbone", header.backbone),
        new.get("strategy", header.strategy or PLAIN),
        new.get("memory", header.memory),
        header.variants,
    )
    path, number = fork(parent, turn, column, timeout)
    with open_run(parent.run) as opened, open_run(path) as forks:
        forked = forks.transcript(number)
        assert forked is not None
        print_page(DiffPage(_side_of(opened, numbers[0], recorded), _side_of(forks, number, forked)))
        trial = forks.cell(number).trial
    typer.echo(f"\nforked after turn {turn}; kept in {path} as trial {trial}", err=True)


def _side(run: Path, selector: Selector) -> Side:
    with open_run(run) as opened:
        return _side_of(opened, *opened.find_cell(selector))


def _side_of(run: RunFile, number: int, transcript: Transcript) -> Side:
    from osler.replay.diff import Side
    from osler.replay.verify import stored_ladder

    return Side(run.path.stem, transcript, run.verdicts(number, stored_ladder(run)))


def _one(values: Sequence[T] | None, name: str) -> T | None:
    if values and len(values) > 1:
        raise UserError(f"--{name} is given {len(values)} times", "give it once")
    return values[0] if values else None


def _two(values: Sequence[T] | None, name: str) -> tuple[T | None, T | None]:
    """One value stands for both."""
    if not values:
        return None, None
    if len(values) > 2:
        raise UserError(f"--{name} is given {len(values)} times", "give it once for both, or twice")
    return values[0], values[-1]
