"""What is measured of one memory on one person's conversations, as it is stored."""

from __future__ import annotations

from pydantic import Field

from osler.bench.cases import QuestionKind
from osler.language import Language
from osler.memory.base import FrozenModel


class AskedResult(FrozenModel):
    """One question: what was found, recalled and answered."""

    text: str
    kind: QuestionKind
    places: tuple[int | None, ...] = ()
    """For each gold turn, its place in the ranking; None if the memory does not name it."""
    recalled: float | None = None
    """Share of the gold turns that the recall tells of, whole or by a fact, within the budget."""
    told: float | None = None
    """Share of the gold turns' content words in the recall."""
    tokens: int = 0
    """Of what was recalled, by estimate."""
    seconds: float = 0.0
    """For one recall."""
    recall: str = Field(default="", exclude=True)
    """What was recalled; it is not stored."""
    answer: str | None = None
    """The model's; None without a model, or if it failed."""
    found: float | None = None
    """Share of the gold answer's parts in the answer, or without a model in the recall."""
    correct: float | None = None
    """The same on the scale 0, 0.5, 1."""
    judged: float | None = None
    """The judge's correctness: 0, 0.5 or 1."""
    coherent: float | None = None
    """The judge's coherence: 0, 0.5 or 1."""
    refused: bool | None = None
    """Whether the answer is that it is not known; without a model, whether nothing was recalled."""
    consistent: float | None = None
    """Agreement with what came when it was asked once more after the other questions."""


class ChangedFact(FrozenModel):
    """A fact that was corrected or deleted after the conversation."""

    text: str
    is_planted: bool = False
    """Whether it was told after the conversation for this; else it is a fact of the data."""
    old_gone: bool
    """Whether the old value is no longer recalled."""
    new_recalled: bool | None = None
    """Whether the new value is recalled; None after a deletion."""
    new_first: bool | None = None
    """Whether the correction ranks above what it corrects; None if the memory names neither."""
    answered: bool | None = None
    """Whether the model answers with the new value and not with the old one."""


class Fullness(FrozenModel):
    """One question at one stage of the history: has the growing history crowded out what came first?"""

    percent: int
    hit: bool
    """Whether a gold turn is among the first five."""
    correct: float | None
    """The gold answer in the recall: 0, 0.5 or 1."""


class PersonResult(FrozenModel):
    """One memory on one person."""

    memory: str
    data: str
    person: str
    language: Language
    turns: int
    asked: tuple[AskedResult, ...] = ()
    updates: tuple[ChangedFact, ...] = ()
    deletions: tuple[ChangedFact, ...] | None = None
    """None if the memory cannot erase."""
    fullness: tuple[Fullness, ...] = ()
    leaks: tuple[bool, ...] = ()
    """For questions of another person, whether that person's words were recalled."""
    build_seconds: float = 0.0
    requests: int = 0
    """Of the memory to its model, also for recalls."""
    model_tokens: int | None = 0
    cost: float | None = 0.0
    """In USD, of all models; None if a price is unknown."""
    failed: int = 0
    """Answers and verdicts that a model did not give."""
