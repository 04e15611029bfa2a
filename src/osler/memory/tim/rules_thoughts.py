"""Form thoughts without a model, from a reply and from the reports that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache

from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import any_of, finder, groups
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import named
from osler.language.questions import AnswerWanted, read_questions
from osler.language.reader import Mention, denies, read, thing
from osler.language.words import content, plain, words
from osler.memory.base import Turn
from osler.memory.tim.thought import Draft, ThoughtKind
from osler.prompts import phrases
from osler.ranking import reaches

_MOST = 30
"""Thoughts that one turn can give."""
_NEARLY_ALL = 0.9
"""How well a thing's name must cover the words that deny it."""
_UNSURE = 0.5
"""The certainty of what the speaker is not sure of."""
_NAME = re.compile(r"\s*(?P<name>[^:：]{1,60})[:：]\s*(?P<report>\S.*)")
_WORD = re.compile(r"[^\s,.;:?!()\"，。；：？！（）、]+")
_EDGE = " \t,.;:?!，。；：？！、"
_NOT_THEIRS = re.compile(r"\b(?:am|is|are|was|were|it|they|we|you|there|under|over)\b|'(?:m|s|re)\b", re.IGNORECASE)
"""Words before a statement which show that the patient neither has nor does it, or that it is a place."""
_POINTS = re.compile(r"\b(?:it|that|this|them|one)\W*$", re.IGNORECASE)
_KINDS = (ThoughtKind.ALLERGY, ThoughtKind.PREGNANCY, ThoughtKind.MEDICINE)


