"""Find the one diagnosis that a doctor commits to, out of all that an answer says.

It is the first one named before any differential, alternative, list or talk to the judge. An illness with its side,
stage, cause or complication is one diagnosis; different illnesses, listed as answers, are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.answer_pieces import AnswerSentence, LeftOut, read_pieces
from osler.eval.ladder.icd import Illness
from osler.eval.ladder.illness_names import names_for
from osler.eval.ladder.names import listed, script, units
from osler.eval.ladder.negation import meaning
from osler.eval.vocabulary import cue, read, split

_MANY = 4
"""Size from which a list is a guess at all of its members."""
_CHAIN = 3
"""Number of illnesses in one phrase from which it is a list, not an illness with its cause."""
_TO_THE_END = ("companion", "detail")
"""What joins these with an illness reaches to the end of the sentence."""
_BARE, _BARE_ZH = 1, 5
"""Words, less side and stage, or Chinese characters that may be next to an illness that is only named."""


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
    diagnosis: str = ""
    """In the doctor's words; all of them if there are several; empty if there is none."""
    illnesses: tuple[str, ...] = ()
    """The different illnesses that are named as the answer, as far as they are known."""
    left_out: tuple[LeftOut, ...] = ()


@lru_cache(maxsize=512)
def committed(answer: str, at_most: int = 1) -> Committed:
    """Return what an answer commits to, in either language.

    Args:
        answer: As the doctor gave it.
        at_most: Illnesses that it may name: a true diagnosis of two illnesses is answered by two.
    """
    pieces = read_pieces(answer)
    left_out = tuple(each for each in pieces.left_out if each.text)
    named = _own([found for each in pieces.sentences if (found := _NamedIllnesses.of(each))])
    if not named:
        return Committed(Commitment.NONE, left_out=left_out)
    illnesses = _different(member for sentence in named for member in sentence.members)
    whole = ". ".join(sentence.text for sentence in named)
    every = tuple(member.text for member in illnesses)
    if any(sentence.is_list for sentence in named) or len(every) >= at_most + _MANY - 1:
        return Committed(Commitment.LIST, whole, every, left_out)
    if len(every) > at_most:
        is_choice = len(every) == 2 and len(named) == 1 and illnesses[1].joined_by == "choice"
        return Committed(Commitment.CHOICE if is_choice else Commitment.SEVERAL, whole, every, left_out)
    first = named[0]
    if at_most > 1 or not first.companion:
        return Committed(Commitment.ONE, whole if at_most > 1 else first.text, every, left_out)
    return Committed(Commitment.ONE, first.own, every, (*left_out, LeftOut(first.companion, "complication")))


def count(name: str) -> int:
    """Count how many illnesses a true diagnosis is, by its name."""
    named = [found for each in read_pieces(name).sentences if (found := _NamedIllnesses.of(each))]
    return max(1, len(_apart(member for each in named for member in (*each.members, *each.beside))))


class _ListedIllness(NamedTuple):
    text: str
    illness: Illness
    joined_by: str = "list"
    """How it is joined with what comes before: choice, companion, detail or list."""
    start: int = 0
    """Where the join begins."""


@dataclass(frozen=True)
class _NamedIllnesses:
    """A sentence with the illnesses it names."""

    text: str
    own: str
    """Less what goes with the illness."""
    companion: str
    members: tuple[_ListedIllness, ...]
    """The illnesses of its list."""
    beside: tuple[_ListedIllness, ...]
    """Those that go with them."""
    primary: bool
    is_list: bool
    """Whether it is one of many."""

    @classmethod
    def of(cls, sentence: AnswerSentence) -> _NamedIllnesses | None:
        """Split a sentence into the illnesses it names, or None if it asserts nothing."""
        text = ". ".join(meaning(sentence.text).sentences)
        if not any(char.isalnum() for char in text):
            return None
        names = names_for(text)
        members = list(_members(text))
        own = [member for member in members if member.joined_by != "companion"] or members
        if own and names.is_name(text) and (whole := names.illness(text)):
            own = [_ListedIllness(text, whole)]
        beside = [member for member in members if member.joined_by == "companion" and member not in own]
        cut = beside[0].start if beside else len(text)
        return cls(
            text,
            text[:cut].strip(" ,，"),
            text[cut:].strip(),
            tuple(own),
            tuple(beside),
            sentence.primary,
            len(_different(members)) >= _MANY or _is_chain(text[:cut]),
        )


@cache
def _joints() -> re.Pattern[str]:
    keys = ("choice", "companion", "detail", "list")
    return re.compile("|".join(f"(?P<{key}>{cue('answer_cues', key).pattern})" for key in keys), re.IGNORECASE)


def _members(text: str) -> Iterator[_ListedIllness]:
    """The illnesses of a sentence, with what joins them; what goes with an illness goes on to the end."""
    joined_by, joint, start = "list", 0, 0
    for hit in (*_joints().finditer(text), None):
        part = text[start : hit.start() if hit else len(text)].strip(" .")
        if part and joined_by != "detail" and (found := names_for(part).illness(part)):
            yield _ListedIllness(part, found, joined_by, joint)
        if hit and (part or hit.lastgroup != "list"):
            joined_by = joined_by if joined_by in _TO_THE_END else hit.lastgroup or ""
            joint = hit.start()
        start = hit.end() if hit else start


def _is_chain(text: str) -> bool:
    """Check whether a text goes from one known illness to the next."""
    names = names_for(text)
    if names.is_name(text):
        return False
    return len(_different(_ListedIllness("", each) for each in names.illnesses(text))) >= _CHAIN


@cache
def _consequences() -> frozenset[frozenset[str]]:
    """States that an illness causes."""
    found = (names_for(name).illness(name) for name in split(" ".join(read("answer_cues")["consequences"].split())))
    return frozenset(each.words for each in found if each)


def _different(members: Iterable[_ListedIllness]) -> list[_ListedIllness]:
    """Return the different illnesses among the members; what the first one causes does not count."""
    every = list(members)
    return _apart((*every[:1], *(each for each in every[1:] if each.illness.words not in _consequences())))


def _apart(members: Iterable[_ListedIllness]) -> list[_ListedIllness]:
    """The different illnesses among the members."""
    found: list[_ListedIllness] = []
    for member in members:
        if all(member.illness.differs(other.illness) for other in found):
            found.append(member)
    return found


def _own(sentences: list[_NamedIllnesses]) -> list[_NamedIllnesses]:
    """Return the sentences in which the doctor commits: said to be the diagnosis, or only a name; else the first."""
    named = [each for each in sentences if each.members or each.is_list]
    own = [each for each in named if each.primary or each.is_list or any(map(_only_names, each.members))]
    return own or [each for each in sentences if each.primary][:1] or named[:1] or sentences[:1]


def _only_names(member: _ListedIllness) -> bool:
    """Check whether a text does little but name an illness."""
    said = units(member.text, script(member.text))
    if isinstance(said, str):
        return len(said) - len("".join(member.illness.words)) <= _BARE_ZH
    return len(frozenset(said) - member.illness.words - listed("detail") - listed("child")) <= _BARE
