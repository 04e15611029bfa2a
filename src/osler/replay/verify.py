"""Consultations of a run held again with what models answered, and what came out otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from osler import __version__
from osler.eval.scoring import spoken
from osler.language import Language
from osler.memory import check_memories
from osler.prompts import prompts_hash
from osler.replay.differences import Difference, differences, verdict_differences
from osler.replay.rerun import rerun
from osler.replay.verdicts import Verdicts
from osler.runs.events import Failed
from osler.runs.plan import ONE_STEP, Cell, Settings
from osler.runs.store import Fork, RunFile
from osler.runs.transcript import Transcript
from osler.simulator.build import check_strategies


@dataclass(frozen=True)
class Verified:
    """One consultation, and what differs in it."""

    cell: Cell
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Verification:
    """What came of a run, or of one of its consultations."""

    verified: tuple[Verified, ...]
    not_held: int
    """Consultations that never took place, such as those whose worker died: there is nothing to hold again."""

    @property
    def differing(self) -> list[Verified]:
        """The consultations in which something differs."""
        return [one for one in self.verified if one.differences]


def verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> Verification:
    """Hold consultations again, one after the other; `tell` hears after each how many are done.

    Raises:
        UserError: A memory or a strategy of theirs is not there; without it, nothing could be told of them.
    """
    columns = {run.cell(number).column for number in numbers}
    check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
    check_strategies(column.strategy for column in columns)
    return asyncio.run(_verify(run, numbers, tell))


async def _verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> Verification:
    settings, forks, verdicts = run.settings, run.forks(), Verdicts(run)
    verified: list[Verified] = []
    not_held = 0
    for done, number in enumerate(numbers, start=1):
        recorded = run.transcript(number)
        if recorded is None or all(isinstance(event, Failed) for event in recorded.events):
            not_held += 1
        else:
            verified.append(await _one(run, number, recorded, settings, forks.get(number), verdicts))
        tell(done)
        await asyncio.sleep(0)  # without a model nothing else would wait, and a Ctrl-C would not be heard
    return Verification(tuple(verified), not_held)


async def _one(
    run: RunFile, number: int, recorded: Transcript, settings: Settings, fork: Fork | None, verdicts: Verdicts
) -> Verified:
    record = run.record(recorded.header.case)
    again = await rerun(recorded, record, settings, fork.turn if fork else 0)
    found = differences(recorded, again)
    if before := verdicts.of(number):
        now = spoken(again, record) if again.ending.is_answer else []
        found += verdict_differences(before, now, recorded.events[-1].turn)
    return Verified(run.cell(number), tuple(found))


def other_version(run: RunFile) -> str | None:
    """One line when the run was made with another version or other prompts than those it is held again with."""
    about = run.about()
    languages = {Language(row["language"]) for row in run.rows("DISTINCT language", order="language")}
    prompts = about.get("prompts", {})
    changed = sorted(one.value for one in languages if prompts.get(one.value) != prompts_hash(one))
    if about.get("version") == __version__ and not changed:
        return None
    told = f" and other prompts ({', '.join(changed)})" if changed else ""
    made = f"the run was made with version {about.get('version')}{told}"
    return f"{made}; this is {__version__}, and it is verified all the same"
