"""Fit how the retrieval module weighs its evidence, and from which probability an entry counts as asked for.

Three kinds of questions: the labelled ones for tuning; worded examples; and questions that the teacher wrote. The last
two are put to records, and what they ask for there is told by the teacher, which has read the entries as well. The
readers have not learned from these worded examples, nor from any text of a record.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.questions import Labelled
from tests.agents.ram_figures import Figures, counted
from tests.agents.ram_figures import found as names_found

from osler.agents.ram.decision import decision
from osler.agents.ram.evidence import FEATURES
from osler.agents.ram.index import RecordIndex
from osler.agents.ram.speaks import entry_concepts
from osler.records import Language, PatientRecord, RecordPool
from training import taught
from training.taught import Reading

WHERE = Path(__file__).parent.parent / "src" / "osler" / "agents" / "ram" / "decision"
AIMS = {"precision": 0.94, "nothing": 0.95}
"""Above what is wanted, since figures fall on what was not seen."""
THRESHOLDS = tuple(round(0.4 + 0.05 * step, 2) for step in range(9))
RATIOS = (0.4, 0.5, 0.6, 0.7)
"""What the best entry must reach, and which share of that the others."""
ASKED_OF, NOT_ASKED_OF = 2, 2
"""Records that hold what a question asks for and records that do not, for each of the questions put to records."""
SURELY, MAYBE = 0.5, 0.05
"""How much the readings of question and entry share from which it is asked for; from which nobody can say."""
UNITS, NETWORKS, EPOCHS, BATCH, RATE, HELD_BACK = 64, 3, 14, 512, 4e-3, 1.5e-5
FOLDS = 3
TIMES = 12
"""How often each labelled question counts beside the many others."""
UNASKED = 10
"""Entries not asked for that are learned from, of each question put to a record: the likeliest and some others."""
_LIKELY = [FEATURES.index(name) for name in ("name_covered", "shared_concept", "meant", "ngrams")]

Arrays = dict[str, np.ndarray]
Question = tuple[str, Reading]
Floor = tuple[float, float]
"""Threshold and ratio."""
Crossed = dict[Floor, list[tuple[Labelled, frozenset[str]]]]
"""For each floor the questions with what is found."""


def put_to_records(questions: list[Question], language: Language) -> list[Labelled]:
    """What questions ask of records, by what the teacher reads in both."""
    rng = random.Random(0)
    mine = [(record, _readings(record)) for record in RecordPool.open() if record.language is language]
    rows = []
    for text, reading in questions:
        rng.shuffle(mine)
        asked = unasked = 0
        for record, entries in mine:
            names, near = _asked(reading, entries)
            if names and asked < ASKED_OF:
                asked += 1
                rows.append(Labelled(record.id, "worded", text, names, near, held_out=False))
            elif not names and not near and unasked < NOT_ASKED_OF:
                unasked += 1
                rows.append(Labelled(record.id, "nothing", text, names, near, held_out=False))
    return rows


def _readings(record: PatientRecord) -> list[tuple[str, Reading, Reading]]:
    """Name of each entry, what its names mean and what its texts tell of: the thesaurus knows some, the teacher all."""
    read = taught.readings(record.language)
    found = []
    for entry, shares in zip(record.entries, entry_concepts(record), strict=True):
        named = _most([read[name] for name in (entry.name, *entry.aliases)])
        told = _most([read[entry.report], read[entry.said]])
        own = {concept: 1.0 for concept, share in shares.items() if share >= 1}
        told |= {concept: max(told.get(concept, 0.0), 0.3) for concept in shares.keys() - own.keys()}
        found.append((entry.name, named | own, told))
    return found


def _most(readings: list[Reading]) -> Reading:
    return {concept: max(one.get(concept, 0.0) for one in readings) for one in readings for concept in one}


def _asked(reading: Reading, entries: list[tuple[str, Reading, Reading]]) -> tuple[frozenset[str], frozenset[str]]:
    """The entries asked for, and those of which nobody can say; an entry's text counts where no name is meant."""
    by_name = {name: _shared(reading, named) for name, named, _ in entries}
    by_text = {name: _shared(reading, told) for name, _, told in entries}
    asked = frozenset(name for name, share in by_name.items() if share >= SURELY)
    asked = asked or frozenset(name for name, share in by_text.items() if share >= SURELY)
    maybe = frozenset(name for name in by_name if max(by_name[name], by_text[name]) >= MAYBE)
    return asked, maybe - asked


def _shared(one: Reading, other: Reading) -> float:
    return sum(share * other.get(concept, 0.0) for concept, share in one.items() if concept not in {"none", "other"})


def learn(
    guessed: list[Labelled],
    by_hand: list[Labelled],
    evidence: Callable[[Labelled], np.ndarray],
    index: dict[str, RecordIndex],
) -> Arrays:
    """The network of one language."""
    chance = np.random.default_rng(0)
    rows, labels, weights = [], [], []
    for row, is_guess in [*((row, True) for row in guessed), *((row, False) for row in by_hand)]:
        names = [entry.name for entry in index[row.record].entries]
        x = evidence(row)
        y = np.array([name in row.entries for name in names])
        weight = np.where([name in row.also for name in names], 0.0, 1.0 if is_guess else TIMES)
        if is_guess:
            _thin(x, y, weight, chance)
        counts = weight > 0
        rows.append(x[counts])
        labels.append(y[counts])
        weights.append(weight[counts])
    return network(np.concatenate(rows), np.concatenate(labels), np.concatenate(weights))


