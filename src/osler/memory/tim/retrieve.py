"""Recall in two stages: the groups nearest to the query, then the best of what is in them.

Embeddings alone miss much in conversations, so vector and word rankings are combined. A thought leaves out what
everybody in the conversation knew at that point, so it is scored together with the words of its turn, for which the
names said shortly before still count. A question names a thing and what is wanted of it: a turn with some of both ranks
above one that only has the full name. If no thought bears on the query, the exchanges themselves are searched instead.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.memory.base import Turn, tokens
from osler.memory.tim.memory_bank import MemoryBank, raw_text
from osler.memory.tim.thought import Thought
from osler.memory.tim.thought_space import ThoughtSpace, unrelated_cosine
from osler.ranking import all_seen, best, exceeds, ranked, reaches

_POOL = 4
"""Candidates by vector, times what is wanted: the best of the sum is seldom below that."""

# Tuned on one half of the questions of `benchmarks/recall.py`.
_OWN = 0.001
"""Weight of a thought's own score beside that of its turn. It orders the thoughts of one turn, and does not change the
order of turns: its few words alone mislead more than the turn's."""
_TURN_WORDS = 3.0
"""Weight of the words of its turn beside the vector of its turn."""
_FADES, _SHUTS = 200.0, 1.5
"""Tokens of a turn that let 1/e through of what was said before it, and how sharply that depends on its length. A name
is said once and then `it`, so that the turn with the answer seldom holds the name, and a short turn lets nearly all of
it through; but who talks at length names what it is about."""
_FEW = 4
"""Turns, or the root of all of them if that is more, up to which a word may be a name, and lasts. A word that more
turns hold is said wherever it is meant."""


class Hit(NamedTuple):
    """Something found, and how well it fits: by its vector, by its words, by both."""

    number: int
    score: float
    cosine: float
    lexical: float
    turn: int | None = None
    """Of a thought that was scored with its turn: of the turns in which it was said, the one that fits best."""


def fused(
    query: str, vector: NDArray[np.float32], store: MemoryBank | ThoughtSpace, k: int, probes: int | None = None
) -> list[Hit]:
    """Return the best k by the sum of both scores."""
    near = {number for number, _ in store.index.search(vector, k * _POOL, probes)}
    shared = store.bm25.scores(query).keys() if probes is None else ()
    return _best(_weighed(query, vector, store, sorted({*near, *shared})), k)


def _weighed(
    query: str, vector: NDArray[np.float32], store: MemoryBank | ThoughtSpace, numbers: Sequence[int]
) -> list[Hit]:
    """Score some of what is stored by the sum of its vector and word scores."""
    near, words = store.index.cosines(vector, numbers), store.bm25.scores(query)
    cosines = np.array([near[number] for number in numbers])
    scores = np.array([words.get(number, 0.0) for number in numbers])
    total = _standing(cosines) + _standing(scores)
    rows = zip(numbers, total.tolist(), cosines.tolist(), scores.tolist(), strict=True)
    return [Hit(*row) for row in rows]


