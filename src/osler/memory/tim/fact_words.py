"""One thought in words: as a sentence for a note of changes, as a part of a line in a recall, and as a typed fact.

What a model wrote is told as it stands; that it denies something is said beside it where its words do not, and so is
that nobody said it.
"""

from __future__ import annotations

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import Fact
from osler.memory.tim.thought import PATIENT, Draft, Maker, Thought
from osler.prompts import phrases

_COLONS = ":："
_EDGE = " ,，、"


def dated(thought: Draft, language: Language) -> str:
    """Subject, relation and object, with what its marks tell and the time at which it was so."""
    return _with_time(_stated(thought, language), thought, language)


def _stated(thought: Draft, language: Language) -> str:
    words = phrases("tim_lines", language)
    if thought.maker is Maker.MODEL:
        unsaid = thought.negated and not finder("negation", language).search(thought.relation)
        text = words["negative"].format(text=thought.triple) if unsaid else thought.triple
        return words["inferred"].format(text=text) if thought.inferred else text
    if topic := topic_of(thought):
        return f"{thought.subject} {words['topic'].format(topic=topic)} {_answer(thought, language)}"
    relation = words["has_not"] if thought.negated else thought.relation
    return " ".join((thought.subject, relation, thought.object))


def told(thought: Draft, language: Language) -> str:
    """A thought within a line that has its topic; that the patient has something needs no words."""
    words = phrases("tim_lines", language)
    if thought.maker is Maker.MODEL or thought.subject not in PATIENT:
        return dated(thought, language)
    if topic_of(thought):
        text = _answer(thought, language)
    else:
        relation = words["has_not"] if thought.negated else thought.relation
        text = thought.object if relation == words["has"] else f"{relation} {thought.object}"
    return _with_time(text, thought, language)


def _answer(thought: Draft, language: Language) -> str:
    """What was answered, with its denial."""
    if not thought.negated or thought.phrase:
        return thought.phrase or thought.object
    return phrases("tim_lines", language)["no"].format(thing=thought.object)


def topic_of(thought: Draft) -> str:
    """What a thought is the answer to, where rules formed it and it does not name that itself."""
    return thought.asked or (thought.relation.rstrip(_COLONS) if thought.relation.endswith(tuple(_COLONS)) else "")


def denied_thing(thought: Draft, language: Language) -> str:
    """What the patient does not have; empty where rules did not form a thought or it says something else."""
    if thought.maker is Maker.MODEL or not thought.negated or thought.subject not in PATIENT or topic_of(thought):
        return ""
    return _with_time(thought.object, thought, language)


def normal_thing(thought: Draft, language: Language) -> str:
    """The name of the thing of which rules noted only that it is normal; empty where a thought says more."""
    if thought.maker is Maker.MODEL or thought.negated or thought.subject not in PATIENT:
        return ""
    rest, found = finder("all_normal", language).subn("", thought.object)
    topic = topic_of(thought)
    if not found or (topic and content(rest, language)):
        return ""
    return topic or rest.strip(_EDGE)


def facts_of(thought: Thought, language: Language, turn: int, score: float) -> list[Fact]:
    """A thought for code to read: once for each turn in which it was said, the given one first."""
    return [
        Fact(
            subject=thought.subject,
            relation=thought.relation,
            object=_with_time(thought.object, thought, language),
            denied=thought.negated,
            turn=said,
            score=round(score, 4),
        )
        for said in dict.fromkeys((turn, *thought.turns))
    ]


def _with_time(text: str, thought: Draft, language: Language) -> str:
    if not thought.reported or thought.reported in text:
        return text
    return phrases("tim_lines", language)["when"].format(text=text, when=thought.reported)
