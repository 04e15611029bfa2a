"""Findings that the rules doctor takes from its briefing, and the items it has already asked about.

A finding is present or absent; what is not reported is left out. Findings are recognised by the cues and numbers of the
knowledge files in what facts, exchanges and texts mention.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from osler.agents.messages import Briefing, Case
from osler.agents.rules.knowledge import NumberRule, by_question, is_about, items_named, knowledge
from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import finder
from osler.language.reader import Mention, read
from osler.language.words import plain
from osler.memory.base import Fact, Recall, Turn
from osler.records.classify import result_words

Findings = dict[str, bool]
Mentions = tuple[Mention, ...]
_PATIENT = frozenset({"patient", "the patient", "患者", "病人", "complaint", "症状", ""})
_FAMILY = "family-history"
_HISTORY = "history"
"""The kind of items that stay true from visit to visit."""
_ARTICLE = re.compile(r"\b(?:the|my|his|her|their|your|our|a|an) (?=[a-z])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Known(NamedTuple):
    """Findings, and the ids of the items that need not be asked for again."""

    findings: Findings
    asked: frozenset[str]


def known_from(briefing: Briefing) -> Known:
    """Return all that the complaint, the recall and the last exchange say; what was said later counts for more."""
    case, language = briefing.case, briefing.case.language
    complaint = _findings_named(_mentions(case.complaint, language, case.speaker), language)
    findings: Findings = {name: True for name, there in complaint.items() if there}
    past: Findings = {}
    asked: set[str] = set()
    last = Turn(number=briefing.turn, question=briefing.question, reply=briefing.reply, results=briefing.results)
    for number, question, answer in _answers(briefing.recall, last, case):
        told = _findings_named(answer, language)
        if number < 1:
            past |= told
            continue
        findings |= {name: there for name, there in told.items() if there or name not in findings}
        item = by_question(language).get(plain(question))
        for one in [item] if item else items_named(question, language):
            findings |= _findings_answered(one.id, answer, language)
            asked.add(one.id)
    items = knowledge().item_of
    # What was felt or found at an earlier visit was so then; a test that is asked for today is looked up in the notes.
    history = {name: there for name, there in past.items() if items[name].kind == _HISTORY}
    shown = {name: there for name, there in past.items() if items[name].is_test and items[name].id in asked}
    asked.update(items[name].id for name in {**history, **findings})
    return Known({**shown, **history, **findings}, frozenset(asked))


def _answers(recall: Recall, last: Turn, case: Case) -> Iterator[tuple[int, str, Mentions]]:
    """Return each turn's number, question and answer; the text of a recall is used only if there is nothing else."""
    facts: dict[int, list[Fact]] = defaultdict(list)
    for fact in recall.facts:
        facts[fact.turn].append(fact)
    if recall.text and not (recall.facts or recall.exchanges):
        yield last.number, "", _mentions(recall.text, case.language, case.speaker)
    exchanges = {turn.number: turn for turn in recall.exchanges}
    for number in sorted({*facts, *exchanges}):
        turn = exchanges.get(number, Turn(number=number, question="", reply=""))
        stated = (mention for fact in facts[number] for mention in _of_fact(fact, case.language))
        yield number, turn.question, (*stated, *_of_turn(turn, case))
    if last.question:
        yield last.number, last.question, _of_turn(last, case)


def _of_fact(fact: Fact, language: Language) -> Mentions:
    """Return what a fact mentions: a positive one may still deny a part, `shows a stone, no fluid`."""
    subject = fact.subject.strip()
    is_relative = any(finder("relatives", language).fullmatch(subject) for language in Language)
    whose = fact.subject if is_relative and subject.casefold() not in _PATIENT else ""
    if fact.denied or whose:
        return (Mention(fact.triple, denied=fact.denied, whose=whose),)
    return _mentions(fact.triple, language)


def _of_turn(turn: Turn, case: Case) -> Mentions:
    reply = "\n".join(filter(None, (turn.reply, turn.results)))
    return _of_answer(turn.question, reply, case.language, turn.speaker or case.speaker) if reply else ()


@lru_cache(maxsize=8192)
def _of_answer(question: str, reply: str, language: Language, speaker: Speaker) -> Mentions:
    mentions = (mention for mention in read_answer(question, reply, language, speaker) if not mention.unsure)
    return (*map(_with_value, mentions), *_mentions(reply, language, speaker))