def rules_thoughts(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    """The facts of a reply, completed by its question, and those of the reports."""
    drafts = [*_of_reply(turn, language, turn.speaker or speaker), *_of_reports(turn.results, language)]
    return drafts[:_MOST]


def _of_reply(turn: Turn, language: Language, speaker: Speaker) -> Iterator[Draft]:
    mentions = read_answer(turn.question, turn.reply, language, speaker)
    asked = frozenset(content(turn.question, language))
    first = next((sentence.text for sentence in read(turn.reply, language).sentences), "")
    is_answered = any(not one.said or (one.denied and _shares(one.what, asked, language)) for one in mentions)
    for mention in mentions:
        # What follows a yes or a no is said besides, and so is what follows the first sentence of an answer to a
        # question for yes or no.
        is_answer = is_open(turn.question, language) or (not is_answered and mention.said in first)
        if _tells(mention, language):
            if mention.denied and (mention.value or not _names_a_thing(mention, asked, language)):
                mention = replace(mention, denied=False, what="")  # a quotation that has its own "not"
            said = _object(mention, language)
            topic = question_topic(turn.question, language) if is_answer and not _shares(said, asked, language) else ""
            if topic or content(said, language):
                yield _draft(mention, said, topic, turn, language)


def _tells(mention: Mention, language: Language) -> bool:
    """Check whether a mention says something, unlike a `sorry`, an aside (`what men are like`) or a bare yes."""
    own = thing(mention.said, language) or mention.what
    if any(finder(kind, language).fullmatch(own) for kind in ("answer_yes", "answer_no", "correction")):
        return False
    if mention.said:
        return not (_aside(language).match(own) or finder("vague", language).fullmatch(mention.what))
    last = mention.what.split()[-1:]
    return mention.denied or not (mention.unsure or any(finder("vague", language).fullmatch(word) for word in last))


@cache
def _aside(language: Language) -> re.Pattern[str]:
    """Finds a question within what somebody says: it tells nothing."""
    listed = groups("question_words", language)
    asked = ("what", "how") if language is Language.EN else ("where", "who")
    return re.compile(any_of((word for kind in asked for word in listed[kind]), language), re.IGNORECASE)


def _object(mention: Mention, language: Language) -> str:
    """Return what is so, or is denied, in the speaker's own words.

    Empty words at both ends are left out. If that would leave out more, or split a word, all of it is kept.
    """
    said, what = mention.said.strip(_EDGE), mention.what
    if what and (mention.is_asked or not said):
        return mention.value or what
    start = plain(said).find(plain(what)) if what else -1
    if start < 0:
        letters = iter(plain(said))
        is_cut_out = all(letter in letters for letter in plain(what))
        return what if what and (mention.denied or not is_cut_out) else said
    before, behind = said[:start], finder("negation_after", language).sub("", said[start + len(what) :])
    is_whole = not finder("fillers", language).sub("", behind).strip(_EDGE) and not _POINTS.search(behind)
    told = what if is_whole else said[start:]
    if mention.denied:
        return told
    is_torn = not set(words(told, language)) <= set(words(said, language))
    return said if is_torn or content(before, language) or _NOT_THEIRS.search(before) else told


def _names_a_thing(mention: Mention, asked: frozenset[str], language: Language) -> bool:
    """Return whether what is denied is a thing by its usual name or in the question's words, not a whole clause.

    "It never settled" or "the swab was negative" denies no thing: such a reply is quoted.
    """
    if not mention.said:
        return True
    if denies(mention.what, language) or plain(mention.what) not in plain(mention.said):
        return False
    is_known = any(reaches(score, _NEARLY_ALL) for score in named(language).best(mention.what).values())
    return is_known or asked.issuperset(content(mention.what, language))


def _shares(said: str, asked: frozenset[str], language: Language) -> bool:
    """Check whether some words show by themselves what was asked."""
    return not asked.isdisjoint(content(said, language))


def _draft(mention: Mention, said: str, topic: str, turn: Turn, language: Language) -> Draft:
    line = phrases("tim_lines", language)
    if mention.what and said == mention.value:
        relation, topic = line["topic"].format(topic=mention.what), ""
    elif mention.denied:
        relation = line["has"]
    elif topic or said != mention.what:
        relation = line["says"]
    else:
        relation = line["may_have" if mention.unsure else "has"]
    return Draft(
        subject=mention.whose or line["patient"],
        relation=relation,
        object=said,
        sentence=_sentence_of(mention.said, turn.reply, language),
        asked=topic,
        negated=mention.denied,
        certainty=_UNSURE if mention.unsure else 1.0,
        reported=mention.when if plain(mention.when) not in plain(said) else "",
        kind=ThoughtKind.OTHER if mention.whose else _kind(f"{topic} {said}", turn.question, language),
    )


def _sentence_of(clause: str, reply: str, language: Language) -> str:
    """The sentence of a reply that has a clause; empty if only the question says it."""
    said = (sentence.text for sentence in read(reply, language).sentences)
    return next((text for text in said if clause and plain(clause) in plain(text)), "")


def _of_reports(results: str, language: Language) -> Iterator[Draft]:
    """A thought for each line of a report, in its own words."""
    line = phrases("tim_lines", language)
    for text in filter(None, map(str.strip, results.splitlines())):
        named = _NAME.fullmatch(text)
        relation = line["topic"].format(topic=named["name"].strip()) if named else line["has"]
        report = (named["report"] if named else text).strip(_EDGE)
        yield Draft(subject=line["patient"], relation=relation, object=report, sentence=text)


def _kind(said: str, question: str, language: Language) -> ThoughtKind:
    """Return what a treatment may depend on: an allergy, a pregnancy or a medicine that the words name.

    A medicine that is named when allergies were asked for is one.
    """
    drug = bool(drugs_in(said))
    for kind in _KINDS:
        cue = finder(kind.value, language)
        if cue.search(said) or (drug and cue.search(question)):
            return kind
    return ThoughtKind.MEDICINE if drug else ThoughtKind.OTHER


def is_open(question: str, language: Language) -> bool:
    """Check whether a question asks for more than yes or no."""
    asked = read_questions(question, language)
    return any(one.asks not in (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE) for one in asked)


@lru_cache(maxsize=4096)
def question_topic(question: str, language: Language) -> str:
    """Return what a question is about: its content words, in order."""
    topics = [topic for asked in read_questions(question, language) for topic in asked.topics] or [question]
    if language is Language.ZH:
        return "、".join(topic.strip(_EDGE) for topic in topics if content(topic, language))
    found = (word for topic in topics for word in _WORD.findall(topic) if content(word, language))
    return " ".join(dict.fromkeys(found))
