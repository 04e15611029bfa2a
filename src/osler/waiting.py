"""How long a server asks to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_PAUSE = 60.0
"""Seconds. A server that asks for more is asked again after this."""


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a `Retry-After` header, which is a number of seconds or an HTTP date."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else None
