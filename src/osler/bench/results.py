"""What is measured of one memory on one person's conversations, as it is stored."""

from __future__ import annotations

from osler.bench.cases import QuestionKind
from osler.eval.reader.memory_answers import Agreement, AnswerForm, Says
from osler.language import Language
from osler.memory.base import FrozenModel


class AskedResult(FrozenModel):
    """One question: what was found, recalled and answered."""

    text: str
    kind: QuestionKind
    places: tuple[int | None, ...] = ()
    """For each gold turn, its place in the ranking; None if the memory does not name it."""
    recalled: float | None = None
    """Share of the gold turns that the recall tells of, whole or by a fact, within the budget.

    None if it does not say which turns it tells of."""
    tokens: int = 0
    """Of what was recalled, by estimate."""
    seconds: float = 0.0
    """For one recall."""
    answer: str | None = None
    """The model's; None without a model, or if it failed."""
    form: AnswerForm | None = None
    """What the answer says; None if nobody could read it."""
    refused: bool | None = None
    """Whether the answer is that it is not known; without a model, whether nothing was recalled.

    None if nobody could read it."""
    consistent: float | None = None
    """Whether the answer said the same when asked again after the other questions.

    None unless both answers were read."""

    @property
    def correct(self) -> float | None:
        """1 if the answer says all, .5 if it says part; None if nobody could read it."""
        if self.form is None:
            return None
        return worth(self.form)


_WORTH = {Agreement.ALL: 1.0, Agreement.PART: 0.5}


def worth(form: AnswerForm) -> float:
    """How much of what was asked an answer says."""
    if form.says in {Says.NOT_KNOWN, Says.NOTHING}:
        return 0.0
    return _WORTH.get(form.agrees, 0.0)


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
    """Whether the model answers with the new value; None if nobody could read it."""


class Fullness(FrozenModel):
    """One question at one stage of the history: is what came first crowded out by what follows?"""

    percent: int
    hit: bool
    """Whether a gold turn is among the first five."""
    recalled: float | None
    """Share of the gold turns that the recall tells of."""


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
