"""What statements show of the doctor's items: each finding there, or not there; what is not told is left out.

A statement comes from a fact, from an exchange or from a text, and is denied or not as whoever read it says. Findings
are recognised by the cues and numbers of the knowledge files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from osler.agents.rules.item_names import is_about, items_named
from osler.agents.rules.knowledge import Finding, Item
from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import any_of, finder, groups
from osler.language.reader import Mention, read
from osler.language.words import plain
from osler.memory.base import Fact

Findings = dict[str, bool]
_PATIENT = frozenset({"patient", "the patient", "患者", "病人", "complaint", "症状", ""})
_FAMILY = "family-history"
_ARTICLE = re.compile(r"\b(?:the|my|his|her|their|your|our|a|an) (?=[a-z])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said."""

    text: str
    denied: bool = False
    whose: str = ""
    """A relative; empty: the patient."""


def fact_statements(fact: Fact, language: Language) -> tuple[Statement, ...]:
    """A fact as statements: of one that is so, its words may still deny a part, `shows a stone, no fluid`."""
    whose = "" if _is_own(fact.subject) else fact.subject
    if fact.denied or whose:
        return (Statement(fact.triple, fact.denied, whose),)
    return text_statements(fact.triple, language)


def _is_own(subject: str) -> bool:
    """Whether a fact is about the patient or a thing of theirs."""
    people = (finder("relatives", language).fullmatch(subject.strip()) for language in Language)
    return subject.strip().casefold() in _PATIENT or not any(people)


@lru_cache(maxsize=8192)
def text_statements(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> tuple[Statement, ...]:
    """A text as statements: each thing that it mentions, and each clause, for cues of several words."""
    found: list[Statement] = []
    for sentence in read(text, language, speaker).sentences:
        for clause in sentence.clauses if not sentence.is_question else ():
            sure = [mention for mention in clause.mentions if not mention.unsure]
            found += [_statement(mention) for mention in sure]
            if sure:
                whose = sure[0].whose if all(mention.whose for mention in sure) else ""
                found.append(Statement(clause.text, all(mention.denied for mention in sure), whose))
    return tuple(found)


def _statement(mention: Mention) -> Statement:
    return Statement(f"{mention.what} {mention.value}".strip(), mention.denied, mention.whose)


def findings_named(statements: Sequence[Statement], language: Language) -> Findings:
    """What statements show of the items that they name themselves."""
    found: Findings = {}
    for statement in statements:
        for item in items_named(statement.text, language):
            if bool(statement.whose) != (item.id == _FAMILY):
                continue
            for finding in item.findings:
                if finding.cues[language] or finding.numbers:
                    shown = _shown(finding, statements, language)
                else:
                    shown = not statement.denied
                if shown is not None:
                    found[finding.id] = found.get(finding.id, False) or shown
    return found


@lru_cache(maxsize=8192)
def answer_statements(question: str, reply: str, language: Language, speaker: Speaker) -> tuple[Statement, ...]:
    """A reply as statements, with what its question adds to them."""
    mentions = (mention for mention in read_answer(question, reply, language, speaker) if not mention.unsure)
    return (*map(_statement, mentions), *text_statements(reply, language, speaker))


def findings_answered(item: Item, answer: Sequence[Statement], language: Language) -> Findings:
    """What the answer to the question about an item shows of it."""
    about = [one for one in answer if is_about(item, one.text, language)]
    there = any(not one.denied and not _is_normal(one, language) for one in about)
    shown = {
        finding.id: _shown(finding, answer, language)
        for finding in item.findings
        if finding.cues[language] or finding.numbers
    }
    # That a test is denied says that it was not done; that it was normal says what it showed.
    known = [one for one in about if not one.denied or _is_normal(one, language)] if item.is_test else about
    if not known:
        return {name: True for name, seen in shown.items() if seen}
    return {finding.id: bool(shown.get(finding.id, there)) for finding in item.findings}


def _is_normal(statement: Statement, language: Language) -> bool:
    return _normal(language).search(statement.text) is not None


@cache
def _normal(language: Language) -> re.Pattern[str]:
    return re.compile(any_of(groups("normal", language)["normal"], language), re.IGNORECASE)


def _shown(finding: Finding, statements: Iterable[Statement], language: Language) -> bool | None:
    """True: shown. False: denied, or a number within the normal. None: not spoken of."""
    verdict: bool | None = None
    for statement in statements:
        text = _level(statement.text)
        for cue in finding.cues[language]:
            if _has(text, _level(cue), language):
                if not statement.denied or finder("negation", language).search(cue):
                    return True
                verdict = False
        rule = finding.numbers.get(language)
        for value in _numbers_after(rule.after, text) if rule else ():
            if rule and rule.fits(value):
                return True
            verdict = False
    return verdict


@lru_cache(maxsize=16384)
def _level(text: str) -> str:
    """In plain letters, without the small words that a note leaves out: `stones in gallbladder`."""
    return _ARTICLE.sub("", plain(text))


def _has(text: str, cue: str, language: Language) -> bool:
    """Whether a cue stands in a text; in English at the beginning of a word."""
    place = text.find(cue)
    while place > 0 and language is Language.EN and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place = text.find(cue, place + 1)
    return place >= 0


def _numbers_after(words: Sequence[str], text: str) -> list[float]:
    """The number that follows each of these words closely; without words, the first one."""
    if not words:
        return [float(number) for number in _NUMBER.findall(text)[:1]]
    places = ((text.find(word), len(word)) for word in words)
    near = (_NUMBER.search(text, place + size, place + size + 40) for place, size in places if place >= 0)
    return [float(found[0]) for found in near if found]
