"""How a name of an illness stands to the truth: the same, a broader one, a form of it, a relative by its ICD-10 code.

Names are compared in the same steps in both languages. What differs is what a name is: in English a bag of words with
a head, in Chinese a string of characters.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.icd import Illness, category, is_illness, titles, within
from osler.eval.ladder.names import EnglishName, chinese, english_name, is_chinese, listed, script, words
from osler.eval.ladder.spelling import is_misspelt, is_miswritten
from osler.eval.verdict import Judgement, Verdict
from osler.eval.vocabulary import Concept, cue, diseases, groups, read
from osler.language import Language

_LATIN = re.compile(r"[a-z0-9]")
_BRACKET = re.compile(r"[（）()]")
_CHRONIC = re.compile(r"^(?:急|慢|亚急|感染|细菌|病毒|原发)+")
_NOT_YET = ("先兆", "非", "假", "类", "副", "前")
"""Before a Chinese name these make it another disease."""


class Truth(NamedTuple):
    """What a mention is held against."""

    names: tuple[str, ...]
    """Of the truth, and of the same disease in the vocabulary."""
    concepts: tuple[Concept, ...]
    code: str | None


class NameHit(NamedTuple):
    """A known name found in a text."""

    start: int
    end: int
    key: Hashable


class IllnessNames(ABC):
    """The names of illnesses in one language."""

    longest: int
    """Words or characters of a name that is looked for in a text."""
    language: Language

    def __init__(self) -> None:
        """Index the vocabulary."""
        self.known: dict[Hashable, tuple[Concept, ...]] = {}
        self.broader: dict[Hashable, frozenset[str]] = {}
        for concept in diseases():
            for name in self.own_names(concept):
                key = self.key(name)
                self.known[key] = (*self.known.get(key, ()), concept)
        for group in groups():
            for name in self.own_names(group):
                key = self.key(name)
                self.broader[key] = self.broader.get(key, frozenset()) | group.kin

    def own_names(self, concept: Concept) -> list[str]:
        """The names that texts of this language may hold."""
        return [name for name in concept.names if self.language is Language.ZH or not is_chinese(name)]

    @abstractmethod
    def units(self, text: str) -> Sequence[str]:
        """A text as the sequence in which names are looked for."""

    @abstractmethod
    def as_key(self, units: Sequence[str]) -> Hashable:
        """A part of such a sequence as it is indexed."""

    def key(self, text: str) -> Hashable:
        """A name as it is indexed."""
        return self.as_key(self.units(text))

    def readings(self, text: str) -> tuple[Hashable, ...]:
        """A text as the keys that it may be, as a whole."""
        return (self.key(text),)

    def concepts(self, names: Iterable[str]) -> Iterator[Concept]:
        """The diseases that go by one of the names."""
        for name in names:
            yield from self.known.get(self.key(name), ())

    def codes(self, key: Hashable) -> frozenset[str]:
        """The ICD-10 codes of a name."""
        return frozenset().union(*(concept.kin for concept in self.known.get(key, ())))

    def hits(self, units: Sequence[str]) -> Iterator[NameHit]:
        """Known names in a text, the longest at each place."""
        place = 0
        while place < len(units):
            for length in range(min(self.longest, len(units) - place), 0, -1):
                key = self.as_key(units[place : place + length])
                if (key in self.known or key in self.broader) and self.is_whole(units, place, place + length):
                    yield NameHit(place, place + length, key)
                    place += length - 1
                    break
            place += 1

    def is_whole(self, units: Sequence[str], start: int, end: int) -> bool:
        """Whether the part of a text is not in the middle of a word."""
        return True

    def illnesses(self, text: str) -> list[Illness]:
        """All that a text names, whatever stands between them."""
        hits = (hit for hit in self.hits(self.units(text)) if hit.key in self.known)
        return [found for hit in hits if (found := self.at(hit.key))]

    def at(self, key: Hashable) -> Illness | None:
        """The illness that is indexed there: no symptom, no outer cause."""
        found = self.codes(key) | self.broader.get(key, frozenset())
        named = key if isinstance(key, frozenset) else frozenset({str(key)})
        return Illness(named, found) if any(map(is_illness, found)) else None

    def is_name(self, text: str) -> bool:
        """Whether the text as a whole is the name of an illness."""
        return any(self.at(key) is not None for key in self.readings(text))

    def illness(self, text: str) -> Illness | None:
        """The illness that a member of a list names."""
        whole = (found for key in self.readings(text) if (found := self.at(key)))
        return next(whole, None) or self.at(self.main_part(text))

    @abstractmethod
    def main_part(self, text: str) -> Hashable:
        """The known name in a text that says what it is."""

    @abstractmethod
    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Whether the text is one of the names, and nothing else."""

    def compare(self, mention: str, truth: Truth) -> Judgement | None:
        """What a mention is to the truth; None when it is nothing to it."""
        if not self.units(mention):
            return None
        if self.is_one_of(mention, truth.names):
            return Judgement(Verdict.CORRECT, "name", "the same name")
        return self.by_name(mention, truth) or self.by_code(mention, truth) or self.by_form(mention, truth)

    @abstractmethod
    def by_name(self, mention: str, truth: Truth) -> Judgement | None:
        """A mention that holds a name of the truth and more."""

    def by_code(self, mention: str, truth: Truth) -> Judgement | None:
        """A mention whose code is the truth's, or a relative of it."""
        code = truth.code
        if code is None:
            return None
        whole = next((key for key in self.readings(mention) if self.codes(key) or key in self.broader), None)
        keys = [whole] if whole is not None else [hit.key for hit in self.hits(self.units(mention))]
        found = frozenset().union(*(self.codes(key) for key in keys))
        if code in found:
            is_listed = any(key in self.known for key in keys)
            if (truth.concepts and is_listed) or whole is None or code.endswith(".8"):
                return Judgement(Verdict.PARTIAL, "icd", f"another disease under the same code {code}")
            return Judgement(Verdict.CORRECT, "icd", f"the same code {code}")
        if any(category(each) == category(code) for each in found):
            return Judgement(Verdict.PARTIAL, "icd", f"in the same category {category(code)}")
        if whole is not None and within(code, self.broader.get(whole, frozenset())):
            return Judgement(Verdict.PARTIAL, "icd", "the group it belongs to")
        return None

    def by_form(self, mention: str, truth: Truth) -> Judgement | None:
        """A broader name, a form by its cause or tissue, or the name misspelt."""
        for name in truth.names:
            if self.is_broader(mention, name):
                return Judgement(Verdict.PARTIAL, "name", "a broader name")
        for name in truth.names:
            if self.is_form(mention, name):
                return Judgement(Verdict.PARTIAL, "name", "a form by its cause that the truth does not establish")
        for name in truth.names:
            if self.is_misspelt(mention, name):
                return Judgement(Verdict.CORRECT, "fuzzy", "the name with a spelling mistake")
        return None

    @abstractmethod
    def is_broader(self, mention: str, name: str) -> bool:
        """Whether the mention is a name with something left out."""

    @abstractmethod
    def is_form(self, mention: str, name: str) -> bool:
        """Whether the mention adds a germ or a tissue that the truth leaves open."""

    @abstractmethod
    def is_misspelt(self, mention: str, name: str) -> bool:
        """Whether the mention is the name with a spelling mistake."""


