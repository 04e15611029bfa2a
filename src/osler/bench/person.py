"""Measure one memory on one person: replay, ask, then correct, delete, and look at how it fills."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from osler.bench.ask import Examiner
from osler.bench.cases import BenchCase, BenchQuestion
from osler.bench.facts import FactChange, borrowed_questions, fact_changes, planted_facts
from osler.bench.models import BenchModel
from osler.bench.replay import MemoryMaker, leaks, places_of, ranked_turns, remember_all
from osler.bench.results import AskedResult, ChangedFact, Fullness, PersonResult
from osler.bench.scoring import graded, holds, parts_found
from osler.memory.base import Memory, MemorySettings
from osler.memory.items import ItemisedMemory
from osler.seeds import derive
from osler.simulator.clients import Clients

STAGES = (25, 50, 75, 100)
"""Per cent of the history at which early questions are asked."""
TOP = 5
"""The k of the measures that have one k."""
_MOST_EARLY, _MOST_AGAIN = 10, 10
_AT_THE_SAME_TIME = 20
"""Turns of the next person that another memory of the same kind takes in at the same time."""


@dataclass(frozen=True)
class BenchSettings:
    """What decides the results of a bench, beside the data and the memories."""

    budget: int = 2000
    seed: int = 0
    model: str | None = None
    judge: str | None = None


@dataclass
class Replayed:
    """A memory that has taken in a whole history, and what was asked on the way."""

    memory: Memory
    seconds: float = 0.0
    fullness: list[Fullness] = field(default_factory=list)
    asked: list[AskedResult] = field(default_factory=list)


class PersonBench:
    """One memory on one person's conversations."""

    def __init__(
        self, spec: str, case: BenchCase, others: Sequence[BenchCase], settings: BenchSettings, clients: Clients
    ) -> None:
        """Take the person, and everybody of the same data set."""
        self._spec, self._case, self._others, self._seed = spec, case, others, settings.seed
        self._thinks = BenchModel(clients, settings.model) if settings.model else None
        self._answers = BenchModel(clients, settings.model) if settings.model else None
        self._judge = BenchModel(clients, settings.judge) if settings.judge else None
        self._examiner = Examiner(case, self._answers, self._judge)
        made = MemorySettings(
            language=case.language,
            budget=settings.budget,
            seed=derive(settings.seed, case.person, 0, "memory"),
            thinker=self._thinks.thinker if self._thinks else None,
        )
        self._maker = MemoryMaker(spec, made)

    async def run(self) -> PersonResult:
        """Everything that is measured."""
        case, neighbour = self._case, self._neighbour()
        questions = [*case.questions, *(borrowed_questions(case, neighbour) if neighbour else ())]
        told = neighbour.turns[:_AT_THE_SAME_TIME] if neighbour else ()
        replayed, _ = await asyncio.gather(self._replay(questions), remember_all(self._maker.empty(), told))
        memory, last = replayed.memory, case.turns[-1].number
        requests, tokens = (self._thinks.usage.requests, self._thinks.usage.tokens) if self._thinks else (0, 0)
        updates, deletions = await self._changed_facts(memory)
        at_end = [one for one in questions if one.asked_after is None or one.asked_after >= last]
        asked = [*replayed.asked, *await self._asked_twice(memory, at_end)]
        heard = await leaks(memory, case, neighbour) if neighbour else ()
        used = [model.usage for model in (self._thinks, self._answers, self._judge) if model]
        costs = [usage.cost for usage in used if usage.cost is not None]
        return PersonResult(
            memory=self._spec,
            data=case.data,
            person=case.person,
            language=case.language,
            turns=len(case.turns),
            asked=tuple(asked),
            updates=tuple(updates),
            deletions=None if deletions is None else tuple(deletions),
            fullness=tuple(replayed.fullness),
            leaks=heard,
            build_seconds=replayed.seconds,
            requests=requests,
            model_tokens=tokens,
            cost=math.fsum(costs) if len(costs) == len(used) else None,
            failed=sum(usage.failed for usage in used),
        )

    def _neighbour(self) -> BenchCase | None:
        """The next person of the data set, who is not to be heard of here."""
        place = self._others.index(self._case)
        other = self._others[(place + 1) % len(self._others)]
        return other if other is not self._case else None

    async def _replay(self, questions: Sequence[BenchQuestion]) -> Replayed:
        """Fill the memory; ask copies of it what is asked before the end, so that asking leaves no trace."""
        turns = self._case.turns
        done = Replayed(self._maker.empty())
        stages = {math.ceil(len(turns) * percent / 100): percent for percent in STAGES}
        early = [one for one in questions if one.turns and max(one.turns) <= min(stages)][:_MOST_EARLY]
        for turn in turns:
            begun = time.perf_counter()
            await done.memory.remember(turn)
            done.seconds += time.perf_counter() - begun
            await asyncio.sleep(0)  # others that are filled at the same time come in between
            due = [one for one in questions if one.asked_after == turn.number and turn is not turns[-1]]
            percent = stages.get(turn.number) if early else None
            if due or percent:
                copy = self._maker.copy(done.memory)
                done.asked += [await self._examiner.ask(copy, one) for one in due]
                done.fullness += [await self._full(copy, one, percent) for one in early if percent]
        return done

    async def _full(self, memory: Memory, question: BenchQuestion, percent: int) -> Fullness:
        recall = await memory.recall(question.text)
        places = places_of(question.turns, await ranked_turns(memory, question.text, recall))
        found = parts_found(question, recall.text, self._case.language)
        hit = any(place is not None and place <= TOP for place in places)
        return Fullness(percent=percent, hit=hit, correct=graded(found))

    async def _asked_twice(self, memory: Memory, questions: Sequence[BenchQuestion]) -> list[AskedResult]:
        """Ask all questions one after the other, then some of them again."""
        asked = [await self._examiner.ask(memory, one) for one in questions]
        for place, one in enumerate(asked[:_MOST_AGAIN]):
            asked[place] = one.model_copy(update={"consistent": await self._examiner.agreement(memory, one)})
        return asked

    async def _changed_facts(self, memory: Memory) -> tuple[list[ChangedFact], list[ChangedFact] | None]:
        """What became of facts that were corrected, and of facts that were deleted, each in a copy of the memory."""
        changes = [*fact_changes(self._case, self._others, self._seed), *planted_facts(self._case)]
        told, first = list[FactChange](), self._case.turns[-1].number + 1
        stated = self._maker.copy(memory)
        for number, change in enumerate(changes, first):
            if change.statement is not None:
                await stated.remember(change.statement.model_copy(update={"number": number}))
                change = change._replace(question=change.question.with_turns([number]))
            told.append(change)
        corrected = self._maker.copy(stated)
        numbers = range(first + len(changes), first + 2 * len(changes))
        for number, change in zip(numbers, told, strict=True):
            await corrected.remember(change.correction.model_copy(update={"number": number}))
        updates = [await self._updated(corrected, change, number) for number, change in zip(numbers, told, strict=True)]
        if not isinstance(stated, ItemisedMemory):
            return updates, None
        return updates, [await self._deleted(stated, change) for change in told]

    async def _updated(self, memory: Memory, change: FactChange, correction: int) -> ChangedFact:
        question = change.question
        recall = await memory.recall(question.text)
        ranked = await ranked_turns(memory, question.text, recall)
        new, *old = places_of([correction], ranked) + places_of(question.turns, ranked)
        first = min((place for place in old if place is not None), default=None)
        answer = await self._examiner.answer(question.text, recall)
        return ChangedFact(
            text=question.text,
            is_planted=change.statement is not None,
            old_gone=not holds(recall.text, change.old),
            new_recalled=holds(recall.text, change.new),
            new_first=None if new is None and first is None else first is None or (new is not None and new < first),
            answered=None if answer is None else holds(answer, change.new) and not holds(answer, change.old),
        )

    async def _deleted(self, memory: ItemisedMemory, change: FactChange) -> ChangedFact:
        """Erase every item that rests on the gold turns, and ask for the fact."""
        found = [key for key, _ in await memory.search(change.question.text)]
        await memory.erase([key for key in found if change.question.turns.intersection(memory.turns_of(key))])
        assert isinstance(memory, Memory)
        recall = await memory.recall(change.question.text)
        return ChangedFact(
            text=change.question.text,
            is_planted=change.statement is not None,
            old_gone=not holds(recall.text, change.old),
        )
