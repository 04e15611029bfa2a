"""Every random choice derives from the seed, the case, the trial and its purpose; there is no global generator."""

import hashlib


def derive(seed: int, case: str, trial: int, purpose: str) -> int:
    """Derive a seed of 63 bits for one purpose."""
    text = "\0".join((str(seed), case, str(trial), purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
