"""What a reply says, clause by clause: affirmed, denied, supposed, of the past, of a relative, or not known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from osler.eval.vocabulary import cue
from osler.language import Language
from osler.language.words import plain, sentences

_REMEMBERED = 2048
"""Texts: every name of every entry is held against the same few clauses."""


def has(key: str, text: str, language: Language) -> bool:
    """Whether a text holds a cue of `reply_cues.yaml`."""
    return cue("reply_cues", key, language).search(text) is not None


def only(keys: tuple[str, ...], text: str, language: Language) -> bool:
    """Whether a text is made of such cues and marks alone."""
    for key in keys:
        text = cue("reply_cues", key, language).sub(" ", text)
    return not any(char.isalnum() for char in text)


@dataclass(frozen=True)
class ReplyClause:
    """What stands between two commas, or between the things of a list; a `but` ends a statement."""

    text: str
    """Levelled."""
    statement: str
    """What it is a part of."""
    after_denial: bool
    """Whether it, or a clause before it in its statement, denies: what follows a denial may be denied with it."""
    supposed: bool
    """Asked, feared, guessed or compared."""
    language: Language

    @property
    def denies(self) -> bool:
        """Whether anything in it denies."""
        return denies(self.text, self.language)

    @property
    def is_affirmed(self) -> bool:
        """Whether it says that something is or was so."""
        return not self.after_denial and not self.supposed and not has("unknown", self.text, self.language)

    @property
    def is_plain(self) -> bool:
        """Whether it speaks of how things are now, and of the patient."""
        return not self.supposed and is_plain(self.text, self.language)


def denies(text: str, language: Language) -> bool:
    """Whether anything in a levelled text denies."""
    return has("negation", text, language)


def is_plain(text: str, language: Language) -> bool:
    """Whether a levelled text supposes nothing, and speaks of now and of the patient."""
    return not any(has(key, text, language) for key in ("supposed", "past", "relative"))


@lru_cache(maxsize=_REMEMBERED)
def statements(text: str, language: Language) -> tuple[str, ...]:
    """Sentences, parted where a `but` turns them."""
    parts = (part for one in sentences(text, language) for part in cue("reply_cues", "but", language).split(plain(one)))
    return tuple(part.strip() for part in parts if part.strip())


@lru_cache(maxsize=_REMEMBERED)
def clauses(text: str, language: Language) -> tuple[ReplyClause, ...]:
    """All clauses of a text."""
    found = []
    for statement in statements(text, language):
        parts = [part.strip() for part in cue("reply_cues", "clause", language).split(statement) if part.strip()]
        denied = False
        for place, part in enumerate(parts, start=1):
            denied = denied or denies(part, language)
            asks = place == len(parts) and statement.endswith(("?", "？"))
            found.append(ReplyClause(part, statement, denied, asks or has("supposed", part, language), language))
    return tuple(found)
