"""Facts in words: as typed facts of a recall, and as the words of a line in a prompt.

A line is `Fact #j: [kind] what was said (turn n)`, behind what was asked if the fact does not name
it. A recall numbers its lines from 1. A model's fact is told unchanged. What the patient denies,
what is normal and what the doctor thought of is in one row each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import NamedTuple

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import tokens
from osler.memory.core.fact import PATIENT, Fact, FactKind
from osler.memory.core.recall_text import COMMA, SEMICOLON
from osler.prompts import phrases

COLONS = (":", "：")
_EDGE = " ,，、"
_CUT = {Language.EN: 24, Language.ZH: 8}
"""Characters of what was asked that are told."""


def dated(fact: Fact, language: Language) -> str:
    """Subject, relation and object, with what its marks tell and the time at which it was so."""
    words = phrases("tim_lines", language)
    if not fact.is_by_model:
        return _with_time(f"{fact.subject} {_predicate(fact, language)}", fact, language)
    if fact.unknown:
        return _with_time(words["unknown"].format(text=fact.triple), fact, language)
    unsaid = fact.denied and not finder("negation", language).search(fact.triple)
    text = words["negative"].format(text=fact.triple) if unsaid else fact.triple
    return _with_time(
        words["inferred"].format(text=text) if fact.inferred else text, fact, language
    )


def _told(fact: Fact, language: Language) -> str:
    """Return a thought for a line that has its topic.

    That the patient has or says something needs no words.
    """
    words = phrases("tim_lines", language)
    if not fact.is_by_model and fact.asked and fact.subject not in PATIENT:
        relation = words["has_not"] if fact.denied else fact.relation
        return _with_time(
            " ".join(filter(None, (fact.subject, relation, fact.object))), fact, language
        )
    if fact.is_by_model or fact.subject not in PATIENT:
        return dated(fact, language)
    if topic_of(fact):
        text = words["no"].format(thing=fact.object) if fact.denied else fact.object
    elif not fact.denied and fact.relation in (words["has"], words["says"]):
        text = fact.object
    else:
        text = _predicate(fact, language)
    return _with_time(text, fact, language)


def _predicate(fact: Fact, language: Language) -> str:
    """Return what is said of the subject of a thought that rules formed."""
    words = phrases("tim_lines", language)
    if topic := topic_of(fact):
        answer = words["no"].format(thing=fact.object) if fact.denied else fact.object
        return f"{words['topic'].format(topic=topic)} {answer}"
    return f"{words['has_not'] if fact.denied else fact.relation} {fact.object}".strip()


def topic_of(fact: Fact) -> str:
    """Return what a fact of rules is the answer to, if it does not name that itself."""
    return fact.asked or (fact.relation[:-1] if fact.relation.endswith(COLONS) else "")


def _denied_thing(fact: Fact, language: Language) -> str:
    """Return what the patient does not have.

    Empty if a model formed the thought or it says something else.
    """
    if fact.is_by_model or not fact.denied or fact.subject not in PATIENT or topic_of(fact):
        return ""
    return _with_time(fact.object, fact, language)


def _normal_thing(fact: Fact, language: Language) -> str:
    """Return the thing that rules noted only as normal; empty if a thought says more."""
    if fact.is_by_model or fact.denied or fact.subject not in PATIENT:
        return ""
    rest, found = finder("all_normal", language).subn("", fact.object)
    topic = topic_of(fact)
    if not found or (topic and content(rest, language)):
        return ""
    return topic or rest.strip(_EDGE)


def recalled_facts(
    fact: Fact,
    language: Language,
    said_at: Callable[[int], datetime | None],
    score: float = 1.0,
    best_turn: int | None = None,
) -> list[Fact]:
    """A fact for code to read: once for each turn in which it was said, the best turn first."""
    first = () if best_turn is None else (best_turn,)
    return [
        Fact(
            subject=fact.subject,
            relation=fact.relation,
            object=_with_time(fact.object, fact, language),
            denied=fact.denied,
            turn=turn,
            at=said_at(turn),
            score=round(score, 4),
            kind=fact.kind,
            inferred=fact.inferred,
            unknown=fact.unknown,
        )
        for turn in dict.fromkeys((*first, *fact.turns))
    ]


def _with_time(text: str, fact: Fact, language: Language) -> str:
    if not fact.reported or fact.reported in text:
        return text
    return phrases("tim_lines", language)["when"].format(text=text, when=fact.reported)


class Rank(IntEnum):
    """How much a thought has to tell by itself: what has the most comes first."""

    THERE = 0
    DENIED = 1
    NORMAL = 2
    INFERRED = 3
    """Nobody said it."""
    UNKNOWN = 4
    """That something was asked and not answered."""


class Row(StrEnum):
    """Lines with things of all turns, named after the phrases that they begin with."""

    DENIED = "denied"
    NORMAL = "normal"
    THOUGHT = "thought"


class FactLine(NamedTuple):
    """A fact as a recall tells it."""

    fact: Fact
    row: Row | None
    """The row that it goes into; None if it has a line of its own."""
    words: str
    """Its words in the row, or behind the heading."""
    heading: str
    """What was asked, if the words do not name it."""
    rank: Rank
    text: str
    """The whole line but for its number, with nothing else in it."""
    size: int
    """Tokens of the line, rounded up, with the fact's own number: the numbers of the lines of a
    recall together are no longer than those."""
    kind: FactKind = FactKind.OTHER
    """The kind that the line shows, if it is one that a reader has to see."""


def fact_line(
    fact: Fact,
    language: Language,
    days: Sequence[str] = (),
    today: Sequence[int] = (),
    kind: FactKind = FactKind.OTHER,
) -> FactLine:
    """Return how a fact is told.

    Args:
        fact: The fact.
        language: Of the line.
        days: Other days on which it was said; a day that the fact names itself is left out.
        today: The turns of the day in which it was said.
        kind: Its kind for the reader.
    """
    row, words, rank = _row(fact, language)
    heading = "" if row or fact.is_by_model else cut(topic_of(fact), language)
    if _says_nothing(fact, language):
        rank = Rank.UNKNOWN
    elif fact.inferred:
        rank = Rank.INFERRED
    elif fact.is_by_model and fact.denied:
        rank = Rank.DENIED
    if row is not None:
        text = row_text(row, [words], language)
        return FactLine(fact, row, words, heading, rank, text, tokens(text) + 1, kind)
    text = _with_days(headed(heading, words, language), days, today, language)
    label = phrases("tim_lines", language).get(f"kind_{kind}")
    if label:
        text = phrases("tim_lines", language)["kind"].format(kind=label, text=text)
    size = tokens(numbered_line(fact.id, text, language)) + 1
    return FactLine(fact, row, words, heading, rank, text, size, kind)


def numbered_line(number: int, text: str, language: Language) -> str:
    """A line with its number."""
    return phrases("tim_lines", language)["fact"].format(number=number, text=text)


def _row(fact: Fact, language: Language) -> tuple[Row | None, str, Rank]:
    """The row that a fact goes into, if any, its words there and their rank."""
    if fact.is_doctors:
        return Row.THOUGHT, fact.object, Rank.THERE
    if denied := _denied_thing(fact, language):
        return Row.DENIED, denied, Rank.DENIED
    if normal := _normal_thing(fact, language):
        return Row.NORMAL, cut(normal, language), Rank.NORMAL
    return None, _told(fact, language), Rank.THERE


def row_text(row: str, things: Iterable[str], language: Language) -> str:
    """The line of all things of a kind, each once."""
    joined = SEMICOLON[language].join(dict.fromkeys(things))
    return phrases("tim_lines", language)[row].format(things=joined)


def headed(heading: str, words: str, language: Language) -> str:
    """Words behind what was asked, if they need that."""
    if not heading:
        return words
    return phrases("tim_lines", language)["answer"].format(topic=heading, text=words)


def _with_days(text: str, days: Sequence[str], today: Sequence[int], language: Language) -> str:
    """Words with the days and turns in which they were said, unless they name the day."""
    line, comma = phrases("tim_lines", language), COMMA[language]
    when = [day for day in days if day not in text]
    if today:
        when.append(line["turns"].format(turns=comma.join(map(str, today))))
    return line["said"].format(text=text, when=comma.join(when)) if when else text


def _says_nothing(fact: Fact, language: Language) -> bool:
    """Check whether a thought only says that something is not known."""
    if fact.is_by_model:
        return finder("no_information", language).search(fact.relation) is not None
    return finder("answer_unsure", language).fullmatch(fact.object) is not None


def cut(text: str, language: Language) -> str:
    """The first words of what was asked."""
    most = _CUT[language]
    if len(text) <= most:
        return text
    short = (
        text[:most]
        if language is Language.ZH
        else text[: most + 1].rpartition(" ")[0] or text[:most]
    )
    return f"{short}…"
