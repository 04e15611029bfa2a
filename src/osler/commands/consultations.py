"""Commands about single consultations: `show`, `memory show`, `replay`, `verify` and `fork`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from osler.commands.options import (
    Backbone,
    CaseName,
    Memory,
    RunName,
    Strategy,
    Timeout,
    Trial,
    Variant,
    open_run,
    print_page,
)
from osler.errors import UserError
from osler.settings.names import TIMEOUT

if TYPE_CHECKING:
    from osler.runs.plan import Selector
    from osler.runs.reply_faults import ReplyFaults

_EVERY = 5.0
"""Seconds between lines of progress."""
_FORKED = "to continue with; if given twice, the old and the new one."
Memories = Annotated[
    list[str] | None, Option("--memory", help="Which memory, if the run has several.")
]
Backbones = Annotated[
    list[str] | None, Option("--backbone", help="Which doctor's model, if the run has several.")
]
Strategies = Annotated[
    list[str] | None, Option("--strategy", help="Which strategy, if the run has several.")
]
"""Lists, so that an option that is given twice is refused: only the last would count otherwise."""

memory_app = typer.Typer(no_args_is_help=True, help="Inspect a doctor's memory of one patient.")


def show(
    run: RunName,
    case: CaseName,
    memory: Memory = None,
    strategy: Strategy = None,
    backbone: Backbone = None,
    variant: Variant = None,
    trial: Trial = None,
    details: Annotated[
        bool, Option("--details", help="Also show what was retrieved, recalled and refused.")
    ] = False,
) -> None:
    """Print one consultation."""
    from osler.eval.faithfulness.patient_verdicts import faults_in
    from osler.replay.pages import transcript_page
    from osler.runs.plan import Selector

    with open_run(run) as opened:
        cell, transcript = opened.find_cell(
            Selector(case, backbone, strategy, memory, trial, variant)
        )
        faults = faults_in(opened, cell)
    lines = {turn: list(_fault_lines(of_turn)) for turn, of_turn in faults.items()}
    print_page(transcript_page(transcript, details=details, faults=lines))


def _fault_lines(faults: ReplyFaults) -> Iterator[str]:
    """What was found in a reply, a line for each kind."""
    for kind, quotations in (
        ("names the diagnosis", faults.names_diagnosis),
        ("digits that stand nowhere", faults.unknown_digits),
        ("gives the diagnosis away", faults.leaks),
        ("fabricates", faults.fabrications),
        ("says the opposite", faults.contradictions),
        ("in another language", faults.other_language),
    ):
        if quotations:
            yield f"{kind}: {'; '.join(quotations)}"


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
        print_page(
            memory_page(opened.find(Selector(case, backbone, strategy, memory, trial, variant)))
        )


def replay(
    run: RunName,
    case: CaseName,
    memory: Memories = None,
    backbone: Backbones = None,
    strategy: Strategies = None,
    variant: Variant = None,
    trial: Trial = None,
    from_turn: Annotated[int, Option("--from-turn", min=1, help="Turn to start from.")] = 1,
) -> None:
    """Print one consultation with what was retrieved, recalled and remembered in every turn."""
    from osler.replay.pages import transcript_page

    selector = _selector(case, backbone, strategy, memory, variant, trial)
    with open_run(run) as opened:
        transcript = opened.find(selector)
    print_page(transcript_page(transcript, details=True, from_turn=from_turn))


def verify(
    run: RunName,
    case: Annotated[
        str | None, Argument(help="A record's id, or its patient's. Default: the whole run.")
    ] = None,
    memory: Memories = None,
    backbone: Backbones = None,
    strategy: Strategies = None,
    variant: Variant = None,
    trial: Trial = None,
) -> None:
    """Re-run a run, or one patient's consultations, with the recorded answers; list differences."""
    from osler.replay.verify import other_version, verify_page
    from osler.replay.verify import verify as verify_consultations

    selector = _selector(case, backbone, strategy, memory, variant, trial)
    began = last_told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal last_told
        if done < len(numbers) and time.monotonic() - last_told > _EVERY:
            last_told = time.monotonic()
            typer.echo(f"{done} of {len(numbers)} re-run", err=True)

    with open_run(run) as opened:
        numbers = opened.find_ended(selector)
        line = other_version(opened)
        if line:
            typer.echo(f"osler: {line}", err=True)
        verified = verify_consultations(opened, numbers, tell)
    never_begun = len(numbers) - len(verified)
    print_page(verify_page(verified, never_begun, time.monotonic() - began))
    if any(verified.values()):
        raise typer.Exit(1)


