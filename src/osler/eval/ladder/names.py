"""One form for the many ways of writing a medical name: case, spelling, plural, script and writing habits."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.vocabulary import read
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
_CANCER = re.compile(r"\bmalignant (?:neoplasm|tumou?r)s?\b", re.IGNORECASE)
_HEAD_ENDS = re.compile(r"\bof\b|\bin\b|\bat\b|\bwith\b|\bdue to\b|,|\(")
_SPACE = re.compile(r"[\s'\"“”‘’·•*#]+|[-—–/]")
_PARTICLE = re.compile(r"(?<=[\u4e00-\u9fff])[氏性的](?=[\u4e00-\u9fff])")


class EnglishName(NamedTuple):
    """An English name as a bag of words, and the word that says what kind of thing it is."""

    words: frozenset[str]
    head: str


def is_chinese(text: str) -> bool:
    """Whether the text holds Chinese characters."""
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
        word = _BRITISH_END.sub(lambda end: "or" if end[0] == "our" else end[0][0] + "er", word)
        if word.endswith(("sses", "xes", "ches", "shes")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "is")):
            word = word[:-1]
    return _same().get(word, word)


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """The English words that matter, in order; a short word in capitals is an abbreviation and is kept."""
    text = _CANCER.sub("cancer", plain_case(text))
    text = _JOINED.sub(lambda match: match[1] or match[2] or "", text.replace("'s", "").replace("s'", "s"))
    found = _WORD.findall(text)
    capitals = not text.isupper() or len(found) < 3
    return tuple(
        _word(word)
        for word in found
        if word.casefold() not in _fluff() or (capitals and len(word) > 1 and word.isupper())
    )


@lru_cache(maxsize=4096)
def english_name(text: str) -> EnglishName:
    """A name with its head: the last word, or the one before `of` or a comma."""
    every = words(text)
    first = words(_HEAD_ENDS.split(text, maxsplit=1)[0])
    head = (first or every or ("",))[-1]
    return EnglishName(frozenset(every), head)


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
