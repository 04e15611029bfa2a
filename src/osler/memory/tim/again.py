"""Whether a thought says no more than another one does: then it was said again, and the fuller one stays."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language
from osler.language.words import numbers, plain, words
from osler.memory.tim.clausewise import is_told
from osler.memory.tim.relations import same_subject
from osler.memory.tim.thought import Draft

_HAVING = frozenset(
    {"has", "says", "has had", "is experiencing", "experiences", "reports", "does not have", "有", "说", "没有", "出现"}
)
"""Relations that say only that something is there."""
_SAYS = frozenset({"says", "说"})
"""Relations of words that were said and that nothing else is known of."""
_OTHERWISE = re.compile(
    r"\b(?:no|not|never|none|without|nor|denies|but|besides|except|apart from|other than|"
    r"family|mother|father|brother|sister|parents?|used to|past|"
    r"previous\w*|resolved|stopped|gone|improve\w*|afraid|fear|worr\w+|risk|if|may|might|could|think|treated|prevent\w*)\b|n't\b|"
    r"没|不|未|无|但|家|父|母|爸|妈|兄|姐|弟|妹|以前|曾|原来|怕|担心|可能|如果|好了|消失|治疗"
)
"""Words after which a thing that is named need not be there now, or not with the patient."""
_LIGHT = frozenset({"a", "an", "the", "my", "his", "her", "any", "some", "of", "的", "了", "也", "都", "还"})


def holds(fuller: Draft, other: Draft, language: Language) -> bool:
    """Whether the first has the second in its words, of the same person and with the same polarity.

    In one run, or, in Chinese, clause by clause.
    """
    return _in_one_run(fuller, other, language) or (language is Language.ZH and is_told(other, fuller))


def _in_one_run(fuller: Draft, other: Draft, language: Language) -> bool:
    if fuller.negated != other.negated or fuller.certainty != other.certainty:
        return False
    mine, its = plain(fuller.relation), plain(other.relation)
    if its not in _SAYS:
        # Who has an illness has had it; the other way round it may be over.
        same = mine == its or {mine, its} <= _HAVING or (its == "had" and mine in _HAVING)
        if not same or not same_subject(fuller.subject, other.subject, language):
            return False
    if other.reported and plain(other.reported) not in plain(f"{fuller.reported} {fuller.object}"):
        return False
    inner, outer = _weighty(other.object, language), _weighty(fuller.object, language)
    if inner not in outer or not inner.strip() or not set(numbers(other.object)) <= set(numbers(fuller.object)):
        return False
    return inner == outer or not _is_otherwise(fuller.triple)


@lru_cache(maxsize=8192)
def _weighty(text: str, language: Language) -> str:
    """Its words of weight in a row, a space on either side of each: a run of them is a part of the string."""
    return "".join(f" {word} " for word in words(text, language) if word not in _LIGHT)


@lru_cache(maxsize=8192)
def _is_otherwise(triple: str) -> bool:
    return _OTHERWISE.search(plain(triple)) is not None
