"""Thoughts in words: as typed facts, and as the words of a line in a prompt.

A line is `Fact #j: what was said (turn n)`. A model's thought is a line of its own, unchanged. Thoughts that rules
formed from one answer share a line, after what was asked if they do not name it; what the patient denies, what is
normal and what the doctor thought of is in one line each.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import Fact, tokens
from osler.memory.tim.thought import PATIENT, Draft, Thought
from osler.prompts import phrases

COLONS = (":", "：")
_EDGE = " ,，、"
_CUT = {Language.EN: 24, Language.ZH: 8}
"""Characters of what was asked that are told."""
LineKey = tuple[object, ...]
"""The thoughts of one line have the same."""
DENIED: LineKey = ("denied",)
NORMAL: LineKey = ("normal",)
THOUGHT: LineKey = ("thought",)
ROWS = (DENIED, NORMAL, THOUGHT)
"""Lines with things of all turns; each begins with the phrase of that name."""


def dated(thought: Draft, language: Language) -> str:
    """Subject, relation and object, with what its marks tell and the time at which it was so."""
    words = phrases("tim_lines", language)
    if not thought.is_by_model:
        return _with_time(f"{thought.subject} {_predicate(thought, language)}", thought, language)
    unsaid = thought.negated and not finder("negation", language).search(thought.triple)
    text = words["negative"].format(text=thought.triple) if unsaid else thought.triple
    return _with_time(words["inferred"].format(text=text) if thought.inferred else text, thought, language)


def _told(thought: Draft, language: Language) -> str:
    """Return a thought for a line that has its topic; that the patient has or says something needs no words."""
    words = phrases("tim_lines", language)
    if not thought.is_by_model and thought.asked and thought.subject not in PATIENT:
        relation = words["has_not"] if thought.negated else thought.relation
        return _with_time(" ".join(filter(None, (thought.subject, relation, thought.object))), thought, language)
    if thought.is_by_model or thought.subject not in PATIENT:
        return dated(thought, language)
    if topic_of(thought):
        text = words["no"].format(thing=thought.object) if thought.negated else thought.object
    elif not thought.negated and thought.relation in (words["has"], words["says"]):
        text = thought.object
    else:
        text = _predicate(thought, language)
    return _with_time(text, thought, language)


def _predicate(thought: Draft, language: Language) -> str:
    """Return what is said of the subject of a thought that rules formed."""
    words = phrases("tim_lines", language)
    if topic := topic_of(thought):
        answer = words["no"].format(thing=thought.object) if thought.negated else thought.object
        return f"{words['topic'].format(topic=topic)} {answer}"
    return f"{words['has_not'] if thought.negated else thought.relation} {thought.object}".strip()


def topic_of(thought: Draft) -> str:
    """Return what a thought is the answer to, if rules formed it and it does not name that itself."""
    return thought.asked or (thought.relation[:-1] if thought.relation.endswith(COLONS) else "")


def _denied_thing(thought: Draft, language: Language) -> str:
    """Return what the patient does not have; empty if a model formed the thought or it says something else."""
    if thought.is_by_model or not thought.negated or thought.subject not in PATIENT or topic_of(thought):
        return ""
    return _with_time(thought.object, thought, language)


def _normal_thing(thought: Draft, language: Language) -> str:
    """Return the thing that rules noted only as normal; empty if a thought says more."""
    if thought.is_by_model or thought.negated or thought.subject not in PATIENT:
        return ""
    rest, found = finder("all_normal", language).subn("", thought.object)
    topic = topic_of(thought)
    if not found or (topic and content(rest, language)):
        return ""
    return topic or rest.strip(_EDGE)


def facts_of(
    thought: Thought, language: Language, turn: int, score: float, said_at: Callable[[int], datetime | None]
) -> list[Fact]:
    """A thought for code to read: once for each turn in which it was said, the given one first."""
    object_ = _with_time(thought.object, thought, language) if thought.reported else thought.object
    return [
        Fact(
            subject=thought.subject,
            relation=thought.relation,
            object=object_,
            denied=thought.negated,
            turn=said,
            at=said_at(said),
            score=round(score, 4),
        )
        for said in (dict.fromkeys((turn, *thought.turns)) if thought.also else (turn,))
    ]


def _with_time(text: str, thought: Draft, language: Language) -> str:
    if not thought.reported or thought.reported in text:
        return text
    return phrases("tim_lines", language)["when"].format(text=text, when=thought.reported)


class Weight(IntEnum):
    """How much a thought has to tell by itself, the most first."""

    THERE = 0
    DENIED = 1
    NORMAL = 2
    INFERRED = 3
    """Nobody said it."""
    UNKNOWN = 4
    """That something was asked and not answered."""


class ThoughtWords(NamedTuple):
    """A thought as it is told: the line that it goes into, and its words there."""

    key: LineKey
    said: str
    size: int
    """Tokens of the words and of the mark before them, rounded up."""
    weight: Weight
    heading: str
    """What was asked, before the first words of a line."""


def words_of(thought: Thought, language: Language) -> ThoughtWords:
    """Return how a thought is told: answers to one question share a line."""
    weight, heading = Weight.THERE, ""
    if thought.is_doctors:
        key, said = THOUGHT, thought.object
    elif said := _denied_thing(thought, language):
        key, weight = DENIED, Weight.DENIED
    elif name := _normal_thing(thought, language):
        key, said, weight = NORMAL, cut(name, language), Weight.NORMAL
    else:
        key = (thought.id,) if thought.is_by_model else (thought.turns, topic_of(thought), thought.subject)
        said, heading = _told(thought, language), "" if thought.is_by_model else cut(topic_of(thought), language)
    if _says_nothing(thought, language):
        weight = Weight.UNKNOWN
    elif thought.inferred:
        weight = Weight.INFERRED
    elif thought.is_by_model and thought.negated:
        weight = Weight.DENIED
    return ThoughtWords(key, said, tokens(said) + 1, weight, heading)


def _says_nothing(thought: Draft, language: Language) -> bool:
    """Check whether a thought only says that something is not known."""
    if thought.is_by_model:
        return finder("no_information", language).search(thought.relation) is not None
    return finder("answer_unsure", language).fullmatch(thought.object) is not None


def cut(text: str, language: Language) -> str:
    """The first words of what was asked."""
    most = _CUT[language]
    if len(text) <= most:
        return text
    short = text[:most] if language is Language.ZH else text[: most + 1].rpartition(" ")[0] or text[:most]
    return f"{short}…"
