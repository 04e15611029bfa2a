"""Findings that the rules doctor takes from its briefing, and the items it has already asked about.

A finding is present or absent; what is not reported is left out. Findings are recognised by the
cues and numbers of the knowledge files in what facts, exchanges and texts mention.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from osler.agents.messages import Briefing, Case
from osler.agents.rules.knowledge import (
    Item,
    NumberRule,
    by_question,
    is_about,
    items_named,
    knowledge,
)
from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import finder
from osler.language.reader import Mention, read
from osler.language.words import plain
from osler.memory.base import Fact, Turn
from osler.records.classify import result_words

Findings = dict[str, bool]
Mentions = tuple[Mention, ...]
_PATIENT = frozenset({"patient", "the patient", "患者", "病人", "complaint", "症状", ""})
_FAMILY = "family-history"
_HISTORY = "history"
"""The kind of items that stay true from visit to visit."""
_ARTICLE = re.compile(r"\b(?:the|my|his|her|their|your|our|a|an) (?=[a-z])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NEAR = 40
"""Characters after a word within which its number stands."""


class Known(NamedTuple):
    """Findings, and the ids of the items that need not be asked for again."""

    findings: Findings
    asked: frozenset[str]


class _Answer(NamedTuple):
    """What one turn answers, with its number and its question."""

    turn: int
    question: str
    mentions: Mentions


def known_from(briefing: Briefing) -> Known:
    """Return all that the complaint, the recall and the last exchange say.

    What was said later counts for more.
    """
    language = briefing.case.language
    findings = _complaint_findings(briefing.case)
    past: Findings = {}
    asked_ids: set[str] = set()
    for answer in _answers(briefing):
        named = _findings_named(answer.mentions, language)
        if answer.turn < 1:  # an exchange of an earlier visit
            past |= named
            continue
        for name, is_present in named.items():
            # A denial in passing does not take back what was found; a question's answer does.
            if is_present or name not in findings:
                findings[name] = is_present
        for item in _items_asked(answer.question, language):
            findings |= _findings_answered(item.id, answer.mentions, language)
            asked_ids.add(item.id)
    earlier = _still_true(past, asked_ids)
    item_of = knowledge().item_of
    history = [name for name in earlier if item_of[name].kind == _HISTORY]
    asked_ids.update(item_of[name].id for name in (*history, *findings))
    return Known({**earlier, **findings}, frozenset(asked_ids))


def _complaint_findings(case: Case) -> Findings:
    """Return what the opening words show; what they deny is left to be asked about."""
    mentions = _mentions(case.complaint, case.language, case.speaker)
    named = _findings_named(mentions, case.language)
    return {name: True for name, is_present in named.items() if is_present}


def _items_asked(question: str, language: Language) -> list[Item]:
    """Return the items that a question asks for: its own item, or all that it names."""
    item = by_question(language).get(plain(question))
    return [item] if item else items_named(question, language)


def _still_true(past: Findings, asked_ids: set[str]) -> Findings:
    """Return which findings of earlier visits count today.

    What was felt or found at an earlier visit was so then; a test that is asked for today is looked
    up in the notes.
    """
    tests: Findings = {}
    history: Findings = {}
    for name, is_present in past.items():
        item = knowledge().item_of[name]
        if item.kind == _HISTORY:
            history[name] = is_present
        elif item.is_test and item.id in asked_ids:
            tests[name] = is_present
    return {**tests, **history}


def _answers(briefing: Briefing) -> Iterator[_Answer]:
    """Return what each turn answers, the earliest first.

    The text of a recall is used only if there is nothing else.
    """
    case, recall = briefing.case, briefing.recall
    facts: dict[int, list[Fact]] = defaultdict(list)
    for fact in recall.facts:
        facts[fact.turn].append(fact)
    if recall.text and not (recall.facts or recall.exchanges):
        mentions = _mentions(recall.text, case.language, case.speaker)
        yield _Answer(briefing.turn, "", mentions)
    exchanges = {turn.number: turn for turn in recall.exchanges}
    for number in sorted({*facts, *exchanges}):
        turn = exchanges.get(number, Turn(number=number, question="", reply=""))
        stated: list[Mention] = []
        for fact in facts[number]:
            stated += _fact_mentions(fact, case.language)
        yield _Answer(number, turn.question, (*stated, *_turn_mentions(turn, case)))
    if briefing.question:
        last = Turn(
            number=briefing.turn,
            question=briefing.question,
            reply=briefing.reply,
            results=briefing.results,
        )
        yield _Answer(last.number, last.question, _turn_mentions(last, case))


def _fact_mentions(fact: Fact, language: Language) -> Mentions:
    """Return what a fact mentions.

    A positive one may still deny a part, `shows a stone, no fluid`.
    """
    subject = fact.subject.strip()
    is_relative = any(finder("relatives", language).fullmatch(subject) for language in Language)
    whose = fact.subject if is_relative and subject.casefold() not in _PATIENT else ""
    if fact.denied or whose:
        return (Mention(fact.triple, denied=fact.denied, whose=whose),)
    return _mentions(fact.triple, language)


def _turn_mentions(turn: Turn, case: Case) -> Mentions:
    reply = "\n".join(filter(None, (turn.reply, turn.results)))
    if not reply:
        return ()
    return _answer_mentions(turn.question, reply, case.language, turn.speaker or case.speaker)


@lru_cache(maxsize=8192)
def _answer_mentions(question: str, reply: str, language: Language, speaker: Speaker) -> Mentions:
    """Return what a reply mentions as an answer, and what it mentions by itself."""
    answered = read_answer(question, reply, language, speaker)
    sure = [_with_value(mention) for mention in answered if not mention.unsure]
    return (*sure, *_mentions(reply, language, speaker))


@lru_cache(maxsize=8192)
def _mentions(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> Mentions:
    """Return each thing that a text is sure of, and each clause as a whole.

    The clauses are for cues of several words.
    """
    mentions: list[Mention] = []
    for sentence in read(text, language, speaker).sentences:
        if sentence.is_question:
            continue
        for clause in sentence.clauses:
            sure = [mention for mention in clause.mentions if not mention.unsure]
            if not sure:
                continue
            mentions += map(_with_value, sure)
            is_denied = all(mention.denied for mention in sure)
            whose = sure[0].whose if all(mention.whose for mention in sure) else ""
            mentions.append(Mention(clause.text, is_denied, whose=whose))
    return tuple(mentions)


def _with_value(mention: Mention) -> Mention:
    return Mention(f"{mention.what} {mention.value}".strip(), mention.denied, whose=mention.whose)


# A memory recalls the same answers in every turn: each is searched once.
@lru_cache(maxsize=2048)
def _findings_named(mentions: Mentions, language: Language) -> Mapping[str, bool]:
    """Return the findings that mentions show for the items they name."""
    findings: Findings = {}
    for mention in mentions:
        for item in items_named(mention.what, language):
            # What a relative has is family history, and nothing else is.
            if bool(mention.whose) != (item.id == _FAMILY):
                continue
            for name, finding in item.findings.items():
                is_shown: bool | None = not mention.denied
                if finding.cues(language) or finding.number:
                    is_shown = _shows(mentions, name, language)
                if is_shown is not None:
                    findings[name] = findings.get(name, False) or is_shown
    return findings


@lru_cache(maxsize=2048)
def _findings_answered(item_id: str, answer: Mentions, language: Language) -> Mapping[str, bool]:
    """Return the findings that the answer to an item's question shows."""
    item = knowledge().items[item_id]
    normal = result_words("normal", language)
    relevant = [mention for mention in answer if is_about(item, mention.what, language)]
    is_present = any(not mention.denied and not normal.search(mention.what) for mention in relevant)
    searched: dict[str, bool | None] = {}
    for name, finding in item.findings.items():
        if finding.cues(language) or finding.number:
            searched[name] = _shows(answer, name, language)
    if item.is_test:
        # That a test is denied says that it was not done; that it was normal says what it showed.
        relevant = [
            mention for mention in relevant if not mention.denied or normal.search(mention.what)
        ]
    if not relevant:
        return {name: True for name, is_shown in searched.items() if is_shown}
    return {name: bool(searched.get(name, is_present)) for name in item.findings}


