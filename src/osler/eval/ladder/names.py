"""Medical names: one form for the many ways of writing one, finding them in a text, and spelling mistakes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from osler.eval.vocabulary import Concept, read
from osler.language import Language
from osler.language.words import plain

LONGEST = 2000
"""Characters of an answer that are read: a diagnosis is short, and the rest would only cost time."""

_CJK = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_JOINED = re.compile(r"\b(non|pre|post|anti|pseudo|hyper|hypo)[- ](?=[a-z])|\b(without) (?=[a-z])", re.IGNORECASE)
_SPELLING = (
    *(("oea", "ea"), ("oe", "e"), ("ae", "e"), ("sulph", "sulf"), ("orchido", "orchio"), ("isation", "ization")),
    *(("ising", "izing"), ("alised", "alized"), ("neurone", "neuron")),
)
_BRITISH_END = re.compile(r"(?<=[a-z]{3})our$|(?<=[a-z]{2})[tb]re$")
_HEAD_ENDS = re.compile(r"\b(?:of|in|at|with|from|after|due to|caused by|secondary to)\b|,|\(")
_SPACE = re.compile(r"[\s'\"“”‘’·•*#]+|[-—–/]")
_PARTICLE = re.compile(r"(?<=[\u4e00-\u9fff])[氏性的](?=[\u4e00-\u9fff])")
_LATIN = re.compile(r"[a-z]{2}")

Units = str | tuple[str, ...]
"""A text as the sequence in which names are looked for: Chinese characters or English words."""
NameKey = str | frozenset[str]
"""A name as it is indexed: a Chinese one as its characters, an English one as its words in any order."""


def is_chinese(text: str) -> bool:
    """Check whether the text holds Chinese characters."""
    return bool(_CJK.search(text))


def script(text: str) -> Language:
    """The language of a text, by its characters."""
    return Language.ZH if is_chinese(text) else Language.EN


@cache
def listed(key: str) -> frozenset[str]:
    """A list of English words of `variants.yaml`, normalised like any other."""
    return frozenset(_word(word) for word in read("variants")[key].split())


@cache
def _same() -> dict[str, str]:
    rows = [row.split() for row in read("variants")["english"]]
    return {word: row[0] for row in rows for word in row}


@lru_cache(maxsize=16384)
def _word(word: str) -> str:
    word = word.casefold()
    if len(word) > 3:
        for british, american in _SPELLING:
            word = word.replace(british, american)
        if word.endswith(("sses", "xes", "ches", "shes")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "is")):
            word = word[:-1]
        word = _BRITISH_END.sub(lambda end: "or" if end[0] == "our" else end[0][0] + "er", word)
    return _same().get(word, word)


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """The English words that matter, in order; a short word in capitals is an abbreviation and is kept."""
    text = _JOINED.sub(lambda match: match[1] or match[2] or "", plain_case(text).replace("'s", "").replace("s'", "s"))
    found = _WORD.findall(text)
    capitals = not text.isupper() or len(found) < 3
    return tuple(
        _word(word)
        for word in found
        if word.casefold() not in _fluff() or (capitals and len(word) > 1 and word.isupper())
    )


def head_of(text: str) -> str:
    """The word that says what kind of thing an English name is: the last that is no detail, before `of` or a comma."""
    first = words(_HEAD_ENDS.split(text, maxsplit=1)[0]) or words(text)
    told = [word for word in first if word not in listed("detail") and word.isalpha()]
    return (told or first or ("",))[-1]


@cache
def _fluff() -> frozenset[str]:
    return frozenset(read("variants")["fluff"].split())


def plain_case(text: str) -> str:
    """Width and accents levelled out, capitals kept."""
    text = text[:LONGEST].replace("\u2019", "'")
    return text if text.isascii() else "".join(plain(char) if not char.isascii() else char for char in text)


@cache
def _simplified() -> dict[int, str]:
    pairs = read("variants")["traditional"].split()
    return str.maketrans({pair[0]: pair[1] for pair in pairs})


@lru_cache(maxsize=16384)
def chinese(text: str) -> str:
    """Chinese text in simplified characters and one way of writing; punctuation that parts names is kept."""
    text = plain(text[:LONGEST]).translate(_simplified())
    for habit, instead in read("variants")["chinese"].items():
        text = text.replace(habit, instead)
    return _PARTICLE.sub("", _SPACE.sub("", text))


def units(text: str, language: Language) -> Units:
    """The words or characters of a text, without a Chinese ending that writers leave out."""
    if language is Language.EN:
        return words(text)
    said = chinese(text).strip("，。、,.")
    return said[:-1] if len(said) > 3 and said.endswith("症") else said


def name_key(text: str, language: Language) -> NameKey:
    """A text as the key of a name."""
    return _as_key(units(text, language))


def _as_key(part: Units) -> NameKey:
    return part if isinstance(part, str) else frozenset(part)


def by_name(concepts: Iterable[Concept], language: Language) -> dict[NameKey, tuple[Concept, ...]]:
    """Index concepts by their names; Chinese texts have Latin names too, English ones no Chinese."""
    found: dict[NameKey, list[Concept]] = defaultdict(list)
    for concept in concepts:
        for name in concept.names:
            if language is Language.ZH or not is_chinese(name):
                found[name_key(name, language)].append(concept)
    return {key: tuple(some) for key, some in found.items() if key}


class NameHit(NamedTuple):
    """A known name found in a text."""

    start: int
    end: int
    key: NameKey


def find_names(text: Units, known: Container[NameKey]) -> Iterator[NameHit]:
    """Known names in a text, the longest at each place."""
    longest = 24 if isinstance(text, str) else 6
    place = 0
    while place < len(text):
        for end in range(min(place + longest, len(text)), place, -1):
            key = _as_key(text[place:end])
            if key in known and is_whole(text, place, end):
                yield NameHit(place, end, key)
                place = end - 1
                break
        place += 1


def is_whole(text: Units, start: int, end: int) -> bool:
    """Check whether a part of a Chinese text is a whole name: not one character, nor letters inside a word."""
    if not isinstance(text, str):
        return True
    is_cut = (start and _LATIN.match(text, start - 1)) or _LATIN.match(text, end - 1)
    return end - start > 1 and not is_cut


def real_parts(known: Iterable[NameKey]) -> frozenset[str]:
    """The words, or pairs of neighbouring characters, that names are made of: a spelling mistake makes none of them."""
    parts = ((key[at : at + 2] for at in range(len(key) - 1)) if isinstance(key, str) else key for key in known)
    return frozenset(part for some in parts for part in some)


def is_misspelt(written: str, meant: str) -> bool:
    """Check whether one English word is the other misspelt: one edit in five letters, two in nine."""
    allowed = 2 if len(meant) >= 9 else 1 if len(meant) >= 5 else 0
    if not allowed or OSA.distance(written, meant, score_cutoff=allowed) > allowed:
        return False
    contrasts = [pair for one, other in read("variants")["contrast"] for pair in ((one, other), (other, one))]
    return not any(here in written and there in meant and here not in meant for here, there in contrasts)


def is_miswritten(written: str, meant: str, real: frozenset[str]) -> bool:
    """Check whether one Chinese name is the other miswritten: one character in three, two in eight.

    What makes a pair of characters that is real, or changes the meaning, is another name.
    """
    off = [place for place, (here, there) in enumerate(zip(written, meant, strict=True)) if here != there]
    if not off or len(off) > (2 if len(meant) >= 8 else 1):
        return False
    contrasts = [{*pair} for pair in read("variants")["contrast_zh"].split()]
    for place in off:
        if {written[place], meant[place]} in contrasts or not written[place].isalpha():
            return False
        around = (written[max(0, place - 1) : place + 1], written[place : place + 2])
        if any(len(pair) == 2 and pair in real for pair in around):
            return False
    return True
