"""The illnesses that a sentence names, and how they are joined: a list, a choice, or one with what goes with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval import english, mandarin
from osler.eval.answer_pieces import Sentence
from osler.eval.icd import Illness
from osler.eval.lexicon import cue, read, split
from osler.eval.mentions import read_answer
from osler.eval.names import chinese, is_chinese, listed, words

MANY = 4
"""Members of one list from which it is a guess at all of them, also where not every illness is known."""
_CHAIN = 3
"""Illnesses in one phrase from which it is no illness with its cause, but a list."""
_TO_THE_END = ("companion", "detail")
"""What joins these with an illness reaches to the end of the sentence."""
_BARE, _BARE_ZH = 1, 5
"""Words, less side and stage, or Chinese characters that may stand beside an illness where it is only named."""

_SHORT = 12
"""Chinese characters, or twice the words, of a name that is not known."""


class Member(NamedTuple):
    """An illness of a list."""

    text: str
    illness: Illness
    part: _Part

    @property
    def is_bare(self) -> bool:
        """Whether the text does nothing but name."""
        if is_chinese(self.text):
            return len(chinese(self.text)) - len("".join(self.illness.words)) <= _BARE_ZH
        return len(frozenset(words(self.text)) - self.illness.words - listed("detail") - listed("child")) <= _BARE


@dataclass(frozen=True)
class Named:
    """A sentence with the illnesses it names."""

    text: str
    own: str
    """Less what goes with the illness."""
    companion: str
    members: tuple[Member, ...]
    """The illnesses of its list."""
    beside: tuple[Member, ...]
    """Those that go with them."""
    primary: bool
    is_list: bool
    """Whether it is one of many, known or not."""

    @classmethod
    def of(cls, sentence: Sentence) -> Named | None:
        """Take a sentence apart; None when it means nothing."""
        meant = read_answer(sentence.text).sentences
        text = ". ".join(meant)
        if not any(char.isalnum() for char in text):
            return None
        parts = list(_parts(text))
        members = [
            Member(part.text, found, part) for part in parts if part.by != "detail" and (found := _illness(part.text))
        ]
        own = [member for member in members if member.part.by != "companion"] or members
        whole = _illness(text)
        if whole is not None and len(own) > 1 and is_name(text):
            own = [Member(text, whole, parts[0])]
        beside = [member for member in members if member.part.by == "companion" and member not in own]
        cut = beside[0].part.joint if beside else len(text)
        return cls(
            text,
            text[:cut].strip(" ,，"),
            text[cut:].strip(),
            tuple(own),
            tuple(beside),
            sentence.primary,
            _is_list(text[:cut], parts) or len(different(members)) >= MANY,
        )

    @property
    def is_short(self) -> bool:
        """Whether it is no longer than a name."""
        return len(self.text) <= _SHORT if is_chinese(self.text) else len(words(self.text)) <= _SHORT // 2

    @property
    def is_bare(self) -> bool:
        """Whether one of its members does nothing but name."""
        return any(member.is_bare for member in self.members)


def is_name(text: str) -> bool:
    """Whether a text as a whole is the name of an illness, whatever it seems to list."""
    return mandarin.is_known(text) if is_chinese(text) else english.is_known(text)


@lru_cache(maxsize=4096)
def _illness(text: str) -> Illness | None:
    if is_chinese(text):
        return mandarin.illness(text)
    return english.illness(cue("cause").split(text, maxsplit=1)[0]) or english.illness(text)


@cache
def _joints() -> re.Pattern[str]:
    parts = (f"(?P<{key}>{'|'.join(read('commitment')[key])})" for key in ("choice", "companion", "detail", "list"))
    return re.compile("|".join(parts), re.IGNORECASE)


class _Part(NamedTuple):
    text: str
    by: str
    """What joins it with what stands before."""
    joint: int
    """Where that begins."""


def _parts(text: str) -> Iterator[_Part]:
    """A sentence between what joins its illnesses; what goes with an illness goes on to the end."""
    by, joint, start = "list", 0, 0
    for hit in _joints().finditer(text):
        if part := text[start : hit.start()].strip(" ."):
            yield _Part(part, by, joint)
        if part or hit.lastgroup != "list":
            by, joint = (by if by in _TO_THE_END else hit.lastgroup or ""), hit.start()
        start = hit.end()
    if part := text[start:].strip(" ."):
        yield _Part(part, by, joint)


def _is_list(text: str, parts: list[_Part]) -> bool:
    """Whether a text lists many, known or not, or runs on from one known illness to the next."""
    names = [part.text for part in parts if part.by not in _TO_THE_END]
    diseases = [each for each in names if (mandarin if is_chinese(each) else english).is_disease(each)]
    if len(names) >= MANY and len(diseases) >= MANY - 1:
        return True
    if is_name(text):
        return False
    run = (mandarin if is_chinese(text) else english).illnesses(text)
    return len(different(Member(" ".join(each.words), each, parts[0]) for each in run)) >= _CHAIN


@cache
def _consequences() -> tuple[frozenset[frozenset[str]], frozenset[str]]:
    names = split(" ".join(read("commitment")["consequences"].split()))
    return (
        frozenset(frozenset(words(each)) for each in names if not is_chinese(each)),
        frozenset(mandarin.bare(chinese(each)) for each in names if is_chinese(each)),
    )


def _comes_of_it(member: Member) -> bool:
    """Whether it is a state that an illness brings with it."""
    latin, script = _consequences()
    if is_chinese(member.text):
        return mandarin.bare(chinese(member.text)) in script or member.illness.words <= script
    return frozenset(words(member.text)) in latin or member.illness.words in latin


def different(members: Iterable[Member]) -> list[Member]:
    """The different illnesses among the members; what the first brings with it is none."""
    every = list(members)
    return apart((*every[:1], *(each for each in every[1:] if not _comes_of_it(each))))


def apart(members: Iterable[Member]) -> list[Member]:
    """The different illnesses among the members."""
    found: list[Member] = []
    for member in members:
        if all(member.illness.differs(other.illness) for other in found):
            found.append(member)
    return found
