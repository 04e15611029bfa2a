"""Reading a memory's text, dialogue or facts, for findings and for what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from osler.agents.rules.asked import asked_in_words, weighty, words_of_weight
from osler.agents.rules.knowledge import Item, by_question, knowledge
from osler.agents.rules.lent import unlent
from osler.agents.rules.reading import Findings, measured, read_freely, read_reply
from osler.language import Language
from osler.language.words import plain, sentences
from osler.ranking import best, exceeds

_SHOWN = 0.6
"""Share of a question's words that a fact must hold to show that it was asked."""
_QA = re.compile(r"^(?:doctor|医生)\s*[:：]\s*(?P<question>.+)$", re.IGNORECASE)
_REPLY = re.compile(r"^(?:patient|患者|病人|report|报告)\s*[:：]\s*(?P<reply>.+)$", re.IGNORECASE)
_TURN = re.compile(r"^(?:turn \d+|第\d+轮)$", re.IGNORECASE)
_TOPIC = re.compile(r"^(?:asked in turn \d+|第\d+轮问过)\s*[:：]\s*(?P<topic>.+)$", re.IGNORECASE)
_FACT = re.compile(
    r"^(?:(?P<whole>fact|事实)\s*)?#\d+\s*[:：]\s*(?P<fact>.+?)"
    r"\s*(?:\(turn (?P<turns>[\d, ]+)\)|（第(?P<rounds>[\d、]+)轮）)?$",
    re.IGNORECASE,
)
_LIST = re.compile(r"^(?:(?P<denied>denied|否认)|normal|正常)\s*[:：]\s*(?P<things>.+)$", re.IGNORECASE)
_SILENT = re.compile(r"^(?:also asked|还问过)\s*[:：]\s*(?P<topics>.+)$", re.IGNORECASE)
_LISTED = {Language.EN: re.compile(r" or "), Language.ZH: re.compile(r"、|或者|或")}
_HAS_NOT = re.compile(r"patient (?:does not have|has not had)\b|患者 没有", re.IGNORECASE)
_NO = {Language.EN: "No.", Language.ZH: "没有。"}
_NORMAL = {Language.EN: "It was normal.", Language.ZH: "正常。"}
_DENIES = {Language.EN: "patient does not have", Language.ZH: "患者 没有"}
_ABOUT = re.compile(r"^(?P<fact>.*?)\s*[\[［](?P<topic>[^\]］]+)[\]］]$")


def read_recall(text: str, language: Language) -> tuple[Findings, frozenset[str]]:
    """Findings of a memory's text, and the items it shows to have been asked about, answered or not.

    What follows a question, a reply or facts, is read as the answer to it; anything else is read for what it names.
    An answer counts for more than what is named in passing, and what the question names is no news of the answer.
    """
    answered: Findings = {}
    named: Findings = {}
    asked: set[str] = set()
    for item, answer in _exchanges(text, language):
        if item is None:
            named.update(read_freely(answer, language))
            continue
        asked.add(item.id)
        aside = read_freely(answer, language)
        own = read_freely(item.ask[language], language).keys()
        answered.update(_heard({name: there for name, there in aside.items() if name not in own}, answered))
        answered.update(read_reply(item, answer, language))
    told = named | answered
    asked.update(knowledge().item_of[name].id for name in told)
    return told, frozenset(asked)


def _exchanges(text: str, language: Language) -> Iterator[tuple[Item | None, str]]:
    """The answers in a memory's text, each with the item that was asked for, where that can be seen."""
    item: Item | None = None
    facts: list[_Fact] = []
    for line in (line.strip() for line in text.splitlines()):
        if found := _FACT.match(line):
            facts.append(_told(found, item, language))
            continue
        if found := _LIST.match(line):
            yield from (_denied if found["denied"] else _in_order)(found["things"], language)
            continue
        if found := _SILENT.match(line):
            topics = re.split(r"[;；]\s*", found["topics"])
            yield from ((item_, "") for topic in topics if (item_ := _asked_for(topic, language)))
            continue
        if facts and _TOPIC.match(line) is None:
            yield from _answers(facts, language)
            facts = []
        item = None if _REPLY.match(line) is None else item
        if found := _QA.match(line):
            item = by_question(language).get(plain(found["question"]))
        elif found := _TOPIC.match(line):
            item = _asked_for(found["topic"], language)
        elif found := _REPLY.match(line):
            if item is not None:
                yield item, found["reply"]
        elif not _TURN.match(line):
            yield None, line
    yield from _answers(facts, language)


