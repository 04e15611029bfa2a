"""The one diagnosis that a doctor commits to, out of all that an answer says.

It is the first one named before any differential, alternative, list or talk to the judge. An illness with its side,
stage, cause or complication is one diagnosis; different illnesses, listed as answers, are several.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from osler.eval.ladder.answer_pieces import LeftOut, read_pieces
from osler.eval.ladder.illness_list import MANY, ListedIllness, NamedIllnesses, apart, different
from osler.eval.ladder.illness_names import names_for
from osler.eval.ladder.names import listed

_BARE, _BARE_ZH = 1, 5
"""Words, less side and stage, or Chinese characters that may stand beside an illness where it is only named."""


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
    named = _own([found for each in pieces.sentences if (found := NamedIllnesses.of(each))])
    if not named:
        return Committed(Commitment.NONE, "", left_out=left_out)
    illnesses = different([member for sentence in named for member in sentence.members])
    whole = ". ".join(sentence.text for sentence in named)
    every = tuple(member.text for member in illnesses)
    if any(sentence.is_list for sentence in named) or len(every) >= at_most + MANY - 1:
        return Committed(Commitment.LIST, whole, whole, every, left_out)
    if len(every) > at_most:
        is_choice = len(every) == 2 and len(named) == 1 and illnesses[1].joined_by == "choice"
        return Committed(Commitment.CHOICE if is_choice else Commitment.SEVERAL, whole, whole, every, left_out)
    first = named[0]
    if at_most > 1 or not first.companion or names_for(first.text).is_name(first.text):
        text, own = (whole, whole) if at_most > 1 else (first.text, first.own)
        return Committed(Commitment.ONE, text, own, every, left_out)
    left_out = (*left_out, LeftOut(first.companion, "complication"))
    return Committed(Commitment.ONE, first.own, first.own, every, left_out)


def count(name: str) -> int:
    """How many illnesses a truth is, by its name."""
    named = [found for each in read_pieces(name).sentences if (found := NamedIllnesses.of(each))]
    return max(1, len(apart(member for each in named for member in (*each.members, *each.beside))))


def _own(sentences: list[NamedIllnesses]) -> list[NamedIllnesses]:
    """The sentences in which the doctor commits: said to be the diagnosis, or nothing but a name; else the first."""
    named = [each for each in sentences if each.members or each.is_list]
    own = [each for each in named if each.primary or each.is_list or any(map(_only_names, each.members))]
    return own or [each for each in sentences if each.primary][:1] or named[:1] or sentences[:1]


def _only_names(member: ListedIllness) -> bool:
    """Whether a text does little but name an illness."""
    said = names_for(member.text).units(member.text)
    if isinstance(said, str):
        return len(said) - len("".join(member.illness.words)) <= _BARE_ZH
    return len(frozenset(said) - member.illness.words - listed("detail") - listed("child")) <= _BARE
