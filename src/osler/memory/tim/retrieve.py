"""Recall in two stages: the groups nearest to the query, then the best of what is in them.

Embeddings alone miss much in conversations, so vector and word rankings are combined. A thought leaves out what
everybody in the conversation knew at that point, so it is scored together with the words of its turn, for which the
names said shortly before still count. A question names a thing and what is wanted of it: a turn with some of both ranks
above one that only has the full name. If no thought bears on the query, the exchanges themselves are searched instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.memory.tim.bm25 import WordHolders
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.thought_space import ThoughtSpace, unrelated_cosine
from osler.ranking import all_seen, exceeds, ranked, reaches, reaching

_TURNS = 64
"""The fewest turns of which thoughts are looked at."""
_POOL = 4
"""Candidates by vector, times what is wanted: the best of the sum is seldom below that."""

_OWN = 1.0
"""Weight of a thought's own words beside the score of its turn: a turn tells many things, few of them asked for."""

# Tuned on one half of the questions of `benchmarks/recall.py`.
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
    shared = _sharing(query, store, k * _POOL) if probes is None else ()
    return _best(_weighed(query, vector, store, sorted({*near, *shared})), k)


def fused_by_words(query: str, vector: NDArray[np.float32], store: MemoryBank | ThoughtSpace, k: int) -> list[Hit]:
    """Return the best k by the sum of both scores of what shares a word with the query, without a search by vector."""
    return _best(_weighed(query, vector, store, sorted(_sharing(query, store, k * _POOL))), k)


def _sharing(query: str, store: MemoryBank | ThoughtSpace, k: int) -> list[int]:
    """The k that share most with the query by their words; some more where scores are equal."""
    totals = store.bm25.totals(query)
    return [store.bm25.number(place) for place in _leading(totals, k) if totals[place] > 0.0]


def _leading(scores: NDArray[np.float64], k: int) -> list[int]:
    """The places of the k highest scores, in no order; some more where scores are equal."""
    if len(scores) <= k:
        return list(range(len(scores)))
    least = float(np.partition(scores, -k)[-k])
    found: list[int] = np.flatnonzero(reaching(scores, least)).tolist()
    return found


def _weighed(
    query: str, vector: NDArray[np.float32], store: MemoryBank | ThoughtSpace, numbers: Sequence[int]
) -> list[Hit]:
    """Score some of what is stored by the sum of its vector and word scores."""
    cosines = store.index.cosines(vector, numbers)
    scores = store.bm25.totals(query)[store.bm25.places(numbers)]
    total = _standing(cosines) + _standing(scores)
    return list(map(Hit, numbers, total.tolist(), cosines.tolist(), scores.tolist()))


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
    if not bears_on(query, vector, space):
        return []
    return thoughts_of_turns(recall_talk(query, vector, bank, max(_TURNS, 2 * k)), query, space, k)


def thoughts_of_turns(turns: Sequence[Hit], query: str, space: ThoughtSpace, k: int) -> list[Hit]:
    """Return the best k thoughts of turns that were found, by the score of the turn and the words of the thought.

    A thought that was said in several turns is scored with the one that fits best.
    """
    said_in: dict[int, Hit] = {}
    for turn in turns:
        said_in.update((number, turn) for number in space.of_turn(turn.number) if number not in said_in)
        if len(said_in) >= k:
            break
    numbers = sorted(said_in)
    words = space.bm25.totals(query)[space.bm25.places(numbers)]
    hits = [
        Hit(number, own + said_in[number].score, 0.0, lexical, said_in[number].number)
        for number, own, lexical in zip(numbers, (_OWN * _standing(words)).tolist(), words.tolist(), strict=True)
    ]
    return _best(hits, k)


def nearest_thoughts(vector: NDArray[np.float32], space: ThoughtSpace, k: int, probes: int = 1) -> list[Hit]:
    """The papers' recall: the best k by cosine alone within the probed groups; empty if none bears on the query."""
    hits = [Hit(number, cosine, cosine, 0.0) for number, cosine in space.index.search(vector, k, probes)]
    return hits if _any_bears(hits, space) else []


def _any_bears(hits: Sequence[Hit], space: ThoughtSpace) -> bool:
    if any(exceeds(hit.lexical, 0.0) for hit in hits):
        return True
    floor = unrelated_cosine(space.index)
    return any(exceeds(hit.cosine, floor) for hit in hits)


def bears_on(query: str, vector: NDArray[np.float32], space: ThoughtSpace) -> bool:
    """Check whether any thought shares a word with the query, or is nearer to it than unrelated thoughts are."""
    if space.bm25.shares(query):
        return True
    return _any_bears([Hit(number, cosine, cosine, 0.0) for number, cosine in space.index.search(vector, 1)], space)


def turn_standings(query: str, vector: NDArray[np.float32], bank: MemoryBank) -> dict[int, float]:
    """Score each turn against the query, by vector and words, when what was said before it still counts for it."""
    return dict(zip(bank.turns, _standings(query, vector, bank).tolist(), strict=True))


def _standings(query: str, vector: NDArray[np.float32], bank: MemoryBank) -> NDArray[np.float64]:
    """The scores of all turns, in their order."""
    cosines = np.maximum(bank.index.all_cosines(vector), 0.0)
    faded = -np.cumsum((bank.lengths / _FADES) ** _SHUTS)
    by_word = bank.bm25.by_word(query)
    words = np.zeros(len(bank))
    for phrase in bank.bm25.phrases(query):
        # A word counts once, in the phrase in which it comes first.
        if held := [by_word.pop(word) for word in phrase if word in by_word]:
            words += _told_of(held, faded)
    total: NDArray[np.float64] = _standing(_lasting(cosines, faded)) + _TURN_WORDS * _standing(words)
    return total


def _told_of(phrase: Sequence[WordHolders], faded: NDArray[np.float64]) -> NDArray[np.float64]:
    """Score what each turn says about a phrase, whose names last.

    The root of it: a name of many words is one thing that was asked, and what is asked about it is another.
    """
    few = max(_FEW, math.sqrt(len(faded)))
    names, every = np.zeros(len(faded)), np.zeros(len(faded))
    has_name = False
    for held in phrase:
        every[held.places] += held.scores
        if reaches(few, len(held.places)):
            names[held.places] += held.scores
            has_name = True
    told: NDArray[np.float64] = np.sqrt(every)
    return np.maximum(told, _lasting(np.sqrt(names), faded)) if has_name else told


def _lasting(values: NDArray[np.float64], faded: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep each value, or what is left of an earlier one if that is more.

    `faded` is the logarithm of what is left of the first turn's value in each turn.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    lasting: NDArray[np.float64] = np.exp(np.maximum.accumulate(logs - faded) + faded)
    return lasting


def recall_talk(query: str, vector: NDArray[np.float32], bank: MemoryBank, k: int) -> list[Hit]:
    """The exchanges that bear on a query in the course of the talk, best first."""
    standings, numbers = _standings(query, vector, bank), bank.turns
    leading = _leading(standings, k)
    scores = standings[leading].tolist()
    hits = (Hit(numbers[place], score, 0.0, 0.0, numbers[place]) for place, score in zip(leading, scores, strict=True))
    return _best(list(hits), k)
