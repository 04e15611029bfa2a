"""The memory bank: what was said, word for word. It is only ever added to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.memory.base import Turn, tokens
from osler.memory.core.bm25 import Bm25
from osler.memory.core.recall_text import raw_text
from osler.memory.core.vectors import VectorIndex


class MemoryBank:
    """Every exchange with its vector, under the number of its turn."""

    def __init__(self, language: Language, index: VectorIndex) -> None:
        """Start empty."""
        self.index = index
        self.bm25 = Bm25(language)
        self._turns: dict[int, Turn] = {}
        self._questions: dict[int, Turn] = {}
        self._lengths = array("d")

    def __getitem__(self, number: int) -> Turn:
        """The exchange of that turn."""
        return self._turns[number]

    def __contains__(self, number: int) -> bool:
        """Whether there is an exchange of that turn."""
        return number in self._turns

    def question(self, number: int) -> Turn:
        """The exchange of that turn without its reply."""
        if number not in self._questions:
            self._questions[number] = self._turns[number].question_alone
        return self._questions[number]

    def __len__(self) -> int:
        """Return the number of exchanges."""
        return len(self._turns)

    @property
    def turns(self) -> tuple[int, ...]:
        """The numbers of the turns, in their order."""
        return tuple(self._turns)

    @property
    def newest(self) -> Iterator[int]:
        """The numbers of the turns, the newest first."""
        return reversed(self._turns)

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Tokens of each exchange, in their order."""
        return np.array(self._lengths)

    def add(self, turn: Turn, vector: NDArray[np.float32]) -> int:
        """Keep an exchange; the group its words fall into is the group of its thoughts too."""
        self._keep(turn)
        return self.index.add(turn.number, vector)

    def last_turns(self, count: int) -> list[Turn]:
        """The exchanges added last, in their order."""
        return list(islice(reversed(self._turns.values()), count))[::-1]

    def extend(self, turns: Iterable[Turn], rows: dict[str, Any]) -> None:
        """Add exchanges whose vectors are known."""
        for turn in turns:
            self._keep(turn)
        self.index.extend(rows)

    def _keep(self, turn: Turn) -> None:
        self._turns[turn.number] = turn
        text = raw_text(turn)
        self._lengths.append(tokens(text))
        self.bm25.add(turn.number, text)
