"""A short name for a wording."""

from __future__ import annotations

import hashlib


def short_hash(text: str) -> str:
    """Return twelve characters that name a text for good."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
