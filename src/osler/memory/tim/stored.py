"""Think-in-Memory in a store: what changed after a turn, and its thoughts as items to search, rewrite and erase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from osler.memory.base import Turn
from osler.memory.items import MemoryItem, key_number, turn_item, turn_key
from osler.memory.tim.fact_lines import dated
from osler.memory.tim.memory_bank import MemoryBank, raw_text
from osler.memory.tim.retrieve import Hit, recall_talk, thoughts_of_turns
from osler.memory.tim.thought import PATIENT, Thought, ThoughtStatus
from osler.memory.tim.thought_space import ThoughtSpace, wording
from osler.prompts import phrases
from osler.ranking import ranked

if TYPE_CHECKING:
    from osler.language import Language
    from osler.memory.embedders.base import Embedder

_THOUGHT = "thought:"


class StoredThoughts:
    """The part of `TimMemory` that a store calls.

    Its items are the thoughts, and the turns that left none. A delta holds the new turns, the new and changed thoughts,
    and the vectors of what is new; the embedder learns again from the same texts.
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

        def _rooms(self, dimensions: int) -> tuple[MemoryBank, ThoughtSpace]: ...

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """Return what changed since the last call, or all of it."""
        bank, space = self._bank, self._space
        if bank is None or space is None:
            return {}
        if everything:
            turns, thoughts, first = sorted(bank.last_turns(len(bank)), key=lambda turn: turn.number), space.ledger, 0
        else:
            turns, first = bank.last_turns(len(bank) - self._saved_turns), self._saved_thoughts
            thoughts = tuple(space[number] for number in sorted(space.changed))
        new = [one.id for one in thoughts if one.id > first and one.status is ThoughtStatus.ACTIVE]
        numbers = [turn.number for turn in turns]
        self._saved()
        return {
            "dimensions": self._dimensions,
            "turns": [turn.model_dump(mode="json", exclude_defaults=True) for turn in turns],
            "thoughts": [thought.model_dump(mode="json", exclude_defaults=True) for thought in thoughts],
            "turn_rows": bank.index.rows_of(numbers),
            "thought_rows": space.index.rows_of(new),
            "unread": sorted({*self._unread} & {*numbers}),
        }

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned."""
        if not delta:
            return
        bank, space = self._rooms(delta["dimensions"])
        turns = [Turn.model_validate(row) for row in delta["turns"]]
        thoughts = [Thought.model_validate(row) for row in delta["thoughts"]]
        new = [wording(thought) for thought in thoughts if thought.id > self._saved_thoughts]
        self._embedder.learn([*map(raw_text, turns), *new])
        bank.extend(turns, delta["turn_rows"])
        space.extend(thoughts, delta["thought_rows"])
        self._unread += delta["unread"]
        self._saved()

    def _saved(self) -> None:
        if self._bank is not None and self._space is not None:
            self._saved_turns, self._saved_thoughts = len(self._bank), self._space.size
            self._space.changed.clear()

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """The thoughts of a delta, and its turns that left none."""
        thoughts = [Thought.model_validate(row) for row in delta.get("thoughts", ())]
        told = {turn for thought in thoughts for turn in thought.turns}
        turns = [Turn.model_validate(row) for row in delta.get("turns", ())]
        return [
            *(turn_item(turn) for turn in turns if turn.number not in told),
            *(_item(thought, self._language) for thought in thoughts),
        ]

    def turns_of(self, key: str) -> tuple[int, ...]:
        """The turns in which a thought was said."""
        number = key_number(key)
        return self._rooms(0)[1][number].turns if key.startswith(_THOUGHT) else (number,)

    async def search(self, query: str) -> list[tuple[str, float]]:
        """The thoughts by how well they and their turns fit, and among them the turns that left none."""
        if self._bank is None or self._space is None:
            return []
        turns, active = await self._ranked(query, self._bank), self._space.active
        hits = thoughts_of_turns(turns, query, self._space, len(active))
        silent = self._silent(self._bank, self._space)
        found = dict.fromkeys((thought_key(one.id) for one in active), 0.0)
        found |= {thought_key(hit.number): hit.score for hit in hits}
        found |= {turn_key(turn.number): turn.score for turn in turns if turn.number in silent}
        keys = list(found)
        order = ranked(list(found.values()), range(len(keys)))
        return [(keys[place], found[keys[place]]) for place in order]

    async def search_turns(self, query: str) -> list[int]:
        """The turns with a current thought and those that left none, each by how well it fits itself.

        A thought that was said in several turns is one item, but does not make all of them fit the query.
        """
        if self._bank is None or self._space is None:
            return []
        kept = self._silent(self._bank, self._space) | self._space.turns
        return [turn.number for turn in await self._ranked(query, self._bank) if turn.number in kept]

    async def _ranked(self, query: str, bank: MemoryBank) -> list[Hit]:
        """All turns, the best fitting first."""
        return recall_talk(query, await self._embedder.embed_query(query), bank, len(bank))

    def _silent(self, bank: MemoryBank, space: ThoughtSpace) -> set[int]:
        """The turns that no thought was ever formed from."""
        return {*bank.turns} - {turn for thought in space.ledger for turn in thought.turns}

    async def rewrite(self, key: str, text: str) -> list[str]:
        """Give an item another text; in the words of its turn, the new text takes the place of the old."""
        bank, space = self._rooms(0)
        if not key.startswith(_THOUGHT):
            turn = bank[key_number(key)]
            await self._rebuild(
                {turn.number: turn.model_copy(update={"question": "", "reply": text, "results": ""})}, {}
            )
            return []
        old = space[key_number(key)]
        says = phrases("tim_lines", self._language)["says"]
        blank = {"asked": "", "negated": False, "certainty": 1.0, "reported": "", "is_by_model": False}
        new = old.model_copy(update={"relation": says, "object": text, "sentence": text, **blank})
        turns = {number: _reworded(bank[number], old.sentence, text, text) for number in old.turns}
        await self._rebuild(turns, {new.id: new})
        return []

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove thoughts with those that they replaced or were merged from, and their words from their turns.

        A turn that nothing else was noted from goes too. Other thoughts that rest on the same sentence keep what they
        say, without that sentence.
        """
        bank, space = self._rooms(0)
        gone = _with_earlier({key_number(key) for key in keys if key.startswith(_THOUGHT)}, space)
        turns: dict[int, Turn | None] = {key_number(key): None for key in keys if not key.startswith(_THOUGHT)}
        thoughts = {thought.id: thought for thought in space.ledger}
        for erased in [thoughts[number] for number in sorted(gone)]:
            thoughts[erased.id] = _blank(erased)
            for number in {*erased.turns} & {*bank.turns}:
                rest = [one for one in thoughts.values() if number in one.turns and one.id not in gone]
                sharing = [one for one in rest if _overlap(one.sentence, erased.sentence)]
                thoughts |= {one.id: one.model_copy(update={"sentence": one.object}) for one in sharing}
                turn = turns.get(number, bank[number])
                if not rest:
                    turns[number] = None
                elif turn is not None:
                    turns[number] = _reworded(turn, erased.sentence, _objects(sharing), _objects(rest))
        await self._rebuild(turns, thoughts)
        return [*map(thought_key, sorted(gone)), *(turn_key(number) for number, turn in turns.items() if turn is None)]

    async def _rebuild(self, turns: Mapping[int, Turn | None], thoughts: Mapping[int, Thought]) -> None:
        """Start again with other turns and thoughts in place of those with their numbers; None is left out."""
        old_bank, old_space = self._rooms(0)
        self._bank = self._space = None
        bank, space = self._rooms(self._dimensions)
        for number, vector in zip(sorted(old_bank.turns), old_bank.index.vectors(sorted(old_bank.turns)), strict=True):
            old = old_bank[number]
            turn = turns.get(number, old)
            if turn is not None:
                bank.add(turn, vector if turn == old else (await self._embedder.embed([raw_text(turn)]))[0])
        active = {one.id for one in old_space.active}
        vectors = dict(zip(active, old_space.index.vectors(list(active)), strict=True))
        for before in old_space.ledger:
            thought = thoughts.get(before.id, before)
            if thought.status is ThoughtStatus.ACTIVE:
                is_same = wording(thought) == wording(before)
                vector = vectors[thought.id] if is_same else (await self._embedder.embed([wording(thought)]))[0]
                space.index.add(thought.id, vector, old_space.index.group_of(thought.id))
            space.extend([thought])
        self._unread = [number for number in self._unread if turns.get(number, 0) is not None]


