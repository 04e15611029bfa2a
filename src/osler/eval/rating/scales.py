"""The three scales of the papers, and the columns of a sheet. Both ends, writing and reading, hold on to these."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

ITEM = "item"
COMMENT = "comment"
TEXTS = ("said before", "last exchange", "recalled", "doctor's step")
"""What the rater reads, in the order of the columns."""


@dataclass(frozen=True)
class RatingScale:
    """One question to the rater, and the answers it takes."""

    name: str
    chinese: str
    values: tuple[float, ...]

    @property
    def choices(self) -> tuple[str, ...]:
        """The values as they are written."""
        return tuple(f"{value:g}" for value in self.values)

    def read(self, value: object) -> float | None:
        """What a rater entered; None where nothing was. A Chinese keyboard's digits and a decimal comma are as good.

        Raises:
            ValueError: It is not on the scale.
        """
        text = unicodedata.normalize("NFKC", "" if value is None else str(value)).strip().replace(",", ".")
        if not text:
            return None
        number = float(text)
        if number not in self.values:
            raise ValueError(text)
        return number


SCALES = (
    RatingScale("retrieval accuracy", "检索准确性", (0.0, 1.0)),
    RatingScale("response correctness", "回应正确性", (0.0, 0.5, 1.0)),
    RatingScale("contextual coherence", "语境连贯性", (0.0, 0.5, 1.0)),
)
