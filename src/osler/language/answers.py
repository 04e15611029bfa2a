"""Read a reply as the answer to its question: a bare "no" denies what was asked about."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import chain

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues
from osler.language.questions import AnswerWanted, ReadQuestion, read_questions
from osler.language.reader import Mention, read
from osler.language.segments import EDGE
from osler.language.words import content, plain

_CLOSED = (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE)
"""Kinds of questions that a yes or a no answers."""


def read_answer(
    question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> tuple[Mention, ...]:
    """Return what the reply says; the question completes what it leaves out."""
    questions = read_questions(question, language, speaker)
    opening, rest = answer_opening(reply, language)
    statements = [
        sentence.mentions
        for sentence in read(rest, language, speaker).sentences
        if not sentence.is_question
    ]
    first = statements[0] if statements else ()
    mentions: list[Mention] = []
    for mention in chain.from_iterable(statements):
        is_next = opening != "no" and mention in first
        completed = _complete(mention, questions, language, is_next=is_next)
        if completed.what or completed.when or completed.value:
            mentions.append(completed)
    return (*_opening_mentions(opening, questions, mentions, first, language), *mentions)


@cache
def _whole_answers(kind: str, language: Language) -> re.Pattern[str]:
    """An answer that ends at a mark or with the reply: "no" of "no, never", not of "no cough"."""
    each = any_of(cues(f"answer_{kind}", language), language)
    hedges = cues("unsure", language) if kind == "yes" else ()
    small = any_of((*cues("fillers", language), *hedges), language)
    gap = r"\s+" if language is Language.EN else ""
    end = r"\s*(?:[.,!;。，！；…—-]+\s*|$)"
    return re.compile(
        rf"\s*(?:{small}[,，]?{gap}){{0,4}}{each}(?:[,，]?\s*{small}){{0,3}}{end}", re.IGNORECASE
    )


def answer_opening(reply: str, language: Language) -> tuple[str, str]:
    """Return how a reply opens ("yes", "no", "unsure", "both" or nothing), and what follows."""
    rest = reply.replace("’", "'")
    opening = ""
    while True:
        kind, end = _opening_kind(rest, language)
        if not kind:
            return opening, rest
        opening = opening or kind
        rest = rest[end:]


def _opening_kind(text: str, language: Language) -> tuple[str, int]:
    """Return what kind of answer opens a text, and where it ends; ("", 0) for none."""
    for kind in ("unsure", "no", "yes", "both"):
        match = _whole_answers(kind, language).match(text)
        if match:
            return kind, match.end()
    return "", 0


def _opening_mentions(
    opening: str,
    questions: tuple[ReadQuestion, ...],
    mentions: list[Mention],
    first: tuple[Mention, ...],
    language: Language,
) -> list[Mention]:
    """Return what a yes, a no or a "not sure" says of what was asked.

    What the reply then says itself is left out.
    """
    if not opening:
        return []
    detail = _bare_detail(first)
    closed = [question for question in questions if question.asks in _CLOSED]
    closed = closed or list(questions[-1:])
    answered: list[Mention] = []
    for question in closed:
        if opening == "yes" and not _settles(question, mentions, len(closed), language):
            continue
        for topic in question.topics:
            if any(_is_same(topic, mention.what, language) for mention in mentions):
                continue
            answer = Mention(
                topic,
                denied=opening == "no",
                unsure=opening == "unsure",
                whose=question.whose,
                when=detail.when or question.when,
                value=detail.value if opening != "no" else "",
            )
            answered.append(answer)
    return answered


def _bare_detail(first: tuple[Mention, ...]) -> Mention:
    """Return the time or the value that follows an answer without a thing: "Yes, for a week."."""
    for mention in first:
        if not mention.what and (mention.when or mention.value):
            return mention
    return Mention("")


def _settles(
    question: ReadQuestion, mentions: list[Mention], questions: int, language: Language
) -> bool:
    """Check whether a yes says which thing it is about; to "no fever?" it may mean either."""
    is_choice = question.asks is AnswerWanted.CHOICE
    if len(question.topics) > 1 or questions > 1 or is_choice or question.is_negated:
        return False
    # "Anything else?" "Yes, a cough": the reply itself names it.
    is_named_next = bool(mentions) and question.topic.lower() in cues("vague", language)
    return not is_named_next


def _complete(
    mention: Mention, questions: tuple[ReadQuestion, ...], language: Language, *, is_next: bool
) -> Mention:
    """A mention with what its question adds to it.

    A time or a value alone belongs to a question that asks for it, or to the thing asked about if
    it `is_next`: in the first sentence of a reply that does not open with a no.
    """
    for question in questions:
        if question.whose and not mention.whose:
            mention = replace(mention, whose=question.whose)
        if mention.what:
            for topic in question.topics:
                if _is_part(mention.what, topic, language):
                    return replace(mention, what=topic)
        elif question.asks is _answer_given(mention) or (is_next and len(questions) == 1):
            return replace(mention, what=question.topic, is_asked=True)
    if not mention.what and questions and is_next:
        return replace(mention, what=questions[-1].topic, is_asked=True)
    return mention


def _answer_given(mention: Mention) -> AnswerWanted:
    """Return the kind of question that a person, a time or a value alone answers."""
    if mention.whose:
        return AnswerWanted.YES_OR_NO
    if mention.when:
        return AnswerWanted.WHEN
    return AnswerWanted.VALUE


def _is_part(what: str, topic: str, language: Language) -> bool:
    """Check whether a reply names only a part of what was asked: "抽" of "抽烟"."""
    return language is Language.ZH and len(what) == 1 and what in topic


def _is_same(first: str, second: str, language: Language) -> bool:
    """Check whether two phrases mention one thing: one holds the other's content words."""
    first_words = _words_or_text(first, language)
    second_words = _words_or_text(second, language)
    return first_words <= second_words or second_words <= first_words


def _words_or_text(text: str, language: Language) -> set[str]:
    """The content words of a phrase; without any, the phrase itself."""
    return set(content(text, language)) or {plain(text).strip(EDGE)}
