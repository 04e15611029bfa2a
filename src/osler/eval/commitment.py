"""The one diagnosis that a doctor commits to, out of all that an answer says.

It is the first one named before any differential, alternative, list or talk to the judge. An illness with its side,
stage, cause or complication is one diagnosis; different illnesses, listed as answers, are several.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from osler.eval.answer_pieces import LeftOut, read_pieces
from osler.eval.illness_list import MANY, Named, apart, different, is_name


class Commitment(StrEnum):
    """How an answer commits itself."""

    NONE = "none"
    """It names no diagnosis as its own."""
    ONE = "one"
    CHOICE = "choice"
    """It leaves open which of two it is."""
    SEVERAL = "several"
    """It names two or three."""
    LIST = "list"
    """It names many."""


@dataclass(frozen=True)
class Committed:
    """An answer's own diagnosis."""

    commitment: Commitment
    diagnosis: str
    """In the doctor's words; all of them, where they are several; empty where there is none."""
    core: str = ""
    """The same less a complication that is part of the name: "migraine" of "migraine with cerebral infarction"."""
    illnesses: tuple[str, ...] = ()
    """The different illnesses that are named as the answer, as far as they are known."""
    left_out: tuple[LeftOut, ...] = ()


@lru_cache(maxsize=512)
def committed(answer: str, at_most: int = 1) -> Committed:
    """What an answer commits to, in either language.

    Args:
        answer: As the doctor gave it.
        at_most: Illnesses that it may name: a truth that is two illnesses is answered by two.
    """
    pieces = read_pieces(answer)
    left_out = tuple(each for each in pieces.left_out if each.text)
    named = _own([found for each in pieces.sentences if (found := Named.of(each))])
    if not named:
        return Committed(Commitment.NONE, "", left_out=left_out)
    illnesses = different([member for sentence in named for member in sentence.members])
    whole = ". ".join(sentence.text for sentence in named)
    every = tuple(member.text for member in illnesses)
    if any(sentence.is_list for sentence in named) or len(every) >= at_most + MANY - 1:
        return Committed(Commitment.LIST, whole, whole, every, left_out)
    if len(every) > at_most:
        is_choice = len(every) == 2 and len(named) == 1 and illnesses[1].part.by == "choice"
        kind = Commitment.CHOICE if is_choice else Commitment.SEVERAL
        return Committed(kind, whole, whole, every, left_out)
    if at_most > 1:
        return Committed(Commitment.ONE, whole, whole, every, left_out)
    first = named[0]
    if first.companion and not is_name(first.text):
        left_out = (*left_out, LeftOut(first.companion, "complication"))
        return Committed(Commitment.ONE, first.own, first.own, every, left_out)
    return Committed(Commitment.ONE, first.text, first.own, every, left_out)


def count(name: str) -> int:
    """How many illnesses a truth is, by its name."""
    named = [found for each in read_pieces(name).sentences if (found := Named.of(each))]
    return max(1, len(apart(member for each in named for member in (*each.members, *each.beside))))


def _own(sentences: list[Named]) -> list[Named]:
    """The sentences in which the doctor commits: said to be the diagnosis, or nothing but a name; else the first."""
    named = [each for each in sentences if each.members or each.is_list]
    own = [each for each in named if each.primary or each.is_bare or each.is_list]
    said = [each for each in sentences if each.primary] or [each for each in sentences[:1] if each.is_short]
    return own or said[:1] or named[:1] or sentences[:1]
