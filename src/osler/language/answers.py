"""Read a reply as the answer to its question: a bare "no" denies what was asked about."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues
from osler.language.questions import AnswerWanted, ReadQuestion, read_questions
from osler.language.reader import Mention, read
from osler.language.segments import EDGE
from osler.language.words import content, plain


def read_answer(
    question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> tuple[Mention, ...]:
    """Return what the reply says of the patient and of others, completed by the question if the reply leaves it out."""
    asked = read_questions(question, language, speaker)
    kind, rest = answer_opening(reply, language)
    said = [sentence.mentions for sentence in read(rest, language, speaker).sentences if not sentence.is_question]
    first = said[0] if said and kind != "no" else ()
    told = [_completed(mention, asked, language, is_next=mention in first) for sentence in said for mention in sentence]
    told = [mention for mention in told if mention.what or mention.when or mention.value]
    return (*_answered(kind, asked, told, said[0] if said else (), language), *told)


@cache
def _whole_answers(kind: str, language: Language) -> re.Pattern[str]:
    """An answer that ends at a mark or with the reply: "no" of "no, never", not of "no cough"."""
    each = any_of(cues(f"answer_{kind}", language), language)
    hedges = cues("unsure", language) if kind == "yes" else ()
    small = any_of((*cues("fillers", language), *hedges), language)
    gap = r"\s+" if language is Language.EN else ""
    return re.compile(
        rf"\s*(?:{small}[,，]?{gap}){{0,4}}{each}(?:[,，]?\s*{small}){{0,3}}\s*(?:[.,!;。，！；…—-]+\s*|$)",
        re.IGNORECASE,
    )


def answer_opening(reply: str, language: Language) -> tuple[str, str]:
    """Return how a reply opens ("yes", "no", "unsure", "both" or nothing), and what follows."""
    rest, opened = reply.replace("’", "'"), ""
    while rest:
        kinds = ((kind, _whole_answers(kind, language).match(rest)) for kind in ("unsure", "no", "yes", "both"))
        kind, found = next(((kind, found) for kind, found in kinds if found), ("", None))
        if found is None:
            break
        opened, rest = opened or kind, rest[found.end() :]
    return opened, rest


def _answered(
    kind: str, asked: tuple[ReadQuestion, ...], told: list[Mention], first: tuple[Mention, ...], language: Language
) -> list[Mention]:
    """Return what a yes, a no or a "not sure" says of what was asked, without what the reply then says itself.

    A yes to "no fever?" leaves open which of both it means.
    """
    extra = next((mention for mention in first if not mention.what and (mention.when or mention.value)), Mention(""))
    closed = [each for each in asked if each.asks in (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE)] or list(asked[-1:])
    found: list[Mention] = []
    for question in closed if kind else ():
        several = len(question.topics) > 1 or len(closed) > 1 or question.asks is AnswerWanted.CHOICE
        if kind == "yes" and (several or question.is_negated):
            continue  # which of them is not said
        if kind == "yes" and told and question.topic.lower() in cues("vague", language):
            continue  # its name follows
        for topic in question.topics:
            if any(_same(topic, mention.what, language) for mention in told):
                continue
            found.append(
                Mention(
                    topic,
                    denied=kind == "no",
                    unsure=kind == "unsure",
                    whose=question.whose,
                    when=extra.when or question.when,
                    value=extra.value if kind != "no" else "",
                )
            )
    return found


def _completed(mention: Mention, asked: tuple[ReadQuestion, ...], language: Language, *, is_next: bool) -> Mention:
    """A mention with what its question adds to it.

    A time or a value alone belongs to a question that asks for it, or to the thing asked about if it `is_next`: said in
    the first sentence of a reply that does not open with a no.
    """
    for question in asked:
        if question.whose and not mention.whose:
            mention = replace(mention, whose=question.whose)
        if not mention.what:
            wants = (
                (AnswerWanted.WHEN if mention.when else AnswerWanted.VALUE)
                if not mention.whose
                else AnswerWanted.YES_OR_NO
            )
            if question.asks is wants or (is_next and len(asked) == 1):
                return replace(mention, what=question.topic, is_asked=True)
            continue
        for topic in question.topics:
            if _is_part(mention.what, topic, language):
                return replace(mention, what=topic)
    if not mention.what and asked and is_next:
        return replace(mention, what=asked[-1].topic, is_asked=True)
    return mention


def _is_part(said: str, topic: str, language: Language) -> bool:
    """Check whether a reply names only a part of what was asked: "抽" of "抽烟"."""
    return language is Language.ZH and len(said) == 1 and said in topic


def _same(one: str, other: str, language: Language) -> bool:
    """Check whether two phrases mention one thing: one holds the other's content words."""
    first, second = (set(content(text, language)) or {plain(text).strip(EDGE)} for text in (one, other))
    return first <= second or second <= first
