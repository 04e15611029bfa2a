"""Fit the network that makes evidence a probability (`osler.agents.ram.decision`). Needs torch.

It learns two things at once: of each entry whether it is asked for, and of each question whether anything is. For the
second only the likeliest entry counts: a neighbour that is taken for the thing costs the whole question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

UNITS, NETWORKS, EPOCHS, BATCH, RATE, HELD_BACK = 48, 6, 20, 32, 4e-3, 1.5e-5
BLURRED = 0.1
"""How far each number of the evidence is moved at random while learning: no patient is like another."""
ANYTHING = 0.05
"""How much it counts whether anything is asked for, beside the single entries."""
_NEVER = -30.0

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Example:
    """A question put to a record."""

    evidence: np.ndarray
    """(entries, columns)."""
    asked: np.ndarray
    open: np.ndarray
    """Entries of which nobody can say."""
    weight: float


def network(examples: list[Example]) -> Arrays:
    """Several networks beside each other make one: their outputs are averaged in the last layer."""
    torch.manual_seed(0)
    rows = np.concatenate([example.evidence[~example.open] for example in examples])
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    inputs, wanted, counts = _padded(examples, mean, scale)
    weights = torch.tensor([example.weight for example in examples])
    size = inputs.shape[2]
    hidden = (torch.randn(NETWORKS, size, UNITS) / size**0.5).requires_grad_()
    out = (torch.randn(NETWORKS, UNITS, 1) / UNITS**0.5).requires_grad_()
    hidden_bias = torch.zeros(NETWORKS, 1, UNITS, requires_grad=True)
    out_bias = torch.zeros(NETWORKS, 1, 1, requires_grad=True)
    optimiser = torch.optim.Adam([hidden, out, hidden_bias, out_bias], lr=RATE)
    steps = EPOCHS * (len(inputs) // BATCH + 1)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.02, 1 - step / steps))
    for _ in range(EPOCHS):
        for some in torch.randperm(len(inputs)).split(BATCH):
            flat = inputs[some].reshape(1, -1, size)
            flat = flat + BLURRED * torch.randn_like(flat)
            scores = (torch.relu(flat @ hidden + hidden_bias) @ out + out_bias).reshape(NETWORKS, len(some), -1)
            loss = _loss(scores, wanted[some], counts[some], weights[some])
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


def beside(one: Arrays, other: Arrays) -> Arrays:
    """Two networks as one that answers with the mean of theirs; each brings its own way of scaling."""
    scaled = [arrays["hidden"] / arrays["scale"][:, None] for arrays in (one, other)]
    shifted = [
        arrays["hidden_bias"] - arrays["mean"] @ hidden for arrays, hidden in zip((one, other), scaled, strict=True)
    ]
    return {
        "mean": np.zeros_like(one["mean"]),
        "scale": np.ones_like(one["scale"]),
        "hidden": np.concatenate(scaled, axis=1),
        "hidden_bias": np.concatenate(shifted, axis=-1),
        "out": np.concatenate([one["out"], other["out"]], axis=-1) / 2,
        "out_bias": (one["out_bias"] + other["out_bias"]) / 2,
    }


def _padded(examples: list[Example], mean: np.ndarray, scale: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
    """(questions, entries, columns), what is asked for, and how much each entry counts: 0 where there is none."""
    shape = len(examples), max(len(example.asked) for example in examples)
    inputs = np.zeros((*shape, len(mean)), dtype=np.float32)
    wanted, counts = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    for place, example in enumerate(examples):
        entries = len(example.asked)
        inputs[place, :entries] = (example.evidence - mean) / scale
        wanted[place, :entries] = example.asked
        counts[place, :entries] = np.where(example.open, 0.0, example.weight)
    return torch.from_numpy(inputs), torch.from_numpy(wanted), torch.from_numpy(counts)


def _loss(scores: Tensor, wanted: Tensor, counts: Tensor, weights: Tensor) -> Tensor:
    one_by_one = functional.binary_cross_entropy_with_logits(scores, wanted.expand_as(scores), reduction="none")
    likeliest = scores.masked_fill(counts == 0, _NEVER).max(dim=-1).values
    anything = wanted.max(dim=-1).values.expand_as(likeliest)
    together = functional.binary_cross_entropy_with_logits(likeliest, anything, reduction="none")
    return (one_by_one * counts).sum() / counts.sum() + ANYTHING * (together * weights).sum() / weights.sum()
