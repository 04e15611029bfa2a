"""Think-in-Memory as a doctor's memory of one patient.

After each turn it thinks (post-think): the exchange goes into the bank, its thoughts into the
space, in the same group. Before each turn it recalls: the thoughts that bear on what was just said,
and everything else that fits; before the conclusion, what a treatment depends on. With a model, the
thoughts are the model's; rules form them only if there is none. A turn of which the model's answer
could not be read is in the bank alone, and recalled from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.memory.base import Change, MemorySettings, Query, Recall, Turn
from osler.memory.core.fact import Fact
from osler.memory.core.recall_text import raw_text
from osler.memory.core.vectors import VectorIndex
from osler.memory.embedders import open_embedder
from osler.memory.tim.actions import ActionPlan, carry_out
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.page import RecallPart
from osler.memory.tim.post_think import OneThink, PaperThink, PostThink, plan_by_rules
from osler.memory.tim.recall_page import Found, PageWriter
from osler.memory.tim.retrieve import (
    Hit,
    bears_on,
    best_turns,
    fused,
    nearest_thoughts,
    recall_thoughts,
    recall_thoughts_alone,
    thoughts_of_turns,
)
from osler.memory.tim.settings import TimSettings
from osler.memory.tim.stored import StoredThoughts
from osler.memory.tim.thought_space import ThoughtSpace
from osler.prompts import prompt

VERSION = 6
_SHOWN_ALIKE = 20
"""How many thoughts most like a new turn a model is shown, and as many of its group."""
_SHOWN_TURNS, _SHOWN_STANDING = 3, 120
"""Turns before a new one whose thoughts a model is shown too, and the most thoughts of those kinds
that it is always shown: more than a patient has, so that a long life does not fill the prompt."""
_FEWEST_CANDIDATES, _SHORT_LINE = 32, 24
"""How many turns and thoughts are looked at for a recall: as many as the budget can hold if each
takes a short line (in tokens), and no fewer than the first."""


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
        """None where rules form the thoughts."""

    @property
    def ledger(self) -> tuple[Fact, ...]:
        """Every thought there ever was."""
        return self._space.ledger if self._space else ()

    async def remember(self, turn: Turn) -> Change:
        """Think about a finished turn."""
        async with self._one_at_a_time:
            [vector] = await self._embedder.embed([raw_text(turn)])
            bank, space = self._bank_and_space(len(vector))
            group = bank.add(turn, vector)
            plan = await self._plan(turn, group, vector, space)
            if plan.is_unread:
                self._unread.append(turn.number)
            return await carry_out(plan, turn, group, space, self._embedder)

    async def _plan(
        self, turn: Turn, group: int, vector: NDArray[np.float32], space: ThoughtSpace
    ) -> ActionPlan:
        """Decide what a turn changes."""
        if self._think is None:
            return plan_by_rules(turn, space, self._settings.speaker)
        shown = self._shown_to_model(turn, group, vector, space)
        return await self._think(turn, shown, space.size + 1)

    async def recall(self, query: Query) -> Recall:
        """Return what bears on the query first, then, in what is left of the budget, all else.

        For a conclusion, all that a treatment depends on comes first, and a turn that is being
        remembered is waited for: it may say that a medicine was stopped.
        """
        if not query.is_to_conclude:
            return await self._recall(query)
        async with self._one_at_a_time:
            return await self._recall(query)

    async def _recall(self, query: Query) -> Recall:
        bank, space = self._bank, self._space
        if space is None or bank is None:
            return Recall()
        vector = await self._embedder.embed_query(query.text)
        if self._tim.k:
            recall = self._recall_best(query.text, vector, bank, space, self._tim.k)
        else:
            recall = self._recall_page(query, vector, bank, space)
        if recall is None:
            recall = self._from_bank(query.text, vector, bank, space)
        return await self._integrated(query.text, recall) if self._tim.integrate else recall

    def _recall_best(
        self,
        query: str,
        vector: NDArray[np.float32],
        bank: MemoryBank,
        space: ThoughtSpace,
        k: int,
    ) -> Recall | None:
        """The best k thoughts and nothing else; None if there is nothing to tell.

        Dropped are only turns of these thoughts, for which there was no room.
        """
        hits = self._best_thoughts(query, vector, bank, space, k)
        thoughts = [space[hit.number] for hit in hits]
        page = self._page_writer(bank, space).fill(
            [[RecallPart(thoughts)]], self._settings.budget, is_ranked=True, lists_questions=False
        )
        if not page.tells_anything:
            return None
        return page.recall({hit.number: hit for hit in hits}, page.tried_but_untold)

    def _recall_page(
        self, query: Query, vector: NDArray[np.float32], bank: MemoryBank, space: ThoughtSpace
    ) -> Recall | None:
        """What bears on the query, then whatever else fits; None if there is nothing to tell.

        Dropped are all turns with anything that is not told.
        """
        text, budget = query.text, self._settings.budget
        candidates = max(_FEWEST_CANDIDATES, budget // _SHORT_LINE)
        turns = best_turns(text, vector, bank, candidates)
        thoughts = thoughts_of_turns(turns, text, space, candidates)
        bears = bank.bm25.shares(text) or bears_on(text, vector, space)
        found = Found(thoughts, turns, self._unread, bears=bears)
        page = self._page_writer(bank, space).page(query, found, budget)
        if not page.tells_anything:
            return None
        untold = page.turns_with_untold_facts(self._unread)
        return page.recall({hit.number: hit for hit in thoughts}, untold)

    def _best_thoughts(
        self, query: str, vector: NDArray[np.float32], bank: MemoryBank, space: ThoughtSpace, k: int
    ) -> list[Hit]:
        """The best k thoughts, as the options say."""
        if self._tim.mode == "paper":
            return nearest_thoughts(vector, space, k, self._tim.probes or 1)
        if self._tim.probes is not None:
            # Who asks for the papers' groups gets the thoughts of those groups, by themselves.
            return recall_thoughts_alone(query, vector, space, k, self._tim.probes)
        return recall_thoughts(query, vector, space, bank, k)

    def _page_writer(self, bank: MemoryBank, space: ThoughtSpace) -> PageWriter:
        if self._writer is None:
            self._writer = PageWriter(
                self._language,
                self._settings.speaker,
                bank,
                space,
                facts_only=self._tim.facts == "only",
            )
        return self._writer

    @property
    def state(self) -> dict[str, Any]:
        """Everything, with the version of its form."""
        return {"version": VERSION, **self._everything()}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        """Exactly this."""
        if state.get("version") != VERSION:
            raise UserError(
                f"the memory was saved in form {state.get('version')}, this Osler reads form"
                f" {VERSION}",
                "use the version of Osler that saved it",
            )
        self._embedder = open_embedder(self._tim.embedder)
        self._bank = self._space = None
        self._unread = []
        self._saved_turns = self._saved_thoughts = 0
        self.apply(state)

    def _bank_and_space(self, dimensions: int) -> tuple[MemoryBank, ThoughtSpace]:
        """Return the bank and the space, made when the first vector shows how long vectors are."""
        if self._bank is None or self._space is None:
            self._dimensions = dimensions
            self._clear_derived()
            # Both indexes have one seed, so that the same words fall into the same group of either.
            self._bank = MemoryBank(self._language, self._new_index(dimensions))
            self._space = ThoughtSpace(self._language, self._new_index(dimensions))
        return self._bank, self._space

    def _new_index(self, dimensions: int) -> VectorIndex:
        groups, seed = self._tim.groups, self._settings.seed
        return VectorIndex(dimensions, groups=groups, seed=seed, sparse=self._embedder.sparse)

    def _clear_derived(self) -> None:
        """Forget what was derived from the thoughts, since others take their place."""
        self._writer = None

    def _shown_to_model(
        self, turn: Turn, group: int, vector: NDArray[np.float32], space: ThoughtSpace
    ) -> list[Fact]:
        """Return the thoughts that a model is shown with a new turn, in the order of their coming.

        What a model does not see it cannot correct. In the papers' way it sees the group of the
        turn. Otherwise it sees the thoughts most like the turn anywhere and the newest of its
        group, those of the turns just before, and whatever its words: allergies, medicines,
        pregnancy, conditions, and what is still open. What the doctor thinks is always among them:
        a new thought of the doctor takes its place.
        """
        members = space.index.members(group)
        numbers = {thought.id for thought in space.doctors_own}
        if self._tim.mode == "paper":
            numbers.update(members)
        else:
            hits = fused(raw_text(turn), vector, space, _SHOWN_ALIKE)
            numbers.update(hit.number for hit in hits)
            numbers.update(members[-_SHOWN_ALIKE:])
            for earlier in range(turn.number - _SHOWN_TURNS, turn.number):
                numbers.update(space.of_turn(earlier))
            numbers.update(space.standing[-_SHOWN_STANDING:])
        return [self._with_day(space[number]) for number in sorted(numbers)]

    def _with_day(self, thought: Fact) -> Fact:
        """A thought with the time at which it was last said."""
        bank, last = self._bank, thought.turns[-1]
        if bank is None or last not in bank:
            return thought
        return thought.model_copy(update={"at": bank[last].at})

    def _from_bank(
        self, query: str, vector: NDArray[np.float32], bank: MemoryBank, space: ThoughtSpace
    ) -> Recall:
        """Turns word for word, if no thought can be told."""
        k = self._tim.k or len(bank)
        if self._tim.mode == "paper":
            hits = fused(query, vector, bank, k)
            return self._word_for_word([hit.number for hit in hits], bank, space)
        hits = best_turns(query, vector, bank, len(bank))
        numbers = [hit.number for hit in hits if hit.number not in space.corrected_turns]
        return self._word_for_word(numbers[:k], bank, space)

    def _word_for_word(
        self, numbers: Sequence[int], bank: MemoryBank, space: ThoughtSpace
    ) -> Recall:
        """Turns word for word, the first that fit, in the order in which they were."""
        page = self._page_writer(bank, space).fill(
            [[RecallPart(numbers)]], self._settings.budget, lists_questions=False
        )
        exchanges = tuple(bank[number] for number in page.whole)
        return Recall(text=page.text, exchanges=exchanges)

    async def _integrated(self, query: str, recall: Recall) -> Recall:
        """The papers' last step: a model puts query and thoughts together.

        The facts stay below its note.
        """
        if self._settings.thinker is None or not recall.text:
            return recall
        template = prompt("tim_integrate", self._language)
        note = await self._settings.thinker(
            template, template.fill(query=query, facts=recall.text), None, self._tim.tokens
        )
        text = f"{note.strip()}\n{recall.text}" if note else recall.text
        return recall.model_copy(update={"text": text, "requests": 1})


def _post_think(settings: MemorySettings, tim: TimSettings) -> PostThink | None:
    if settings.thinker is None or tim.mode == "rules":
        return None
    way = PaperThink if tim.mode == "paper" else OneThink
    return way(settings, settings.thinker, tim.tokens, tim.inferences)
