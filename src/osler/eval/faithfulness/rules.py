"""Judge replies by rules. They miss much, and `agreement.json` says how much.

A claim counts only if its words are plain: a number, a drug, a symptom or an illness by its name that is affirmed and
is in no entry, question or opening words. Whether a reply contradicts an entry only a model can say (`PatientJudge`).
Nothing here is shared with the gate used during the consultation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from osler.eval.course import Course
from osler.eval.faithfulness.replies import (
    ClaimKind,
    JudgedReply,
    ReplyContext,
    ReplyVerdict,
    UnsupportedClaim,
    replies_of,
)
from osler.eval.reply_parser import all_words, clauses, denies, mentions, things, things_touched, unsupported_values
from osler.eval.vocabulary import Concept, concepts
from osler.language import Language
from osler.language.words import content, plain, sentences
from osler.records.schema import PatientRecord
from osler.runs.events import Unrecorded

RULES = "rules/3"
"""Name and version; raised when a verdict can change."""

_COURSE = {
    Language.EN: re.compile(r"^(?:acute|chronic|severe|mild|primary|left|right)(?:-sided)? "),
    Language.ZH: re.compile(r"^(?:急性|慢性|原发性|左侧?|右侧?)"),
}
"""What a reply may leave out of the name of the diagnosis."""
_LATIN = re.compile(r"[a-z']+")
_FOREIGN = {
    Language.EN: re.compile(r"[\u4e00-\u9fff]{2,}|[\u3040-\u30ff]"),
    Language.ZH: re.compile(r"[\u3040-\u30ff]|(?:[a-z']+[ ,.]+){6}"),
}
_FOREIGN_WORDS = 6
"""A sentence of fewer words is a name, a dose or a result."""


def judge_reply(reply: str, context: ReplyContext) -> ReplyVerdict:
    """Find what is wrong with a reply, as far as rules can see it."""
    language = context.language
    leaks = tuple(_leaks(reply, context))
    return ReplyVerdict(
        leaks=leaks,
        unsupported=tuple(dict.fromkeys(_unsupported(reply, context, leaks))),
        other_language=any(_is_foreign(one, context) for one in sentences(reply, language)),
    )


def faults_of(course: Course, record: PatientRecord) -> tuple[JudgedReply, ...]:
    """Return the replies of a consultation in which the rules find a fault."""
    judged = (JudgedReply(one.turn, judge_reply(one.text, one.context)) for one in replies_of(course, record))
    return tuple(one for one in judged if not one.verdict.is_faithful)


def _leaks(reply: str, context: ReplyContext) -> Iterator[str]:
    """Return the first name of the diagnosis that is said; one that is in the question leaks only if affirmed."""
    language = context.language
    for name in _diagnosis_names(context.diagnosis.names, language):
        if mentions(reply, name, language):
            affirmed = (one.text for one in clauses(reply, language) if one.is_affirmed)
            if not mentions(context.question, name, language) or any(mentions(one, name, language) for one in affirmed):
                yield name
                return


@lru_cache(maxsize=256)
def _diagnosis_names(names: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """The names, also without `acute` and the like."""
    return tuple(dict.fromkeys((*names, *(_COURSE[language].sub("", plain(name)) for name in names))))


def _unsupported(reply: str, context: ReplyContext, leaks: tuple[str, ...]) -> Iterator[UnsupportedClaim]:
    language = context.language
    age = context.age.label(language) if context.age else ""
    for quote in unsupported_values(reply, (*context.texts, age), language):
        yield UnsupportedClaim(ClaimKind.NUMBER, quote)
    supported = frozenset[Concept]().union(*(things_touched(text, language) for text in context.texts))
    for clause in (one for one in clauses(reply, language) if one.is_affirmed):
        for thing in things(clause.text, language) - supported:
            if (kind := _kind(thing)) and not (leaks and kind is ClaimKind.HISTORY):
                yield UnsupportedClaim(kind, clause.text)
    yield from _asked_in_vain(reply, context)


def _kind(thing: Concept) -> ClaimKind | None:
    """Return the kind of a claimed thing, or None for a habit, since most replies say how much of it."""
    if thing in concepts("symptoms"):
        return next((kind for kind in ClaimKind if kind in thing.kin), None)
    return ClaimKind.DRUG if thing in concepts("drugs") else ClaimKind.HISTORY


def _asked_in_vain(reply: str, context: ReplyContext) -> Iterator[UnsupportedClaim]:
    """Find a thing that the record says nothing about but that the reply reports anyway."""
    language = context.language
    handed = {word for entry in context.entries for word in content(all_words(entry), language)}
    for thing in context.unrecorded:
        wanted = set(content(thing.name, language)) - handed
        about = [one for one in clauses(reply, language) if wanted & set(content(one.text, language))]
        told = [one.text for one in about if one.is_affirmed]
        if told and not any(denies(one.statement, language) for one in about):
            yield UnsupportedClaim(
                ClaimKind.TEST if thing.unrecorded is Unrecorded.NOT_DONE else ClaimKind.OTHER, told[0]
            )


def _is_foreign(sentence: str, context: ReplyContext) -> bool:
    """Check whether a sentence is in another language: by its script, or by having hardly a word of its own."""
    if _FOREIGN[context.language].search(plain(sentence)):
        return True
    latin = _LATIN.findall(plain(sentence))
    if context.language is Language.ZH or len(latin) < _FOREIGN_WORDS:
        return False
    least = len(latin) / 5
    own = [word for word in latin if content(word, Language.EN)]
    if len(latin) - len(own) >= least:
        return False
    given = {word for text in context.texts for word in _LATIN.findall(plain(text))}
    return len(latin) - sum(word not in given for word in own) < least
