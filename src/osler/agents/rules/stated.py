"""Compare what a doctor says while asking with what was told at earlier visits.

"My notes say that you react to amoxicillin, is that right?" states a fact, "Are you allergic to anything?" asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from osler.language import Language
from osler.language.answers import read_answer
from osler.language.cues import finder, pattern
from osler.language.lexicon import terms
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import meant
from osler.language.numerals import whole_values
from osler.language.times_and_values import value_finder
from osler.language.words import content, plain, sentences
from osler.records.schema import Entry, Status
from osler.records.visits import PastExchange

EarlierFact = Entry | PastExchange
"""What was told at an earlier visit: an entry of the record, or an exchange."""
_CLAUSE = re.compile(r"[,;:，；：](?!\d)|\s[-–—]\s")
_ASKS = {
    Language.EN: r"^\W*(?:(?:and|or|but|so|now|well|also|then|okay|please)\W+)*(?:{words}|do|does|did|have|has|had"
    r"|is|are|was|were|can|could|would|will|should|may|any\w*|tell|describe|let)\b|\b(?:if|whether)\b",
    Language.ZH: r"{words}|吗|呢|(.)[不没]\1|是否|有无|没有?[？?]?$|请|说说",
}
_TAG = {Language.EN: re.compile(r"(?!)"), Language.ZH: re.compile(r"(?:对吗|是吗|对不对|是不是|对吧|是吧|吧)[？?。]?$")}
"""Ends a clause that asks only whether it is so."""
_PERSON = {
    Language.EN: re.compile(r"\b(?:you|he|she|they|i|my|we|our)\b", re.IGNORECASE),
    Language.ZH: re.compile("[您你他她我咱]|孩子|记"),
}
"""Finds whom a statement is about, or who makes it; a name alone ("Allergies?") states nothing."""
_STILL = {Language.EN: re.compile(r"\bstill\b", re.IGNORECASE), Language.ZH: re.compile("还(?!有|是)|仍")}
_LEAST_SHARED = 2
"""Words and concepts that a statement must share with a fact to be about it, unless they share a drug."""
_SAME_DRUG = 100
"""Closeness of a statement to a fact about the same drug, which no number of shared words reaches."""


def stated_parts(question: str, language: Language) -> tuple[str, ...]:
    """Return the clauses of a doctor's turn that state something, or ask whether it is still so."""
    return tuple(_stated(question.replace("’", "'"), language))


def _stated(question: str, language: Language) -> Iterator[str]:
    for sentence in sentences(question, language):
        for clause in _CLAUSE.split(sentence):
            bare = _TAG[language].sub("", clause.strip())
            if not _asks(language).search(bare):
                if _PERSON[language].search(bare):
                    yield bare
            elif not _asks_for_more(language).search(bare) and (
                _STILL[language].search(bare) or value_finder(language).search(bare)
            ):
                yield bare


@cache
def _asks(language: Language) -> re.Pattern[str]:
    return re.compile(_ASKS[language].format(words=pattern("question_words", language)), re.IGNORECASE)


@cache
def _asks_for_more(language: Language) -> re.Pattern[str]:
    """Finds a clause that wants more than a yes or a no."""
    opening = r"^\W*(?:(?:and|or|but|so)\W+)?" if language is Language.EN else ""
    return re.compile(opening + pattern("question_words", language), re.IGNORECASE)


class _Comparison(NamedTuple):
    closeness: float
    is_so: bool


def confirmed(question: str, facts: Sequence[EarlierFact], language: Language) -> bool | None:
    """Check whether what a question states is so, by the fact closest to it; None if it states nothing of them.

    Of facts that are equally close, the first decides.
    """
    clauses = stated_parts(question, language)
    found = [hit for fact in facts for clause in clauses if (hit := _compared(clause, fact, language))]
    return max(found, key=lambda hit: hit.closeness).is_so if found else None


def touches(question: str, fact: EarlierFact, language: Language) -> bool:
    """Check whether a question has anything of what a fact tells, beside the name that one would ask for it by."""
    if confirmed(question, (fact,), language) is not None:
        return True
    if isinstance(fact, PastExchange):
        names, told = "", f"{fact.reply}\n{fact.results}"
    else:
        names, told = "\n".join((fact.name, *fact.aliases)), f"{fact.report}\n{fact.said}"
    own = set(content(told, language)) - set(content(names, language))
    return not own.isdisjoint(content(question, language))


def _compared(clause: str, fact: EarlierFact, language: Language) -> _Comparison | None:
    name, told = _name_and_text(fact)
    words, known = terms(clause, language), terms(f"{name}\n{told}", language)
    drugs, known_drugs = ({*drugs_in(text).values()} for text in (clause, f"{name}\n{told}"))
    amounts, known_amounts = (_amounts(text, language) for text in (clause, told))
    shared = len(words & known) + len(meant(clause, language) & meant(f"{name}\n{told}", language))
    if not (drugs & known_drugs or shared >= _LEAST_SHARED or (drugs and known_drugs and shared)):
        return None
    is_entry = isinstance(fact, Entry)
    closeness = _SAME_DRUG if drugs & known_drugs else min(shared, _SAME_DRUG - 1)
    closeness += _SAME_DRUG * is_entry  # what the record says is so today
    if (drugs and known_drugs and drugs.isdisjoint(known_drugs)) or (known_amounts and not amounts <= known_amounts):
        return _Comparison(closeness, False)
    return _Comparison(closeness, _is_negative(clause, language) is _denied(clause, words, fact, language))


def _name_and_text(fact: EarlierFact) -> tuple[str, str]:
    if isinstance(fact, PastExchange):
        return "", fact.text
    return fact.name, "\n".join((*fact.aliases, fact.report, fact.said, fact.when or ""))


def _amounts(text: str, language: Language) -> frozenset[float]:
    hits = (hit[0] for hit in value_finder(language).finditer(plain(text)))
    return frozenset[float]().union(*(whole_values(hit, language) for hit in hits))


def _denied(clause: str, words: frozenset[str], fact: EarlierFact, language: Language) -> bool:
    """Check whether a fact says that what a clause is about is not so, is over, or is so of somebody else."""
    if isinstance(fact, Entry):
        return fact.status in (Status.ABSENT, Status.NOT_DONE)
    mentions = read_answer(fact.question, fact.reply, language, fact.speaker)
    told = [one for one in mentions if words & terms(f"{one.what} {one.said}", language)]
    if told and all(one.whose for one in told) and not finder("relatives", language).search(clause):
        return True
    closest = max(told, key=lambda one: len(words & terms(one.said, language)), default=None)
    return closest is not None and (closest.denied or finder("ended", language).search(closest.said) is not None)


def _is_negative(text: str, language: Language) -> bool:
    return any(finder(kind, language).search(text) for kind in ("negation", "ended"))
