"""Compare an illness name with the true diagnosis: same, a variant, related by ICD-10 code, or misspelt.

Names are compared in the same steps in both languages. What differs is what a name is: in English a bag of words with a
head, in Chinese a string of characters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.icd import Illness, compare_codes, is_illness, titles
from osler.eval.ladder.names import (
    NameKey,
    by_name,
    chinese,
    find_names,
    head_of,
    is_chinese,
    is_misspelt,
    is_miswritten,
    is_whole,
    listed,
    name_key,
    real_parts,
    script,
    units,
    words,
)
from osler.eval.verdict import Judgement, Verdict
from osler.eval.vocabulary import Concept, concepts, cue, read
from osler.language import Language

_NOT_YET = ("先兆", "非", "假", "类", "副", "前")
"""Prefixes that make a Chinese name another disease."""


class Truth(NamedTuple):
    """The true diagnosis that mentions are compared with."""

    names: tuple[str, ...]
    """Names of the true diagnosis, and of the same disease in the vocabulary."""
    concepts: tuple[Concept, ...]
    code: str | None


class IllnessNames(ABC):
    """The names of illnesses in one language."""

    language: Language

    def __init__(self) -> None:
        """Index the vocabulary."""
        self.known = by_name(concepts("diseases"), self.language)
        self.broader = {
            key: frozenset[str]().union(*(group.kin for group in some))
            for key, some in by_name(concepts("groups"), self.language).items()
        }
        self.every = self.known.keys() | self.broader.keys()

    def key(self, text: str) -> NameKey:
        """A text as the key of a name."""
        return name_key(text, self.language)

    def _codes(self, key: NameKey) -> frozenset[str]:
        """The ICD-10 codes of a name: from the vocabulary, else from the titles of ICD-10."""
        if key in self.known:
            return frozenset[str]().union(*(concept.kin for concept in self.known[key]))
        return titles().get(key, frozenset())

    def _at(self, key: NameKey) -> Illness | None:
        """Return the illness of that name; symptoms and external causes are left out."""
        codes = self._codes(key) | self.broader.get(key, frozenset())
        named = key if isinstance(key, frozenset) else frozenset({key})
        return Illness(named, codes) if any(map(is_illness, codes)) else None

    def illnesses(self, text: str) -> list[Illness]:
        """Return all illnesses that a text names, whatever is between them."""
        hits = find_names(units(text, self.language), self.known)
        return [found for hit in hits if (found := self._at(hit.key))]

    def is_name(self, text: str) -> bool:
        """Check whether the text as a whole is the name of an illness."""
        return self._at(self.key(text)) is not None

    def illness(self, text: str) -> Illness | None:
        """The illness that a member of a list names."""
        return self._at(self.key(text)) or self._at(self.main_part(text))

    def compare(self, mention: str, truth: Truth) -> Judgement | None:
        """Compare a mention with the true diagnosis; None if they are unrelated."""
        if not self.key(mention):
            return None
        if self.is_one_of(mention, truth.names):
            return Judgement(Verdict.CORRECT, "name", "the same name")
        found = self.by_part(mention, truth) or self._by_code(mention, truth)
        if found is None and any(self.is_misspelt(mention, name) for name in truth.names):
            return Judgement(Verdict.CORRECT, "fuzzy", "the name with a spelling mistake")
        return found

    def _by_code(self, mention: str, truth: Truth) -> Judgement | None:
        """Judge a mention whose code is the true one, or related to it."""
        if truth.code is None:
            return None
        key = self.key(mention)
        said, group = self._codes(key), self.broader.get(key, frozenset())
        may_be_same = bool(said) and not (truth.concepts and key in self.known)
        if not said and not group:
            hits = find_names(units(mention, self.language), self.every)
            said = frozenset[str]().union(*(self._codes(hit.key) for hit in hits))
        return compare_codes(truth.code, said, group, may_be_same=may_be_same)

    @abstractmethod
    def main_part(self, text: str) -> NameKey:
        """The known name in a text that says what it is."""

    @abstractmethod
    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text is one of the names, and nothing else."""

    @abstractmethod
    def by_part(self, mention: str, truth: Truth) -> Judgement | None:
        """Judge a mention that contains a true name and more."""

    @abstractmethod
    def is_misspelt(self, mention: str, name: str) -> bool:
        """Check whether the mention is the name with a spelling mistake."""


