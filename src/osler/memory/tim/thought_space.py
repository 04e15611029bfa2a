"""The metacognition space: stores the current thoughts and the full history (ledger) of every change to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.language.cues import finder
from osler.memory.tim.bm25 import Bm25
from osler.memory.tim.thought import Draft, Thought, ThoughtKind, ThoughtStatus
from osler.memory.tim.vectors import VectorIndex

Vector = NDArray[np.float32]
_SAMPLE = 64
_UNRELATED = 0.95
"""A cosine above this share of those between unrelated thoughts means something."""


class ThoughtSpace:
    """Thoughts by number. What is superseded, merged or forgotten leaves recall and stays in the ledger."""

    def __init__(self, language: Language, index: VectorIndex) -> None:
        """Start empty, over an index that will hold the active thoughts."""
        self.index = index
        self.language = language
        self.bm25 = Bm25(language)
        self._clear()

    def _clear(self) -> None:
        self._ledger: dict[int, Thought] = {}
        self._active: dict[int, Thought] = {}
        self._by_turn: defaultdict[int, dict[int, None]] = defaultdict(dict)
        """The active thoughts that were said in each turn."""
        self._vital: defaultdict[tuple[bool, ThoughtKind], dict[int, None]] = defaultdict(dict)
        """What a treatment depends on, by whether it is inferred and by its kind."""
        self._vital_kinds: dict[int, ThoughtKind] = {}
        """The kind of each of these."""
        self._ends: dict[int, ThoughtKind] = {}
        """Thoughts that took the place of something a treatment depended on, with the kind of that."""
        self._doctors: dict[int, None] = {}
        self.corrected_turns: set[int] = set()
        """Turns with something that was said otherwise since."""
        self.bm25.clear()
        self.changed: set[int] = set()
        """Numbers of the thoughts that are new or changed since this was last cleared."""

    def __getitem__(self, number: int) -> Thought:
        """The thought of that number, whatever became of it."""
        return self._ledger[number]

    @property
    def ledger(self) -> tuple[Thought, ...]:
        """Every thought there ever was, in the order of its coming."""
        return tuple(self._ledger.values())

    @property
    def size(self) -> int:
        """How many thoughts there ever were."""
        return len(self._ledger)

    @property
    def active(self) -> list[Thought]:
        """The thoughts that can be recalled."""
        return list(self._active.values())

    @property
    def vital(self) -> Iterator[Thought]:
        """What a treatment depends on: the newest allergy, medicine, pregnancy and condition, then the next of each.

        So no kind crowds out another. What was only inferred comes after all that was said. A thought that says that
        such a fact has ended, or is otherwise, is one of the kind of that fact.
        """
        for inferred in (False, True):
            rounds = zip_longest(*(sorted(self._vital[inferred, kind], reverse=True) for kind in ThoughtKind))
            yield from (self._active[number] for some in rounds for number in some if number is not None)

    def is_vital(self, thought: Thought) -> bool:
        """Whether a treatment depends on an active thought, as `vital` tells."""
        return thought.id in self._vital_kinds

    @property
    def doctors_own(self) -> list[Thought]:
        """What the doctor thinks of."""
        return [self._active[number] for number in self._doctors]

    def of_turn(self, turn: int) -> list[int]:
        """The active thoughts that were said in a turn, the oldest first."""
        return sorted(self._by_turn[turn]) if turn in self._by_turn else []

    @property
    def turns(self) -> KeysView[int]:
        """Turns of active thoughts."""
        return self._by_turn.keys()

    def insert(
        self, draft: Draft, turn: int | None, vector: Vector, group: int, merged: tuple[int, ...] = ()
    ) -> Thought:
        """Give a draft its place, in the group of the words it comes from.

        What is merged was said in the turns of its parts; a turn in which nobody said it is None.
        """
        number = len(self._ledger) + 1
        before = (said for part in merged for said in self._ledger[part].turns)
        said = sorted({*before, *([] if turn is None else [turn])})
        thought = Thought(**vars(draft), id=number, turn=said[-1], also=tuple(said[:-1]), parts=merged)
        self.index.add(number, vector, group)
        self._keep(thought)
        return thought

    def again(self, number: int, turn: int) -> None:
        """It was said once more."""
        thought = self._ledger[number]
        also = tuple(sorted({*thought.also, turn} - {thought.turn}))
        self._ledger[number] = self._active[number] = thought.model_copy(update={"also": also})
        self._note_turns(self._ledger[number])
        self.changed.add(number)

    def retire(self, number: int, status: ThoughtStatus, because: str, by: int | None = None) -> Thought:
        """Take a thought out of recall; `by` is the thought that took its place."""
        thought = self._ledger[number].model_copy(update={"status": status, "by": by, "because": because})
        self._ledger[number] = thought
        self.changed.add(number)
        del self._active[number]
        if kind := self._vital_kinds.pop(number, None):
            del self._vital[thought.inferred, kind][number]
        self._doctors.pop(number, None)
        for turn in thought.turns:
            del self._by_turn[turn][number]
            if not self._by_turn[turn]:
                del self._by_turn[turn]
        self._note_end(thought)
        self.index.remove(number)
        self.bm25.remove(number)
        return thought

    def extend(self, thoughts: Iterable[Thought], rows: dict[str, Any] | None = None) -> None:
        """Take in thoughts as they are now, with the vectors of those that are new and active."""
        if rows is not None:
            self.index.extend(rows)
        for thought in thoughts:
            old = self._ledger.get(thought.id)
            if old is None:
                self._keep(thought)
            elif old.status is ThoughtStatus.ACTIVE:
                for turn in sorted({*thought.turns} - {*old.turns}):
                    self.again(thought.id, turn)
                if thought.status is not ThoughtStatus.ACTIVE:
                    self.retire(thought.id, thought.status, thought.because, thought.by)

    def _keep(self, thought: Thought) -> None:
        """Put a thought into the ledger and, if it is active, where it is found."""
        self._ledger[thought.id] = thought
        self.changed.add(thought.id)
        if thought.status is not ThoughtStatus.ACTIVE:
            self._note_end(thought)
            return
        self._active[thought.id] = thought
        if thought.is_doctors:
            self._doctors[thought.id] = None
        else:
            self._note_vital(thought)
        self._note_turns(thought)
        self.bm25.add(thought.id, wording(thought))

    def _note_vital(self, thought: Thought) -> None:
        if thought.id not in self._vital_kinds and (kind := self._vital_kind(thought)):
            self._vital_kinds[thought.id] = kind
            self._vital[thought.inferred, kind][thought.id] = None

    def _vital_kind(self, thought: Thought) -> ThoughtKind | None:
        """The kind under which a treatment depends on a thought; None if it does not.

        It does if the thought is protected, not denied and about the patient, or took the place of such a one.
        """
        if thought.is_protected and not (thought.negated or self._names_relative(thought.subject)):
            return thought.kind
        return self._ends.get(thought.id)

    def _names_relative(self, subject: str) -> bool:
        return finder("relatives", self.language).search(subject) is not None

    def _note_turns(self, thought: Thought) -> None:
        for turn in thought.turns:
            self._by_turn[turn][thought.id] = None

    def _note_end(self, thought: Thought) -> None:
        """Note that the turns of a thought are out of date, and which thought says so of a vital one."""
        if thought.is_doctors:
            return
        if thought.status in (ThoughtStatus.SUPERSEDED, ThoughtStatus.FORGOTTEN):
            self.corrected_turns.update(thought.turns)
        if thought.by is not None and (kind := self._vital_kind(thought)):
            self._ends.setdefault(thought.by, kind)
            if (by := self._active.get(thought.by)) and not by.is_doctors:
                self._note_vital(by)

    def snapshot(self) -> dict[str, Any]:
        """The ledger and the vectors; the words are counted again from the ledger."""
        return {"ledger": [thought.model_dump(mode="json") for thought in self.ledger], "index": self.index.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Exactly these thoughts."""
        self._clear()
        self.index.restore(state["index"])
        for row in state["ledger"]:
            self._keep(Thought.model_validate(row))
        self.changed.clear()


def wording(thought: Draft) -> str:
    """Return the text a thought is found by: its triple and the words it rests on."""
    return f"{thought.triple} {thought.sentence}".strip()


def unrelated_cosine(index: VectorIndex) -> float:
    """Estimate how similar unrelated thoughts are: most pairs of a memory are unrelated."""
    rows = index.sample(_SAMPLE)
    if len(rows) < 2:
        return 0.0
    return float(np.quantile((rows @ rows.T)[np.triu_indices(len(rows), 1)], _UNRELATED))
