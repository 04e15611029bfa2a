"""Think-in-Memory as a doctor's memory of one patient.

After each turn it thinks (post-think): the exchange goes into the bank, its thoughts into the space, in the same group.
Before each turn it recalls: the thoughts that bear on what was just said, and everything else that fits; before the
conclusion, what a treatment depends on. With a model, the thoughts are the model's; rules form them only if there is
none. A turn of which the model's answer could not be read is in the bank alone, and recalled from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.memory.base import Change, Fact, MemorySettings, Recall, Turn
from osler.memory.embedders import open_embedder
from osler.memory.tim.actions import carry_out
from osler.memory.tim.fact_lines import facts_of
from osler.memory.tim.memory_bank import MemoryBank, raw_text
from osler.memory.tim.post_think import OneThink, PaperThink, PostThink, RulesThink
from osler.memory.tim.recall_page import PageWriter, Told
from osler.memory.tim.retrieve import (
    Hit,
    bears_on,
    fused,
    fused_by_words,
    nearest_thoughts,
    recall_talk,
    recall_thoughts,
    thoughts_of_turns,
)
from osler.memory.tim.settings import TimSettings
from osler.memory.tim.stored import StoredThoughts
from osler.memory.tim.thought import Thought
from osler.memory.tim.thought_space import ThoughtSpace
from osler.memory.tim.vectors import VectorIndex
from osler.prompts import prompt

VERSION = 4
_NEAR, _LAID = 12, 20
"""How many thoughts most like a new turn are compared with it, and as many of its group: for rules, for a model."""
_LATELY, _PROTECTED = 3, 16
"""Turns before a new one whose thoughts a model sees too, and how many thoughts that a treatment depends on."""
_FEWEST, _SHORT_LINE = 32, 24
"""How many turns and thoughts are looked at for a recall: as many as the budget can hold, and no fewer than that."""


class TimMemory(StoredThoughts):
    """One patient's thoughts: a space of its own, never a part of a shared one."""

    name = "tim"
    options: type[TimSettings] = TimSettings
    """The options that can be given after its name."""

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._tim = self.options.of(self.name, settings.options)
        self._language = settings.language
        self._embedder = open_embedder(self._tim.embedder)
        self._bank: MemoryBank | None = None
        self._space: ThoughtSpace | None = None
        self._dimensions = 0
        self._writer: PageWriter | None = None
        self._unread: list[int] = []
        """Turns for which no answer of the model could be read."""
        self._one_at_a_time = asyncio.Lock()
        """Actions after a turn name thoughts by number: no other turn may come between."""
        self._think = _post_think(settings, self._tim)

    @property
    def ledger(self) -> tuple[Thought, ...]:
        """Every thought there ever was."""
        return self._space.ledger if self._space else ()

    async def remember(self, turn: Turn) -> Change:
        """Think about a finished turn."""
        async with self._one_at_a_time:
            [vector] = await self._embedder.embed([raw_text(turn)])
            bank, space = self._rooms(len(vector))
            group = bank.add(turn, vector)
            plan = await self._think(turn, self._near(turn, group, vector, space), len(space.ledger) + 1)
            if plan.is_unread:
                self._unread.append(turn.number)
            return await carry_out(plan, turn, group, space, self._embedder)

    async def recall(self, query: str) -> Recall:
        """Return what bears on the query first, then, in what is left of the budget, all else that is known."""
        return await self._recall(query, concludes=False)

    async def recall_to_conclude(self, query: str, last: int | None = None) -> Recall:
        """Return all that a treatment depends on first, then the day's findings, then what bears on the query.

        A turn that is already being remembered is waited for: it may say that a medicine was stopped.

        Args:
            query: What the consultation is about.
            last: The turn that the doctor has word for word beside the recall.
        """
        async with self._one_at_a_time:
            return await self._recall(query, concludes=True, last=last)

    async def _recall(self, query: str, *, concludes: bool, last: int | None = None) -> Recall:
        bank, space = self._bank, self._space
        if space is None or bank is None:
            return Recall()
        vector = await self._embedder.embed_query(query)
        budget, k = self._settings.budget, self._tim.k
        writer = self._page_writer(bank, space)
        if k:
            hits = self._nearest(query, vector, space, bank, k)
            told = writer.only([space[hit.number] for hit in hits], budget)
        else:
            most = max(_FEWEST, budget // _SHORT_LINE)
            talk = recall_talk(query, vector, bank, most)
            hits = thoughts_of_turns(talk, query, space, most)
            found, turns = [space[hit.number] for hit in hits], [hit.number for hit in talk]
            if concludes:
                told = writer.write_to_conclude(found, turns, self._unread, budget, last=last)
            else:
                bears = bank.bm25.shares(query) or bears_on(query, vector, space)
                told = writer.write(found, turns, self._unread, budget, bears=bears)
        has_lines = told.kept or told.whole
        recall = self._recalled(told, hits, bank) if has_lines else self._from_bank(query, vector, bank, space)
        return await self._integrated(query, recall) if self._tim.integrate else recall

    def _nearest(
        self, query: str, vector: NDArray[np.float32], space: ThoughtSpace, bank: MemoryBank, k: int
    ) -> list[Hit]:
        """The best k thoughts."""
        if self._tim.mode == "paper":
            return nearest_thoughts(vector, space, k, self._tim.probes or 1)
        return recall_thoughts(query, vector, space, k, self._tim.probes, bank)

    def _recalled(self, told: Told, hits: Sequence[Hit], bank: MemoryBank) -> Recall:
        """What was told, with its facts and exchanges for code to read."""
        found = {hit.number: hit for hit in hits}
        whole = frozenset(told.whole)
        said_at = lambda number: bank[number].at  # noqa: E731
        facts: list[Fact] = []
        for one in (*told.kept, *told.quoted):
            hit = found.get(one.id, Hit(one.id, 0.0, 0.0, 0.0, one.turn))
            turn = one.turn if hit.turn is None else hit.turn
            facts += facts_of(one, self._language, turn, hit.score, said_at)
        covered = sorted({*told.asked, *told.whole, *(turn for one in told.kept for turn in one.turns)})
        exchanges = tuple(bank[turn] if turn in whole else bank.question(turn) for turn in covered)
        return Recall(text=told.text, facts=tuple(facts), exchanges=exchanges, dropped=told.dropped)

    def _page_writer(self, bank: MemoryBank, space: ThoughtSpace) -> PageWriter:
        if self._writer is None:
            self._writer = PageWriter(self._language, self._settings.speaker, bank, space)
        return self._writer

    def snapshot(self) -> dict[str, Any]:
        """Everything, with the version of its form."""
        return {
            "version": VERSION,
            "embedder": self._embedder.snapshot(),
            "dimensions": self._dimensions,
            "bank": self._bank.snapshot() if self._bank else None,
            "space": self._space.snapshot() if self._space else None,
            "unread": list(self._unread),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore exactly what was saved."""
        if state.get("version") != VERSION:
            raise UserError(
                f"the memory was saved in form {state.get('version')}, this Osler reads form {VERSION}",
                "use the version of Osler that saved it",
            )
        self._embedder.restore(state["embedder"])
        self._unread = list(state["unread"])
        self._bank = self._space = None
        if state["dimensions"]:
            bank, space = self._rooms(state["dimensions"])
            bank.restore(state["bank"])
            space.restore(state["space"])

    def _rooms(self, dimensions: int) -> tuple[MemoryBank, ThoughtSpace]:
        """Return the bank and the space, made when the first vector shows how long vectors are."""
        if self._bank is None or self._space is None:
            self._dimensions = dimensions
            # One seed for both: the same words fall into the same group of either.
            self._clear_derived()
            self._bank = MemoryBank(self._language, self._new_index(dimensions))
            self._space = ThoughtSpace(self._language, self._new_index(dimensions))
        return self._bank, self._space

    def _new_index(self, dimensions: int) -> VectorIndex:
        groups, seed = self._tim.groups, self._settings.seed
        return VectorIndex(dimensions, groups=groups, seed=seed, sparse=self._embedder.sparse)

    def _clear_derived(self) -> None:
        """Forget what was derived from the thoughts, since others take their place."""
        self._writer = None

    def _near(self, turn: Turn, group: int, vector: Any, space: ThoughtSpace) -> list[Thought]:
        """Return the thoughts most like the turn anywhere, and those of its group; in the papers' way, the group.

        A model sees what was said lately and what a treatment depends on, too.
        """
        members = space.index.members(group)
        own = [one.id for one in space.doctors_own]
        if self._tim.mode == "paper":
            return [space[number] for number in sorted({*own, *members})]
        if isinstance(self._think, RulesThink):
            # Rules compare words; what was said lately may be meant without one (烟 of 抽烟).
            hits = fused_by_words(raw_text(turn), vector, space, _NEAR)
            lately = (number for said in range(1, _NEAR) for number in space.of_turn(turn.number - said))
            numbers = list(dict.fromkeys([*own, *(hit.number for hit in hits), *lately, *members]))[: _NEAR * 2]
        else:
            # A model sees for itself what bears on the turn. What it does not see it cannot correct.
            hits = fused(raw_text(turn), vector, space, _LAID)
            lately = (number for said in range(1, _LATELY + 1) for number in space.of_turn(turn.number - said))
            vital = (one.id for one in islice(space.vital, _PROTECTED))
            numbers = list({*own, *(hit.number for hit in hits), *lately, *vital, *members[-_LAID:]})
        return [space[number] for number in sorted(numbers)]

    def _from_bank(self, query: str, vector: Any, bank: MemoryBank, space: ThoughtSpace) -> Recall:
        wanted = self._tim.k or len(bank)
        if self._tim.mode == "paper":
            hits = fused(query, vector, bank, wanted)
        else:
            talk = recall_talk(query, vector, bank, len(bank))
            hits = [hit for hit in talk if hit.number not in space.corrected_turns][:wanted]
        return self._word_for_word([hit.number for hit in hits], bank, space)

    def _word_for_word(self, numbers: Sequence[int], bank: MemoryBank, space: ThoughtSpace) -> Recall:
        """Turns word for word, the first ones that fit, in the order in which they were."""
        writer, kept, left = self._page_writer(bank, space), list[int](), self._settings.budget
        for number in numbers:
            left -= writer.exchange(number)[1]
            if left < 0:
                break
            kept.append(number)
        kept.sort()
        return Recall(text="".join(writer.dialogue(kept)), exchanges=tuple(bank[number] for number in kept))

    async def _integrated(self, query: str, recall: Recall) -> Recall:
        """The papers' last step: a model puts query and thoughts together. The facts stay below its note."""
        if self._settings.thinker is None or not recall.text:
            return recall
        template = prompt("tim_integrate", self._language)
        note = await self._settings.thinker(
            template, template.fill(query=query, facts=recall.text), None, self._tim.tokens
        )
        text = f"{note.strip()}\n{recall.text}" if note else recall.text
        return recall.model_copy(update={"text": text, "requests": 1})


def _post_think(settings: MemorySettings, tim: TimSettings) -> PostThink:
    if settings.thinker is None or tim.mode == "rules":
        return RulesThink(settings.language, settings.speaker)
    way = PaperThink if tim.mode == "paper" else OneThink
    return way(settings, settings.thinker, tim.tokens)
