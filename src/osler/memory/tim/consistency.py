"""Holds a drafted reply against what is kept, so that a doctor does not speak against what the patient said.

A sentence that denies a fact is as near to its words as one that repeats it. Cosines therefore say what a clause is
about, and the words that deny say on which side it stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from osler.memory.embedders.base import Embedder, Vectors
from osler.memory.tim.perturb import perturb, told
from osler.memory.tim.stance import suspects
from osler.memory.tim.thought import Status, Thought
from osler.ranking import best as best_of
from osler.ranking import exceeds, ranked, reaching
from osler.records.language import Language

MOST = 3
"""Conflicts that are told; a doctor who is asked again can mend no more at once."""
LEAST_DELTA, MOST_DELTA = 0.05, 0.8
_POLARITY = 0.25
"""What the side of a clause counts beside the cosine."""
_MARGIN = 0.1
"""How much nearer a clause has to be to the perturbed fact than to the fact."""
_SAMPLE = 10
"""Thoughts from which delta is found; each costs an embedding."""
_RELATED = 0.97
"""The quantile of cosines above which two thoughts of one memory may well be about one thing."""


@dataclass(frozen=True)
class Conflict:
    """A sentence of a draft that speaks against a thought."""

    thought: Thought
    sentence: str
    perturbed: str
    """The perturbed thought that the sentence is nearest to: what it would have the doctor believe."""
    score: float
    """Cosine and polarity together, at most 1."""


async def conflicts(draft: str, thoughts: Sequence[Thought], embedder: Embedder, language: Language) -> list[Conflict]:
    """Where a draft speaks against what is kept, most certain first. What a model only inferred was said by nobody.

    Nothing is learned from it: every text is embedded as a query.
    """
    kept = [one for one in thoughts if one.status is Status.ACTIVE and one.certainty > 0 and not one.inferred]
    found = suspects(draft, kept, language)
    if not found:
        return []
    sample = [told(thought, language) for thought in _sample(kept)]
    texts = [*sample]
    for clause, thought in found:
        texts += [clause.text, told(thought, language), *perturb(thought, language)]
    rows = await _rows(embedder, texts)
    delta = adaptive_delta(np.stack([rows[text] for text in sample]))
    best: dict[int, Conflict] = {}
    for clause, thought in found:
        perturbed, said = perturb(thought, language), rows[clause.text]
        cosines = [float(rows[text] @ said) for text in perturbed]
        nearest = best_of(cosines, perturbed)
        score = _leaning(cosines[nearest], 1)
        same = _leaning(float(rows[told(thought, language)] @ said), -1)
        if not (exceeds(cosines[nearest], delta) and exceeds(score - same, _MARGIN)):
            continue
        if thought.id not in best or exceeds(score, best[thought.id].score):
            best[thought.id] = Conflict(thought, clause.sentence, perturbed[nearest], score)
    numbers, told_of = list(best), list(best.values())
    return [told_of[place] for place in ranked([conflict.score for conflict in told_of], numbers)[:MOST]]


def adaptive_delta(vectors: Vectors) -> float:
    """How near two texts of this memory are that have nothing to do with each other, and a little more.

    Args:
        vectors: Thoughts of the memory, rows of unit length. Their nearest pairs may be related and do not count.

    Returns:
        Mean and two standard deviations of their cosines, within bounds.
    """
    if len(vectors) < 3:
        return LEAST_DELTA
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    unrelated = cosines[reaching(-cosines, -float(np.quantile(cosines, _RELATED)))]
    if not len(unrelated):
        return LEAST_DELTA
    return min(max(float(unrelated.mean() + 2 * unrelated.std()), LEAST_DELTA), MOST_DELTA)


def _leaning(cosine: float, side: int) -> float:
    """The cosine of two rows that have one more number each: the side they are on."""
    return float((cosine + _POLARITY * side) / (1 + _POLARITY))


async def _rows(embedder: Embedder, texts: Iterable[str]) -> dict[str, NDArray[np.float32]]:
    """A row for each text, which is embedded once however often it is needed."""
    wanted = list(dict.fromkeys(texts))
    rows = await asyncio.gather(*(embedder.embed_query(text) for text in wanted))
    return dict(zip(wanted, rows, strict=True))


def _sample(thoughts: Sequence[Thought]) -> list[Thought]:
    """Thoughts from the whole length of the memory."""
    places = np.linspace(0, len(thoughts) - 1, min(_SAMPLE, len(thoughts))).round().astype(int)
    return [thoughts[place] for place in places.tolist()]
