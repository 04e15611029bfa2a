"""Which items a text speaks of: by their names, or by the concepts that are theirs."""

from __future__ import annotations

from functools import cache, lru_cache

from osler.agents.rules.knowledge import Item, knowledge
from osler.language import Language
from osler.language.lexicon import Phrases, concepts, terms
from osler.language.words import content
from osler.ranking import reaches

_TELLING = 5.0
"""Weight of shared words from which a reply is about the question: `pain` alone is not, `urine` is."""
_CLEAR = {Language.EN: 0.75, Language.ZH: 0.55}
"""Share of a phrase from which a text speaks of it; Chinese puts words between the parts of a compound."""
_EXACT, _WHOLE = 0.93, 0.999
_QUALITY = (
    "pain-",
    "relation-",
    "onset-",
    "aggravating",
    "relieving",
    "time-of-day",
    "triggers",
    "course",
    "constant-",
)
"""Concepts of how a symptom is, which no single symptom owns."""
_FEW = 2
"""An item whose names mean more concepts than this is too special to be read off one of them."""


def is_about(item: Item, text: str, language: Language) -> bool:
    """Whether a sentence speaks of what was asked."""
    index = concepts(language)
    if index.find(text).keys() & _concepts_of(language)[item.id]:
        return True
    own = frozenset(content(" ".join((item.ask[language], *item.names[language])), language))
    shared = own & frozenset(content(text, language))
    return reaches(sum(map(index.weight, shared)), _TELLING)


@cache
def _concepts_of(language: Language) -> dict[str, frozenset[str]]:
    """For each item the concepts that its names clearly mean."""
    index = concepts(language)
    return {
        item.id: frozenset(
            c for name in item.names[language] for c, score in index.best(name).items() if reaches(score, _EXACT)
        )
        for item in knowledge().items.values()
    }


@cache
def _meant_by(language: Language) -> dict[str, str]:
    """For each concept the one symptom that means just it, or hardly more.

    Where several mean it, as three kinds of headache do, the concept alone tells of none of them.
    """
    meant: dict[str, dict[str, int]] = {}
    for item in knowledge().items.values():
        own = {concept for concept in _concepts_of(language)[item.id] if not concept.startswith(_QUALITY)}
        if item.kind == "symptom" and len(own) <= _FEW:
            for concept in own:
                meant.setdefault(concept, {})[item.id] = len(own)
    nearest = {
        concept: [name for name, size in sizes.items() if size == min(sizes.values())]
        for concept, sizes in meant.items()
    }
    return {concept: names[0] for concept, names in nearest.items() if len(names) == 1}


@cache
def _names(language: Language) -> Phrases:
    """Items by their names. One that is only `aches` is left out: every pain would be it."""
    index = concepts(language)
    pairs = ((name, item.id) for item in knowledge().items.values() for name in item.names[language])
    telling = (
        (name, thing) for name, thing in pairs if reaches(sum(map(index.weight, terms(name, language))), _TELLING)
    )
    return Phrases.of(telling, language)


@lru_cache(maxsize=16384)
def items_named(text: str, language: Language) -> list[Item]:
    """The items that a text speaks of: by name, or by the one concept that is theirs."""
    found = {name for name, share in _names(language).find(text).items() if reaches(share, _WHOLE)}
    spoken = {name for name, share in concepts(language).find(text).items() if reaches(share, _CLEAR[language])}
    found |= {_meant_by(language)[concept] for concept in spoken & _meant_by(language).keys()}
    return [knowledge().items[name] for name in sorted(found)]
