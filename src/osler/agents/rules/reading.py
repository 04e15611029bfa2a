"""Reading a reply, or a memory's text, for findings: affirmed, denied, or not told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache

from osler.agents.rules.knowledge import Finding, Item, knowledge, name_words
from osler.records.language import Language
from osler.words import content, plain, sentences

Findings = dict[str, bool]


class Polarity(Enum):
    """What a reply says to a yes-or-no question."""

    YES = 1
    NO = 0
    UNKNOWN = -1


_UNKNOWN = {
    Language.EN: re.compile(
        r"\b(?:don't know|do not know|no idea|not sure|can't (?:tell|remember|say)|couldn't tell|don't recall|wish i knew|"
        r"hasn't been done|haven't been|has not been done|haven't had (?:that|one|any)|never (?:had|been) (?:that|one|it|tested|measured|checked|done)|"
        r"not (?:been )?(?:done|tested|examined|measured|checked)|wasn't (?:done|tested|measured|checked)|nobody (?:has )?(?:ever )?(?:done|taken|tested|measured|checked|examined|asked))\b"
    ),
    Language.ZH: re.compile(
        r"不清楚|不知道|说不上来|记不得|想不起|没有?(?:查|做|测|拍|验|化验|检查)过|还?没(?:有)?(?:查|做|测|拍)|未(?:查|做|测|行)|不太确定"
    ),
}
_DENIAL_START = {
    Language.EN: re.compile(
        r"^(?:well,? |oh,? |um,? )?(?:no\b|not\b|never\b|none\b|nothing\b|nope\b|he (?:hasn't|doesn't|isn't)|she (?:hasn't|doesn't|isn't)|i (?:haven't|don't|'m not|am not))"
    ),
    Language.ZH: re.compile(r"^(?:嗯|哦|那|这)?[，,]?(?:没|不|无|从没|从来没|未|否认|倒没|倒是没|都没)"),
}
_NEGATOR = {
    Language.EN: re.compile(
        r"\b(?:no|not|without|never|denies|denied|neither|nor|none|negative|isn't|wasn't|doesn't|didn't|hasn't|haven't|don't|nothing|free of|absent|normal)\b"
    ),
    Language.ZH: re.compile(r"没|无|未|不|否认|阴性|正常"),
}
_CLAUSE = {
    Language.EN: re.compile(r"[,.;:!?]|\bbut\b|\bexcept\b|\band then\b"),
    Language.ZH: re.compile(r"[，。；：！？,;!?]|但|不过|就是"),
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QA = re.compile(r"^(?:doctor|医生)\s*[:：]\s*(?P<question>.+)$", re.IGNORECASE)
_REPLY = re.compile(r"^(?:patient|患者|病人)\s*[:：]\s*(?P<reply>.+)$", re.IGNORECASE)


def polarity(reply: str, language: Language) -> Polarity:
    """Yes, no or not known, by how the reply begins."""
    level = plain(reply).strip()
    if _UNKNOWN[language].search(level):
        return Polarity.UNKNOWN
    return Polarity.NO if _DENIAL_START[language].match(level) else Polarity.YES


def read_reply(item: Item, reply: str, language: Language) -> Findings:
    """What the reply to a question about an item shows."""
    said = polarity(reply, language)
    told: Findings = {}
    level = plain(reply)
    for finding in item.findings:
        if finding.cues[language] or finding.numbers:
            shown = _shown(finding, level, language)
            if shown is True or said is not Polarity.UNKNOWN:
                told[finding.id] = bool(shown)
        elif said is not Polarity.UNKNOWN:
            told[finding.id] = said is Polarity.YES
    return told


def read_freely(text: str, language: Language) -> Findings:
    """What any sentence shows of any item it names: for opening complaints, asides and a memory's notes."""
    told: Findings = {}
    for sentence in sentences(text, language):
        words = frozenset(content(sentence, language))
        level = plain(sentence)
        for item in _named(words, level, language):
            for finding in item.findings:
                if finding.cues[language] or finding.numbers:
                    if (shown := _shown(finding, level, language)) is not None:
                        told[finding.id] = shown
                else:
                    told[finding.id] = not _denied(item, level, language)
    return told


def read_recall(text: str, language: Language) -> tuple[Findings, frozenset[str]]:
    """Findings of a memory's text, and the items it shows to have been asked about, answered or not.

    A line of a dialogue is read as the reply to its question; anything else is read for what it names.
    """
    told: Findings = {}
    asked: set[str] = set()
    by_question = knowledge().by_question(language)
    question = ""
    for line in text.splitlines():
        if found := _QA.match(line.strip()):
            question = found["question"]
        elif (found := _REPLY.match(line.strip())) and question:
            item = by_question.get(plain(question))
            if item is not None:
                asked.add(item.id)
                told.update(_affirmed(read_freely(found["reply"], language), told))
                told.update(read_reply(item, found["reply"], language))
            question = ""
        else:
            told.update(read_freely(line, language))
    asked.update(knowledge().item_of[name].id for name in told)
    return told, frozenset(asked)


def _affirmed(fresh: Findings, known: Findings) -> Findings:
    """An aside tells what is there; what it does not mention it does not deny."""
    return {name: True for name, there in fresh.items() if there and name not in known}


def _shown(finding: Finding, level: str, language: Language) -> bool | None:
    """True: shown. False: named and denied, or a number within the normal. None: not spoken of."""
    verdict: bool | None = None
    for cue in finding.cues[language]:
        for place in _places(cue, level, language):
            if not _negated(level, place, language):
                return True
            verdict = False
    if (rule := finding.numbers.get(language)) is not None:
        for value in _numbers_after(rule.after, level):
            if rule.fits(value):
                return True
            verdict = False
    return verdict


def _places(cue: str, level: str, language: Language) -> Iterator[int]:
    pattern = re.escape(cue) if language is Language.ZH else rf"\b{re.escape(cue)}"
    return (found.start() for found in re.finditer(pattern, level))


def _negated(level: str, place: int, language: Language) -> bool:
    """Whether a negation stands before the place in its clause."""
    before = level[:place]
    clause = _CLAUSE[language].split(before)[-1]
    return _NEGATOR[language].search(clause) is not None


def _numbers_after(words: tuple[str, ...], level: str) -> Iterator[float]:
    if not words:
        yield from (float(found) for found in _NUMBER.findall(level)[:1])
    for word in words:
        for found in re.finditer(rf"{re.escape(word)}[^\d.]{{0,24}}?(\d+(?:\.\d+)?)", level):
            yield float(found[1])


@cache
def _by_word(language: Language) -> dict[str, list[tuple[frozenset[str], Item]]]:
    index: dict[str, list[tuple[frozenset[str], Item]]] = {}
    for item in knowledge().items:
        for name in name_words(item, language):
            index.setdefault(max(name, key=len), []).append((name, item))
    return index


def _named(words: Iterable[str], level: str, language: Language) -> list[Item]:
    present = frozenset(words)
    index = _by_word(language)
    found = {item.id: item for word in present for name, item in index.get(word, ()) if name <= present}
    if language is Language.ZH:
        found |= {
            item.id: item
            for item in knowledge().items
            for name in item.names[language]
            if len(name) > 1 and name in level
        }
    return list(found.values())


def _denied(item: Item, level: str, language: Language) -> bool:
    """Whether every mention of the item stands behind a negation."""
    places = [place for name in item.names[language] for place in _places(plain(name), level, language)]
    if not places:
        return _NEGATOR[language].search(level) is not None
    return all(_negated(level, place, language) for place in places)