def fork(
    run: RunName,
    case: CaseName,
    turn: Annotated[int, Option("--at", help="Keep this many turns, then continue.")],
    memory: Annotated[list[str] | None, Option("--memory", help=f"The memory {_FORKED}")] = None,
    backbone: Annotated[
        list[str] | None, Option("--backbone", help=f"The doctor's model {_FORKED}")
    ] = None,
    strategy: Annotated[
        list[str] | None, Option("--strategy", help=f"The strategy {_FORKED}")
    ] = None,
    variant: Variant = None,
    trial: Trial = None,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Keep a consultation's first turns, and continue with another model, strategy or memory."""
    from osler.replay.pages import transcript_page
    from osler.replay.rerun import Parent
    from osler.replay.rerun import fork as fork_consultation
    from osler.runs.plan import Column, Selector
    from osler.settings.names import PLAIN
    from osler.simulator.build import check_strategies

    old_backbone, new_backbone = _old_and_new(backbone, "backbone")
    old_strategy, new_strategy = _old_and_new(strategy, "strategy")
    old_memory, new_memory = _old_and_new(memory, "memory")
    selector = Selector(case, old_backbone, old_strategy, old_memory, trial, variant)
    if new_strategy is not None:
        check_strategies([new_strategy])  # also where the new doctor has no model
    with open_run(run) as opened:
        numbers = opened.find_ended(selector)
        if len(numbers) > 1:
            raise UserError(
                f"{case!r} fits {len(numbers)} consultations",
                "give --memory, --strategy or --backbone twice, first that of the one to fork,"
                " then the new one; or --trial",
            )
        recorded = opened.transcript(numbers[0])
        assert recorded is not None
        record = opened.record(recorded.header.case)
        parent = Parent(opened.path, recorded, record, opened.settings)
    header = recorded.header
    column = Column.of(
        new_backbone or header.backbone,
        new_strategy or header.strategy or PLAIN,
        new_memory or header.memory,
        header.variants,
    )
    path, number = fork_consultation(parent, turn, column, timeout)
    with open_run(path) as forks:
        forked = forks.transcript(number)
        assert forked is not None
        number_of_trial = forks.cell(number).trial
    # The last turn that was kept is shown as well: what follows answers to it.
    print_page(transcript_page(forked, details=False, from_turn=turn))
    typer.echo(f"\nforked after turn {turn}; kept in {path} as trial {number_of_trial}", err=True)


def _selector(
    case: str | None,
    backbone: Sequence[str] | None,
    strategy: Sequence[str] | None,
    memory: Sequence[str] | None,
    variant: str | None,
    trial: int | None,
) -> Selector:
    from osler.runs.plan import Selector

    return Selector(
        case,
        _one(backbone, "backbone"),
        _one(strategy, "strategy"),
        _one(memory, "memory"),
        trial,
        variant,
    )


def _one(values: Sequence[str] | None, name: str) -> str | None:
    if values and len(values) > 1:
        raise UserError(f"--{name} is given {len(values)} times", "give it once")
    return values[0] if values else None


def _old_and_new(values: Sequence[str] | None, name: str) -> tuple[str | None, str | None]:
    """Return which one to fork, if two are given, and what to continue with."""
    if not values:
        return None, None
    if len(values) > 2:
        raise UserError(f"--{name} is given {len(values)} times", "give it once for both, or twice")
    return (values[0] if len(values) == 2 else None), values[-1]
