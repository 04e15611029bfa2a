"""Random draws that depend on the seed and the purpose alone, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from osler.seeds import derive

# How many drawn numbers are held at a time.
_AT_ONCE = 1_000_000


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(derive(seed, "", 0, purpose))


def pieces(draws: int, width: int) -> Iterator[int]:
    """How many draws of this many numbers to make at a time, until all are made."""
    if draws < 1:
        raise ValueError(f"{draws} draws give no interval; ask for at least 1")
    rows = max(1, _AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start)
