"""Form thoughts without a model, from a reply and from the reports that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.language.answers import answer_opening, read_answer
from osler.language.cues import any_of, finder, groups
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import named
from osler.language.questions import AnswerWanted, read_questions
from osler.language.reader import Mention, denies, read, thing
from osler.language.relatives import relative_at_start
from osler.language.times_and_values import time_finder
from osler.language.words import content, plain, words
from osler.memory.base import Turn
from osler.memory.core.fact import Fact, FactKey, FactKind
from osler.memory.core.joined_mentions import (
    is_cut_out,
    sentence_of,
    statements,
    whole_sentences,
)
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
_NOT_THEIRS = re.compile(
    r"\b(?:am|is|are|was|were|it|they|we|you|there|under|over)\b|'(?:m|s|re)\b", re.IGNORECASE
)
"""Words before a statement which show that the patient neither has nor does it, or that it is a
place."""
_YOU = re.compile(r"\W*(?:you|your|you're|you've)\b|[你您]", re.IGNORECASE)
"""Opens a statement about the one who is spoken to."""
_POINTS = re.compile(r"\b(?:it|that|this|them|one)\W*$", re.IGNORECASE)
_KINDS = (FactKind.ALLERGY, FactKind.PREGNANCY, FactKind.MEDICINE)
"""What a treatment may depend on, in the order in which it is looked for."""


def rules_facts(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Fact]:
    """The facts of a reply, completed by its question, and those of the reports, each once.

    If two people talk who have names, what the one who asks tells besides is read too.
    """
    speaker = turn.speaker or speaker
    facts = [*_of_reply(turn, language, speaker), *_of_reports(turn.results, language)]
    if turn.asked_by and turn.said_by:
        facts = [*_of_reply(_other_way(turn, language), language, speaker), *facts]
    different: dict[FactKey, Fact] = {}
    for fact in facts:
        different.setdefault(fact.key, fact)
    return list(different.values())[:_MOST]


def _other_way(turn: Turn, language: Language) -> Turn:
    """What the one who asks says before or behind the question, as a turn of its own."""
    update = {
        "question": "",
        "reply": " ".join(statements(turn.question, language)),
        "asked_by": turn.said_by,
        "said_by": turn.asked_by,
    }
    return turn.model_copy(update=update)


def _of_reply(turn: Turn, language: Language, speaker: Speaker) -> Iterator[Fact]:
    """The facts of a reply, each with what the question asked for, where the reply answers it."""
    if not turn.reply:
        return
    mentions = read_answer(turn.question, turn.reply, language, speaker)
    asked_words = frozenset(content(turn.question, language))
    opening, rest = answer_opening(turn.reply, language)
    is_answered = any(_answers(mention, asked_words, language) for mention in mentions)
    is_open_question = is_open(turn.question, language)
    sentences = read(turn.reply, language).sentences
    first_sentence = plain(sentences[0].text) if sentences else ""

    telling = []
    for mention in mentions:
        if _tells(mention, language):
            telling.append(_quoted(mention, asked_words, language))
    telling += [Mention("", said=text) for text in _unread(rest, language)]

    for statement in whole_sentences(telling, turn.reply, language):
        # What follows a no is said besides, and so is what follows the first sentence of an answer
        # to a question for yes or no; what follows a yes says more about it.
        is_first = plain(statement.said) in first_sentence
        goes_on = opening == "yes" or not is_answered
        is_answer = is_open_question or (is_first and goes_on)
        object_ = _object(statement, language)
        topic = ""
        if is_answer and not _is_clear(object_, turn.question, language):
            topic = question_topic(turn.question, language)
        if topic or content(object_, language):
            yield _fact_of(statement, object_, topic, turn, language, speaker)


def _answers(mention: Mention, asked_words: frozenset[str], language: Language) -> bool:
    """Whether a mention is a yes or a no to the question, or denies what it asks for."""
    return not mention.said or (mention.denied and _shares(mention.what, asked_words, language))


def _unread(reply: str, language: Language) -> list[str]:
    """Sentences in which the reader finds nothing, though they say something."""
    texts = []
    for sentence in read(reply, language).sentences:
        # A single word says too little by itself.
        says_something = len(content(sentence.text, language)) > 1
        if not sentence.is_question and not sentence.mentions and says_something:
            texts.append(sentence.text)
    return texts


def _quoted(mention: Mention, asked_words: frozenset[str], language: Language) -> Mention:
    """A mention as a quotation that has its own "not", unless it denies a thing by name."""
    if mention.denied and (mention.value or not _names_a_thing(mention, asked_words, language)):
        return replace(mention, denied=False, what="")
    return mention


def _tells(mention: Mention, language: Language) -> bool:
    """Check whether a mention says something, unlike a `sorry`, an aside or a bare yes."""
    own = thing(mention.said, language) or mention.what
    if finder("sides", language).fullmatch(own):
        return True
    if any(finder(kind, language).fullmatch(own) for kind in ("answer_yes", "answer_no")):
        return False
    vague = finder("vague", language)
    if mention.said:
        return not _aside(language).match(own) and not vague.fullmatch(mention.what)
    if mention.denied:
        return True
    last_word = mention.what.split()[-1:]
    return not mention.unsure and not any(map(vague.fullmatch, last_word))


@cache
def _aside(language: Language) -> re.Pattern[str]:
    """Finds a question within what somebody says: it tells nothing."""
    question_words = groups("question_words", language)
    kinds = ("what", "how") if language is Language.EN else ("where", "who")
    cues = chain.from_iterable(question_words[kind] for kind in kinds)
    return re.compile(any_of(cues, language), re.IGNORECASE)


def _object(mention: Mention, language: Language) -> str:
    """Return what is so, or is denied, in the speaker's own words.

    Empty words at both ends are left out. If that would leave out more, or split a word, all of it
    is kept.
    """
    text = mention.said.strip(_EDGE)
    what = mention.what
    if what and (mention.is_asked or not text):
        return mention.value or what
    start = plain(text).find(plain(what)) if what else -1
    if start < 0:
        if what and (mention.denied or not is_cut_out(what, text)):
            return what
        return text
    before = text[:start]
    behind = finder("negation_after", language).sub("", text[start + len(what) :])
    is_empty_behind = not finder("fillers", language).sub("", behind).strip(_EDGE)
    is_whole = is_empty_behind and not _POINTS.search(behind)
    object_ = what if is_whole else text[start:]
    if mention.denied:
        return object_
    is_torn = not set(words(object_, language)) <= set(words(text, language))
    if is_torn or content(before, language) or _NOT_THEIRS.search(before):
        return text
    return object_


def _names_a_thing(mention: Mention, asked_words: frozenset[str], language: Language) -> bool:
    """Return whether what is denied is a thing by its name, or in the question's words.

    "It never settled" or "the swab was negative" denies no thing: such a reply is quoted.
    """
    if not mention.said:
        return True
    if denies(mention.what, language) or plain(mention.what) not in plain(mention.said):
        return False
    scores = named(language).best(mention.what).values()
    is_in_thesaurus = any(reaches(score, _NEARLY_ALL) for score in scores)
    return is_in_thesaurus or asked_words.issuperset(content(mention.what, language))


def _shares(text: str, asked_words: frozenset[str], language: Language) -> bool:
    """Check whether some words show by themselves what was asked."""
    return not asked_words.isdisjoint(content(text, language))


def _is_clear(answer: str, question: str, language: Language) -> bool:
    """Check whether an answer shows by itself what was asked, also which drug."""
    # That both name the same time does not show what was asked.
    timeless_answer = time_finder(language).sub(" ", answer)
    timeless_question = time_finder(language).sub(" ", question)
    asked_words = frozenset(content(timeless_question, language))
    is_shared = _shares(timeless_answer, asked_words, language)
    return is_shared and set(drugs_in(question).values()) <= set(drugs_in(answer).values())


class _Statement(NamedTuple):
    """What a fact says of its subject."""

    relation: str
    object: str
    topic: str = ""
    """What the question asked for, where neither of the two shows it."""


def _fact_of(
    mention: Mention, object_: str, topic: str, turn: Turn, language: Language, speaker: Speaker
) -> Fact:
    subject = _subject(mention, turn, language)
    statement = _statement(mention, object_, topic, language, speaker)
    if statement is None:
        statement = _says_or_has(mention, object_, topic, subject, turn, language)
    kind = FactKind.OTHER
    if not mention.whose:
        words_of_fact = f"{statement.relation} {statement.topic} {statement.object}"
        kind = _kind(words_of_fact, turn.question, language)
    return Fact(
        subject=subject,
        relation=statement.relation,
        object=statement.object,
        sentence=sentence_of(mention.said, turn.reply, language),
        asked=statement.topic,
        denied=mention.denied,
        certainty=_UNSURE if mention.unsure else 1.0,
        reported=mention.when if plain(mention.when) not in plain(statement.object) else "",
        kind=kind,
    )


def _statement(
    mention: Mention, object_: str, topic: str, language: Language, speaker: Speaker
) -> _Statement | None:
    """The statement of a mention with a value, of a denial, or of a relative; None for others."""
    line = phrases("tim_lines", language)
    if mention.what and object_ == mention.value:
        return _Statement(line["topic"].format(topic=mention.what), object_)
    if mention.denied:
        return _Statement(line["has"], object_, topic)
    if mention.whose:
        relative = relative_at_start(object_, language, speaker)
        if relative and content(relative.rest, language):
            # "my mother had a stroke": the subject is the mother, and the rest is said of her.
            return _Statement("", relative.rest.strip(_EDGE), topic)
    return None


def _says_or_has(
    mention: Mention, object_: str, topic: str, subject: str, turn: Turn, language: Language
) -> _Statement:
    """The statement of any other mention: what somebody hears, says or has."""
    line = phrases("tim_lines", language)
    if turn.asked_by and subject == turn.asked_by:
        return _Statement(line["hears"].format(name=turn.said_by), object_)
    if topic or object_ != mention.what:
        return _Statement(line["says"], object_, topic)
    return _Statement(line["may_have"] if mention.unsure else line["has"], object_, topic)


def _subject(mention: Mention, turn: Turn, language: Language) -> str:
    """Return whom a mention is about: the patient or a relative.

    In a conversation of two people with names, it is one of them or a relative of the second.
    """
    line = phrases("tim_lines", language)
    if not turn.said_by:
        return mention.whose or line["patient"]
    if mention.whose:
        return line["kin"].format(name=turn.said_by, relative=mention.whose)
    if turn.asked_by and _YOU.match(mention.said):
        return turn.asked_by
    return turn.said_by


def _of_reports(results: str, language: Language) -> Iterator[Fact]:
    """A thought for each line of a report, in its own words."""
    line = phrases("tim_lines", language)
    for row in results.splitlines():
        text = row.strip()
        if not text:
            continue
        relation = line["has"]
        report = text
        parts = _NAME.fullmatch(text)
        if parts:
            relation = line["topic"].format(topic=parts["name"].strip())
            report = parts["report"]
        yield Fact(
            subject=line["patient"], relation=relation, object=report.strip(_EDGE), sentence=text
        )


def _kind(text: str, question: str, language: Language) -> FactKind:
    """Return what a treatment may depend on: an allergy, a pregnancy or a medicine in the words.

    A medicine that is named when allergies were asked for is an allergy.
    """
    drug = bool(drugs_in(text))
    for kind in _KINDS:
        cue = finder(kind.value, language)
        if cue.search(text) or (drug and cue.search(question)):
            return kind
    if drug:
        return FactKind.MEDICINE
    return FactKind.OTHER


def is_open(question: str, language: Language) -> bool:
    """Check whether a question asks for more than yes or no."""
    closed = (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE)
    return any(part.asks not in closed for part in read_questions(question, language))


@lru_cache(maxsize=1024)
def question_topic(question: str, language: Language) -> str:
    """Return what a question is about: its content words, in order."""
    parts = read_questions(question, language)
    topics = list(chain.from_iterable(part.topics for part in parts)) or [question]
    if language is Language.ZH:
        return "、".join(topic.strip(_EDGE) for topic in topics if content(topic, language))
    every_word = chain.from_iterable(map(_WORD.findall, topics))
    return " ".join(dict.fromkeys(word for word in every_word if content(word, language)))
