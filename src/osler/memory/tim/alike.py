"""Whether two thoughts say the same thing, or one of them the other and more."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language
from osler.language.words import numbers, plain, words
from osler.memory.tim.relations import same_subject
from osler.memory.tim.thought import Draft, Thought

_OF_NO_WEIGHT = frozenset(
    {"a", "an", "the", "any", "my", "his", "her", "some", "of", "whether", "patient", "is", "has"}
)
_GOES_ON = re.compile(r"\s*[,，（;]|\s+(?:for|since|at|in|on|with|every|after|when)\b")
_OF_A_NAME = frozenset({"is", "are", "shows", "shows no", "为", "是", "显示"})
"""Relations of a name to its value: other names may have the same value."""
_LENT = re.compile(r"(?:it|they|that|this|these|those)\b|[这那它]", re.IGNORECASE)
"""How a sentence begins whose subject only the question names."""
_TENSE = frozenset({"do", "did", "doe", "not", "never", "been", "any"})


@lru_cache(maxsize=8192)
def weighty(text: str, language: Language) -> frozenset[str]:
    """The words that tell one thing from another."""
    return frozenset(word for word in words(text, language) if word not in _OF_NO_WEIGHT)


def bare_relation(draft: Draft, language: Language) -> frozenset[str]:
    """The relation without its polarity, tense and person."""
    return _bare(draft.relation, language)


@lru_cache(maxsize=8192)
def _bare(relation: str, language: Language) -> frozenset[str]:
    level = plain(relation)
    if language is Language.ZH:
        level = re.sub(r"[了过着]$", "", level)
        level = {"没有": "有", "服用": "吃", "服": "吃"}.get(level, re.sub(r"^(?:从来|从)?[不没未](?!知道)", "", level))
        return frozenset({level})
    kept = {"have" if word in {"has", "had", "hav", "got"} else word for word in words(level, language)}
    bare = kept - _TENSE
    if "have" in bare and len(bare) > 1:
        bare -= {"have"}
    return frozenset({"is" if word in {"are", "was", "were", "wa", "i"} else word for word in bare})


def repeats(draft: Draft, old: Draft, language: Language) -> bool:
    """Whether the new thought says what the old one said, and nothing else."""
    return (
        draft.negated == old.negated
        and draft.certainty == old.certainty
        and plain(draft.relation) == plain(old.relation)
        and plain(draft.reported) == plain(old.reported)
        and words(draft.object, language) == words(old.object, language)
        and numbers(draft.object) == numbers(old.object)
        and (same_subject(draft.subject, old.subject, language) or _in_the_same_words(draft, old))
    )


def _in_the_same_words(draft: Draft, old: Draft) -> bool:
    """Whether both rest on the same words, and only the question that was asked names their subjects differently.

    Of `X has not been done`, the subject is all there is.
    """
    mine, its = (re.split(r":\s|：", one.sentence, maxsplit=1) for one in (draft, old))
    if plain(draft.relation) in _OF_A_NAME and not _LENT.match(mine[-1]):
        # `Platelets: Normal` does not say again what `Haemoglobin: Normal` said; a whole sentence does.
        return plain(draft.relation) in {"shows", "显示"} and draft.sentence == old.sentence
    return bool(draft.object) and len(mine) == len(its) == 2 and mine[1] == its[1]


def elaborates(draft: Draft, old: Thought, language: Language) -> bool:
    """Whether the new thought begins with the whole of the old one and goes on."""
    whole, begun = plain(draft.object), plain(old.object)
    return (
        bool(old.object)
        and whole.startswith(begun)
        and _GOES_ON.match(whole, len(begun)) is not None
        and plain(draft.relation) == plain(old.relation)
        and not (draft.negated or old.negated)
        and draft.certainty == old.certainty
        and (not old.reported or old.reported == draft.reported)
        and same_subject(draft.subject, old.subject, language)
    )


def sideless(text: str, language: Language) -> frozenset[str]:
    """Its words, left and right aside."""
    return weighty(re.sub(r"\b(?:left|right|no|sorry|meant|mean|i|actually)\b|[左右]边?", " ", plain(text)), language)
