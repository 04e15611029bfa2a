"""The ruler without a model: it misses much, and what it misses is known (`agreement.json`).

A claim counts only where its words are plain: a number, a drug, a symptom or an illness by its name that is affirmed
and stands in no entry, question or opening words, in any wording that the word lists know. Nothing here is shared with
what lets a patient's reply pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from osler.eval.faithfulness.numerals import follows, numerals, values
from osler.eval.faithfulness.verdict import Claim, ClaimKind, ReplyContext, ReplyVerdict
from osler.eval.lexicon import diseases, read, split
from osler.eval.measures.contradiction import contradicted
from osler.eval.measures.statements import clauses, level, mentions, negative, statements
from osler.eval.names import is_chinese
from osler.eval.remedies import named as remedies
from osler.language import Language
from osler.language.lexicon import concepts, named
from osler.language.words import content, plain, sentences
from osler.records.schema import Entry, Status
from osler.runs.events import Unrecorded

RULES = "rules/1"
"""Name and version; raised when a verdict can change."""

_LEAST_WORDED = 4
"""From which a number in words counts: `one`, `a couple` and 两三 are said without meaning them."""
_SUPPOSED = {
    Language.EN: re.compile(
        r"^(?:do|does|did|is|are|was|could|can|should|would|will|what|how|why|am i|have you)\b|\?"
        r"|\b(?:if|whether|would|could|might|may|maybe|perhaps|worr\w+|afraid|scared|terrified|fear\w*|wonder\w*|guess"
        r"|like|heard|read about|risk|don't know|not sure|can't say|no idea)\b"
    ),
    Language.ZH: re.compile(
        r"[？?吗吧]|如果|要是|怕|担心|会不会|是不是|好像|像|似的|一样|听说|不知道|不清楚|说不|记不"
    ),
}
"""What is asked, feared, compared or not known: no claim."""
_FINE = {
    Language.EN: re.compile(r"\b(?:fine|ok|okay|all right|alright|normal\w*|clear|same as|as always|as usual)\b"),
    Language.ZH: re.compile(r"正常|没事|还好|挺好|都好|可以|跟平时|和平时"),
}
_DONE = {
    Language.EN: re.compile(r"\b(?:did|done|had|show\w*|came back|was|were|found|saw|said|grew)\b"),
    Language.ZH: re.compile(r"(?:做|查|拍|照|抽|背|量)了|显示|结果|正常|阳性|阴性"),
}
_CHRONIC = {
    Language.EN: re.compile(r"^(?:acute|chronic|severe|mild|primary|left|right)(?:-sided)? "),
    Language.ZH: re.compile(r"^(?:急性|慢性|原发性|左侧?|右侧?)"),
}
_CHINESE, _KANA, _LATIN = re.compile(r"[\u4e00-\u9fff]{2,}"), re.compile(r"[\u3040-\u30ff]"), re.compile(r"[a-z']+")
_ENGLISH = re.compile(r"(?:[a-z']+[ ,.]+){6}")
_FOREIGN_WORDS = 6
"""A sentence of fewer words is a name, a dose or a result."""


def judge_reply(reply: str, context: ReplyContext) -> ReplyVerdict:
    """What is wrong with a reply, as far as rules can see it."""
    language = context.language
    leaks = tuple(_leaks(reply, context))
    turned = contradicted(reply, context.question, context.entries, language)
    more = (name for name in _affirmed_against(reply, context) if name not in turned)
    return ReplyVerdict(
        leaks=leaks,
        unsupported=tuple(dict.fromkeys(_unsupported(reply, context, leaks))),
        turned_round=(*turned, *more),
        other_language=any(_is_foreign(one, context) for one in sentences(reply, language)),
    )


def _leaks(reply: str, context: ReplyContext) -> Iterator[str]:
    """Names of the diagnosis, inflected or without `acute`; one that the question holds leaks only if affirmed."""
    language = context.language
    own = context.diagnosis.names
    names = [*own, *(_CHRONIC[language].sub("", plain(name)) for name in own)]
    for name in dict.fromkeys(names):
        if not mentions(reply, name, language):
            continue
        if not mentions(context.question, name, language) or any(
            mentions(one, name, language) for one in _affirmed(reply, language)
        ):
            yield name
            return


def _unsupported(reply: str, context: ReplyContext, leaks: tuple[str, ...]) -> Iterator[Claim]:
    language = context.language
    texts = tuple(_texts(context))
    known = values((*texts, context.age.label(language) if context.age else ""), language)
    for one in numerals(reply, language):
        if (one.in_digits or one.value >= _LEAST_WORDED) and not follows(one, known, language):
            yield Claim(ClaimKind.NUMBER, one.quote)
    given = frozenset().union(*(remedies(text).drugs for text in texts))
    illnesses = frozenset[tuple[str, ...]]().union(*(_illnesses(text, language) for text in texts))
    spoken = _concepts_of(texts, language)
    for said in _affirmed(reply, language):
        for drug in remedies(said).drugs - given:
            if drug.names in _drugs() and (name := next((name for name in drug.names if plain(name) in said), None)):
                yield Claim(ClaimKind.DRUG, name)
        for concept in named(language).whole(said) - spoken:
            if kind := _claims().get(concept):
                yield Claim(kind, said)
        if not leaks and not _illnesses(said, language) <= illnesses:
            yield Claim(ClaimKind.HISTORY, said)
    yield from _asked_in_vain(reply, context)


def _asked_in_vain(reply: str, context: ReplyContext) -> Iterator[Claim]:
    """A thing that the record says nothing about, and of which the reply tells all the same."""
    language = context.language
    handed = {word for entry in context.entries for word in content(_text(entry), language)}
    for thing in context.unrecorded:
        wanted = set(content(thing.name, language)) - handed
        about = [one for one in statements(reply, language) if wanted & set(content(one, language))]
        told = [one for one in _affirmed(reply, language) if wanted & set(content(one, language))]
        if told and not any(negative(one, language) for one in about):
            kind = ClaimKind.TEST if thing.unrecorded is Unrecorded.NOT_DONE else ClaimKind.OTHER
            yield Claim(kind, told[0])


def _affirmed_against(reply: str, context: ReplyContext) -> Iterator[str]:
    """Entries that are absent or were not done, of which the reply speaks as if they were there."""
    language = context.language
    for entry in context.entries:
        others = tuple(_text(one) for one in context.known if one is not entry and one.status is not Status.ABSENT)
        if entry.status is Status.ABSENT:
            wanted = named(language).whole(entry.name) - _concepts_of(others, language)
            about = [one for one in statements(reply, language) if wanted & named(language).whole(one)]
            fine = any(negative(one, language) or _FINE[language].search(one) for one in about)
            if about and not fine and any(wanted & named(language).whole(one) for one in _affirmed(reply, language)):
                yield entry.name
        elif entry.status is Status.NOT_DONE:
            theirs = {word for text in others for word in content(text, language)}
            words = {word for name in (entry.name, *entry.aliases) for word in content(name, language)}
            own = {word for word in words - theirs if len(word) > 1}
            about = [one for one in statements(reply, language) if own & set(content(one, language))]
            denied = any(negative(one, language) for one in about)
            if not denied and any(_DONE[language].search(one) for one in about):
                yield entry.name


def _affirmed(reply: str, language: Language) -> Iterator[str]:
    """What the reply says to be so, clause by clause; what follows a denial in its statement may be denied with it."""
    for statement in statements(reply, language):
        asks = statement.endswith(("?", "？"))
        parts = clauses(statement, language)
        for place, clause in enumerate(parts, start=1):
            if negative(clause, language):
                break
            if not (_SUPPOSED[language].search(clause) or (asks and place == len(parts))):
                yield clause


def _is_foreign(sentence: str, context: ReplyContext) -> bool:
    """Whether a sentence is in another language: by its script, or since it has hardly a word of its own language."""
    latin = _LATIN.findall(plain(sentence))
    if context.language is Language.ZH:
        return bool(_KANA.search(sentence) or _ENGLISH.search(plain(sentence)))
    if _CHINESE.search(sentence) or _KANA.search(sentence):
        return True
    if len(latin) < _FOREIGN_WORDS:
        return False
    given = {word for text in _texts(context) for word in _LATIN.findall(plain(text))}
    common = {word for word in latin if not content(word, Language.EN)} | (given & set(latin))
    return sum(word in common for word in latin) < len(latin) / 5


def _texts(context: ReplyContext) -> Iterator[str]:
    """What a reply may draw on."""
    yield from (context.question, context.opening, *context.earlier_questions)
    yield from map(_text, context.known)


def _text(entry: Entry) -> str:
    return "\n".join((entry.name, *entry.aliases, entry.report, entry.said, entry.when or ""))


@lru_cache(maxsize=256)
def _concepts_of(texts: tuple[str, ...], language: Language) -> frozenset[str]:
    """What texts speak of in any wording; half a phrase is enough to support it."""
    return frozenset(concept for text in texts for concept in concepts(language).find(text))


@cache
def _claims() -> dict[str, ClaimKind]:
    text = files("osler.eval.faithfulness").joinpath("claims.yaml").read_text("utf-8")
    return {concept: ClaimKind(kind) for kind, some in yaml.safe_load(text).items() for concept in some.split()}


@cache
def _drugs() -> frozenset[tuple[str, ...]]:
    return frozenset(split(names) for line in read("drugs") for names in line)


@lru_cache(maxsize=4096)
def _illnesses(text: str, language: Language) -> frozenset[tuple[str, ...]]:
    """The illnesses that a text names, each as its names."""
    levelled = level(text, language)
    return frozenset(names for names, forms in _illness_forms(language) if any(form in levelled for form in forms))


@cache
def _illness_forms(language: Language) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The names of every illness in a language, and how they look in a levelled text; short forms are left out."""
    chinese = language is Language.ZH
    found = []
    for illness in diseases():
        own = [name for name in illness.names if is_chinese(name) is chinese and not name.isupper()]
        forms = tuple(form for name in own if len((form := level(name, language)).strip()) > (1 if chinese else 3))
        if forms:
            found.append((illness.names, forms))
    return tuple(found)
