"""The drugs, procedures and classes that a text names, by any of their names in either language."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import chinese, is_chinese, words
from osler.eval.ladder.spelling import is_misspelt, is_miswritten
from osler.eval.vocabulary import Concept, classes, drugs, procedures


class NamedDrugs(NamedTuple):
    """What a text names."""

    drugs: frozenset[Concept]
    classes: frozenset[str]
    rest: tuple[str, ...]
    """The words, or the Chinese text between them, that name none."""

    @property
    def kin(self) -> frozenset[str]:
        """The classes of the drugs."""
        return frozenset().union(*(drug.kin for drug in self.drugs))


class _Entry(NamedTuple):
    drugs: tuple[Concept, ...]
    classes: frozenset[str]


_Key = str | tuple[str, ...]


def _key(text: str, script: bool) -> _Key:
    """A Chinese text as its characters, an English one as its words."""
    return chinese(text) if script else words(text)


@cache
def _index(script: bool) -> dict[_Key, _Entry]:
    """Every name; Chinese texts name brands in Latin letters too, English ones hold no Chinese."""
    of: dict[_Key, list[Concept]] = defaultdict(list)
    kin: dict[_Key, set[str]] = defaultdict(set)
    for concept, is_class in (
        *((drug, False) for drug in (*drugs(), *procedures())),
        *((group, True) for group in classes()),
    ):
        for each in concept.names:
            if script or not is_chinese(each):
                key = _key(each, script)
                if is_class:
                    kin[key] |= concept.kin
                else:
                    of[key].append(concept)
    return {key: _Entry(tuple(of.get(key, ())), frozenset(kin.get(key, ()))) for key in {*of, *kin} if key}


@cache
def _words() -> frozenset[str]:
    return frozenset(word for key in _index(script=False) for word in key)


@lru_cache(maxsize=8192)
def named(text: str) -> NamedDrugs:
    """The longest names at each place of the text."""
    found: set[Concept] = set()
    kin: set[str] = set()
    rest: list[str] = []
    script = is_chinese(text)
    sequence, index, longest = _key(text, script), _index(script), 24 if script else 6
    place = 0
    while place < len(sequence):
        for length in range(min(longest, len(sequence) - place), 0, -1):
            if entry := index.get(sequence[place : place + length]):
                if isinstance(sequence, str) and _inside(sequence, place, place + length):
                    continue
                found.update(entry.drugs)
                kin |= entry.classes
                place += length
                break
        else:
            rest.append(sequence[place])
            place += 1
    return NamedDrugs(frozenset(found), frozenset(kin), tuple(rest))


def _inside(text: str, start: int, end: int) -> bool:
    """Whether Latin letters go on beside the name."""

    def latin(place: int) -> bool:
        return 0 <= place < len(text) and text[place].isascii() and text[place].isalpha()

    return (latin(start) and latin(start - 1)) or (latin(end - 1) and latin(end))


@cache
def _pairs() -> frozenset[str]:
    """Neighbouring characters in real names."""
    keys = [key for key in _index(script=True) if isinstance(key, str)]
    return frozenset(key[place : place + 2] for key in keys for place in range(len(key) - 1))


def _miswritten(text: str, meant: str) -> bool:
    windows = range(len(text) - len(meant) + 1) if len(meant) >= 3 and is_chinese(meant) else ()
    return any(is_miswritten(text[start : start + len(meant)], meant, _pairs()) for start in windows)


def misspelt(text: str, wanted: frozenset[Concept]) -> frozenset[Concept]:
    """Wanted drugs that the text names with a spelling mistake; a word that is a name itself is none."""
    if is_chinese(text):
        rest = "".join(named(text).rest)
        return frozenset(drug for drug in wanted if any(_miswritten(rest, chinese(each)) for each in drug.names))
    odd = [word for word in named(text).rest if len(word) >= 5 and word not in _words()]
    return frozenset(
        drug
        for drug in wanted
        for each in drug.names
        if len(key := words(each)) == 1 and not is_chinese(each) and any(is_misspelt(word, key[0]) for word in odd)
    )
