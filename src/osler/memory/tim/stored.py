"""Think-in-Memory in a store.

What changed after a turn, and its thoughts as items to search, rewrite and erase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from osler.memory.base import Turn
from osler.memory.core.fact import PATIENT, Fact, FactStatus
from osler.memory.core.fact_lines import dated
from osler.memory.core.items import MemoryItem, key_number, turn_item, turn_key
from osler.memory.core.recall_text import raw_text
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.retrieve import Hit, best_turns, thoughts_of_turns
from osler.memory.tim.thought_space import ThoughtSpace, wording
from osler.prompts import phrases
from osler.ranking import ranked

if TYPE_CHECKING:
    from osler.language import Language
    from osler.memory.embedders.base import Embedder

_THOUGHT = "thought:"


class StoredThoughts:
    """The part of `TimMemory` that a store calls.

    Its items are the thoughts, and the turns that left none. A delta holds the new turns, the new
    and changed thoughts, and the vectors of what is new; the embedder learns again from the same
    texts.
    """

    _bank: MemoryBank | None
    _space: ThoughtSpace | None
    _embedder: Embedder
    _language: Language
    _unread: list[int]
    _dimensions: int
    _saved_turns = 0
    _saved_thoughts = 0

    if TYPE_CHECKING:

        def _bank_and_space(self, dimensions: int) -> tuple[MemoryBank, ThoughtSpace]: ...

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """Return what changed since the last call, or all of it."""
        changed = self._everything() if everything else self._changed()
        self._mark_saved()
        return changed

    def _everything(self) -> dict[str, Any]:
        """All turns and thoughts, as `apply` takes them."""
        if self._bank is None or self._space is None:
            return {}
        turns = sorted(self._bank.last_turns(len(self._bank)), key=lambda turn: turn.number)
        return self._as_data(turns, self._space.ledger, 0)

    def _changed(self) -> dict[str, Any]:
        """The turns and thoughts that `delta` has not returned in this form yet."""
        if self._bank is None or self._space is None:
            return {}
        turns = self._bank.last_turns(len(self._bank) - self._saved_turns)
        thoughts = [self._space[number] for number in sorted(self._space.changed)]
        return self._as_data(turns, thoughts, self._saved_thoughts)

    def _as_data(
        self, turns: Sequence[Turn], thoughts: Sequence[Fact], saved: int
    ) -> dict[str, Any]:
        """Turns and thoughts as data, with the vectors of thoughts after the last saved."""
        bank, space = self._filled()
        active = [thought.id for thought in thoughts if thought.status is FactStatus.ACTIVE]
        new = [number for number in active if number > saved]
        numbers = [turn.number for turn in turns]
        return {
            "dimensions": self._dimensions,
            "turns": [turn.model_dump(mode="json", exclude_defaults=True) for turn in turns],
            "thoughts": [
                thought.model_dump(mode="json", exclude_defaults=True) for thought in thoughts
            ],
            "turn_rows": bank.index.rows_of(numbers),
            "thought_rows": space.index.rows_of(new),
            "unread": sorted({*self._unread} & {*numbers}),
        }

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned."""
        if "turns" not in delta:
            return
        bank, space = self._bank_and_space(delta["dimensions"])
        turns = [Turn.model_validate(row) for row in delta["turns"]]
        thoughts = [Fact.model_validate(row) for row in delta["thoughts"]]
        new = [wording(thought) for thought in thoughts if thought.id > self._saved_thoughts]
        self._embedder.learn([*map(raw_text, turns), *new])
        bank.extend(turns, delta["turn_rows"])
        space.extend(thoughts, delta["thought_rows"])
        self._unread += delta["unread"]
        self._mark_saved()

    def _mark_saved(self) -> None:
        """From here on, a delta holds only what comes after this."""
        if self._bank is not None and self._space is not None:
            self._saved_turns, self._saved_thoughts = len(self._bank), self._space.size
            self._space.changed.clear()

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """The thoughts of a delta, and its turns that left none."""
        thoughts = [Fact.model_validate(row) for row in delta.get("thoughts", ())]
        with_thoughts = set[int]().union(*(thought.turns for thought in thoughts))
        turns = [Turn.model_validate(row) for row in delta.get("turns", ())]
        silent = [turn_item(turn) for turn in turns if turn.number not in with_thoughts]
        return [*silent, *(_item(thought, self._language) for thought in thoughts)]

    def turns_of(self, key: str) -> tuple[int, ...]:
        """The turns in which a thought was said."""
        number = key_number(key)
        if not key.startswith(_THOUGHT):
            return (number,)
        _, space = self._filled()
        return space[number].turns

    def _filled(self) -> tuple[MemoryBank, ThoughtSpace]:
        """Return the bank and the space of a memory to which something was told.

        Raises:
            KeyError: Nothing was, so that no key names anything in it.
        """
        if self._bank is None or self._space is None:
            raise KeyError("the memory is empty")
        return self._bank, self._space

    async def search(self, query: str) -> list[tuple[str, float]]:
        """The thoughts, and the turns that left none, by how well they fit."""
        if self._bank is None or self._space is None:
            return []
        turns, active = await self._ranked(query, self._bank), self._space.active
        hits = thoughts_of_turns(turns, query, self._space, len(active))
        silent = self._silent(self._bank, self._space)
        scores = dict.fromkeys((thought_key(thought.id) for thought in active), 0.0)
        scores |= {thought_key(hit.number): hit.score for hit in hits}
        scores |= {turn_key(turn.number): turn.score for turn in turns if turn.number in silent}
        keys = list(scores)
        order = ranked(list(scores.values()), range(len(keys)))
        return [(keys[place], scores[keys[place]]) for place in order]

    async def search_turns(self, query: str) -> list[int]:
        """The turns with a current thought, and those that left none, by how well they fit.

        A thought that was said in several turns does not make all of them fit the query.
        """
        if self._bank is None or self._space is None:
            return []
        current = self._silent(self._bank, self._space) | self._space.turns
        turns = await self._ranked(query, self._bank)
        return [turn.number for turn in turns if turn.number in current]

    async def _ranked(self, query: str, bank: MemoryBank) -> list[Hit]:
        """All turns, the best fitting first."""
        return best_turns(query, await self._embedder.embed_query(query), bank, len(bank))

    def _silent(self, bank: MemoryBank, space: ThoughtSpace) -> set[int]:
        """The turns that no thought was ever formed from."""
        return {*bank.turns}.difference(*(thought.turns for thought in space.ledger))

    async def rewrite(self, key: str, text: str) -> list[str]:
        """Give an item another text.

        In the words of its turn, the new text takes the place of the old.
        """
        bank, space = self._filled()
        if not key.startswith(_THOUGHT):
            turn = bank[key_number(key)]
            other = turn.model_copy(update={"question": "", "reply": text, "results": ""})
            await self._rebuild({turn.number: other}, {})
            return []
        old = space[key_number(key)]
        says = phrases("tim_lines", self._language)["says"]
        blank = {
            "asked": "",
            "denied": False,
            "certainty": 1.0,
            "reported": "",
            "is_by_model": False,
            "inferred": False,
            "unknown": False,
        }
        new = old.model_copy(update={"relation": says, "object": text, "sentence": text, **blank})
        turns = {number: _reworded(bank[number], old.sentence, text, text) for number in old.turns}
        await self._rebuild(turns, {new.id: new})
        return []

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove thoughts, those they replaced or were merged from, and their words in turns.

        A turn that nothing else was noted from goes too. Other thoughts that rest on the same
        sentence keep what they say, without that sentence.
        """
        if not keys:
            return []
        bank, space = self._filled()
        gone = _with_earlier({key_number(key) for key in keys if key.startswith(_THOUGHT)}, space)
        turns: dict[int, Turn | None] = {
            key_number(key): None for key in keys if not key.startswith(_THOUGHT)
        }
        thoughts = {thought.id: thought for thought in space.ledger}
        for erased in [thoughts[number] for number in sorted(gone)]:
            # It stays in the ledger without its words, so that all others keep their numbers.
            thoughts[erased.id] = _blank(erased)
            for number in {*erased.turns} & {*bank.turns}:
                others = [
                    thought
                    for thought in thoughts.values()
                    if number in thought.turns and thought.id not in gone
                ]
                for thought in _sharing(others, erased):
                    update = {"sentence": thought.object}
                    thoughts[thought.id] = thought.model_copy(update=update)
                turn = turns.get(number, bank[number])
                if turn is not None:
                    turns[number] = _turn_without(turn, erased, others)
        await self._rebuild(turns, thoughts)
        return [
            *map(thought_key, sorted(gone)),
            *(turn_key(number) for number, turn in turns.items() if turn is None),
        ]

    async def _rebuild(
        self, turns: Mapping[int, Turn | None], thoughts: Mapping[int, Fact]
    ) -> None:
        """Start again with other turns and thoughts in place of those with their numbers.

        A turn that is None is left out.
        """
        old_bank, old_space = self._filled()
        self._bank = self._space = None
        bank, space = self._bank_and_space(self._dimensions)
        numbers = sorted(old_bank.turns)
        for number, vector in zip(numbers, old_bank.index.vectors(numbers), strict=True):
            old = old_bank[number]
            turn = turns.get(number, old)
            if turn is None:
                continue
            if turn != old:
                [vector] = await self._embedder.embed([raw_text(turn)])
            bank.add(turn, vector)
        active = [thought.id for thought in old_space.active]
        vectors = dict(zip(active, old_space.index.vectors(active), strict=True))
        for before in old_space.ledger:
            thought = thoughts.get(before.id, before)
            if thought.status is FactStatus.ACTIVE:
                vector = vectors[thought.id]
                if wording(thought) != wording(before):
                    [vector] = await self._embedder.embed([wording(thought)])
                space.index.add(thought.id, vector, old_space.index.group_of(thought.id))
            space.extend([thought])
        removed = {number for number, turn in turns.items() if turn is None}
        self._unread = [number for number in self._unread if number not in removed]


def thought_key(number: int) -> str:
    """The key of a thought."""
    return f"{_THOUGHT}{number}"


def _item(thought: Fact, language: Language) -> MemoryItem:
    by = thought_key(thought.by) if thought.by else None
    return MemoryItem(
        thought_key(thought.id),
        _text(thought, language),
        thought.status is FactStatus.ACTIVE,
        by,
    )


def _text(thought: Fact, language: Language) -> str:
    """A thought in one line.

    That rules take somebody without a name for the patient needs no words.
    """
    text = dated(thought, language)
    if thought.is_by_model or thought.subject not in PATIENT:
        return text
    words = phrases("tim_lines", language)
    text = text.removeprefix(thought.subject).strip()
    is_plain = thought.relation in (words["has"], words["says"])
    return text.removeprefix(thought.relation).strip() if is_plain else text


def _with_earlier(numbers: set[int], space: ThoughtSpace) -> set[int]:
    """The thoughts, and those that they took the place of, and so on back."""
    closed = set(numbers)
    while earlier := {thought.id for thought in space.ledger if thought.by in closed} - closed:
        closed |= earlier
    return closed


def _blank(thought: Fact) -> Fact:
    """What is left of an erased thought: its number, so that no other thought gets it."""
    return Fact(
        subject="",
        relation="",
        object="",
        id=thought.id,
        turn=thought.turn,
        status=FactStatus.FORGOTTEN,
        because="deleted",
    )


def _sharing(others: Sequence[Fact], erased: Fact) -> list[Fact]:
    """Those that rest on the sentence of an erased thought, on a part of it, or on more."""
    return [thought for thought in others if _overlap(thought.sentence, erased.sentence)]


def _overlap(first: str, second: str) -> bool:
    return bool(first and second) and (first in second or second in first)


def _turn_without(turn: Turn, erased: Fact, others: Sequence[Fact]) -> Turn | None:
    """What is left of a turn without the words of a thought, given its other thoughts.

    Where the sentence was, the turn says only what the others took from it. None if there are no
    others.
    """
    if not others:
        return None
    return _reworded(turn, erased.sentence, _objects(_sharing(others, erased)), _objects(others))


def _objects(thoughts: Sequence[Fact]) -> str:
    return "; ".join(dict.fromkeys(thought.object for thought in thoughts))


def _reworded(turn: Turn, sentence: str, new: str, reply: str) -> Turn:
    """A turn with a new text in place of a sentence.

    If that is not found as it is, with a new reply.
    """
    for name in ("reply", "question", "results"):
        text = getattr(turn, name)
        if sentence and sentence in text:
            return turn.model_copy(update={name: " ".join(text.replace(sentence, new).split())})
    return turn.model_copy(update={"reply": reply})