def _shows(mentions: Mentions, name: str, language: Language) -> bool | None:
    """Check whether mentions show a finding.

    False if it is denied or a number within the normal, None if nothing mentions it.
    """
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
        if rule is None:
            continue
        for value in _numbers_after(finding.before_number, text):
            if value > rule.above or value < rule.below:
                return True
            verdict = False
    return verdict


class _SearchedFinding(NamedTuple):
    """What shows a finding in a text that `_level` has levelled."""

    cues: tuple[str, ...]
    denials: tuple[str, ...]
    """Cues that deny by themselves: they show the finding also where the mention is denied."""
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
    # This runs for every cue of every finding: the plain search first rules out nearly all.
    contained = [cue for cue in cues if cue in text]
    if language is not Language.EN:
        return bool(contained)
    return any(_begins_word(cue, text) for cue in contained)


def _begins_word(cue: str, text: str) -> bool:
    place = text.find(cue)
    while place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place = text.find(cue, place + 1)
    return place >= 0


def _numbers_after(words: Sequence[str], text: str) -> list[float]:
    """Return the number that closely follows each of these words; without words, the first one."""
    if not words:
        return [float(number) for number in _NUMBER.findall(text)[:1]]
    values = []
    for word in words:
        place = text.find(word)
        if place < 0:
            continue
        end = place + len(word)
        match = _NUMBER.search(text, end, end + _NEAR)
        if match:
            values.append(float(match[0]))
    return values
