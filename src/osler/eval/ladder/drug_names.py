"""The drugs, procedures and classes that a text names, by any of their names in either language."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import chinese, is_chinese, script, words
from osler.eval.ladder.spelling import is_misspelt, is_miswritten
from osler.eval.vocabulary import Concept, classes, drugs, procedures
from osler.language import Language

_LONGEST = {Language.EN: 6, Language.ZH: 24}
"""Words, or Chinese characters, of a name."""
_Key = str | tuple[str, ...]


class NamedDrugs(NamedTuple):
    """What a text names."""

    drugs: frozenset[Concept]
    classes: frozenset[str]
    rest: tuple[str, ...]
    """The words, or the Chinese text between them, that name none."""


def _key(text: str, language: Language) -> _Key:
    """A Chinese text as its characters, an English one as its words."""
    return chinese(text) if language is Language.ZH else words(text)


@cache
def _index(language: Language) -> dict[_Key, list[Concept]]:
    """Every name; Chinese texts name brands in Latin letters too, English ones hold no Chinese."""
    found: dict[_Key, list[Concept]] = defaultdict(list)
    for concept in (*drugs(), *procedures(), *classes()):
        for name in concept.names:
            if language is Language.ZH or not is_chinese(name):
                found[_key(name, language)].append(concept)
    return {key: concepts for key, concepts in found.items() if key}


@lru_cache(maxsize=8192)
def named(text: str) -> NamedDrugs:
    """The longest names at each place of the text."""
    language = script(text)
    sequence, index = _key(text, language), _index(language)
    found: list[Concept] = []
    rest: list[str] = []
    place = 0
    while place < len(sequence):
        for length in range(min(_LONGEST[language], len(sequence) - place), 0, -1):
            concepts = index.get(sequence[place : place + length])
            if concepts and not _is_inside(sequence, place, place + length):
                found += concepts
                place += length
                break
        else:
            rest.append(sequence[place])
            place += 1
    groups = frozenset(classes())
    kin = frozenset[str]().union(*(one.kin for one in found if one in groups))
    return NamedDrugs(frozenset(found) - groups, kin, tuple(rest))


def _is_inside(text: _Key, start: int, end: int) -> bool:
    """Whether Latin letters go on beside a name in a Chinese text."""

    def is_latin(place: int) -> bool:
        return 0 <= place < len(text) and text[place].isascii() and text[place].isalpha()

    if not isinstance(text, str):
        return False
    return (is_latin(start) and is_latin(start - 1)) or (is_latin(end - 1) and is_latin(end))


@cache
def _real() -> tuple[frozenset[str], frozenset[str]]:
    """The words of English names, and the neighbouring characters of Chinese ones: no spelling mistake makes these."""
    latin = frozenset(word for key in _index(Language.EN) for word in key)
    keys = [key for key in _index(Language.ZH) if isinstance(key, str)]
    return latin, frozenset(key[place : place + 2] for key in keys for place in range(len(key) - 1))


def misspelt(text: str, wanted: frozenset[Concept]) -> frozenset[Concept]:
    """Wanted drugs that the text names with a spelling mistake; a word that is a name itself is none."""
    is_written = _is_miswritten if is_chinese(text) else _is_misspelt
    rest = named(text).rest
    return frozenset(drug for drug in wanted if any(is_written(rest, name) for name in drug.names))


def _is_misspelt(rest: tuple[str, ...], name: str) -> bool:
    meant, (real, _) = words(name), _real()
    if len(meant) != 1 or is_chinese(name):
        return False
    return any(len(word) >= 5 and word not in real and is_misspelt(word, meant[0]) for word in rest)


def _is_miswritten(rest: tuple[str, ...], name: str) -> bool:
    text, meant, (_, real) = "".join(rest), chinese(name), _real()
    if len(meant) < 3 or not is_chinese(meant):
        return False
    starts = range(len(text) - len(meant) + 1)
    return any(is_miswritten(text[start : start + len(meant)], meant, real) for start in starts)
