"""pass^k: whether a doctor is right every time, not only on average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class PassHatK(NamedTuple):
    """The chance that k random trials of a patient are all right."""

    value: float | None
    """None when no patient has k trials."""
    patients: int
    """Those with at least k trials."""


def pass_hat_k(successes_per_patient: Sequence[int], trials_per_patient: Sequence[int], k: int) -> PassHatK:
    """The unbiased estimate of pass^k: the share of each patient's k-subsets of trials that are all right, on average.

    The plain power (successes / trials) ** k is too high on average, the more so the fewer the trials.

    Raises:
        ValueError: k is below 1, or there are more successes than trials.
    """
    if k < 1:
        raise ValueError(f"pass^{k} is not defined; give a k of at least 1")
    pairs = list(zip(successes_per_patient, trials_per_patient, strict=True))
    for successes, trials in pairs:
        if not 0 <= successes <= trials:
            raise ValueError(f"{successes} successes of {trials} trials cannot be; give successes from 0 to trials")
    chances = [math.comb(successes, k) / math.comb(trials, k) for successes, trials in pairs if trials >= k]
    return PassHatK(math.fsum(chances) / len(chances) if chances else None, len(chances))
