"""Words of a text in its language: what retrieval, memory, the gate and judges compare."""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache, lru_cache
from importlib.resources import files
from tempfile import TemporaryDirectory
from typing import Any

import Stemmer

from osler.language.base import Language
from osler.language.cues import cues, groups
from osler.private import private_cache
from osler.ranking import reaches

EN = Language.EN
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+(?:\.\d+)?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SENTENCE = {
    # Not after an abbreviation.
    Language.EN: re.compile(
        r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<=[.!?;])\s+|\n+"
    ),
    Language.ZH: re.compile(r"(?<=[。！？；!?;])\s*|\n+"),
}
_PIECE = re.compile(rf"{_WORD.pattern}|[\u4e00-\u9fff]+")
"""A word of the other script, or a run of Chinese."""
# Characters without accents, which most texts are made of: Latin letters, Chinese ones and their punctuation.
_BARE = re.compile(r"[\x00-\x7f\u3001-\u3020\u4e00-\u9fff]*")

_LONGEST_WORD = 60


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Case, width and accents levelled out: how two spellings of one thing become one."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    if _BARE.fullmatch(text):
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """An English word without its ending and in American spelling."""
    if len(word) > _LONGEST_WORD:
        return word  # nobody's word
    for british, american in _spelling():
        word = word.replace(british, american)
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    return Stemmer.Stemmer("english", 0)  # without a cache of its own, which threads could not share


@cache
def _spelling() -> tuple[tuple[str, str], ...]:
    """Pieces of British words and their American spelling."""
    return tuple((british, american) for british, _, american in (cue.partition("=") for cue in cues("spelling", EN)))


def canonical(word: str) -> str:
    """One word for the everyday words that mean one thing: "tummy" is the abdomen. Takes and gives words as in `words`.

    For comparing meanings; two texts that must agree in their words are compared without it.
    """
    return _synonyms().get(word, word)


@cache
def _synonyms() -> Mapping[str, str]:
    return {stem(word): stem(name) for name, listed in groups("synonyms", EN).items() for word in listed}


@cache
def _tokenizer() -> Any:
    """Jieba's tokenizer, with its dictionary kept in the user's own cache.

    In the shared folder for temporary files, where jieba would keep it, anybody can put a file of that name.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    folder = private_cache("words")
    with TemporaryDirectory() if folder is None else nullcontext(str(folder)) as place:
        tokenizer.tmp_dir = place
        tokenizer.initialize()
    return tokenizer


@lru_cache(maxsize=512)
def written(text: str) -> tuple[str, ...]:
    """The English words of a text as they are written, levelled."""
    return tuple(_WORD.findall(plain(text)))


@lru_cache(maxsize=1024)
def words(text: str, language: Language) -> tuple[str, ...]:
    """Every word in order, levelled and (in English) stemmed; Chinese is segmented."""
    if language is Language.EN:
        return tuple(map(stem, written(text)))
    found: list[str] = []
    for piece in _PIECE.findall(plain(text)):
        found += _segments(piece) if "\u4e00" <= piece[0] <= "\u9fff" else (stem(piece),)
    return tuple(found)


@lru_cache(maxsize=1024)
def _segments(run: str) -> tuple[str, ...]:
    """The words of a run of Chinese characters: a clause that an entry, its reply and its recall share."""
    return tuple(_tokenizer().cut(run.replace("疼", "痛"), HMM=False))


@cache
def _stopwords(language: Language) -> frozenset[str]:
    listed = (files("osler.language") / "stopwords" / f"{language}.txt").read_text(encoding="utf-8").split()
    return frozenset(stem(word) if language is Language.EN else word for word in listed)


@lru_cache(maxsize=1024)
def content(text: str, language: Language) -> tuple[str, ...]:
    """The words that carry meaning."""
    empty = _stopwords(language)
    return tuple([word for word in words(text, language) if word not in empty])


def numbers(text: str) -> list[str]:
    """Numbers as written, without a difference between `120` and `120.0`."""
    return [found.rstrip("0").rstrip(".") if "." in found else found for found in _NUMBER.findall(plain(text))]


def sentences(text: str, language: Language) -> list[str]:
    """Sentences, each with its closing mark."""
    return list(_sentences(text, language))


@lru_cache(maxsize=2048)
def _sentences(text: str, language: Language) -> tuple[str, ...]:
    """The same; several readers cut the same text, and the pattern looks back at every character."""
    return tuple([part.strip() for part in _SENTENCE[language].split(text) if part.strip()])


_SAME = 0.75
"""Share of the content words of both questions together from which two questions are one."""


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Check whether two questions are one, by their content words."""
    return bool(one) and reaches(len(one & other) / len(one | other), _SAME)
