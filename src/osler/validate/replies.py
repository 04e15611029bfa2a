"""What can be counted in replies without reading them: lengths and listed words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from osler.eval.statistics import Figure
from osler.language import Language
from osler.validate.listed_words import WordList, has_listed, length

RepliesByInterview = Mapping[str, Sequence[str]]
"""The replies of each interview, in order."""


@dataclass(frozen=True)
class ReplyFigures:
    """Distributions over the replies of one patient, human or simulated."""

    n: int
    lengths: tuple[int, ...]
    """Of every reply, from short to long."""
    mean_length: Figure
    listed: Mapping[WordList, Figure]
    """The share of replies that have a listed word."""

    @classmethod
    def of(cls, replies: RepliesByInterview, language: Language) -> ReplyFigures:
        """Count the replies of interviews in one language."""
        lengths: dict[str, list[float]] = {}
        every_length: list[int] = []
        for interview, texts in replies.items():
            own = [length(text, language) for text in texts]
            lengths[interview] = [float(size) for size in own]
            every_length += own
        shares = {word_list: _share(replies, word_list, language) for word_list in WordList}
        return cls(
            n=len(every_length),
            lengths=tuple(sorted(every_length)),
            mean_length=Figure.of(lengths, scale=None),
            listed=shares,
        )

    def quantile(self, share: float) -> float | None:
        """The length that this share of the replies does not exceed; None without replies."""
        return float(np.quantile(self.lengths, share)) if self.lengths else None

    def share_up_to(self, size: int) -> float:
        """The share of replies that are at most that long."""
        within = sum(1 for own in self.lengths if own <= size)
        return within / self.n if self.n else math.nan


def _share(replies: RepliesByInterview, word_list: WordList, language: Language) -> Figure:
    hits = {}
    for interview, texts in replies.items():
        hits[interview] = [float(has_listed(text, word_list, language)) for text in texts]
    return share_by_interview(hits)


def share_by_interview(hits: Mapping[str, Sequence[float]]) -> Figure:
    """The mean of the interviews' shares, each interview counting the same.

    An interview has many replies: its share is a value of its own, not a row of single trials.
    """
    shares = {}
    for interview, own in hits.items():
        if own:
            shares[interview] = [sum(own) / len(own)]
    return Figure.of(shares)
