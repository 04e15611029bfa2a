"""What a doctor has before it: questions asked and things told, as far as its memory shows them."""

from __future__ import annotations

import re
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
# What was asked without a fact, and in a short memory what was denied.
_LISTED = re.compile(r"^(?:also asked|还问过|(denied|否认)[\s#\d]*)\s*[:：]\s*(.+)$", re.IGNORECASE)


class Fact(NamedTuple):
    """A fact as a memory tells it."""

    text: str
    turns: tuple[str, ...]
    topics: tuple[str, ...]
    """What it answered, where it does not show that by itself."""


def facts(briefing: Briefing) -> list[Fact]:
    """The facts in a memory's text."""
    found = []
    for line in map(str.strip, briefing.recall.splitlines()):
        if match := _FACT.match(line):
            turns = _TURNS.search(line)
            topics = [topic for several in _TOPIC.findall(line) for topic in _EACH.split(several)]
            found.append(Fact(match[1], tuple(re.findall(r"\d+", turns[1])) if turns else (), tuple(topics)))
    return found


class Listed(NamedTuple):
    """Things that a memory names in one line."""

    denial: str
    """The word that denies them; empty where they were only asked about."""
    things: str


def listed(briefing: Briefing) -> list[Listed]:
    """The lists in a memory's text."""
    found = (_LISTED.match(line.strip()) for line in briefing.recall.splitlines())
    return [Listed(match[1] or "", match[2]) for match in found if match]


def told(briefing: Briefing) -> list[str]:
    """What the patient said, as far as the doctor's memory shows it, in words or as facts, and the last reply."""
    lines = map(str.strip, briefing.recall.splitlines())
    replies = [found[1] for line in lines if (found := _REPLY.match(line))]
    return [text for text in (*replies, *(fact.text for fact in facts(briefing)), briefing.reply) if text]


def known_questions(briefing: Briefing) -> list[str]:
    """What the doctor can see it has asked for: questions in its memory's text, in full or as topics, and the last one.

    The first fact of a turn that names no topic is its own: it says what was asked.
    """
    lines = [line.strip() for line in briefing.recall.splitlines()]
    seen = [found[1] for line in lines if (found := _QUESTION.match(line))]
    topics = [topic for line in lines for several in _TOPIC.findall(line) for topic in _EACH.split(several)]
    named = [topic for line in listed(briefing) for topic in _EACH.split(line.things)]
    plainly, answered = [], set[str]()
    for fact in facts(briefing):
        if not fact.topics and not answered.issuperset(fact.turns or ("",)):
            plainly.append(fact.text)
        answered.update(fact.turns)
    return [text for text in (*seen, *plainly, *topics, *named, briefing.question) if text]