def _best(hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the best k; of two alike the older first."""
    return [hits[place] for place in ranked([hit.score for hit in hits], [hit.number for hit in hits])[:k]]


def _standing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardise each value by how far it is from the others; nothing if all are the same."""
    if not len(values):
        return values
    values = all_seen(values)
    apart = values - values.sum() / len(values)
    spread = math.sqrt((apart * apart).sum() / len(values))
    return apart / spread if exceeds(spread, 0.0) else np.zeros_like(values)


def recall_thoughts(
    query: str,
    vector: NDArray[np.float32],
    space: ThoughtSpace,
    k: int,
    probes: int | None = None,
    bank: MemoryBank | None = None,
) -> list[Hit]:
    """Return the thoughts that bear on a query, best first; empty if none does.

    With a bank, each is scored together with its turn. With `probes` it never is: the papers look at thoughts alone.
    """
    if bank is None or probes is not None or not len(bank):
        hits = fused(query, vector, space, k, probes)
        return hits if _any_bears(hits, space) else []
    turns = turn_standings(query, vector, bank)
    said_in = {thought.id: _best_turn(thought, turns) for thought in space.active}
    hits = _weighed(query, vector, space, sorted(said_in))
    if not _any_bears(hits, space):
        return []
    by_turn: dict[int, list[Hit]] = defaultdict(list)
    for hit in _best(hits, len(hits)):
        turn = said_in[hit.number]
        by_turn[turn].append(hit._replace(score=_OWN * hit.score + turns.get(turn, 0.0), turn=turn))
    found = list(by_turn)
    order = ranked([turns.get(turn, 0.0) for turn in found], found)
    return [hit for place in order for hit in by_turn[found[place]]][:k]


def _best_turn(thought: Thought, turns: Mapping[int, float]) -> int:
    if not thought.also:
        return thought.turn
    said = thought.turns
    return said[best([turns.get(turn, 0.0) for turn in said], [-turn for turn in said])]


def nearest_thoughts(vector: NDArray[np.float32], space: ThoughtSpace, k: int, probes: int = 1) -> list[Hit]:
    """The papers' recall: the best k by cosine alone within the probed groups; empty if none bears on the query."""
    hits = [Hit(number, cosine, cosine, 0.0) for number, cosine in space.index.search(vector, k, probes)]
    return hits if _any_bears(hits, space) else []


def _any_bears(hits: Sequence[Hit], space: ThoughtSpace) -> bool:
    if any(exceeds(hit.lexical, 0.0) for hit in hits):
        return True
    floor = unrelated_cosine(space.index)
    return any(exceeds(hit.cosine, floor) for hit in hits)


def turn_standings(query: str, vector: NDArray[np.float32], bank: MemoryBank) -> dict[int, float]:
    """Score each turn against the query, by vector and words, when what was said before it still counts for it."""
    numbers = sorted(bank.turns)
    near = bank.index.cosines(vector, numbers)
    shares = np.exp([-((_length(bank[number]) / _FADES) ** _SHUTS) for number in numbers])
    cosines = np.array([near[number] for number in numbers])
    by_word = bank.bm25.scores_by_word(query)
    words = np.zeros(len(numbers))
    for phrase in bank.bm25.phrases(query):
        # A word counts once, in the phrase in which it comes first.
        if held := {word: by_word.pop(word) for word in phrase if word in by_word}:
            words += _told_of(held, numbers, shares)
    total = _standing(_lasting(np.maximum(cosines, 0.0), shares)) + _TURN_WORDS * _standing(words)
    return dict(zip(numbers, total.tolist(), strict=True))


def _told_of(
    phrase: Mapping[str, Mapping[int, float]], numbers: Sequence[int], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Score what each turn says about a phrase, whose names last.

    The root of it: a name of many words is one thing that was asked, and what is asked about it is another.
    """
    few = max(_FEW, math.sqrt(len(numbers)))
    names, others = np.zeros(len(numbers)), np.zeros(len(numbers))
    for holders in phrase.values():
        said = np.array([holders.get(number, 0.0) for number in numbers])
        if reaches(few, len(holders)):
            names += said
        else:
            others += said
    return np.maximum(np.sqrt(names + others), _lasting(np.sqrt(names), shares))


@lru_cache(maxsize=8192)
def _length(turn: Turn) -> int:
    return tokens(raw_text(turn))


def _lasting(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep each value, or what is left of an earlier one if that is more; each turn lets its share of that through."""
    lasting, left = [], 0.0
    for value, share in zip(values.tolist(), shares.tolist(), strict=True):
        left = max(value, share * left)
        lasting.append(left)
    return np.array(lasting)


def recall_talk(query: str, vector: NDArray[np.float32], bank: MemoryBank, k: int) -> list[Hit]:
    """The exchanges that bear on a query in the course of the talk, best first."""
    standings = turn_standings(query, vector, bank)
    return _best([Hit(number, score, 0.0, 0.0, number) for number, score in standings.items()], k)
