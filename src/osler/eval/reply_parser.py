"""Parse patient replies without a model, for measures only: clauses, things by their names, values.

The gate does not use it. It is tested against labelled replies (`tests/agents/replies`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import is_chinese
from osler.eval.vocabulary import Concept, concepts, cue
from osler.language import Language
from osler.language.numerals import values, written_values
from osler.language.words import content, numbers, plain, sentences, words
from osler.records.schema import Entry

_REMEMBERED = 2048
"""Texts whose parse is cached: every name of every entry is compared with the same few clauses."""
_SHORTEST = {Language.EN: 4, Language.ZH: 2}
"""Shortest name, in letters or characters: shorter ones are in too many words, or abbreviate too many things."""
_LEAST_WORDED = 4
"""Smallest number in words that counts: `one`, `a couple` and 两三 are said without meaning them."""
_SCALES = frozenset({10.0, 100.0, 1000.0, 10000.0})
"""Powers of ten that most numbers in words are made of."""
_PER = {Language.EN: (7, 10, 12, 24, 30, 60, 100, 1000), Language.ZH: (2, 7, 10, 12, 24, 30, 60, 100, 1000)}
"""Factors by which a person may convert a number: weeks and days, hours and minutes, m and cm; kg and 斤."""


def has(key: str, text: str, language: Language) -> bool:
    """Check whether a text contains a cue of `reply_cues.yaml`."""
    return cue("reply_cues", key, language).search(text) is not None


def only(keys: tuple[str, ...], text: str, language: Language) -> bool:
    """Check whether a text consists only of such cues and punctuation."""
    for key in keys:
        text = cue("reply_cues", key, language).sub(" ", text)
    return not any(char.isalnum() for char in text)


def denies(text: str, language: Language) -> bool:
    """Check whether a normalised text denies anything."""
    return has("negation", text, language)


@dataclass(frozen=True)
class ReplyClause:
    """Text between two commas, or between the items of a list; a `but` ends a statement."""

    text: str
    """Normalised."""
    statement: str
    """The sentence it is a part of."""
    is_affirmed: bool
    """Whether it says that something is or was so: what follows a denial may be denied with it."""


@lru_cache(maxsize=_REMEMBERED)
def statements(text: str, language: Language) -> tuple[str, ...]:
    """Split a text into sentences, and those at a `but`."""
    parts = (part for one in sentences(text, language) for part in cue("reply_cues", "but", language).split(plain(one)))
    return tuple(part.strip() for part in parts if part.strip())


@lru_cache(maxsize=_REMEMBERED)
def clauses(text: str, language: Language) -> tuple[ReplyClause, ...]:
    """All clauses of a text."""
    found = []
    for statement in statements(text, language):
        parts = [part.strip() for part in cue("reply_cues", "clause", language).split(statement) if part.strip()]
        denied = False
        for place, part in enumerate(parts, start=1):
            denied = denied or denies(part, language)
            asks = place == len(parts) and statement.endswith(("?", "？"))
            supposed = asks or has("supposed", part, language)
            affirmed = not denied and not supposed and not has("unknown", part, language)
            found.append(ReplyClause(part, statement, affirmed))
    return tuple(found)


@lru_cache(maxsize=_REMEMBERED)
def level(text: str, language: Language) -> str:
    """Normalise a text for finding names: stems between spaces; in Chinese, characters without any."""
    if language is Language.ZH:
        return "".join(plain(text).split()).replace("疼", "痛")
    return f" {' '.join(words(text, language))} "


def mentions(text: str, name: str, language: Language) -> bool:
    """Check whether a text has the name, word for word. One Chinese character is not a name: others contain it."""
    wanted = level(name, language)
    return len(wanted.strip()) > 1 and wanted in level(text, language)


def own_words(entry: Entry) -> str:
    """Return what the record says about an entry."""
    return f"{entry.report}\n{entry.said}"


def all_words(entry: Entry) -> str:
    """The same with its names and when it was."""
    return "\n".join((entry.name, *entry.aliases, own_words(entry), entry.when or ""))


def tells(text: str, entry: Entry, language: Language) -> bool:
    """Check whether a text has a number of the entry, or a word of it that is not in its name."""
    own = own_words(entry)
    if set(numbers(own)) & set(numbers(text)):
        return True
    names = {word for name in (entry.name, *entry.aliases) for word in content(name, language)}
    return bool((set(content(own, language)) - names) & set(content(text, language)))


def asks_for(question: str, entry: Entry, language: Language) -> bool:
    """Check whether a question has all words of one of the entry's names."""
    asked = set(content(question, language))
    names = (set(content(name, language)) for name in (entry.name, *entry.aliases))
    return any(name and name <= asked for name in names)


