"""Fit the network that reads what the words of a text mean together (`osler.agents.ram.reader`). Needs torch.

It learns from the worded examples, and from what the teacher read in questions it wrote itself and in single words. Not
from the texts of entries: it reads these for the decision, which has to know how well it reads what it never saw. The
points of words are the teacher's and stay as they are: what holds for one word holds for those near it, also for words
that no example has.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from osler.agents.ram.intent import read_intent
from osler.agents.ram.reader import laid_out, reader, spelled
from osler.records import Language
from training import taught
from training.taught import Reading

WHERE = Path(__file__).parent.parent / "src" / "osler" / "agents" / "ram" / "reader"
SIZE, NEAR, LONGEST, MOST = 96, 384, 40, 8
"""Of a point; features of three neighbouring words; words of a text; concepts of a reading that are learned."""
EPOCHS, BATCH, RATE = 5, 512, 4e-3
LEFT_OUT, DROPPED, SMOOTHED = 0.06, 0.15, 0.05
"""Shares of words that are made unknown and of features that are left out while learning; of what all concepts get."""
TELLING = 0.2
"""A word is kept if a text has it twice, or if the teacher hears some concept in it with this probability."""

Example = tuple[str, str]


class Network(nn.Module):
    """Features of neighbours, the strongest of each and the mean of the points, concepts."""

    def __init__(self, points: Tensor, concepts: int) -> None:
        super().__init__()
        self.register_buffer("points", points)
        size = points.shape[1]
        self.near = nn.Conv1d(size, NEAR, 3, padding=1)
        self.out = nn.Linear(NEAR + size, concepts)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, rows: Tensor) -> Tensor:
        """For each row of words a score of every concept; word 0 is none."""
        there = (rows > 0).float()[:, :, None]
        points = self.points[rows] * there
        near = torch.relu(self.near(points.transpose(1, 2)).transpose(1, 2)) * there
        mean = points.sum(1) / there.sum(1).clamp(min=1).sqrt()
        return self.out(self.drop(torch.cat([near.max(1).values, mean], 1)))


def fit(examples: list[Example], concepts: list[str], language: Language) -> dict[str, np.ndarray]:
    """Everything `Reader` needs, its points quantised."""
    torch.manual_seed(0)
    chance = np.random.default_rng(0)
    rows: list[tuple[str, Reading]] = [(text, {concept: 1.0}) for text, concept in examples]
    rows += taught.made(language)
    found = kept_words([text for text, _ in rows], language)
    between = laid_out(arrays(Network(torch.zeros(2, SIZE), len(concepts)), found), language)
    places, points = {"": 0, "?": 1}, [np.zeros(SIZE, dtype=np.float32)] * 2
    texts = []
    for text, _ in rows:
        for word in spelled(text, language)[:LONGEST]:
            if word not in places and (point := between.point(word)) is not None:
                places[word] = len(points)
                points.append(point)
        texts.append([places.get(word, 1) for word in spelled(text, language)[:LONGEST]] or [1])
    at = {concept: place for place, concept in enumerate(concepts)}
    heard, shares = np.zeros((len(rows), MOST), dtype=np.int64), np.zeros((len(rows), MOST), dtype=np.float32)
    for place, (_, reading) in enumerate(rows):
        likely = sorted(reading.items(), key=lambda item: -item[1])[:MOST]
        heard[place, : len(likely)] = [at[concept] for concept, _ in likely]
        shares[place, : len(likely)] = [share / max(sum(reading.values()), 0.6) for _, share in likely]
    network = Network(torch.from_numpy(np.array(points)), len(concepts))
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    steps = EPOCHS * (len(rows) // BATCH + 1)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: max(0.02, 1 - step / steps) * min(1.0, (step + 1) / 100)
    )
    for _ in range(EPOCHS):
        for some in _batches(np.array([len(text) for text in texts]), chance):
            words = _padded([texts[place] for place in some])
            words[(chance.random(words.shape) < LEFT_OUT) & (words > 0)] = 1
            likely = network(torch.from_numpy(words)).log_softmax(1)
            meant_by = likely.gather(1, torch.from_numpy(heard[some])) * torch.from_numpy(shares[some])
            loss = -(1 - SMOOTHED) * meant_by.sum(1).mean() - SMOOTHED * likely.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
    return arrays(network, found)


def kept_words(texts: list[str], language: Language) -> dict[str, np.ndarray]:
    """The words worth keeping, each with its point."""
    seen = Counter(word for text in texts for word in set(spelled(text, language)))
    told = {text for text, reading in taught.made(language) if max(reading.values()) >= TELLING}
    return {word: point for word, point in taught.points(language).items() if seen[word] > 1 or word in told}


def _batches(lengths: np.ndarray, chance: np.random.Generator) -> list[np.ndarray]:
    """Batches of texts of like length, in any order."""
    order = chance.permutation(len(lengths))
    found = []
    for many in np.array_split(order, len(order) // (BATCH * 24) + 1):
        alike = many[np.argsort(lengths[many], kind="stable")]
        found += np.array_split(alike, len(alike) // BATCH + 1)
    return [found[place] for place in chance.permutation(len(found))]


def _padded(rows: list[list[int]]) -> np.ndarray:
    padded = np.zeros((len(rows), max(3, *map(len, rows))), dtype=np.int64)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return padded


def arrays(network: nn.Module, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The network and the points as numbers."""
    points = np.array([*found.values()])
    steps = (np.maximum(np.abs(points).max(axis=1, keepdims=True), 1e-6) / 127).astype(np.float16)
    near = network.near.weight.detach().numpy()
    return {
        "words": np.frombuffer("\n".join(found).encode(), dtype=np.uint8),
        "points": np.rint(points / steps).astype(np.int8),
        "steps": steps,
        "near": near.transpose(2, 1, 0).reshape(-1, near.shape[0]).astype(np.float16),
        "near_bias": network.near.bias.detach().numpy().astype(np.float16),
        "out": network.out.weight.detach().numpy().T.astype(np.float16),
        "out_bias": network.out.bias.detach().numpy().astype(np.float16),
    }


def sharpened(fitted: dict[str, np.ndarray], sharpness: float) -> dict[str, np.ndarray]:
    """The same with the last layer multiplied."""
    return fitted | {name: (fitted[name] * sharpness).astype(np.float16) for name in ("out", "out_bias")}


def save(fitted: dict[str, np.ndarray], language: Language) -> None:
    """Put a fitted network where the package finds it."""
    WHERE.mkdir(exist_ok=True)
    path = WHERE / f"{language.value}.npz"
    np.savez_compressed(path, **fitted)
    for known in (reader, read_intent):
        known.cache_clear()
    print(f"{language.value}: {len(fitted['points'])} words, {path.stat().st_size / 1e6:.1f} MB")
