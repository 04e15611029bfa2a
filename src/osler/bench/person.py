"""Measure one memory on one person: replay, ask, then correct, delete, and look at how it fills."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from osler.bench.ask import Examiner, recalled_share, truth_of_value
from osler.bench.cases import BenchCase, BenchQuestion
from osler.bench.facts import FactChange, borrowed_questions, fact_changes, planted_facts
from osler.bench.models import BenchModel, ModelUsage
from osler.bench.replay import MemoryMaker, leaks, places_of, ranked_turns, remember_all
from osler.bench.results import AskedResult, ChangedFact, Fullness, PersonResult, worth
from osler.bench.scoring import holds
from osler.memory.base import Memory, MemorySettings, Query, Turn
from osler.memory.core.items import ItemisedMemory
from osler.seeds import derive
from osler.settings.names import RECALL_BUDGET
from osler.simulator.clients import Clients

STAGES = (25, 50, 75, 100)
"""Per cent of the history at which early questions are asked."""
TOP = 5
"""The k of the measures that have one k."""
_MOST_EARLY = 10
"""Questions on the first quarter that are asked at each stage."""
_MOST_AGAIN = 10
"""Questions that are asked a second time."""
_AT_THE_SAME_TIME = 20
"""Turns of the next person that another memory of the same kind takes in at the same time."""


@dataclass(frozen=True)
class BenchSettings:
    """What decides the results of a bench, beside the data and the memories."""

    budget: int = RECALL_BUDGET
    seed: int = 0
    model: str | None = None
    judge: str | None = None


@dataclass
class Replayed:
    """A memory that has taken in a whole history, and what was asked on the way."""

    memory: Memory
    seconds: float = 0.0
    fullness: list[Fullness] = field(default_factory=list)
    results: list[AskedResult] = field(default_factory=list)


class ToldChanges(NamedTuple):
    """A memory that was told the old values of facts, and the facts with their gold turns."""

    memory: Memory
    changes: list[FactChange]
    next_number: int
    """The number of the first turn after these."""


class PersonBench:
    """One memory on one person's conversations."""

    def __init__(
        self,
        spec: str,
        case: BenchCase,
        others: Sequence[BenchCase],
        settings: BenchSettings,
        clients: Clients,
    ) -> None:
        """Take the person, and everybody of the same data set."""
        self._spec = spec
        self._case = case
        self._others = others
        self._seed = settings.seed
        # The same model twice, since what the memory asks is counted apart from what is answered.
        self._thinks = BenchModel(clients, settings.model) if settings.model else None
        self._answers = BenchModel(clients, settings.model) if settings.model else None
        self._judge = BenchModel(clients, settings.judge) if settings.judge else None
        self._examiner = Examiner(case, self._answers, self._judge)
        memory_settings = MemorySettings(
            language=case.language,
            budget=settings.budget,
            seed=derive(settings.seed, case.person, 0, "memory"),
            thinker=self._thinks.thinker if self._thinks else None,
        )
        self._maker = MemoryMaker(spec, memory_settings)

    async def run(self) -> PersonResult:
        """Everything that is measured."""
        case = self._case
        neighbour = self._neighbour()
        questions = list(case.questions)
        neighbour_turns: tuple[Turn, ...] = ()
        if neighbour:
            questions += borrowed_questions(case, neighbour)
            neighbour_turns = neighbour.turns[:_AT_THE_SAME_TIME]
        replayed, _ = await asyncio.gather(
            self._replay(questions), remember_all(self._maker.empty(), neighbour_turns)
        )
        memory = replayed.memory
        # What filling the memory took, before the questions below add to it.
        usage = replace(self._thinks.usage) if self._thinks else ModelUsage()
        changes = await self._told_changes(memory)
        updates = await self._updates(changes)
        deletions = await self._deletions(changes)
        at_end = [question for question in questions if not self._is_before_end(question)]
        results = [*replayed.results, *await self._ask_twice(memory, at_end)]
        return PersonResult(
            memory=self._spec,
            data=case.data,
            person=case.person,
            language=case.language,
            turns=len(case.turns),
            asked=tuple(results),
            updates=tuple(updates),
            deletions=None if deletions is None else tuple(deletions),
            fullness=tuple(replayed.fullness),
            leaks=await leaks(memory, case, neighbour) if neighbour else (),
            build_seconds=replayed.seconds,
            requests=usage.requests,
            model_tokens=usage.tokens,
            cost=self._cost(),
            failed=sum(used.failed for used in self._usages()),
        )

    def _usages(self) -> list[ModelUsage]:
        models = (self._thinks, self._answers, self._judge)
        return [model.usage for model in models if model]

    def _cost(self) -> float | None:
        """What all models cost; None if a price is unknown."""
        costs = []
        for usage in self._usages():
            if usage.cost is None:
                return None
            costs.append(usage.cost)
        return math.fsum(costs)

    def _neighbour(self) -> BenchCase | None:
        """The next person of the data set, who is not to be heard of here."""
        place = self._others.index(self._case)
        other = self._others[(place + 1) % len(self._others)]
        if other is not self._case:
            return other
        return None

    def _is_before_end(self, question: BenchQuestion) -> bool:
        last = self._case.turns[-1].number
        return question.asked_after is not None and question.asked_after < last

    async def _replay(self, questions: Sequence[BenchQuestion]) -> Replayed:
        """Fill the memory.

        Ask copies of it what is asked before the end, so that asking leaves no trace.
        """
        turns = self._case.turns
        replayed = Replayed(self._maker.empty())
        stages = {math.ceil(len(turns) * percent / 100): percent for percent in STAGES}
        before_end = [question for question in questions if self._is_before_end(question)]
        early = _early_questions(questions, last=min(stages))
        for turn in turns:
            begun = time.perf_counter()
            await replayed.memory.remember(turn)
            replayed.seconds += time.perf_counter() - begun
            await asyncio.sleep(0)  # others that are filled at the same time come in between
            due = [question for question in before_end if question.asked_after == turn.number]
            percent = stages.get(turn.number) if early else None
            if not due and percent is None:
                continue
            copy = self._maker.copy(replayed.memory)
            for question in due:
                replayed.results.append(await self._examiner.ask(copy, question))
            if percent is not None:
                for question in early:
                    replayed.fullness.append(await self._fullness(copy, question, percent))
        return replayed

    async def _fullness(self, memory: Memory, question: BenchQuestion, percent: int) -> Fullness:
        recall = await memory.recall(Query(question.text))
        ranked = await ranked_turns(memory, question.text, recall)
        places = places_of(question.turns, ranked)
        hit = any(place is not None and place <= TOP for place in places)
        return Fullness(percent=percent, hit=hit, recalled=recalled_share(question, recall))

    async def _ask_twice(
        self, memory: Memory, questions: Sequence[BenchQuestion]
    ) -> list[AskedResult]:
        """Ask all questions one after the other, then the first of them again."""
        results = [await self._examiner.ask(memory, question) for question in questions]
        for place, question in enumerate(questions[:_MOST_AGAIN]):
            consistent = await self._examiner.agreement(memory, question, results[place])
            results[place] = results[place].model_copy(update={"consistent": consistent})
        return results

    async def _told_changes(self, memory: Memory) -> ToldChanges:
        """Tell a copy of the memory the facts that its conversations do not tell."""
        changes = [*fact_changes(self._case, self._others, self._seed), *planted_facts(self._case)]
        copy = self._maker.copy(memory)
        told_changes = []
        number = self._case.turns[-1].number
        for change in changes:
            number += 1  # also where nothing is told, so that a change's number is its place
            if change.statement is not None:
                await copy.remember(change.statement.model_copy(update={"number": number}))
                change = change._replace(question=change.question.with_turns([number]))
            told_changes.append(change)
        return ToldChanges(copy, told_changes, next_number=number + 1)

    async def _updates(self, start: ToldChanges) -> list[ChangedFact]:
        """What became of facts that were corrected, in a copy of the memory."""
        corrected = self._maker.copy(start.memory)
        numbered = list(enumerate(start.changes, start.next_number))
        # All corrections are told before the first question: each has others after it.
        for number, change in numbered:
            await corrected.remember(change.correction.model_copy(update={"number": number}))
        return [await self._updated(corrected, change, number) for number, change in numbered]

    async def _updated(self, memory: Memory, change: FactChange, correction: int) -> ChangedFact:
        question = change.question
        recall = await memory.recall(Query(question.text))
        ranked = await ranked_turns(memory, question.text, recall)
        answer = await self._examiner.answer(question.text, recall)
        truth = truth_of_value(question.text, change.new, (change.old,))
        form = await self._examiner.read(truth, answer)
        return ChangedFact(
            text=question.text,
            is_planted=change.statement is not None,
            old_gone=not holds(recall.text, change.old),
            new_recalled=holds(recall.text, change.new),
            new_first=_ranks_above(correction, question.turns, ranked),
            answered=None if form is None else worth(form) == 1,
        )

    async def _deletions(self, start: ToldChanges) -> list[ChangedFact] | None:
        """What became of facts that were deleted; None if the memory cannot erase."""
        if not isinstance(start.memory, ItemisedMemory):
            return None
        return [await self._deleted(start.memory, change) for change in start.changes]

    async def _deleted(self, memory: ItemisedMemory, change: FactChange) -> ChangedFact:
        """Erase every item that rests on the gold turns, and ask for the fact."""
        gold = change.question.turns
        items = await memory.search(change.question.text)
        await memory.erase([key for key, _ in items if gold.intersection(memory.turns_of(key))])
        assert isinstance(memory, Memory)
        recall = await memory.recall(Query(change.question.text))
        return ChangedFact(
            text=change.question.text,
            is_planted=change.statement is not None,
            old_gone=not holds(recall.text, change.old),
        )


def _early_questions(questions: Sequence[BenchQuestion], last: int) -> list[BenchQuestion]:
    """The first questions that turns up to the last of the first quarter answer."""
    early = [question for question in questions if question.turns and max(question.turns) <= last]
    return early[:_MOST_EARLY]


def _ranks_above(correction: int, gold: Iterable[int], ranked: Sequence[int]) -> bool | None:
    """Whether a correction ranks above all that it corrects; None if neither is ranked."""
    (new,) = places_of([correction], ranked)
    old = [place for place in places_of(gold, ranked) if place is not None]
    if new is None and not old:
        return None
    if not old:
        return True
    return new is not None and new < min(old)
