"""Find the one diagnosis that a doctor commits to, out of all that an answer says.

An illness with its side, stage, cause or complication is one diagnosis; different illnesses, listed as answers, are
several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from osler.eval.ladder.answer_pieces import read_answer
from osler.eval.ladder.icd import share
from osler.eval.ladder.illness_graph import Illness
from osler.eval.ladder.name_forms import names_for
from osler.eval.vocabulary import cue

_MANY = 4
"""Size from which a list is a guess at all of its members."""
_JOINTS = ("choice", "companion", "second_name", "list")


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
    """The illness that it names first, then different ones that are named as the answer, as far as they are known."""
    details: tuple[str, ...] = ()
    """What is said of the first one: a second name, its side, stage or germ."""
    is_first: bool = True
    """Whether nothing stands before it that could be an unknown illness."""


class _Segment(NamedTuple):
    text: str
    joined_by: str
    """How it is joined with what comes before: choice, companion (its cause or complication), second_name or list."""
    illnesses: tuple[Illness, ...]

    def differs(self, other: _Segment) -> bool:
        """Check whether these are two illnesses: not near each other in ICD-10 or in the tree of illnesses."""
        return not any(
            one is two or share(one.codes, two.codes) or one.is_below(two) or two.is_below(one)
            for one in self.illnesses
            for two in other.illnesses
        )

    def is_form_of(self, other: _Segment) -> bool:
        """Check whether it is more precise than another one."""
        return any(one.is_below(two) for one in self.illnesses for two in other.illnesses)


@lru_cache(maxsize=512)
def committed(answer: str, at_most: int = 1) -> Committed:
    """Return what an answer commits to, in either language.

    Args:
        answer: As the doctor gave it.
        at_most: Illnesses that it may name: a true diagnosis of two illnesses is answered by two.
    """
    statements = [each for each in read_answer(answer).statements if any(map(str.isalnum, each.text))]
    statements = [each for each in statements if each.primary] or statements
    parsed = [(each.text, _spelled_out(list(_segments(each.text)))) for each in statements]
    segments = [segment for _, some in parsed for segment in some]
    if not segments:  # nothing, or only words that join names
        return Committed(Commitment.NONE)
    members = _members(segments) or segments[:1]
    statement, own = next((text, some) for text, some in parsed if members[0] in some)
    details = [each.text for each in own[own.index(members[0]) + 1 :] if each.joined_by != "companion"]
    whole = statement if len(members) == at_most == 1 else ". ".join(each.text for each in statements)
    return Committed(
        _commitment(members, segments, at_most),
        whole,
        tuple(each.text for each in members),
        tuple(details),
        own[0] is members[0],
    )


def _commitment(members: list[_Segment], segments: list[_Segment], at_most: int) -> Commitment:
    if len(members) <= at_most:
        named = {each.illnesses for each in segments if each.illnesses}
        return Commitment.SEVERAL if len(named) > at_most + _MANY else Commitment.ONE
    if len(members) == 2 and members[1].joined_by == "choice":
        return Commitment.CHOICE
    listed = sum(each.joined_by == "list" for each in segments)
    is_list = len(members) > at_most + 1 and listed >= at_most + _MANY - 1
    return Commitment.LIST if is_list else Commitment.SEVERAL


@lru_cache(maxsize=512)
def count(name: str) -> int:
    """Count how many illnesses a true diagnosis is, by its name."""
    return max(1, len(_members(list(_segments(name)))))


@cache
def _joints() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{key}>{cue('answer_cues', key).pattern})" for key in _JOINTS), re.IGNORECASE)


def _segments(statement: str) -> Iterator[_Segment]:
    """The parts of a statement, with what joins them; what goes with an illness goes on to the end."""
    joined_by, start = "list", 0
    for hit in (*_joints().finditer(statement), None):
        if text := statement[start : hit.start() if hit else None].strip(" .-"):
            yield _Segment(text, joined_by, names_for(text).illness(text))
        if hit:
            joined_by = joined_by if joined_by == "companion" else hit.lastgroup or ""
            start = hit.end()


def _spelled_out(segments: list[_Segment]) -> list[_Segment]:
    """Leave out an abbreviation that is spelled out: "MS (mitral stenosis)"."""
    found = segments[-1:]
    for each, following in reversed(list(pairwise(segments))):
        is_explained = following.joined_by == "second_name" and following.illnesses
        if not (is_explained and names_for(each.text).is_abbreviation(each.text)):
            found.insert(0, each)
    return found


def _members(segments: list[_Segment]) -> list[_Segment]:
    """The different illnesses that are named as the answer; of a broader and a narrower one, the narrower."""
    found: list[_Segment] = []
    for segment in segments:
        is_beside = segment.joined_by == "companion" or (found and segment.joined_by == "second_name")
        if not segment.illnesses or is_beside:
            continue
        found = [segment if segment.is_form_of(other) else other for other in found]
        if all(segment.differs(other) for other in found):
            found.append(segment)
    return found