@lru_cache(maxsize=8192)
def _mentions(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> Mentions:
    """Return each thing that a text is sure of, and each clause as a whole, for cues of several words."""
    found: list[Mention] = []
    for sentence in read(text, language, speaker).sentences:
        for clause in sentence.clauses if not sentence.is_question else ():
            sure = [mention for mention in clause.mentions if not mention.unsure]
            found += map(_with_value, sure)
            if sure:
                whose = sure[0].whose if all(mention.whose for mention in sure) else ""
                found.append(Mention(clause.text, all(mention.denied for mention in sure), whose=whose))
    return tuple(found)


def _with_value(mention: Mention) -> Mention:
    return Mention(f"{mention.what} {mention.value}".strip(), mention.denied, whose=mention.whose)


# A memory recalls the same answers in every turn: each is searched once.
@lru_cache(maxsize=2048)
def _findings_named(mentions: Mentions, language: Language) -> Mapping[str, bool]:
    """Return the findings that mentions show for the items they name."""
    found: Findings = {}
    for mention in mentions:
        for item in items_named(mention.what, language):
            if bool(mention.whose) != (item.id == _FAMILY):
                continue
            for name, finding in item.findings.items():
                has_cues = finding.cues(language) or finding.number
                shown = _shown(name, mentions, language) if has_cues else not mention.denied
                if shown is not None:
                    found[name] = found.get(name, False) or shown
    return found


@lru_cache(maxsize=2048)
def _findings_answered(item_id: str, answer: Mentions, language: Language) -> Mapping[str, bool]:
    """Return the findings that the answer to an item's question shows."""
    item = knowledge().items[item_id]
    normal = result_words("normal", language)
    about = [one for one in answer if is_about(item, one.what, language)]
    there = any(not one.denied and not normal.search(one.what) for one in about)
    shown = {
        name: _shown(name, answer, language)
        for name, finding in item.findings.items()
        if finding.cues(language) or finding.number
    }
    # That a test is denied says that it was not done; that it was normal says what it showed.
    known = [one for one in about if not one.denied or normal.search(one.what)] if item.is_test else about
    if not known:
        return {name: True for name, seen in shown.items() if seen}
    return {name: bool(shown.get(name, there)) for name in item.findings}


def _shown(name: str, mentions: Mentions, language: Language) -> bool | None:
    """Return True if shown, False if denied or a number within the normal, None if not mentioned."""
    verdict: bool | None = None
    finding = _searched_findings(language)[name]
    for mention in mentions:
        text = _level(mention.what)
        if _has_any(text, finding.denials, language):
            return True
        if _has_any(text, finding.cues, language):
            if not mention.denied:
                return True
            verdict = False
        rule = finding.number
        for value in _numbers_after(finding.before_number, text) if rule else ():
            if rule and (value > rule.above or value < rule.below):
                return True
            verdict = False
    return verdict


class _SearchedFinding(NamedTuple):
    """What shows a finding in a text that `_level` has levelled."""

    cues: tuple[str, ...]
    denials: tuple[str, ...]
    """Cues that deny by themselves: a mention that has one shows the finding also where it is denied."""
    number: NumberRule | None
    before_number: tuple[str, ...]


@cache
def _searched_findings(language: Language) -> dict[str, _SearchedFinding]:
    """Every finding by its name."""
    denies = finder("negation", language).search
    searched: dict[str, _SearchedFinding] = {}
    for name, item in knowledge().item_of.items():
        finding = item.findings[name]
        cues = [_level(cue) for cue in finding.cues(language) if not denies(cue)]
        denials = [_level(cue) for cue in finding.cues(language) if denies(cue)]
        before = finding.number.after.get(language, ()) if finding.number else ()
        searched[name] = _SearchedFinding(tuple(cues), tuple(denials), finding.number, before)
    return searched


@lru_cache(maxsize=16384)
def _level(text: str) -> str:
    """In plain letters, without the small words that a note leaves out: `stones in gallbladder`."""
    return _ARTICLE.sub("", plain(text))


def _has_any(text: str, cues: Sequence[str], language: Language) -> bool:
    """Check whether one of these cues is in a text; in English at the beginning of a word."""
    there = [cue for cue in cues if cue in text]
    return bool(there) and (language is not Language.EN or any(_begins_word(cue, text) for cue in there))


def _begins_word(cue: str, text: str) -> bool:
    place = text.find(cue)
    while place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place = text.find(cue, place + 1)
    return place >= 0


def _numbers_after(words: Sequence[str], text: str) -> list[float]:
    """Return the number that closely follows each of these words; without words, the first one."""
    if not words:
        return [float(number) for number in _NUMBER.findall(text)[:1]]
    places = ((text.find(word), len(word)) for word in words)
    near = (_NUMBER.search(text, place + size, place + size + 40) for place, size in places if place >= 0)
    return [float(found[0]) for found in near if found]