def _thin(x: np.ndarray, y: np.ndarray, weight: np.ndarray, chance: np.random.Generator) -> None:
    """Leave out most of the entries that are not asked for; some stand for all of these."""
    unasked = np.flatnonzero(~y & (weight > 0))
    if len(unasked) > UNASKED:
        order = unasked[np.argsort(-x[unasked][:, _LIKELY].sum(axis=1))]
        rest = order[UNASKED // 2 :]
        some = chance.choice(rest, UNASKED - UNASKED // 2, replace=False)
        weight[rest] = 0.0
        weight[some] = len(rest) / len(some)


def network(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Arrays:
    """Several networks beside each other make one: their outputs are averaged in the last layer."""
    torch.manual_seed(0)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    inputs = torch.tensor((x - mean) / scale, dtype=torch.float32)
    wanted, counts = torch.tensor(y, dtype=torch.float32), torch.tensor(weight, dtype=torch.float32)
    size = x.shape[1]
    hidden = (torch.randn(NETWORKS, size, UNITS) / size**0.5).requires_grad_()
    out = (torch.randn(NETWORKS, UNITS, 1) / UNITS**0.5).requires_grad_()
    hidden_bias = torch.zeros(NETWORKS, 1, UNITS, requires_grad=True)
    out_bias = torch.zeros(NETWORKS, 1, 1, requires_grad=True)
    optimiser = torch.optim.Adam([hidden, out, hidden_bias, out_bias], lr=RATE)
    steps = EPOCHS * (len(inputs) // BATCH + 1)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.02, 1 - step / steps))
    for _ in range(EPOCHS):
        for some in torch.randperm(len(inputs)).split(BATCH):
            scores = (torch.relu(inputs[some] @ hidden + hidden_bias) @ out + out_bias)[..., 0]
            losses = functional.binary_cross_entropy_with_logits(
                scores, wanted[some].expand(NETWORKS, -1), reduction="none"
            )
            loss = (losses * counts[some]).sum() / counts[some].sum()
            optimiser.zero_grad()
            (loss + HELD_BACK / 2 * (hidden.pow(2).sum() + out.pow(2).sum())).backward()
            optimiser.step()
            falling.step()
    beside = [torch.cat(list(part.detach()), dim=-1).numpy() for part in (hidden, hidden_bias, out.transpose(1, 2))]
    arrays = {
        "mean": mean,
        "scale": scale,
        "hidden": beside[0],
        "hidden_bias": beside[1][0],
        "out": beside[2][0] / NETWORKS,
        "out_bias": out_bias.detach().mean().numpy(),
    }
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def worth(got: Figures) -> float:
    """How near the figures come to what is wanted."""
    return got.recall + 2 * min(got.precision / AIMS["precision"], 1.0) + 2 * min(got.nothing / AIMS["nothing"], 1.0)


def save(arrays: Arrays, floor: Floor, language: Language) -> None:
    """Put a fitted network where the package finds it."""
    WHERE.mkdir(exist_ok=True)
    threshold, ratio = map(np.float32, floor)
    np.savez_compressed(WHERE / f"{language.value}.npz", **arrays, threshold=threshold, ratio=ratio)
    decision.cache_clear()


def fold(row: Labelled) -> int:
    """Which part of the patients: both languages of one patient are in the same."""
    return crc32(row.record[:-3].encode()) // 7 % FOLDS


def cross(guessed: list[Labelled], rows: list[Labelled], language: Language, index: dict[str, RecordIndex]) -> Crossed:
    """What is found under each floor for patients whose questions the network has not seen."""
    evidence = remembered(index)
    found: Crossed = {floor: [] for floor in product(THRESHOLDS, RATIOS)}
    for part in range(FOLDS):
        other = [row for row in rows if fold(row) == part]
        patients = {row.record for row in other}
        some = [row for row in guessed if row.record not in patients]
        arrays = learn(some, [row for row in rows if fold(row) != part], evidence, index)
        for floor, so_far in found.items():
            save(arrays, floor, language)
            so_far += [(row, names_found(row, index)) for row in other]
    return found


def best(crossed: Crossed) -> Floor:
    """The floor that serves these patients best.

    What the other questions ask of a record is a guess; this is left to what was labelled by hand.
    """
    worths = {floor: worth(counted(found)) for floor, found in crossed.items()}
    return max(worths, key=lambda floor: (round(worths[floor], 3), floor))


def remembered(index: dict[str, RecordIndex]) -> Callable[[Labelled], np.ndarray]:
    """The evidence of each question, found once."""
    known: dict[tuple[str, str], np.ndarray] = {}

    def evidence(row: Labelled) -> np.ndarray:
        key = row.record, row.question
        if key not in known:
            known[key] = index[row.record].evidence(row.question)
        return known[key]

    return evidence
