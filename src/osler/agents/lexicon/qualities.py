"""The concepts that say how a symptom is, and not which: these may be asked of what was told."""

from __future__ import annotations

QUALITIES = frozenset(
    {
        *("onset-time", "onset-mode", "course", "constant-or-intermittent", "episode-duration-frequency"),
        *("previous-episodes", "aggravating-factors", "relieving-factors", "triggers", "relation-to-meals"),
        *("relation-to-exertion", "relation-to-position", "time-of-day-pattern", "pain-location", "pain-character"),
        *("pain-severity", "pain-radiation", "pain-migration"),
    }
)
