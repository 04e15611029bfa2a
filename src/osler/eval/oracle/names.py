"""Which things a text names, by their words alone: entries of a record, symptoms, illnesses, drugs."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import is_chinese
from osler.eval.vocabulary import Concept, diseases, drugs, symptoms
from osler.language import Language
from osler.language.words import content, numbers, plain, words
from osler.records.schema import Entry

_REMEMBERED = 2048
_SHORTEST = {Language.EN: 4, Language.ZH: 2}
"""Letters or characters of a name: shorter ones are in too many words, or short forms of too many things."""


@lru_cache(maxsize=_REMEMBERED)
def level(text: str, language: Language) -> str:
    """A text in the form in which names are looked for: stems between spaces; in Chinese characters without any."""
    if language is Language.ZH:
        return "".join(plain(text).split()).replace("疼", "痛")
    return f" {' '.join(words(text, language))} "


def mentions(text: str, name: str, language: Language) -> bool:
    """Whether a text has the name, word for word. One Chinese character is no name: others are made of it."""
    wanted = level(name, language)
    return len(wanted.strip()) > 1 and wanted in level(text, language)


def own_words(entry: Entry) -> str:
    """What the record says of an entry."""
    return f"{entry.report}\n{entry.said}"


def all_words(entry: Entry) -> str:
    """The same with its names and when it was."""
    return "\n".join((entry.name, *entry.aliases, own_words(entry), entry.when or ""))


def tells(text: str, entry: Entry, language: Language) -> bool:
    """Whether a text has a number of the entry, or a word of it that is more than its name."""
    own = own_words(entry)
    if set(numbers(own)) & set(numbers(text)):
        return True
    names = {word for name in (entry.name, *entry.aliases) for word in content(name, language)}
    return bool((set(content(own, language)) - names) & set(content(text, language)))


def asks_for(question: str, entry: Entry, language: Language) -> bool:
    """Whether a question has all words of one of the entry's names."""
    asked = set(content(question, language))
    names = (set(content(name, language)) for name in (entry.name, *entry.aliases))
    return any(name and name <= asked for name in names)


@lru_cache(maxsize=_REMEMBERED)
def things(text: str, language: Language) -> frozenset[Concept]:
    """The symptoms, illnesses and drugs of which a text has all words of a name, in any order."""
    said = frozenset(words(text, language))
    return frozenset(name.thing for name in _names_near(text, language) if name.words <= said)


@lru_cache(maxsize=_REMEMBERED)
def things_touched(text: str, language: Language) -> frozenset[Concept]:
    """What a text says enough of to support it: the rarest word of a name."""
    return frozenset(name.thing for name in _names_near(text, language))


class _Name(NamedTuple):
    words: frozenset[str]
    thing: Concept


def _names_near(text: str, language: Language) -> list[_Name]:
    return [name for word in set(words(text, language)) for name in _index(language).get(word, ())]


@cache
def _index(language: Language) -> dict[str, list[_Name]]:
    """All names of a language by their rarest word."""
    own = [
        _Name(frozenset(words(name, language)), thing)
        for thing in (*symptoms(), *diseases(), *drugs())
        for name in thing.names
        if is_chinese(name) == (language is Language.ZH) and not name.isupper() and len(name) >= _SHORTEST[language]
    ]
    count = Counter(word for name in own for word in name.words)
    index: dict[str, list[_Name]] = defaultdict(list)
    for name in own:
        if name.words:
            index[min(name.words, key=lambda word: (count[word], word))].append(name)
    return index
