"""A memory's text as single statements, whatever its form: dialogue, facts, or lines of any other kind.

What the doctor asked is no statement: it only says what the reply to it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from osler.agents.rules.reading import Polarity, polarity
from osler.eval.probes.evidence import Signed, signed, unsigned
from osler.language import Language
from osler.language.words import plain, sentences

_TURN = re.compile(r"^(?:turn \d+|第\s*\d+\s*轮)[:：]?$", re.IGNORECASE)
_ASKED = re.compile(r"^(?:doctor|医生)\s*[:：]\s*(?P<text>.+)$", re.IGNORECASE)
_REPLIED = re.compile(r"^(?:patient|患者|病人)\s*[:：]\s*(?P<text>.+)$", re.IGNORECASE)
_TOPICS = re.compile(r"^(?:also asked|asked in turn \d+|还问过|第\d+轮问过)\s*[:：]", re.IGNORECASE)
_FACT = re.compile(
    r"^(?:(?P<denied>denied|否认)|(?P<normal>normal|正常)|(?:fact|事实)?\s*#\d+)\s*[:：]\s*(?P<text>.+?)\s*"
    r"(?:\(turn (?P<turns>[\d, ]+)\)|（第(?P<rounds>[\d、]+)轮）)?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\s*[\[［](?P<topic>[^\]］]*)[\]］]")
_HEAD = re.compile(r"^(?P<head>[^:：;；]{1,40})[:：]\s*(?P<rest>.+[;；].+)$")
_IGNORANT = re.compile(r"patient does not know\b|患者 不知道", re.IGNORECASE)
NOT_DONE = {
    Language.EN: re.compile(
        r"\b(?:(?:has|have|had|was|were)(?:n't| not)|never|not)(?: yet| ever)?(?: been| had)?"
        r" (?:done|made|taken|tested|measured|checked|examined|given|(?:a |an |the )?[\w -]*"
        r"(?:ct|mri|mrcp|scan|x-ray|test|ultrasound))\b"
        r"|\bhas(?:n't| not) had\b|\bnobody has\b|\bno,? (?:he|she|i) ha(?:s|ve)n't had\b|\bno result\b"
    ),
    Language.ZH: re.compile(r"没有?\s*(?:\S{0,4}?)(?:查|做|测|量|拍|验|打|接种)|未(?:查|做|测|行|接种|进行)|没有?结果"),
}
"""That a test was never made."""
_DENIES = {Language.EN: "patient does not have", Language.ZH: "患者 没有"}


@dataclass(frozen=True)
class Statement:
    """One thing a memory's text says."""

    text: str
    said: Signed
    topic: str = ""
    """What was asked when it was said, where the text shows that."""
    turns: frozenset[int] = frozenset()
    exchange: int | None = None
    """Which of the text's exchanges it belongs to, where the text shows that."""
    knows: bool = True
    """False: it only says that something is not known."""


@lru_cache(maxsize=1024)
def statements(text: str, language: Language) -> tuple[Statement, ...]:
    """Everything the text states."""
    found: list[Statement] = []
    asked, exchange = "", 0
    for line in (line.strip() for line in text.splitlines()):
        if not line or _TURN.match(line) or _TOPICS.match(line):
            continue
        if question := _ASKED.match(line):
            asked = question["text"]
        elif reply := _REPLIED.match(line):
            exchange += 1
            found += [replace(one, exchange=exchange) for one in _replied(reply["text"], asked, language)]
            asked = ""
        elif fact := _FACT.match(line):
            found += _facts(fact, language)
        else:
            found += [_stated(sentence, "", language) for sentence in sentences(line, language)]
    return tuple(_with_topics(found))


def _replied(reply: str, asked: str, language: Language) -> list[Statement]:
    """The sentences of a reply; a bare yes or no says what was asked over again."""
    if unsigned(reply, language) or not asked:
        return [_stated(sentence, asked, language) for sentence in sentences(reply, language)]
    affirmed = polarity(reply, language) is Polarity.YES
    meant = frozenset((word, affirmed) for word in unsigned(asked, language))
    return [Statement(reply, meant, asked, knows=_knows(reply, language))]


def _facts(line: re.Match[str], language: Language) -> list[Statement]:
    """The facts of a line: one, or several that share what stands before the colon or that they are normal."""
    turns = frozenset(map(int, re.findall(r"\d+", line["turns"] or line["rounds"] or "")))
    topics = " ".join(_ABOUT.findall(line["text"]))
    text = _ABOUT.sub("", line["text"])
    shared = _HEAD.match(text)
    head, rest = (shared["head"], shared["rest"]) if shared else ("", text)
    if line["denied"]:
        head = _DENIES[language]
    parts = re.split(r"[;；]\s*", rest) if head or line["normal"] else [rest]
    if line["normal"]:
        parts = [f"{part} {line['normal']}" for part in parts]
    return [replace(_stated(f"{head} {part}".strip(), topics, language), turns=turns) for part in parts if part.strip()]


def _stated(text: str, topic: str, language: Language) -> Statement:
    return Statement(text, signed(text, language), topic, knows=_knows(text, language))


def _knows(text: str, language: Language) -> bool:
    """Whether a sentence tells anything; that a test was not done is something, too."""
    unknown = polarity(text, language) is Polarity.UNKNOWN and not NOT_DONE[language].search(plain(text))
    return not (unknown or _IGNORANT.search(text))


def _with_topics(found: list[Statement]) -> list[Statement]:
    """A topic stands behind the first fact of a turn and holds for all of it."""
    topics = {turn: statement.topic for statement in found for turn in statement.turns if statement.topic}
    return [
        statement
        if statement.topic
        else replace(statement, topic=" ".join(topics[turn] for turn in sorted(statement.turns) if turn in topics))
        for statement in found
    ]