def thought_key(number: int) -> str:
    """The key of a thought."""
    return f"{_THOUGHT}{number}"


def _item(thought: Thought, language: Language) -> MemoryItem:
    by = thought_key(thought.by) if thought.by else None
    return MemoryItem(thought_key(thought.id), _text(thought, language), thought.status is ThoughtStatus.ACTIVE, by)


def _text(thought: Thought, language: Language) -> str:
    """A thought in one line; that rules take somebody without a name for the patient needs no words."""
    text = dated(thought, language)
    if thought.is_by_model or thought.subject not in PATIENT:
        return text
    words = phrases("tim_lines", language)
    text = text.removeprefix(thought.subject).strip()
    is_plain = thought.relation in (words["has"], words["says"])
    return text.removeprefix(thought.relation).strip() if is_plain else text


def _with_earlier(numbers: set[int], space: ThoughtSpace) -> set[int]:
    """The thoughts, and those that they took the place of, and so on back."""
    found, ledger = set(numbers), space.ledger
    while more := {one.id for one in ledger if one.by in found} - found:
        found |= more
    return found


def _blank(thought: Thought) -> Thought:
    """What is left of an erased thought: its number, so that no other thought gets it."""
    return Thought(
        subject="",
        relation="",
        object="",
        id=thought.id,
        turn=thought.turn,
        status=ThoughtStatus.FORGOTTEN,
        because="deleted",
    )


def _overlap(one: str, other: str) -> bool:
    return bool(one and other) and (one in other or other in one)


def _objects(thoughts: Sequence[Thought]) -> str:
    return "; ".join(dict.fromkeys(thought.object for thought in thoughts))


def _reworded(turn: Turn, sentence: str, new: str, reply: str) -> Turn:
    """A turn with a new text in place of a sentence; if that is not found as it is, with a new reply."""
    for name in ("reply", "question", "results"):
        said = getattr(turn, name)
        if sentence and sentence in said:
            return turn.model_copy(update={name: " ".join(said.replace(sentence, new).split())})
    return turn.model_copy(update={"reply": reply})