class _Fact(NamedTuple):
    """One statement of a line of facts."""

    text: str
    topics: dict[str, str]
    """Every turn it was said in, with what was asked there where the line says so."""
    item: Item | None
    """What was asked, where the lines before it say so."""
    whole: bool
    """Whether it has its subject, which the question may have lent it; in short, a fact has only words of its own."""


def _told(line: re.Match[str], item: Item | None, language: Language) -> _Fact:
    """What a line of facts says."""
    turns = re.findall(r"\d+", line["turns"] or line["rounds"] or "")
    about = _ABOUT.match(line["fact"])
    text, topics = (about["fact"], re.split(r"[;；]\s*", about["topic"])) if about else (line["fact"], [""])
    aligned = topics if len(topics) == len(turns) else topics[:1] * len(turns)
    # Without their turns, topics stand for them.
    asked = dict(zip(turns, aligned, strict=True)) or {f"{line[0]} {topic}": topic for topic in topics}
    return _Fact(text, asked, item, bool(line["whole"]))


def _denied(listed: str, language: Language) -> Iterator[tuple[Item | None, str]]:
    """Denials in one line: questions that were answered with no, and things that the patient does not have."""
    for part in re.split(r"[;；]\s*", listed):
        if item := _asked_for(part, language):
            yield item, _NO[language]
            continue
        text = f"{_DENIES[language]} {part}"
        yield None, text
        yield from ((item, text) for item in _denied_in_list(text, language))


def _in_order(listed: str, language: Language) -> Iterator[tuple[Item | None, str]]:
    """What is normal in one line: values, and things with nothing but their names."""
    for part in re.split(r"[;；]\s*", listed):
        item = None if re.search(r"\d", part) else _asked_for(part, language)
        yield item, _NORMAL[language] if item else part


def _answers(facts: list[_Fact], language: Language) -> Iterator[tuple[Item | None, str]]:
    """Facts of one turn are an answer together; besides, each may name something by itself."""
    turns: dict[str, list[_Fact]] = {}
    for fact in facts:
        for turn in fact.topics:
            turns.setdefault(turn, []).append(fact)
    for turn, members in turns.items():
        item = next((fact.item for fact in members if fact.item), None)
        topic = next((fact.topics[turn] for fact in members if fact.topics[turn]), "")
        if item is None and topic:
            item = _asked_for(topic, language)
        if item is None:
            said = (sentence for fact in members for sentence in sentences(fact.text, language))
            item = next(filter(None, (_shown_by(sentence, language) for sentence in said)), None)
        if item is not None:
            own = [unlent(fact.text, item, language) if fact.whole else fact.text for fact in members]
            yield item, (". " if language is Language.EN else "。").join(own)
        for fact in members:
            if item is None:
                yield None, fact.text
            yield from ((item, fact.text) for item in _denied_in_list(fact.text, language))


def _denied_in_list(text: str, language: Language) -> Iterator[Item]:
    """What a fact denies one after the other: `patient does not have a cough or loose stools`."""
    parts = _LISTED[language].split(text)
    if len(parts) > 1 and _HAS_NOT.match(text):
        yield from filter(None, (_shown_by(part, language) for part in parts))


def _asked_for(topic: str, language: Language) -> Item | None:
    """The item whose question has this topic; of one that was cut short, the item whose question begins with it."""
    if not topic.endswith("…"):
        return _by_topic(language).get(words_of_weight(topic, language)) or _shown_by(topic, language)
    begin = weighty(topic.rstrip("…"), language)
    return next((item for row, item in _topics(language) if row[: len(begin)] == begin), None)


@lru_cache(maxsize=4096)
def _shown_by(text: str, language: Language) -> Item | None:
    """The item whose question a text shows best: of equal ones the longest, then the first by its id."""
    held = words_of_weight(text, language)
    shown = []
    for words_of, item in _by_topic(language).items():
        if (shared := len(words_of & held)) and exceeds(shared / len(words_of), _SHOWN):
            shown.append((shared / len(words_of), -len(words_of), item))
    if not shown:
        return None
    return shown[best([share for share, *_ in shown], [(size, item.id) for _, size, item in shown])][-1]


@cache
def _by_topic(language: Language) -> dict[frozenset[str], Item]:
    """Items by the words of weight of their questions."""
    return {frozenset(row): item for row, item in _topics(language)}


@cache
def _topics(language: Language) -> tuple[tuple[tuple[str, ...], Item], ...]:
    """Items with the words of weight of their questions, with and without those that ask what came of it."""
    return (*asked_in_words(language), *asked_in_words(language, outcome=False))


def _heard(fresh: Findings, known: Findings) -> Findings:
    """An aside tells what is there and what was measured; what else it does not mention it does not deny."""
    return {name: there for name, there in fresh.items() if name not in known and (there or name in measured())}
