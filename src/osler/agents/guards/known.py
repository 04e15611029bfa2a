"""What a doctor has before it: questions asked and things told, as far as its memory shows them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.agents.participant import Briefing

_REPLY = re.compile(r"^(?:patient|患者)\s*[:：]\s*(.+)$", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:doctor|医生|q|question|问题|asked in turn|第\d+轮问过)\s*(?:\d+)?\s*[:：]\s*(.+)$", re.IGNORECASE
)
_TOPIC = re.compile(r"[\[［]([^\]］]+)[\]］]")
_EACH = re.compile(r"[;；]\s*")
# A fact as a memory tells it, without its number, the question it answered and its turn.
_FACT = re.compile(
    r"^(?:(?:fact|事实)\s*#?\d*|#\d+)\s*[:：]\s*(.+?)\s*(?:[\[［].*)?(?:[(（](?:turn|第)[^()（）]*[)）])?$",
    re.IGNORECASE,
)
_TURNS = re.compile(r"[(（](?:turn|第)\s*([\d, 、]+)轮?[)）]\s*$", re.IGNORECASE)
# What was asked without a fact, and in a short memory what was denied and what is normal.
_LISTED = re.compile(r"^(?:also asked|还问过|(denied|否认|normal|正常))\s*[:：]\s*(.+)$", re.IGNORECASE)

_SHOWN = re.compile(r"\s(?:shows?|showed|显示)\s|[:：]\s*")


class Fact(NamedTuple):
    """A fact as a memory tells it."""

    text: str
    turns: tuple[str, ...]
    topics: tuple[str, ...]
    """What it answered, where it does not show that by itself."""


class Listed(NamedTuple):
    """Things that a memory names in one line."""

    verdict: str
    """The word that denies them or calls them normal; empty where they were only asked about."""
    things: str


class _Read(NamedTuple):
    """A memory's text, taken apart."""

    questions: tuple[str, ...]
    replies: tuple[str, ...]
    facts: tuple[Fact, ...]
    listed: tuple[Listed, ...]
    topics: tuple[str, ...]
    """Of all lines, whatever they are."""


def facts(briefing: Briefing) -> tuple[Fact, ...]:
    """The facts in a memory's text."""
    return _read(briefing.recall).facts


def listed(briefing: Briefing) -> tuple[Listed, ...]:
    """The lists in a memory's text."""
    return _read(briefing.recall).listed


def told(briefing: Briefing) -> list[str]:
    """What the patient said, as far as the doctor's memory shows it, in words or as facts, and the last reply."""
    read = _read(briefing.recall)
    return [text for text in (*read.replies, *(fact.text for fact in read.facts), briefing.reply) if text]


def known_questions(briefing: Briefing) -> list[str]:
    """What the doctor can see it has asked for: questions in its memory's text, in full or as topics, and the last one.

    The first fact of a turn that names no topic is its own: it says what was asked, a result by what shows it.
    """
    read = _read(briefing.recall)
    named = [topic for line in read.listed for topic in _EACH.split(line.things)]
    plainly, answered = [], set[str]()
    for fact in read.facts:
        if not fact.topics and not answered.issuperset(fact.turns or ("",)):
            plainly.append(_SHOWN.split(fact.text, maxsplit=1)[0])
        answered.update(fact.turns)
    return [text for text in (*read.questions, *plainly, *read.topics, *named, briefing.question) if text]


class _Line(NamedTuple):
    """One line of a memory's text, as far as it is any of these."""

    question: str | None
    reply: str | None
    fact: Fact | None
    listed: Listed | None
    topics: tuple[str, ...]


@lru_cache(maxsize=256)
def _read(recall: str) -> _Read:
    """Taken apart once a turn: several guards look at the same text."""
    lines = [_line(line.strip()) for line in recall.splitlines()]
    return _Read(
        tuple(line.question for line in lines if line.question),
        tuple(line.reply for line in lines if line.reply),
        tuple(line.fact for line in lines if line.fact),
        tuple(line.listed for line in lines if line.listed),
        tuple(topic for line in lines for topic in line.topics),
    )


@lru_cache(maxsize=2048)
def _line(line: str) -> _Line:
    """Taken apart once: a memory tells most of its lines again each turn."""
    question, reply, listed = _QUESTION.match(line), _REPLY.match(line), _LISTED.match(line)
    return _Line(
        question[1] if question else None,
        reply[1] if reply else None,
        _fact(line),
        Listed(listed[1] or "", listed[2]) if listed else None,
        _topics(line),
    )


def _fact(line: str) -> Fact | None:
    if (match := _FACT.match(line)) is None:
        return None
    turns = _TURNS.search(line)
    return Fact(match[1], tuple(re.findall(r"\d+", turns[1])) if turns else (), _topics(line))


def _topics(line: str) -> tuple[str, ...]:
    return tuple(topic for several in _TOPIC.findall(line) for topic in _EACH.split(several))
