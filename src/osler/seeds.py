"""Random choices derive from seed, case, trial and purpose: there is no global generator."""

import hashlib


def derive(seed: int, case: str, trial: int, purpose: str) -> int:
    """Derive a seed of 63 bits for one purpose."""
    text = "\0".join((str(seed), case, str(trial), purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
