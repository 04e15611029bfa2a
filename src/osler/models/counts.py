"""Numbers that a server sends, read within bounds: whatever it claims, a run can add it up and keep it."""

from __future__ import annotations

MOST = 1_000_000_000
"""No prompt, answer or body counts more; and the sum over all calls of the largest run still has 64 bits."""
_DIGITS = len(str(MOST))


def count(value: object) -> int | None:
    """A whole number from 0 to MOST, or one written in digits; None for anything else, which then is unknown.

    Digits are measured before they are read: Python refuses to read thousands of them.
    """
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value.lstrip("0")) <= _DIGITS:
        value = int(value.lstrip("0") or "0")
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST else None
