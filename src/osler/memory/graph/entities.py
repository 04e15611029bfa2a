"""The entities that a text names, each by one name however it is worded.

People are resolved by what they are to the patient, drugs by the list of drugs, and symptoms,
illnesses, habits and tests by the thesaurus. Every other word of weight is an entity by its normal
form.
"""

from __future__ import annotations

from functools import cache, lru_cache

from osler.language import Language, Speaker
from osler.language.cues import finder, groups
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import concepts_in
from osler.language.lexicon.thesaurus import QUALITIES, terms
from osler.language.words import plain, stem

_ONE_PERSON = frozenset(Speaker) - {Speaker.SIBLING, Speaker.CAREGIVER, Speaker.PATIENT}
"""Relations that one person has, so that all their names mean the same person; a brother is no
sister."""


@lru_cache(maxsize=2048)
def entities(text: str, language: Language) -> frozenset[str]:
    """What a text names."""
    people = frozenset(
        _people(language).get(plain(hit[0]), "")
        for hit in finder("relatives", language).finditer(text)
    )
    return frozenset(
        (
            *(f"person:{name}" for name in people),
            *(f"drug:{number}" for number in drugs_in(text).values()),
            *(f"thing:{concept}" for concept in concepts_in(text, language) - QUALITIES),
            *(f"word:{term}" for term in terms(text, language)),
        )
    )


@cache
def _people(language: Language) -> dict[str, str]:
    """For each name of a relative, the one name by which they are known."""
    return {
        plain(name): group if group in _ONE_PERSON else _normal(name, language)
        for group, names in groups("relatives", language).items()
        for name in names
    }


def _normal(name: str, language: Language) -> str:
    """A name without its ending; in Chinese, without the doubling of 姐姐."""
    if language is Language.EN:
        return stem(plain(name))
    return "".join(dict.fromkeys(name))
