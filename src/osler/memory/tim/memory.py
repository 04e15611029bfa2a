"""Think-in-Memory as a doctor's memory of one patient.

After each turn it thinks (post-think): the exchange goes into the bank, its thoughts into the space, in the same group.
Before each turn it recalls: the thoughts that bear on what was just said, and everything else that fits. With a model,
the thoughts are the model's; rules form them only if there is none. A turn of which the model's answer could not be
read is in the bank alone, and recalled from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from osler.errors import UserError
from osler.memory.base import Change, MemorySettings, Recall, Turn, tokens
from osler.memory.embedders import open_embedder
from osler.memory.recall_text import exchange_text
from osler.memory.tim.actions import carry_out
from osler.memory.tim.fact_lines import facts_of, tell
from osler.memory.tim.memory_bank import MemoryBank, raw_text
from osler.memory.tim.post_think import OneThink, PaperThink, PostThink, RulesThink
from osler.memory.tim.retrieve import fused, nearest_thoughts, recall_talk, recall_thoughts
from osler.memory.tim.rules_thoughts import question_topic
from osler.memory.tim.settings import TimSettings
from osler.memory.tim.stored import StoredThoughts
from osler.memory.tim.thought import Thought
from osler.memory.tim.thought_space import ThoughtSpace
from osler.memory.tim.vectors import VectorIndex
from osler.prompts import prompt

VERSION = 4
_NEAR, _LAID = 12, 20
"""How many thoughts most like a new turn are compared with it, and as many of its group: for rules, for a model."""


class TimMemory(StoredThoughts):
    """One patient's thoughts: a space of its own, never a part of a shared one."""

    name = "tim"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._tim = TimSettings.of(settings.options)
        self._language = settings.language
        self._embedder = open_embedder(self._tim.embedder)
        self._bank: MemoryBank | None = None
        self._space: ThoughtSpace | None = None
        self._dimensions = 0
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
        if self._space is None or self._bank is None:
            return Recall()
        recall = await self._recall(query, self._space, self._bank)
        return await self._integrated(query, recall) if self._tim.integrate else recall

    async def _recall(self, query: str, space: ThoughtSpace, bank: MemoryBank) -> Recall:
        active = space.active
        vector = await self._embedder.embed_query(query)
        wanted = self._tim.k or len(active) or 1
        if self._tim.mode == "paper":
            hits = nearest_thoughts(vector, space, wanted, self._tim.probes or 1)
        else:
            hits = recall_thoughts(query, vector, space, wanted, self._tim.probes, bank)
        if not hits and (self._tim.k or not active):
            return self._from_bank(query, vector, bank)
        scores = {hit.number: hit.score for hit in hits}
        turns = {hit.number: hit.turn for hit in hits if hit.turn is not None}
        thoughts = [space[number] for number in scores]
        if not self._tim.k:
            thoughts += [thought for thought in active if thought.id not in scores]
        silent = () if self._tim.k else self._silent(bank)
        told = tell(thoughts, self._topic, self._language, self._settings.budget, silent)
        facts = [
            fact
            for one in told.kept
            for fact in facts_of(one, self._language, turns.get(one.id, one.turn), scores.get(one.id, 0.0))
        ]
        covered = sorted({*told.asked, *(turn for one in told.kept for turn in one.turns)})
        asked = tuple(Turn(number=turn, question=bank[turn].question, reply="") for turn in covered)
        recall = Recall(text=told.text, facts=tuple(facts), exchanges=asked, dropped=told.dropped)
        return self._with_unread(recall, bank) if self._unread and not self._tim.k else recall

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
        if state["dimensions"]:
            bank, space = self._rooms(state["dimensions"])
            bank.restore(state["bank"])
            space.restore(state["space"])

    def _rooms(self, dimensions: int) -> tuple[MemoryBank, ThoughtSpace]:
        """Return the bank and the space, made when the first vector shows how long vectors are."""
        if self._bank is None or self._space is None:
            self._dimensions = dimensions
            # One seed for both: the same words fall into the same group of either.
            made = [VectorIndex(dimensions, groups=self._tim.groups, seed=self._settings.seed) for _ in range(2)]
            self._bank, self._space = MemoryBank(self._language, made[0]), ThoughtSpace(self._language, made[1])
        return self._bank, self._space

    def _near(self, turn: Turn, group: int, vector: Any, space: ThoughtSpace) -> list[Thought]:
        """Return the thoughts most like the turn anywhere, and those of its group; in the papers' way, the group."""
        members = space.index.members(group)
        if self._tim.mode == "paper":
            return [space[number] for number in members]
        if isinstance(self._think, RulesThink):
            hits = fused(raw_text(turn), vector, space, _NEAR)
            own = [one.id for one in space.active if one.is_doctors]
            numbers = list(dict.fromkeys([*own, *(hit.number for hit in hits), *members]))[: _NEAR * 2]
        else:
            # A model sees for itself what bears on the turn.
            hits = fused(raw_text(turn), vector, space, _LAID)
            numbers = list({*(hit.number for hit in hits), *members[-_LAID:]})
        return [space[number] for number in sorted(numbers)]

    def _topic(self, turn: int) -> str:
        return question_topic(self._bank[turn].question, self._language) if self._bank else ""

    def _silent(self, bank: MemoryBank) -> tuple[int, ...]:
        """Turns that left no thought: what was asked in them is all there is to tell."""
        said = (thought for thought in self.ledger if not thought.is_doctors)
        told = {*self._unread, *(turn for thought in said for turn in thought.turns)}
        return tuple(turn for turn in bank.turns if turn not in told)

    def _from_bank(self, query: str, vector: Any, bank: MemoryBank) -> Recall:
        wanted = self._tim.k or len(bank)
        if self._tim.mode == "paper":
            hits = fused(query, vector, bank, wanted)
        else:
            hits = recall_talk(query, vector, bank, wanted)
        return self._word_for_word([hit.number for hit in hits], bank, self._settings.budget)

    def _with_unread(self, recall: Recall, bank: MemoryBank) -> Recall:
        """The recall with the turns that its model could not think about, word for word; the oldest fall out first."""
        left = self._settings.budget - tokens(recall.text)
        unread = self._word_for_word(self._unread[::-1], bank, left)
        dropped = {*recall.dropped, *self._unread} - {turn.number for turn in unread.exchanges}
        return recall.model_copy(
            update={
                "text": "\n".join(filter(None, [recall.text, unread.text])),
                "exchanges": recall.exchanges + unread.exchanges,
                "dropped": tuple(sorted(dropped)),
            }
        )

    def _word_for_word(self, numbers: Sequence[int], bank: MemoryBank, left: int) -> Recall:
        """Turns word for word, the first ones that fit, in the order in which they were."""
        lines: dict[int, str] = {}
        for number in numbers:
            line = exchange_text(bank[number], self._language, self._settings.speaker)
            left -= tokens(line)
            if left < 0:
                break
            lines[number] = line
        kept = sorted(lines)
        return Recall(
            text="\n".join(lines[number] for number in kept), exchanges=tuple(bank[number] for number in kept)
        )

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
    return way(settings.language, settings.thinker, settings.speaker, tim.tokens)
