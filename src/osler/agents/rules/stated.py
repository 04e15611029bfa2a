"""Compare what a doctor says while asking with what was told at earlier visits.

"My notes say that you react to amoxicillin, is that right?" states a fact, "Are you allergic to
anything?" asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from osler.language import Language
from osler.language.answers import read_answer
from osler.language.cues import finder, pattern
from osler.language.lexicon import terms
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import concepts_in
from osler.language.numerals import whole_values
from osler.language.times_and_values import value_finder
from osler.language.words import content, plain, sentences
from osler.records.schema import Entry, Status
from osler.records.visits import PastExchange

EarlierFact = Entry | PastExchange
"""What was told at an earlier visit: an entry of the record, or an exchange."""
_CLAUSE = re.compile(r"[,;:，；：](?!\d)|\s[-–—]\s")
# `{words}` are the question words of the cue files.
_ASKS = {
    Language.EN: (
        r"^\W*(?:(?:and|or|but|so|now|well|also|then|okay|please)\W+)*"
        r"(?:{words}|do|does|did|have|has|had|is|are|was|were|can|could|would|will|should|may|any\w*"
        r"|tell|describe|let)\b|\b(?:if|whether)\b"
    ),
    Language.ZH: r"{words}|吗|呢|(.)[不没]\1|是否|有无|没有?[？?]?$|请|说说",
}
_TAG = {
    Language.EN: re.compile(r"(?!)"),
    Language.ZH: re.compile(r"(?:对吗|是吗|对不对|是不是|对吧|是吧|吧)[？?。]?$"),
}
"""Ends a clause that asks only whether it is so."""
_PERSON = {
    Language.EN: re.compile(r"\b(?:you|he|she|they|i|my|we|our)\b", re.IGNORECASE),
    Language.ZH: re.compile("[您你他她我咱]|孩子|记"),
}
"""Finds whom a statement is about, or who makes it; a name alone ("Allergies?") states nothing."""
_STILL = {
    Language.EN: re.compile(r"\bstill\b", re.IGNORECASE),
    Language.ZH: re.compile("还(?!有|是)|仍"),
}
_LEAST_SHARED = 2
"""Words and concepts that a statement must share with a fact to be about it.

A shared drug is enough by itself.
"""
_SAME_DRUG = 100
"""Closeness of a statement to a fact about the same drug: shared words never reach it."""


def _stated_clauses(question: str, language: Language) -> list[str]:
    """Return the clauses of a doctor's turn that state something, or ask whether it still is so."""
    clauses = []
    for sentence in sentences(question.replace("’", "'"), language):
        for clause in _CLAUSE.split(sentence):
            bare = _TAG[language].sub("", clause.strip())
            if _states(bare, language):
                clauses.append(bare)
    return clauses


def _states(clause: str, language: Language) -> bool:
    if not _asks(language).search(clause):
        return _PERSON[language].search(clause) is not None
    if _asks_for_more(language).search(clause):
        return False
    # "Do you still take it?" and "Is it 5 mg?" are asked by somebody who knows.
    names_value = value_finder(language).search(clause)
    return bool(_STILL[language].search(clause) or names_value)


@cache
def _asks(language: Language) -> re.Pattern[str]:
    return re.compile(
        _ASKS[language].format(words=pattern("question_words", language)), re.IGNORECASE
    )


@cache
def _asks_for_more(language: Language) -> re.Pattern[str]:
    """Finds a clause that wants more than a yes or a no."""
    opening = r"^\W*(?:(?:and|or|but|so)\W+)?" if language is Language.EN else ""
    return re.compile(opening + pattern("question_words", language), re.IGNORECASE)


class _Comparison(NamedTuple):
    closeness: float
    is_so: bool