class _Name(NamedTuple):
    words: frozenset[str]
    thing: Concept


@lru_cache(maxsize=_REMEMBERED)
def things(text: str, language: Language) -> frozenset[Concept]:
    """Return the symptoms, illnesses and drugs whose name has all its words in the text, in any order."""
    said = frozenset(words(text, language))
    return frozenset(name.thing for word in said for name in _index(language).get(word, ()) if name.words <= said)


@lru_cache(maxsize=_REMEMBERED)
def things_touched(text: str, language: Language) -> frozenset[Concept]:
    """Return the things a text says enough of to support them: the rarest word of a name."""
    return frozenset(name.thing for word in set(words(text, language)) for name in _index(language).get(word, ()))


@cache
def _index(language: Language) -> dict[str, list[_Name]]:
    """All names of a language by their rarest word."""
    own = [
        _Name(frozenset(words(name, language)), thing)
        for thing in (*concepts("symptoms"), *concepts("diseases"), *concepts("drugs"))
        for name in thing.names
        if is_chinese(name) == (language is Language.ZH) and not name.isupper() and len(name) >= _SHORTEST[language]
    ]
    count = Counter(word for name in own for word in name.words)
    index: dict[str, list[_Name]] = defaultdict(list)
    for name in own:
        if name.words:
            index[min(name.words, key=lambda word: (count[word], word))].append(name)
    return index


def unsupported_values(reply: str, texts: Iterable[str], language: Language) -> Iterator[str]:
    """Return the numbers of a reply that no text supports: as they are written, those in words with their clause."""
    texts = tuple(texts)
    known = frozenset[float]().union(*map(values, texts))
    for quote, readings in written_values(reply):
        if not any(all(_follows(value, known, language) for value in reading) for reading in readings):
            yield quote
    for clause in clauses(reply, language):
        worded = {value for value in values(clause.text) - _in_digits(clause.text) if value >= _LEAST_WORDED}
        worded = worded - _SCALES or worded
        if worded and not any(_follows(value, known, language) for value in worded):
            pieces = frozenset(_pieces(frozenset[float]().union(*map(_in_digits, texts))))
            if not any(_follows(value, pieces, language) for value in worded):
                yield clause.text


@lru_cache(maxsize=_REMEMBERED)
def _in_digits(text: str) -> frozenset[float]:
    return frozenset(value for _, readings in written_values(text) for reading in readings for value in reading)


def _follows(value: float, known: frozenset[float], language: Language) -> bool:
    """Check whether a number is one of those known, also in another unit or by another clock."""
    if value in known or any(value * per in known or value / per in known for per in _PER[language]):
        return True
    return value <= 12 and value + 12 in known


def _pieces(known: frozenset[float]) -> Iterator[float]:
    """Return numbers said in a row (`thirty-eight seven`), and the difference of two (six kilos of 61 to 55)."""
    for number in known:
        whole, _, part = str(number).partition(".")
        yield from (float(whole), float(part), number % 100)
    yield from (abs(one - other) for one in known for other in known if one != other)
