"""Words of a text in its language: what retrieval, memory, the gate and judges compare."""

from __future__ import annotations

import logging
import marshal
import math
import os
import re
import unicodedata
import warnings
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from osler.language import Language
from osler.private import private_cache
from osler.ranking import reaches

_KEPT = "jieba.cache"
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+(?:\.\d+)?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SENTENCE = {
    Language.EN: re.compile(r"(?<=[.!?;])\s+|\n+"),
    Language.ZH: re.compile(r"(?<=[。！？；!?;])\s*|\n+"),
}
_PIECE = re.compile(rf"{_WORD.pattern}|[\u4e00-\u9fff]+")
"""A word of the other script, or a run of Chinese."""
# Characters without accents, which most texts are made of: Latin letters, Chinese ones and their punctuation.
_BARE = re.compile(r"[\x00-\x7f\u3001-\u3020\u4e00-\u9fff]*")

# British to American, and plural or verb endings to one stem: enough for matching, not for linguistics.
_SPELLING = (("oea", "ea"), ("oedema", "edema"), ("oesoph", "esoph"), ("ise", "ize"), ("ae", "e"))
_LONGEST_WORD = 60
_OUR = re.compile(r"([aeiou]\w*?)our")
"""As in colour; there is no vowel before it in hour, four or sour."""
# Everyday words for one thing that questions and records use for each other.
_ONE_WORD = {word: "pain" for word in ("hurt", "ach", "ache", "sor", "painful", "discomfort", "discomfor")} | {
    **dict.fromkeys(("pee", "peing", "urination", "urinat", "wee"), "urin"),
    **dict.fromkeys(("bel", "tummy", "stomach", "abdominal"), "abdomen"),
    **dict.fromkeys(("swell", "swel", "sweling", "puffy", "puffines"), "swollen"),
    **dict.fromkeys(("medicin", "drug", "tablet", "pill"), "medication"),
    **dict.fromkeys(("kidney",), "renal"),
    **dict.fromkeys(("cardiac",), "heart"),
    **dict.fromkeys(("breathless", "breathlessness"), "breath"),
    **dict.fromkeys(("operation", "surgical", "operat"), "surgery"),
}
_ENDINGS = (
    *(("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", "")),
    *(("ily", "y"), ("ly", ""), ("es", ""), ("s", "")),
)


@lru_cache(maxsize=16384)
def plain(text: str) -> str:
    """Case, width and accents levelled out: how two spellings of one thing become one."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    if _BARE.fullmatch(text):
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """An English word without its ending and with one spelling."""
    if len(word) > _LONGEST_WORD:
        return word  # nobody's word
    for british, american in _SPELLING:
        word = word.replace(british, american)
    word = _OUR.sub(r"\1or", word).removesuffix("'s")
    for ending, keep in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: len(word) - len(ending)] + keep
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiosl":
        word = word[:-1]
    word = word.removesuffix("e") if len(word) > 3 else word
    return _ONE_WORD.get(word, word)


@cache
def _dictionary() -> tuple[dict[str, int], float]:
    """The words that jieba knows with how often they come, and the logarithm of how often all of them do.

    They are kept in the user's own cache: in the shared folder for temporary files, where jieba keeps them, anybody can
    put a file of that name. jieba itself is loaded only where they are not kept yet: to load it takes as long again.
    """
    folder = private_cache("words")
    often, total = (_kept(folder / _KEPT) if folder else None) or _made(folder)
    return often, math.log(total)


def _made(folder: Path | None) -> tuple[dict[str, int], int]:
    """As jieba reads them, which takes its time; kept in the folder if there is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    with TemporaryDirectory(dir=folder) as new:  # empty, so that jieba finds nothing to load
        tokenizer.tmp_dir, tokenizer.cache_file = new, _KEPT
        tokenizer.initialize()
        if folder:
            with suppress(OSError):
                os.replace(Path(new) / _KEPT, folder / _KEPT)
    return tokenizer.FREQ, tokenizer.total


def _kept(kept: Path) -> tuple[dict[str, int], int] | None:
    """As jieba kept them; None where they are not there, older than its dictionary, or not whole."""
    with suppress(OSError, EOFError, ValueError, TypeError):
        package = find_spec("jieba")
        if package is None or package.origin is None:
            return None
        if kept.stat().st_mtime > Path(package.origin).with_name("dict.txt").stat().st_mtime:
            often, total = marshal.loads(kept.read_bytes())  # noqa: S302 -- only we can write there
            if isinstance(often, dict) and isinstance(total, int):
                return often, total
    return None


@lru_cache(maxsize=512)
def written(text: str) -> tuple[str, ...]:
    """The English words of a text as they are written, levelled."""
    return tuple(_WORD.findall(plain(text)))


@lru_cache(maxsize=8192)
def words(text: str, language: Language) -> tuple[str, ...]:
    """Every word in order, levelled and (in English) stemmed; Chinese is segmented."""
    if language is Language.EN:
        return tuple(map(stem, written(text)))
    found: list[str] = []
    for piece in _PIECE.findall(plain(text)):
        found += _segments(piece) if "\u4e00" <= piece[0] <= "\u9fff" else (stem(piece),)
    return tuple(found)


@lru_cache(maxsize=8192)
def _segments(run: str) -> tuple[str, ...]:
    """The words of a run of Chinese characters: a clause that an entry, its reply and its recall share.

    The likeliest way through jieba's dictionary, as its `cut` finds it when it does not guess at unknown words.
    """
    run = run.replace("疼", "痛")
    often, total = _dictionary()
    size = len(run)
    likely, ends = [0.0] * (size + 1), [0] * size
    for start in reversed(range(size)):
        best, end = -math.inf, start + 1
        # The dictionary holds every beginning of a word; one that is no word itself has the frequency 0.
        for stop in range(start + 1, size + 1):
            times = often.get(run[start:stop])
            if times is None:
                break
            if times and reaches(here := math.log(times) - total + likely[stop], best):
                best, end = here, stop
        likely[start], ends[start] = (best if best > -math.inf else likely[end] - total), end
    found, start = [], 0
    while start < size:
        found.append(run[start : ends[start]])
        start = ends[start]
    return tuple(found)


@cache
def _stopwords(language: Language) -> frozenset[str]:
    listed = (files("osler.language") / "stopwords" / f"{language}.txt").read_text(encoding="utf-8").split()
    return frozenset(stem(word) if language is Language.EN else word for word in listed)


@lru_cache(maxsize=8192)
def content(text: str, language: Language) -> tuple[str, ...]:
    """The words that carry meaning."""
    empty = _stopwords(language)
    return tuple([word for word in words(text, language) if word not in empty])


def numbers(text: str) -> list[str]:
    """Numbers as written, without a difference between `120` and `120.0`."""
    return [found.rstrip("0").rstrip(".") if "." in found else found for found in _NUMBER.findall(plain(text))]


def sentences(text: str, language: Language) -> list[str]:
    """Sentences, each with its closing mark."""
    return [part.strip() for part in _SENTENCE[language].split(text) if part.strip()]


_SAME = 0.75
"""Share of the content words of both questions together from which two questions are one."""


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two questions are one, by their content words."""
    return bool(one) and reaches(len(one & other) / len(one | other), _SAME)
