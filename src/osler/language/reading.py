"""What the reader finds in a text: sentences, their clauses, and what each clause mentions."""

from __future__ import annotations

from dataclasses import dataclass

from osler.language.base import Language


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text speaks of, and what it says about it."""

    what: str
    """The thing in the text's own words, without those that deny it, date it or say whose it is.

    Empty where only a time, a value or a person is said, as in a reply that its question completes.
    """
    denied: bool = False
    unsure: bool = False
    """Whether the speaker is not certain."""
    whose: str = ""
    """A relative, as the text calls them; empty: the patient."""
    when: str = ""
    """When it happened or how long it has lasted, as the text says."""
    value: str = ""
    """The number and unit that the text gives for it, or the result in a word."""
    said: str = ""
    """The part of the sentence that says it, as written; empty where the reply is a yes or a no to its name."""
    is_asked: bool = False
    """Whether the question names the thing, and the reply only its value or time."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that affirms or denies as one."""

    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its clauses."""

    text: str
    clauses: tuple[Clause, ...]
    is_question: bool = False

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, in order."""
        return tuple(mention for clause in self.clauses for mention in clause.mentions)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it was read."""

    language: Language
    sentences: tuple[Sentence, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All clauses, in order."""
        return tuple(clause for sentence in self.sentences for clause in sentence.clauses)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, in order."""
        return tuple(mention for clause in self.clauses for mention in clause.mentions)
