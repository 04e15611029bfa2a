"""The illnesses that a sentence names, and how they are joined: a list, a choice, or one with what goes with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.answer_pieces import AnswerSentence
from osler.eval.ladder.icd import Illness
from osler.eval.ladder.illness_names import names_for
from osler.eval.ladder.meant import meaning
from osler.eval.ladder.names import is_chinese
from osler.eval.vocabulary import cue, read, split
from osler.language import Language

MANY = 4
"""Members of one list from which it is a guess at all of them."""
_CHAIN = 3
"""Illnesses in one phrase from which it is no illness with its cause, but a list."""
_TO_THE_END = ("companion", "detail")
"""What joins these with an illness reaches to the end of the sentence."""


class _Part(NamedTuple):
    text: str
    joined_by: str
    """What joins it with what stands before: choice, companion, detail or list."""
    start: int
    """Where that begins."""


class ListedIllness(NamedTuple):
    """An illness of a list."""

    text: str
    illness: Illness
    joined_by: str = "list"
    start: int = 0


@dataclass(frozen=True)
class NamedIllnesses:
    """A sentence with the illnesses it names."""

    text: str
    own: str
    """Less what goes with the illness."""
    companion: str
    members: tuple[ListedIllness, ...]
    """The illnesses of its list."""
    beside: tuple[ListedIllness, ...]
    """Those that go with them."""
    primary: bool
    is_list: bool
    """Whether it is one of many."""

    @classmethod
    def of(cls, sentence: AnswerSentence) -> NamedIllnesses | None:
        """Take a sentence apart; None when it means nothing."""
        text = ". ".join(meaning(sentence.text).sentences)
        if not any(char.isalnum() for char in text):
            return None
        members = [
            ListedIllness(part.text, found, part.joined_by, part.start)
            for part in _parts(text)
            if part.joined_by != "detail" and (found := _illness(part.text))
        ]
        own = [member for member in members if member.joined_by != "companion"] or members
        if len(own) > 1 and names_for(text).is_name(text) and (whole := _illness(text)):
            own = [ListedIllness(text, whole)]
        beside = [member for member in members if member.joined_by == "companion" and member not in own]
        cut = beside[0].start if beside else len(text)
        return cls(
            text,
            text[:cut].strip(" ,，"),
            text[cut:].strip(),
            tuple(own),
            tuple(beside),
            sentence.primary,
            len(different(members)) >= MANY or _is_chain(text[:cut]),
        )


@lru_cache(maxsize=4096)
def _illness(text: str) -> Illness | None:
    names = names_for(text)
    return names.illness(cue("answer_cues", "cause", Language.EN).split(text, maxsplit=1)[0]) or names.illness(text)


@cache
def _joints() -> re.Pattern[str]:
    keys = ("choice", "companion", "detail", "list")
    return re.compile("|".join(f"(?P<{key}>{cue('answer_cues', key).pattern})" for key in keys), re.IGNORECASE)


def _parts(text: str) -> Iterator[_Part]:
    """A sentence between what joins its illnesses; what goes with an illness goes on to the end."""
    joined_by, joint, start = "list", 0, 0
    for hit in _joints().finditer(text):
        if part := text[start : hit.start()].strip(" ."):
            yield _Part(part, joined_by, joint)
        if part or hit.lastgroup != "list":
            joined_by = joined_by if joined_by in _TO_THE_END else hit.lastgroup or ""
            joint = hit.start()
        start = hit.end()
    if part := text[start:].strip(" ."):
        yield _Part(part, joined_by, joint)


def _is_chain(text: str) -> bool:
    """Whether a text runs on from one known illness to the next."""
    names = names_for(text)
    if names.is_name(text):
        return False
    run = (ListedIllness(" ".join(each.words), each) for each in names.illnesses(text))
    return len(different(run)) >= _CHAIN


@cache
def _consequences() -> frozenset[object]:
    names = split(" ".join(read("answer_cues")["consequences"].split()))
    return frozenset(names_for(name).key(name) for name in names)


def _comes_of_it(member: ListedIllness) -> bool:
    """Whether it is a state that an illness brings with it."""
    known = next(iter(member.illness.words), "") if is_chinese(member.text) else member.illness.words
    return names_for(member.text).key(member.text) in _consequences() or known in _consequences()


def different(members: Iterable[ListedIllness]) -> list[ListedIllness]:
    """The different illnesses among the members; what the first brings with it is none."""
    every = list(members)
    return apart((*every[:1], *(each for each in every[1:] if not _comes_of_it(each))))


def apart(members: Iterable[ListedIllness]) -> list[ListedIllness]:
    """The different illnesses among the members."""
    found: list[ListedIllness] = []
    for member in members:
        if all(member.illness.differs(other.illness) for other in found):
            found.append(member)
    return found
