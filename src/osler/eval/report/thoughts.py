"""The thoughts of Think-in-Memory on a map: what is alike lies together."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from osler.eval.report.snapshot import Row, Snapshot, sampled
from osler.language import Language
from osler.memory.embedders import open_embedder
from osler.runs.events import Remembered
from osler.runs.plan import Column
from osler.seeds import derive

MOST_THOUGHTS, FEWEST_THOUGHTS = 1_500, 30
MOST_COLUMNS = 4
_CONSULTATIONS = 150
"""That are read for thoughts, over all columns; they hold more thoughts than are shown."""
_LONGEST = 500
_NUMBER = re.compile(r"^#\d+\s+")
_PERPLEXITY = 30
_DIMENSIONS = 50
"""What the vectors are brought down to first: distances stay, and the map takes seconds."""


class MappedThought(NamedTuple):
    """What was inserted after a turn."""

    text: str
    turn: int
    language: Language


def thoughts_of(run: Snapshot, rows: list[Row], seed: int) -> dict[Column, list[MappedThought]]:
    """Thoughts of each column that keeps any, sampled under the seed."""
    keeping = [row for row in rows if row["memory"].split(",")[0] == "tim"]
    found: dict[Column, list[MappedThought]] = {row["column"]: [] for row in keeping}
    found = dict(list(found.items())[:MOST_COLUMNS])
    for row in sampled(keeping, _CONSULTATIONS // (len(found) or 1), seed, "thoughts"):
        if row["column"] in found and (transcript := run.file.transcript(row["number"])) is not None:
            found[row["column"]] += [
                MappedThought(_NUMBER.sub("", line[:_LONGEST]), event.of, transcript.header.language)
                for event in transcript.of(Remembered)
                for line in event.change.inserted
            ]
    return {column: _some(thoughts, MOST_THOUGHTS // len(found), seed) for column, thoughts in found.items()}


def _some(thoughts: list[MappedThought], most: int, seed: int) -> list[MappedThought]:
    order = sorted(range(len(thoughts)), key=lambda place: derive(seed, str(place), 1, "thoughts"))
    return [thoughts[place] for place in sorted(order[:most])]


async def placed(thoughts: list[MappedThought], seed: int) -> dict[str, list[tuple[float, float, int]]]:
    """The map, by t-SNE of the thoughts' vectors: place and turn of each, English ones as discs, Chinese as triangles.

    Nothing where too few of them differ.
    """
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    rows = await open_embedder("hash").embed([thought.text for thought in thoughts])
    if len(np.unique(rows, axis=0)) < FEWEST_THOUGHTS:
        return {}
    state = seed % 2**32
    size = min(_DIMENSIONS, len(thoughts))
    less = PCA(size, svd_solver="randomized", random_state=state).fit_transform(rows.astype(np.float64))
    perplexity = min(_PERPLEXITY, (len(thoughts) - 1) / 3)
    less += np.random.default_rng(state).normal(scale=1e-4, size=less.shape)  # so that equal ones can be told apart
    spots = TSNE(2, perplexity=perplexity, init="pca", random_state=state).fit_transform(less)
    found: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for thought, (x, y) in zip(thoughts, spots, strict=True):
        found["^" if thought.language is Language.ZH else "o"].append((float(x), float(y), thought.turn))
    return found
