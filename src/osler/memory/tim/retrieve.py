"""Recall in two stages: the groups nearest to the query, then the best of what is in them.

Embeddings alone miss much in conversations, so vector and word rankings are combined. A thought
leaves out what everybody in the conversation knew at that point, so it is scored together with the
words of its turn, for which the names said shortly before still count. A question names a thing and
what is wanted of it: a turn with some of both ranks above one that only has the full name. If no
thought bears on the query, the exchanges themselves are searched instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.memory.core.bm25 import WordHolders
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.thought_space import ThoughtSpace, unrelated_cosine
from osler.ranking import all_seen, exceeds, ranked, reaches, reaching

_TURNS = 64
"""The fewest turns of which thoughts are looked at."""
_POOL = 4
"""Candidates by vector for each hit that is wanted: the best of the sum is seldom below that."""

_OWN_WORDS = 1.0
"""Weight of a thought's own words beside the score of its turn: a turn tells many things, few of
them asked for."""

# Tuned on one half of the questions of `benchmarks/recall.py`.
_TURN_WORDS = 3.0
"""Weight of the words of its turn beside the vector of its turn."""
_FADING_TOKENS, _FADING_POWER = 200.0, 1.5
"""A turn of n tokens leaves exp(-(n / 200) ** 1.5) of what was said before it.

A name is said once and then `it`, so that the turn with the answer seldom holds the name, and a
short turn leaves nearly all of it; but who talks at length names what it is about."""
_RARE = 4
"""Turns, or the root of all of them if that is more, up to which a word may be a name, and lasts.