def check_statement(question: str, facts: Sequence[EarlierFact], language: Language) -> bool | None:
    """Check whether what a question states is so, by the fact closest to it.

    None if it states nothing of them. Of facts that are equally close, the first decides.
    """
    clauses = _stated_clauses(question, language)
    closest: _Comparison | None = None
    for fact in facts:
        for clause in clauses:
            comparison = _compare(clause, fact, language)
            if comparison is None:
                continue
            if closest is None or comparison.closeness > closest.closeness:
                closest = comparison
    return closest.is_so if closest else None


def touches(question: str, fact: EarlierFact, language: Language) -> bool:
    """Check whether a question has anything of what a fact tells.

    The name that one would ask for it by does not count.
    """
    if check_statement(question, (fact,), language) is not None:
        return True
    if isinstance(fact, PastExchange):
        names, text = "", f"{fact.reply}\n{fact.results}"
    else:
        names, text = "\n".join((fact.name, *fact.aliases)), f"{fact.report}\n{fact.said}"
    telling = set(content(text, language)) - set(content(names, language))
    return not telling.isdisjoint(content(question, language))


def _compare(clause: str, fact: EarlierFact, language: Language) -> _Comparison | None:
    """Compare a clause with a fact; None if they are about different things."""
    name, text = _name_and_text(fact)
    whole_text = f"{name}\n{text}"
    clause_terms = terms(clause, language)
    shared_terms = clause_terms & terms(whole_text, language)
    shared_concepts = concepts_in(clause, language) & concepts_in(whole_text, language)
    shared = len(shared_terms) + len(shared_concepts)
    drugs, fact_drugs = set(drugs_in(clause).values()), set(drugs_in(whole_text).values())
    is_same_drug = bool(drugs & fact_drugs)
    is_other_drug = bool(drugs and fact_drugs) and not is_same_drug
    # "You are allergic to amoxicillin" shares few words with a fact of an allergy to another drug,
    # and is a wrong statement of that fact rather than a statement of something else.
    least = 1 if is_other_drug else _LEAST_SHARED
    if not is_same_drug and shared < least:
        return None
    closeness = _SAME_DRUG if is_same_drug else min(shared, _SAME_DRUG - 1)
    if isinstance(fact, Entry):
        closeness += _SAME_DRUG  # what the record says is so today
    amounts, fact_amounts = _amounts(clause, language), _amounts(text, language)
    if is_other_drug or (fact_amounts and not amounts <= fact_amounts):
        return _Comparison(closeness, is_so=False)
    is_denied = _is_denied(clause, clause_terms, fact, language)
    return _Comparison(closeness, is_so=_is_negative(clause, language) is is_denied)


def _name_and_text(fact: EarlierFact) -> tuple[str, str]:
    if isinstance(fact, PastExchange):
        return "", fact.text
    return fact.name, "\n".join((*fact.aliases, fact.report, fact.said, fact.when or ""))


def _amounts(text: str, language: Language) -> frozenset[float]:
    """Return the numbers of the values in a text: 5 of "5 mg"."""
    amounts: set[float] = set()
    for match in value_finder(language).finditer(plain(text)):
        amounts |= whole_values(match[0], language)
    return frozenset(amounts)


def _is_denied(
    clause: str, clause_terms: frozenset[str], fact: EarlierFact, language: Language
) -> bool:
    """Check whether a fact denies what a clause is about.

    It denies what is not so, what is over, and what is so of somebody else.
    """
    if isinstance(fact, Entry):
        return fact.status in (Status.ABSENT, Status.NOT_DONE)
    mentions = [
        mention
        for mention in read_answer(fact.question, fact.reply, language, fact.speaker)
        if clause_terms & terms(f"{mention.what} {mention.said}", language)
    ]
    if not mentions:
        return False
    names_relative = finder("relatives", language).search(clause)
    if all(mention.whose for mention in mentions) and not names_relative:
        return True
    closest = max(mentions, key=lambda mention: len(clause_terms & terms(mention.said, language)))
    return closest.denied or finder("ended", language).search(closest.said) is not None


def _is_negative(text: str, language: Language) -> bool:
    return any(finder(kind, language).search(text) for kind in ("negation", "ended"))
