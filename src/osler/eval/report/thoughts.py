"""The thoughts of Think-in-Memory on a map: what is alike lies together, coloured by the turn it came from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from osler.eval.report.snapshot import Row, Snapshot, column_of, sampled
from osler.eval.report.svg import RAMP
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


@dataclass(frozen=True)
class MappedThought:
    """What was inserted after a turn."""

    text: str
    turn: int
    language: Language


@dataclass(frozen=True)
class Placed:
    """A thought on the map."""

    thought: MappedThought
    x: float
    y: float


def thinks(memory: str) -> bool:
    """Whether a memory keeps thoughts."""
    return memory.split(",")[0] == "tim"


def thoughts_of(run: Snapshot, rows: list[Row], seed: int) -> dict[Column, list[MappedThought]]:
    """Thoughts of each column that keeps any, sampled under the seed."""
    keeping = [row for row in rows if thinks(row["memory"])]
    names = list(dict.fromkeys(map(column_of, keeping)))[:MOST_COLUMNS]
    if not names:
        return {}
    found: dict[Column, list[MappedThought]] = {name: [] for name in names}
    for row in sampled(keeping, _CONSULTATIONS // len(names), seed, "thoughts"):
        if column_of(row) in found and (transcript := run.file.transcript(row["number"])) is not None:
            language = transcript.header.language
            found[column_of(row)] += _inserted(transcript.of(Remembered), language)
    return {name: _some(some, MOST_THOUGHTS // len(names), seed) for name, some in found.items()}


def _inserted(events: Iterable[Remembered], language: Language) -> Iterable[MappedThought]:
    for event in events:
        for line in event.change.inserted:
            yield MappedThought(_NUMBER.sub("", line[:_LONGEST]), event.of, language)


def _some(thoughts: list[MappedThought], most: int, seed: int) -> list[MappedThought]:
    order = sorted(range(len(thoughts)), key=lambda place: derive(seed, str(place), 1, "thoughts"))
    return [thoughts[place] for place in sorted(order[:most])]


async def placed(thoughts: list[MappedThought], seed: int) -> list[Placed]:
    """The map: t-SNE of the thoughts' vectors; nothing where too few of them differ."""
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    rows = await open_embedder("hash").embed([thought.text for thought in thoughts])
    if len(np.unique(rows, axis=0)) < FEWEST_THOUGHTS:
        return []
    state = seed % 2**32
    size = min(_DIMENSIONS, len(thoughts))
    less = PCA(size, svd_solver="randomized", random_state=state).fit_transform(rows.astype(np.float64))
    perplexity = min(_PERPLEXITY, (len(thoughts) - 1) / 3)
    less += np.random.default_rng(state).normal(scale=1e-4, size=less.shape)  # so that equal ones can be told apart
    spots = TSNE(2, perplexity=perplexity, init="pca", random_state=state).fit_transform(less)
    return [Placed(thought, float(x), float(y)) for thought, (x, y) in zip(thoughts, spots, strict=True)]


@dataclass(frozen=True)
class Steps:
    """Turns in as many steps as the ramp has colours."""

    starts: tuple[int, ...]
    last: int

    @classmethod
    def over(cls, turns: Iterable[int]) -> Steps:
        """Steps of about the same length from the first turn to the last."""
        first, last = min(turns := list(turns)), max(turns)
        count = min(len(RAMP), last - first + 1)
        return cls(tuple(first + (last - first + 1) * step // count for step in range(count)), last)

    def of(self, turn: int) -> int:
        """Which step a turn belongs to."""
        return sum(turn >= start for start in self.starts) - 1

    @property
    def names(self) -> list[str]:
        """The turns of each step."""
        ends = [*(start - 1 for start in self.starts[1:]), self.last]
        return [
            f"turn {start}" if start == end else f"turns {start}–{end}"
            for start, end in zip(self.starts, ends, strict=True)
        ]


def grouped(spots: list[Placed], steps: Steps) -> dict[tuple[int, str], list[tuple[float, float]]]:
    """Points by their colour and marker: English thoughts are discs, Chinese ones triangles."""
    groups: dict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
    for spot in spots:
        marker = "^" if spot.thought.language is Language.ZH else "o"
        groups[steps.of(spot.thought.turn), marker].append((spot.x, spot.y))
    return groups