A word that more turns hold is said wherever it is meant."""


class Hit(NamedTuple):
    """A thought or a turn, and how well it fits: by both, by its vector, by its words."""

    number: int
    score: float
    cosine: float
    lexical: float
    turn: int | None = None
    """Of a thought that was scored with its turn: of the turns in which it was said, the one that
    fits best. Of a turn, None."""


def fused(
    query: str,
    vector: NDArray[np.float32],
    store: MemoryBank | ThoughtSpace,
    k: int,
    probes: int | None = None,
) -> list[Hit]:
    """Return the best k by the sum of both scores.

    Args:
        query: What to look for, in words.
        vector: The query as a vector.
        store: Where to look.
        k: How many at most.
        probes: Groups to visit, the nearest first, as the papers do: what is in no other group is
            then no candidate, whatever words it shares. None visits all that may be among the
            best, by vector or by words.
    """
    candidates = {number for number, _ in store.index.search(vector, k * _POOL, probes)}
    if probes is None:
        candidates.update(_sharing(query, store, k * _POOL))
    return _best(_scored(query, vector, store, sorted(candidates)), k)


def _sharing(query: str, store: MemoryBank | ThoughtSpace, k: int) -> list[int]:
    """The k that share most with the query by their words; some more where scores are equal."""
    totals = store.bm25.totals(query)
    return [store.bm25.number(place) for place in _leading(totals, k) if totals[place] > 0.0]


def _leading(scores: NDArray[np.float64], k: int) -> list[int]:
    """The places of the k highest scores, in no order; some more where scores are equal."""
    if len(scores) <= k:
        return list(range(len(scores)))
    least = float(np.partition(scores, -k)[-k])
    places: list[int] = np.flatnonzero(reaching(scores, least)).tolist()
    return places


def _scored(
    query: str,
    vector: NDArray[np.float32],
    store: MemoryBank | ThoughtSpace,
    numbers: Sequence[int],
) -> list[Hit]:
    """Score some of what is stored: z-score of its cosine, plus z-score of its words."""
    cosines = store.index.cosines(vector, numbers)
    words = store.bm25.totals(query)[store.bm25.places(numbers)]
    total = _standardised(cosines) + _standardised(words)
    return list(map(Hit, numbers, total.tolist(), cosines.tolist(), words.tolist()))


def _best(hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the best k; of two alike the older first."""
    order = ranked([hit.score for hit in hits], [hit.number for hit in hits])
    return [hits[place] for place in order[:k]]


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The z-scores (value - mean) / standard deviation; zeros if all values are the same."""
    if not len(values):
        return values
    values = all_seen(values)
    deviations = values - values.sum() / len(values)
    spread = math.sqrt((deviations * deviations).sum() / len(values))
    return deviations / spread if exceeds(spread, 0.0) else np.zeros_like(values)


def recall_thoughts(
    query: str, vector: NDArray[np.float32], space: ThoughtSpace, bank: MemoryBank, k: int
) -> list[Hit]:
    """Return the k thoughts that bear most on a query, each scored together with its turn.

    Best first; empty if no thought bears on the query at all.
    """
    if not bears_on(query, vector, space):
        return []
    turns = best_turns(query, vector, bank, max(_TURNS, 2 * k))
    return thoughts_of_turns(turns, query, space, k)


def recall_thoughts_alone(
    query: str,
    vector: NDArray[np.float32],
    space: ThoughtSpace,
    k: int,
    probes: int | None = None,
) -> list[Hit]:
    """Return the k thoughts that bear most on a query, whatever else was said in their turns.

    Best first; empty if none of them bears on the query. `probes` is as in `fused`.
    """
    hits = fused(query, vector, space, k, probes)
    return hits if _any_bears(hits, space) else []


def thoughts_of_turns(turns: Sequence[Hit], query: str, space: ThoughtSpace, k: int) -> list[Hit]:
    """Return the best k thoughts of these turns, by the score of the turn and their own words.

    A thought that was said in several turns is scored with the one that fits best.

    Args:
        turns: The best first.
        query: What to look for.
        space: The thoughts.
        k: How many at most.
    """
    turn_of: dict[int, Hit] = {}
    for turn in turns:
        for number in space.of_turn(turn.number):
            turn_of.setdefault(number, turn)
        # The turns that follow fit less, and there are k thoughts to tell already.
        if len(turn_of) >= k:
            break
    numbers = sorted(turn_of)
    words = space.bm25.totals(query)[space.bm25.places(numbers)]
    own_scores = _OWN_WORDS * _standardised(words)
    hits = []
    for number, own, lexical in zip(numbers, own_scores.tolist(), words.tolist(), strict=True):
        turn = turn_of[number]
        hits.append(Hit(number, own + turn.score, 0.0, lexical, turn.number))
    return _best(hits, k)


def nearest_thoughts(
    vector: NDArray[np.float32], space: ThoughtSpace, k: int, probes: int = 1
) -> list[Hit]:
    """The papers' recall: the best k by cosine alone within the probed groups.

    Empty if none bears on the query.
    """
    hits = _nearest(vector, space, k, probes)
    return hits if _any_bears(hits, space) else []


def _nearest(
    vector: NDArray[np.float32], space: ThoughtSpace, k: int, probes: int | None
) -> list[Hit]:
    nearest = space.index.search(vector, k, probes)
    return [Hit(number, cosine, cosine, 0.0) for number, cosine in nearest]


def _any_bears(hits: Sequence[Hit], space: ThoughtSpace) -> bool:
    if any(exceeds(hit.lexical, 0.0) for hit in hits):
        return True
    floor = unrelated_cosine(space.index)
    return any(exceeds(hit.cosine, floor) for hit in hits)


def bears_on(query: str, vector: NDArray[np.float32], space: ThoughtSpace) -> bool:
    """Check whether a thought shares a word with the query, or is nearer than unrelated ones."""
    return space.bm25.shares(query) or _any_bears(_nearest(vector, space, 1, None), space)


def best_turns(query: str, vector: NDArray[np.float32], bank: MemoryBank, k: int) -> list[Hit]:
    """Return the k turns that bear most on a query, best first.

    What was said shortly before a turn counts for it.
    """
    scores, numbers = _turn_scores(query, vector, bank), bank.turns
    hits = [Hit(numbers[place], float(scores[place]), 0.0, 0.0) for place in _leading(scores, k)]
    return _best(hits, k)


def _turn_scores(query: str, vector: NDArray[np.float32], bank: MemoryBank) -> NDArray[np.float64]:
    """The scores of all turns, in their order: z(lasting cosine) + 3 z(lasting words)."""
    # Of what is said before the first turn, exp(log_left[i]) is left in turn i.
    log_left = -np.cumsum((bank.lengths / _FADING_TOKENS) ** _FADING_POWER)
    cosines = np.maximum(bank.index.all_cosines(vector), 0.0)
    by_vector = _standardised(_lasting(cosines, log_left))
    by_words = _standardised(_word_scores(query, bank, log_left))
    total: NDArray[np.float64] = by_vector + _TURN_WORDS * by_words
    return total


def _word_scores(
    query: str, bank: MemoryBank, log_left: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each turn says about the phrases of a query, by their words."""
    unused = bank.bm25.by_word(query)
    scores = np.zeros(len(bank))
    for phrase in bank.bm25.phrases(query):
        holders = []
        for word in phrase:
            # A word counts once, in the phrase in which it comes first.
            if word in unused:
                holders.append(unused.pop(word))
        if holders:
            scores += _phrase_scores(holders, log_left)
    return scores


def _phrase_scores(
    words: Sequence[WordHolders], log_left: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each turn says about a phrase: max(root of all its words, lasting root of its names).

    The root, since a name of many words is one thing that was asked, and what is asked about it is
    another.
    """
    turns = len(log_left)
    rare = max(_RARE, math.sqrt(turns))
    names = [word for word in words if reaches(rare, len(word.places))]
    scores: NDArray[np.float64] = np.sqrt(_summed(words, turns))
    if not names:
        return scores
    return np.maximum(scores, _lasting(np.sqrt(_summed(names, turns)), log_left))


def _summed(words: Sequence[WordHolders], turns: int) -> NDArray[np.float64]:
    """What some words add to the score of each turn."""
    total = np.zeros(turns)
    for word in words:
        total[word.places] += word.scores
    return total


def _lasting(values: NDArray[np.float64], log_left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each value, or what is left of an earlier one if that is more.

    In turn i: the maximum over j <= i of values[j] * left[i] / left[j], where left = exp(log_left).
    In logarithms, since left itself soon becomes too small for a floating-point number.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(values)  # of 0, -inf: nothing is left of it
    lasting: NDArray[np.float64] = np.exp(np.maximum.accumulate(logs - log_left) + log_left)
    return lasting
