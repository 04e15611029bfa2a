"""The metacognition space.

Stores the current thoughts and the full history (ledger) of every change to them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.language.cues import finder
from osler.memory.core.bm25 import Bm25
from osler.memory.core.fact import Fact, FactKey, FactKind, FactStatus
from osler.memory.core.vectors import VectorIndex

Vector = NDArray[np.float32]
_SAMPLE = 64
"""Thoughts whose cosines with each other are looked at."""
_UNRELATED = 0.95
"""A cosine above this share of those between unrelated thoughts means something."""


class ThoughtSpace:
    """Thoughts by number.

    What is superseded, merged or forgotten leaves recall and stays in the ledger.
    """

    def __init__(self, language: Language, index: VectorIndex) -> None:
        """Start empty, over an index that will hold the active thoughts."""
        self.index = index
        self.language = language
        self.bm25 = Bm25(language)
        self._ledger: dict[int, Fact] = {}
        self._active: dict[int, Fact] = {}
        self._by_turn: defaultdict[int, set[int]] = defaultdict(set)
        """The active thoughts that were said in each turn."""
        self._by_fact: defaultdict[FactKey, set[int]] = defaultdict(set)
        """The active thoughts that say the same; a model may note a fact more than once."""
        self._vital: defaultdict[tuple[bool, FactKind], set[int]] = defaultdict(set)
        """What a treatment depends on, by whether it is inferred and by its kind."""
        self._vital_kinds: dict[int, FactKind] = {}
        """The kind of each of these."""
        self._inherited_kinds: dict[int, FactKind] = {}
        """Thoughts that took the place of something a treatment depended on, with the kind of
        that."""
        self._standing: set[int] = set()
        """What is protected or open, whoever it is about and whether it is denied."""
        self._doctors: set[int] = set()
        self.corrected_turns: set[int] = set()
        """Turns with something that was said otherwise since."""
        self.changed: set[int] = set()
        """Numbers of the thoughts that are new or changed since this was last cleared."""

    def __getitem__(self, number: int) -> Fact:
        """The thought of that number, whatever became of it."""
        return self._ledger[number]

    @property
    def ledger(self) -> tuple[Fact, ...]:
        """Every thought there ever was, in the order of its coming."""
        return tuple(self._ledger.values())

    @property
    def size(self) -> int:
        """How many thoughts there ever were."""
        return len(self._ledger)

    @property
    def active(self) -> list[Fact]:
        """The thoughts that can be recalled."""
        return list(self._active.values())

    @property
    def vital(self) -> Iterator[Fact]:
        """What a treatment depends on.

        The newest allergy, medicine, pregnancy and condition, then the next of each.

        So no kind crowds out another. What was only inferred comes after all that was said. A
        thought that says that such a fact has ended, or is otherwise, is one of the kind of that
        fact.
        """
        for inferred in (False, True):
            newest_first = [sorted(self._vital[inferred, kind], reverse=True) for kind in FactKind]
            # One of each kind a round; a kind of which there are no more gives None.
            for numbers in zip_longest(*newest_first):
                for number in numbers:
                    if number is not None:
                        yield self._active[number]

    @property
    def newest(self) -> Iterator[Fact]:
        """The active thoughts, the newest first."""
        return reversed(self._active.values())

    @property
    def standing(self) -> list[int]:
        """The active thoughts that a treatment may depend on, or that are open, oldest first."""
        return sorted(self._standing | self._vital_kinds.keys())

    def is_vital(self, thought: Fact) -> bool:
        """Whether a treatment depends on an active thought, as `vital` tells."""
        return thought.id in self._vital_kinds

    def kind_of(self, thought: Fact) -> FactKind:
        """The kind of an active thought for a reader: of the patient, or of what it replaced."""
        if vital := self._vital_kinds.get(thought.id):
            return vital
        is_of_relative = thought.is_protected and self._names_relative(thought.subject)
        return FactKind.OTHER if is_of_relative else thought.kind

    @property
    def doctors_own(self) -> list[Fact]:
        """What the doctor thinks of."""
        return [self._active[number] for number in sorted(self._doctors)]

    def of_turn(self, turn: int) -> list[int]:
        """The active thoughts that were said in a turn, the oldest first."""
        return sorted(self._by_turn[turn]) if turn in self._by_turn else []

    @property
    def turns(self) -> KeysView[int]:
        """Turns of active thoughts."""
        return self._by_turn.keys()

    def same_as(self, fact: Fact) -> Fact | None:
        """Return the oldest active thought that says exactly what a fact says."""
        numbers = self._by_fact.get(fact.key)
        return self._active[min(numbers)] if numbers else None

    def insert(
        self,
        fact: Fact,
        turn: int | None,
        vector: Vector,
        group: int,
        merged: tuple[int, ...] = (),
    ) -> Fact:
        """Give a fact its place, in the group of the words it comes from.

        What is merged was said in the turns of its parts; a turn in which nobody said it is None.
        """
        number = len(self._ledger) + 1
        said_in = set[int]().union(*(self._ledger[part].turns for part in merged))
        if turn is not None:
            said_in.add(turn)
        *also, last = sorted(said_in)
        place = {"id": number, "turn": last, "also": tuple(also), "parts": merged}
        thought = fact.model_copy(update=place)
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

    def retire(self, number: int, status: FactStatus, because: str, by: int | None = None) -> Fact:
        """Take a thought out of recall; `by` is the thought that took its place."""
        thought = self._ledger[number].model_copy(
            update={"status": status, "by": by, "because": because}
        )
        self._ledger[number] = thought
        self.changed.add(number)
        del self._active[number]
        if kind := self._vital_kinds.pop(number, None):
            self._vital[thought.inferred, kind].remove(number)
        self._doctors.discard(number)
        self._standing.discard(number)
        same = self._by_fact[thought.key]
        same.remove(number)
        if not same:
            del self._by_fact[thought.key]
        for turn in thought.turns:
            self._by_turn[turn].remove(number)
            if not self._by_turn[turn]:
                del self._by_turn[turn]
        self._note_outdated_turns(thought)
        self._pass_kind_on(thought)
        self.index.remove(number)
        self.bm25.remove(number)
        return thought

    def extend(self, thoughts: Iterable[Fact], rows: dict[str, Any] | None = None) -> None:
        """Take in thoughts as they are now, with the vectors of those that are new and active."""
        if rows is not None:
            self.index.extend(rows)
        for thought in thoughts:
            old = self._ledger.get(thought.id)
            if old is None:
                self._keep(thought)
            elif old.status is FactStatus.ACTIVE:
                for turn in sorted({*thought.turns} - {*old.turns}):
                    self.again(thought.id, turn)
                if thought.status is not FactStatus.ACTIVE:
                    self.retire(thought.id, thought.status, thought.because, thought.by)

    def _keep(self, thought: Fact) -> None:
        """Put a thought into the ledger and, if it is active, where it is found."""
        self._ledger[thought.id] = thought
        self.changed.add(thought.id)
        if thought.status is not FactStatus.ACTIVE:
            self._note_outdated_turns(thought)
            self._pass_kind_on(thought)
            return
        self._active[thought.id] = thought
        self._by_fact[thought.key].add(thought.id)
        if thought.is_doctors:
            self._doctors.add(thought.id)
        else:
            self._note_vital(thought)
        if thought.is_protected or thought.kind is FactKind.OPEN:
            self._standing.add(thought.id)
        self._note_turns(thought)
        self.bm25.add(thought.id, wording(thought))

    def _note_vital(self, thought: Fact) -> None:
        if thought.id not in self._vital_kinds and (kind := self._vital_kind(thought)):
            self._vital_kinds[thought.id] = kind
            self._vital[thought.inferred, kind].add(thought.id)

    def _vital_kind(self, thought: Fact) -> FactKind | None:
        """The kind under which a treatment depends on a thought; None if it does not.

        It does if the thought is protected, affirmed or not known, and about the patient. A denial
        that rules formed counts as well: they cannot tell which older thought it ends, so both have
        to be told. So does any other thought that took the place of one on which a treatment
        depended.
        """
        is_models_denial = thought.denied and thought.is_by_model and not thought.unknown
        is_of_relative = self._names_relative(thought.subject)
        if thought.is_protected and not is_models_denial and not is_of_relative:
            return thought.kind
        return self._inherited_kinds.get(thought.id)

    def _names_relative(self, subject: str) -> bool:
        return finder("relatives", self.language).search(subject) is not None

    def _note_turns(self, thought: Fact) -> None:
        for turn in thought.turns:
            self._by_turn[turn].add(thought.id)

    def _note_outdated_turns(self, thought: Fact) -> None:
        """Note that the turns of a thought say something that is no longer so."""
        is_corrected = thought.status in (FactStatus.SUPERSEDED, FactStatus.FORGOTTEN)
        # What the doctor thinks is not among the words of a turn.
        if is_corrected and not thought.is_doctors:
            self.corrected_turns.update(thought.turns)

    def _pass_kind_on(self, thought: Fact) -> None:
        """Let what took the place of a vital thought be vital, under the same kind."""
        if thought.is_doctors or thought.by is None:
            return
        kind = self._vital_kind(thought)
        if kind is None:
            return
        self._inherited_kinds.setdefault(thought.by, kind)
        heir = self._active.get(thought.by)
        if heir is not None and not heir.is_doctors:
            self._note_vital(heir)


def wording(thought: Fact) -> str:
    """Return the text a thought is found by: its triple and the words it rests on."""
    return f"{thought.triple} {thought.sentence}".strip()


def unrelated_cosine(index: VectorIndex) -> float:
    """Estimate how similar unrelated thoughts are: most pairs of a memory are unrelated."""
    rows = index.sample(_SAMPLE)
    if len(rows) < 2:
        return 0.0
    pairs = np.triu_indices(len(rows), 1)  # each pair of different thoughts once
    return float(np.quantile((rows @ rows.T)[pairs], _UNRELATED))