class EnglishNames(IllnessNames):
    """English names: bags of words, so that their order does not matter."""

    language = Language.EN

    def __init__(self) -> None:
        """Index the vocabulary, and note which words are real."""
        super().__init__()
        self._titled = self.every | titles().keys()
        self._real = real_parts(self._titled)

    def main_part(self, text: str) -> NameKey:
        """Return the longest name in the text, if it contains the head; not one that any disease could have."""
        part = self._longest_part(text)
        added = frozenset(words(text)) - part - listed("detail") - listed("child")
        named = head_of(text) in part or not added
        return part if named and not part <= listed("generic") else frozenset()

    def _longest_part(self, text: str) -> frozenset[str]:
        keys = (frozenset(hit.key) for hit in find_names(words(text), self._titled))
        return max(keys, key=len, default=frozenset())

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text has the words of one of the names."""
        said = frozenset(words(text))
        return said in _english(names)

    def by_part(self, mention: str, truth: Truth) -> Judgement | None:
        """Judge a text with all words of a name and more, unless it is the name of another disease."""
        said = frozenset(words(mention))
        held = [name for name in _english(truth.names) if name <= said]
        if not held:
            return None
        longest, part = max(held, key=len), self._longest_part(mention)
        is_in_other = truth.concepts and longest < part and self._is_other(part, truth)
        if is_in_other or self._is_other(said, truth):
            return None
        if (said - longest - listed("detail")) & listed("child"):
            return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
        return Judgement(Verdict.CORRECT, "name", "holds the name")

    def _is_other(self, said: frozenset[str], truth: Truth) -> bool:
        """Check whether the words are the name of another disease."""
        if found := self.known.get(said):
            return not any(concept in truth.concepts for concept in found)
        codes = titles().get(said)
        return bool(codes and truth.code and truth.code not in codes)

    def is_misspelt(self, mention: str, name: str) -> bool:
        """Check whether every missing word is there misspelt."""
        said = frozenset(words(mention))
        odd = [word for word in said if len(word) >= 5 and word not in self._real]
        missing = frozenset(words(name)) - said
        return bool(odd and missing) and all(any(is_misspelt(word, meant) for word in odd) for meant in missing)


class ChineseNames(IllnessNames):
    """Chinese names: strings of characters, the head at the end."""

    language = Language.ZH

    def __init__(self) -> None:
        """Index the vocabulary, and note which pairs of characters are real."""
        super().__init__()
        self._real = real_parts(self.every)
        self._heads = tuple(read("variants")["heads_zh"].split())
        self._child = tuple(read("variants")["child_zh"].split())

    def main_part(self, text: str) -> NameKey:
        """The last known name, unless another one ends behind that."""
        said = units(text, self.language)
        last = next(reversed([hit for hit in find_names(said, self.every) if hit.key in self.known]), None)
        return "" if last is None or self._ends_other(str(said[last.end :])) else last.key

    def _ends_other(self, rest: str) -> bool:
        """Check whether what follows a name makes it part of another."""
        return rest.strip("症病型期。").endswith(self._heads)

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text has the characters of one of the names, in any order of its parts."""
        said = self.key(text)
        return any(said == self.key(name) or _characters(text) == _characters(name) for name in names)

    def by_part(self, mention: str, truth: Truth) -> Judgement | None:
        """A text that holds a name, unless it is in the name of another disease."""
        text, breaks = chinese(mention), cue("answer_cues", "break")
        others = [hit for hit in find_names(text, self.every) if not {*self.known.get(hit.key, ())} & {*truth.concepts}]
        for name in _chinese(truth.names):
            start, end = text.find(name), text.find(name) + len(name)
            if start < 0 or not is_whole(text, start, end):
                continue
            if any(hit.start <= start and end <= hit.end and hit.key in self.known for hit in others):
                continue
            before, after = breaks.split(text[:start])[-1], breaks.split(text[end:])[0]
            if before.endswith(_NOT_YET) or self._ends_other(after):
                continue
            if any((mark in before or mark in text[end:]) and mark not in name for mark in self._child):
                return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
            return Judgement(Verdict.CORRECT, "name", "holds the name")
        return None

    def is_misspelt(self, mention: str, name: str) -> bool:
        """Check whether the end of a part of the text is the name with a wrong character."""
        said, full = self.key(mention), str(self.key(name))
        if len(full) < 3 or said in self.every:
            return False
        parts = (said, *map(self.key, cue("answer_cues", "break").split(chinese(mention))))
        ends = (str(part)[-len(full) :] for part in parts)
        return any(len(end) == len(full) and is_miswritten(end, full, self._real) for end in ends)


@cache
def _illness_names(language: Language) -> IllnessNames:
    return ChineseNames() if language is Language.ZH else EnglishNames()


def names_for(text: str) -> IllnessNames:
    """The names of the language that a text is written in."""
    return _illness_names(script(text))


@lru_cache(maxsize=4096)
def truth_of(names: tuple[str, ...], code: str | None) -> Truth:
    """Return the true diagnosis with all names that the vocabulary knows for it."""
    found: dict[Concept, None] = {}
    for language in Language:
        index = _illness_names(language)
        for name in names:
            if language is Language.ZH or not is_chinese(name):
                found |= dict.fromkeys(index.known.get(index.key(name), ()))
    return Truth((*names, *(name for concept in found for name in concept.names)), tuple(found), code)


@lru_cache(maxsize=4096)
def _english(names: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    bags = (frozenset(words(each)) for each in names if not is_chinese(each))
    return tuple(dict.fromkeys(filter(None, bags)))


@lru_cache(maxsize=4096)
def _chinese(names: tuple[str, ...]) -> tuple[str, ...]:
    """The longest first."""
    every = {chinese(each).removesuffix("症") if len(chinese(each)) > 3 else chinese(each) for each in names}
    return tuple(sorted(every, key=lambda each: (-len(each), each)))


@lru_cache(maxsize=16384)
def _characters(text: str) -> frozenset[str]:
    """The characters of a name, whatever order a comma or brackets put its parts in."""
    return frozenset("".join(cue("answer_cues", "break").split(chinese(text)))) - set("性型症")