class EnglishNames(IllnessNames):
    """English names: bags of words, so that their order does not matter."""

    longest = 6
    language = Language.EN

    def __init__(self) -> None:
        """Index the vocabulary, and all names by their rarest word, so that a mention is compared with few."""
        super().__init__()
        every = {key for key in (*self.known, *titles(), *self.broader) if isinstance(key, frozenset)}
        self.vocabulary = frozenset(word for key in every for word in key)
        """Words that are real: a spelling mistake is never one of them."""
        count: dict[str, int] = defaultdict(int)
        for key in every:
            for word in key:
                count[word] += 1
        self._by_word: dict[str, list[frozenset[str]]] = defaultdict(list)
        for key in every:
            self._by_word[min(key, key=lambda word: (count[word], word))].append(key)

    def units(self, text: str) -> tuple[str, ...]:
        """The words that matter."""
        return words(text)

    def as_key(self, units: Sequence[str]) -> frozenset[str]:
        """The words in any order."""
        return frozenset(units)

    def codes(self, key: Hashable) -> frozenset[str]:
        """From the vocabulary, else from the titles of ICD-10."""
        if key in self.known or not isinstance(key, frozenset):
            return super().codes(key)
        return titles().get(key, frozenset())

    def readings(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """The words of a text, and these without side, stage and grade."""
        said = frozenset(words(text))
        return said, said - (listed("detail") - listed("course"))

    def main_part(self, text: str) -> frozenset[str]:
        """The longest name among the words, if it holds the head; none that any disease has."""
        said = frozenset(words(text))
        part = self._longest_part(said)
        added = said - part - listed("detail") - listed("child")
        named = english_name(text).head in part or not added
        return part if named and not part <= listed("generic") else frozenset()

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Whether the text has the words of one of the names."""
        said = frozenset(words(text))
        return any(said == name.words for name in _english(names))

    def by_name(self, mention: str, truth: Truth) -> Judgement | None:
        """All words of a name and more, unless that is the name of another disease."""
        said, bare = self.readings(mention)
        longest = max(
            (name for name in _english(truth.names) if name.words <= said),
            key=lambda name: len(name.words),
            default=None,
        )
        if longest is None:
            return None
        if self._is_other(bare, truth) or self._is_other(said, truth):
            # Another disease that holds two words of the name, with its head, is a form of it.
            is_form = len(longest.words) > 1 and longest.head in said
            return Judgement(Verdict.PARTIAL, "name", "a form with a name of its own") if is_form else None
        part = self._longest_part(said)
        if truth.concepts and longest.words < part and self._is_other(part, truth):
            return None
        if (said - longest.words - listed("detail")) & listed("child"):
            return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
        return Judgement(Verdict.CORRECT, "name", "holds the name")

    def _is_other(self, said: frozenset[str], truth: Truth) -> bool:
        """Whether the words are the name of another disease."""
        if found := self.known.get(said):
            return not any(concept in truth.concepts for concept in found)
        codes = titles().get(said)
        return bool(codes and truth.code and truth.code not in codes)

    def is_broader(self, mention: str, name: str) -> bool:
        """Fewer words, but the head, which is not one that any disease has."""
        _, core = self.readings(mention)
        full = english_name(name)
        return bool(core) and core < full.words and full.head in core and not core <= listed("generic")

    def is_form(self, mention: str, name: str) -> bool:
        """The same inflammation with a germ."""
        said, full = frozenset(words(mention)), english_name(name)
        if full.head not in said or not full.head.endswith(("itis", "pneumonia", "sepsis")):
            return False
        open_words = listed("detail") | {full.head, "infective", "bacterial", "viral"}
        return full.words <= open_words and bool((said - {full.head} - listed("detail")) & listed("child"))

    def is_misspelt(self, mention: str, name: str) -> bool:
        """Whether every word that is missing is there misspelt."""
        said = frozenset(words(mention))
        odd = [word for word in said if len(word) >= 5 and word not in self.vocabulary]
        missing = english_name(name).words - said
        return bool(odd and missing) and all(any(is_misspelt(word, meant) for word in odd) for meant in missing)

    def _longest_part(self, said: frozenset[str]) -> frozenset[str]:
        """The longest name among the words."""
        keys = (key for word in said for key in self._by_word.get(word, ()) if key <= said)
        return max(keys, key=lambda key: (len(key), sorted(key)), default=frozenset())


class ChineseNames(IllnessNames):
    """Chinese names: strings of characters, the head at the end."""

    longest = 24
    language = Language.ZH

    def __init__(self) -> None:
        """Index the vocabulary."""
        super().__init__()
        names = [key for key in (*self.known, *self.broader) if isinstance(key, str)]
        self._pairs = frozenset(name[place : place + 2] for name in names for place in range(len(name) - 1))
        """Neighbouring characters in real names: a spelling mistake makes none of them."""
        self._heads = tuple(read("variants")["heads_zh"].split())
        self._generic = frozenset(read("variants")["generic_zh"].split())
        self._child = tuple(read("variants")["child_zh"].split())

    def units(self, text: str) -> str:
        """The characters, without the ending that writers leave out."""
        said = chinese(text).strip("，。、,.")
        return said[:-1] if len(said) > 3 and said.endswith("症") else said

    def as_key(self, units: Sequence[str]) -> str:
        """The characters."""
        return "".join(units)

    def is_whole(self, units: Sequence[str], start: int, end: int) -> bool:
        """Latin letters are a name only when no other stand beside them; one character is none."""
        cut_before = start and _LATIN.match(units[start]) and _LATIN.match(units[start - 1])
        cut_after = end < len(units) and _LATIN.match(units[end - 1]) and _LATIN.match(units[end])
        return end - start > 1 and not cut_before and not cut_after

    def main_part(self, text: str) -> Hashable:
        """The last known name, unless another one ends behind that."""
        said = self.units(text)
        last = next(reversed([hit for hit in self.hits(said) if hit.key in self.known]), None)
        return "" if last is None or said[last.end :].strip("症病型期").endswith(self._heads) else last.key

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Whether the text has the characters of one of the names, in any order of its parts."""
        said = self.units(text)
        return any(said == self.units(name) or _characters(text) == _characters(name) for name in names)

    def by_name(self, mention: str, truth: Truth) -> Judgement | None:
        """A text that holds a name, also one that brackets part."""
        text = chinese(mention)
        return self._by_part(text, truth) or self._by_part(_BRACKET.sub("", text), truth)

    def _by_part(self, text: str, truth: Truth) -> Judgement | None:
        """A text that holds a name, unless it is in the name of another disease."""
        breaks = cue("answer_cues", "break")
        found = [hit for hit in self.hits(text) if not set(self.known.get(hit.key, ())) & set(truth.concepts)]
        for name in _chinese(truth.names):
            start, end = text.find(name), text.find(name) + len(name)
            if start < 0 or not self.is_whole(text, start, end):
                continue
            if any(hit.start <= start and end <= hit.end and hit.key in self.known for hit in found):
                continue
            before, after = breaks.split(text[:start])[-1], breaks.split(text[end:])[0]
            if before.endswith(_NOT_YET) or after.strip("症病型。").endswith(self._heads):
                continue
            if any((mark in before or mark in text[end:]) and mark not in name for mark in self._child):
                return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
            return Judgement(Verdict.CORRECT, "name", "holds the name")
        return None

    def is_broader(self, mention: str, name: str) -> bool:
        """The end of the name, which is not one that any disease has."""
        said, full = self.units(mention), self.units(name)
        if len(said) < 2 or said == full or not full.endswith(said) or said in self._generic:
            return False
        return not full[: -len(said)].endswith(_NOT_YET)

    def is_form(self, mention: str, name: str) -> bool:
        """The same disease with a germ, or the same cancer with a tissue."""
        said = self.units(mention)
        head = _CHRONIC.sub("", self.units(name))
        if said in self.known or len(head) < 2 or head in self._generic:
            return False
        if said.endswith(head) and any(mark in said[: -len(head)] for mark in self._child):
            return True
        is_cancer = head[-1] in "癌瘤" and len(head) > 2
        return is_cancer and said.endswith(head[-1]) and said.startswith(head[:-1])

    def is_misspelt(self, mention: str, name: str) -> bool:
        """Whether the end of a part of the text is the name with a wrong character."""
        said, full = self.units(mention), self.units(name)
        if len(full) < 3 or said in self.known or said in self.broader:
            return False
        parts = (said, *map(self.units, cue("answer_cues", "break").split(chinese(mention))))
        ends = (part[-len(full) :] for part in parts)
        return any(len(end) == len(full) and is_miswritten(end, full, self._pairs) for end in ends)


@cache
def illness_names(language: Language) -> IllnessNames:
    """The names of one language."""
    return ChineseNames() if language is Language.ZH else EnglishNames()


def names_for(text: str) -> IllnessNames:
    """The names of the language that a text is written in."""
    return illness_names(script(text))


@lru_cache(maxsize=4096)
def truth_of(names: tuple[str, ...], code: str | None) -> Truth:
    """The truth with all names that the vocabulary knows for it."""
    latin = [name for name in names if not is_chinese(name)]
    found = (*illness_names(Language.EN).concepts(latin), *illness_names(Language.ZH).concepts(names))
    concepts = tuple(dict.fromkeys(found))
    return Truth((*names, *(name for concept in concepts for name in concept.names)), concepts, code)


@lru_cache(maxsize=4096)
def _english(names: tuple[str, ...]) -> tuple[EnglishName, ...]:
    return tuple(found for each in names if not is_chinese(each) and (found := english_name(each)).words)


@lru_cache(maxsize=4096)
def _chinese(names: tuple[str, ...]) -> tuple[str, ...]:
    """The longest first."""
    every = {chinese(each).removesuffix("症") if len(chinese(each)) > 3 else chinese(each) for each in names}
    return tuple(sorted(every, key=lambda each: (-len(each), each)))


@lru_cache(maxsize=16384)
def _characters(text: str) -> frozenset[str]:
    """The characters of a name, whatever order a comma or brackets put its parts in."""
    return frozenset("".join(cue("answer_cues", "break").split(chinese(text)))) - set("性型症")
