"""Words of a text in its language: what retrieval, memory, the gate and judges compare."""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping
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
# Characters without accents, which most texts are made of: Latin letters, Chinese ones and their
# punctuation.
_BARE = re.compile(r"[\x00-\x7f\u3001-\u3020\u4e00-\u9fff]*")
_LONGEST_WORD = 60
"""Letters of the longest word that is stemmed."""
_SAME = 0.75
"""Share of the content words of both questions together from which two questions are one."""


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Case, width and accents levelled out: how two spellings of one thing become one."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    if _BARE.fullmatch(text):
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """An English word without its ending and in American spelling."""
    if len(word) > _LONGEST_WORD:
        return word  # no word of a language; stemming one without end would take long
    for british, american in _spelling():
        word = word.replace(british, american)
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    # 0 turns off its own cache, which threads could not share.
    return Stemmer.Stemmer("english", 0)


@cache
def _spelling() -> tuple[tuple[str, str], ...]:
    """Pieces of British words and their American spelling."""
    spellings = []
    for cue in cues("spelling", EN):
        british, _, american = cue.partition("=")
        spellings.append((british, american))
    return tuple(spellings)


def canonical(word: str) -> str:
    """One word for the everyday words that mean one thing: "tummy" is the abdomen.

    It takes and gives words as in `words`. For comparing meanings; two texts that must agree in
    their words are compared without it.
    """
    return _synonyms().get(word, word)


@cache
def _synonyms() -> Mapping[str, str]:
    synonyms: dict[str, str] = {}
    for name, listed in groups("synonyms", EN).items():
        synonyms |= dict.fromkeys(map(stem, listed), stem(name))
    return synonyms


@cache
def _tokenizer() -> Any:
    """Jieba's tokenizer, with its dictionary kept in the user's own cache.

    In the shared folder for temporary files, where jieba would keep it, anybody can put a file of
    that name.
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
def written_words(text: str) -> tuple[str, ...]:
    """The English words of a text as they are written, levelled."""
    return tuple(_WORD.findall(plain(text)))


@lru_cache(maxsize=1024)
def words(text: str, language: Language) -> tuple[str, ...]:
    """Every word in order, levelled and (in English) stemmed; Chinese is segmented."""
    if language is Language.EN:
        return tuple(map(stem, written_words(text)))
    row: list[str] = []
    for piece in _PIECE.findall(plain(text)):
        is_chinese = "\u4e00" <= piece[0] <= "\u9fff"
        row += _segments(piece) if is_chinese else (stem(piece),)
    return tuple(row)


@lru_cache(maxsize=1024)
def _segments(run: str) -> tuple[str, ...]:
    """The words of a run of Chinese characters.

    They are cached, as an entry, its reply and its recall share many clauses.
    """
    # 疼 and 痛 both are pain: with one character for both, equal meanings have equal words.
    return tuple(_tokenizer().cut(run.replace("疼", "痛"), HMM=False))


@cache
def _stopwords(language: Language) -> frozenset[str]:
    path = files("osler.language") / "stopwords" / f"{language}.txt"
    listed = path.read_text(encoding="utf-8").split()
    return frozenset(map(stem, listed) if language is EN else listed)


@lru_cache(maxsize=1024)
def content(text: str, language: Language) -> tuple[str, ...]:
    """The words that carry meaning."""
    empty = _stopwords(language)
    return tuple([word for word in words(text, language) if word not in empty])


def numbers(text: str) -> list[str]:
    """Numbers as written, without a difference between `120` and `120.0`."""
    written: list[str] = _NUMBER.findall(plain(text))
    return [number.rstrip("0").rstrip(".") if "." in number else number for number in written]


def sentences(text: str, language: Language) -> list[str]:
    """Sentences, each with its closing mark."""
    return list(_sentences(text, language))


@lru_cache(maxsize=2048)
def _sentences(text: str, language: Language) -> tuple[str, ...]:
    """The same, cached: several readers cut the same text, and the pattern is slow."""
    parts = [part.strip() for part in _SENTENCE[language].split(text)]
    return tuple(filter(None, parts))


def join_sentences(parts: Iterable[str], language: Language) -> str:
    """Join sentences to a text: English has a blank between them, Chinese none."""
    return (" " if language is EN else "").join(parts)


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Check whether two questions are one, by their content words."""
    return bool(first) and reaches(len(first & second) / len(first | second), _SAME)
