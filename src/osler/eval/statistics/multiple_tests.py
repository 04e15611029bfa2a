"""Many comparisons at once: the more are made, the more look like something by chance."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in the order given; None, where nothing was tested, stays None and is not counted."""
    tested = [(p_value, place) for place, p_value in enumerate(p_values) if p_value is not None]
    for p_value, _ in tested:
        if not 0 <= p_value <= 1:
            raise ValueError(f"{p_value} is not a p-value; give numbers from 0 to 1, or None")
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p_value, place) in enumerate(sorted(tested)):
        floor = max(floor, min(1.0, p_value * (len(tested) - rank)))
        adjusted[place] = floor
    return adjusted
