"""Verifying a run: consultations are re-run with the recorded answers, and what differs is listed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group
from rich.text import Text

from osler import __version__
from osler.errors import printable
from osler.eval.ladder import LADDER
from osler.eval.scoring import spoken
from osler.language import Language
from osler.memory import check_memories
from osler.prompts import prompts_hash
from osler.replay.differences import Difference, DifferenceKind, differences, verdict_differences
from osler.replay.rerun import rerun
from osler.runs.events import Failed
from osler.runs.plan import ONE_STEP, Cell
from osler.runs.store import RunFile
from osler.simulator.build import check_strategies

_LISTED = 20


@dataclass(frozen=True)
class VerifiedConsultation:
    """One consultation, and what differs in it."""

    cell: Cell
    differences: list[Difference]


@dataclass(frozen=True)
class Verification:
    """The outcome for a run, or for one of its consultations."""

    verified: list[VerifiedConsultation]
    never_held: int
    """Consultations that never took place, such as those whose worker died: there is nothing to re-run."""

    @property
    def differing(self) -> list[VerifiedConsultation]:
        """The consultations in which something differs."""
        return [one for one in self.verified if one.differences]


def verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> Verification:
    """Re-run consultations, one after the other; `tell` is called after each with how many are done.

    Raises:
        UserError: A memory or a strategy of theirs is not installed.
    """
    columns = {run.cell(number).column for number in numbers}
    check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
    check_strategies(column.strategy for column in columns)
    return asyncio.run(_verify(run, numbers, tell))


async def _verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> Verification:
    settings, forks, judge = run.settings, run.forks(), stored_ladder(run)
    verified = []
    for done, number in enumerate(numbers, start=1):
        recorded = run.transcript(number)
        if recorded is not None and not all(isinstance(event, Failed) for event in recorded.events):
            record, fork = run.record(recorded.header.case), forks.get(number)
            again = await rerun(recorded, record, settings, fork.turn if fork else 0)
            found = differences(recorded, again)
            if before := run.verdicts(number, judge):
                now = spoken(again, record) if again.ending.is_answer else []
                found += verdict_differences(before, now, recorded.events[-1].turn)
            verified.append(VerifiedConsultation(run.cell(number), found))
        tell(done)
        await asyncio.sleep(0)  # without a model nothing else would wait, and a Ctrl-C would not be heard
    return Verification(verified, len(numbers) - len(verified))


def stored_ladder(run: RunFile) -> str:
    """The ladder whose verdicts a run holds: of this version, or the last before it.

    Models that judge have no calls on record that could be repeated.
    """
    name = LADDER.partition("/")[0]
    ladders = [judge for judge in run.judges() if judge.partition("/")[0] == name]
    return LADDER if LADDER in ladders else (ladders or [LADDER])[-1]


def other_version(run: RunFile) -> str | None:
    """One line when the run was made with another version or other prompts than this one's."""
    about = run.about()
    languages = {Language(row["language"]) for row in run.rows("DISTINCT language", order="language")}
    prompts = about.get("prompts", {})
    changed = sorted(one.value for one in languages if prompts.get(one.value) != prompts_hash(one))
    if about.get("version") == __version__ and not changed:
        return None
    told = f" and other prompts ({', '.join(changed)})" if changed else ""
    made = f"the run was made with version {about.get('version')}{told}"
    return f"{made}; this is {__version__}, and it is verified all the same"


def verify_page(verification: Verification, seconds: float) -> Group:
    """One line when nothing differs; else every kind with its first place, and the consultations concerned."""
    count, differing = len(verification.verified), verification.differing
    came = f"{len(differing)} of them differ" if differing else "no difference"
    lines = [Text(f"{count} consultation(s) re-run in {seconds:.1f} s: {came}", style="bold")]
    if verification.never_held:
        lines.append(Text(f"{verification.never_held} had never begun, so there is nothing to re-run", style="dim"))
    for kind in DifferenceKind:
        lines += _kind(kind, differing)
    if len(differing) > 1:
        lines += [Text(), *(Text(_line(one)) for one in differing[:_LISTED])]
    if len(differing) > _LISTED:
        lines.append(Text(f"… and {len(differing) - _LISTED} more"))
    return Group(*lines)


def _kind(kind: DifferenceKind, differing: list[VerifiedConsultation]) -> Iterator[Text]:
    found = [(one.cell, each) for one in differing for each in one.differences if each.kind is kind]
    if not found:
        return
    cell, first = found[0]
    places = len({one for one, _ in found})
    told = f"  {len(found)} in {places} consultation(s), first in turn {first.turn} of {_name(cell)}"
    yield Text(f"\n{kind.value}", style="bold yellow").append(told, style="not bold default")
    yield Text("  before  ", style="red").append(first.before, style="default")
    yield Text("  after   ", style="green").append(first.after, style="default")


def _line(one: VerifiedConsultation) -> str:
    kinds = Counter(each.kind.value for each in one.differences)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{_name(one.cell)}: {told}, from turn {min(each.turn for each in one.differences)}"


def _name(cell: Cell) -> str:
    return printable(f"{cell.case} ({cell.column}, trial {cell.trial})")
