"""The concepts that name no single thing: how a symptom is, which may be asked of what was told, and all results."""

from __future__ import annotations

QUALITIES = frozenset(
    {
        *("onset-time", "onset-mode", "course", "constant-or-intermittent", "episode-duration-frequency"),
        *("previous-episodes", "aggravating-factors", "relieving-factors", "triggers", "relation-to-meals"),
        *("relation-to-exertion", "relation-to-position", "time-of-day-pattern", "pain-location", "pain-character"),
        *("pain-severity", "pain-radiation", "pain-migration"),
    }
)
ALL_RESULTS = frozenset({"tests-so-far", "blood-tests-general"})
"""What frames results, "the blood tests show …", and is none of them."""
