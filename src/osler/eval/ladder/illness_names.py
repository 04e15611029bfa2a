"""Compare the name of an illness with the true diagnosis: the same, narrower, broader, another, or not sure.

The steps are the same in both languages; the English names are here, what differs in Chinese is in `name_forms`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from osler.eval.ladder.icd import is_symptom, share
from osler.eval.ladder.illness_graph import Illness, Relation, illness_graph, related
from osler.eval.ladder.names import (
    NameHit,
    NameKey,
    find_names,
    head_of,
    is_chinese,
    is_misspelt,
    listed,
    name_key,
    real_parts,
    units,
    words,
)
from osler.eval.vocabulary import read
from osler.language import Language

_CODE = re.compile(r"\A\W*([A-TV-Z]\d\d(?:\.\d{1,2})?)\W*\Z")
_UNITS = re.compile(r"\d\s?(?:mm|cm|ml|mg|g|%)(?![A-Za-z])")
"""A measurement: "1.2 mm" is no multiple myeloma."""
_WORD = re.compile(r"[A-Za-z][A-Za-z']{4,}")
_LETTER = re.compile(r"(?<![\w'-])[A-Z](?![\w'-])")
_MOST_WORDS = 8
"""Words of a text in which a name is looked for that has others between its own."""
_RANK = (Relation.SAME, Relation.NARROWER, Relation.BROADER, Relation.UNSURE, Relation.OTHER)


class Truth(NamedTuple):
    """The true diagnosis that mentions are compared with."""

    own: tuple[str, ...]
    """Names of the record."""
    names: tuple[str, ...]
    """These, and other names of the same illness in the vocabulary."""
    illnesses: tuple[Illness, ...]
    """What it is in the vocabulary; else one that has only its code."""
    code: str | None
    broad: frozenset[NameKey] = frozenset()
    """Names of the record that say less than the diagnosis: a form of one of these may be another illness."""

    @property
    def codes(self) -> frozenset[str]:
        """The code of the record, else those of the vocabulary."""
        return frozenset({self.code} if self.code else set[str]().union(*(each.codes for each in self.illnesses)))


class HeldName(NamedTuple):
    """A true name inside a text."""

    name: NameKey
    is_end: bool
    """Whether it says what the text names: nothing but details follows it."""


class IllnessNames:
    """The English names of illnesses: bags of words, so that their order does not matter."""

    language = Language.EN

    def __init__(self, known: dict[NameKey, tuple[Illness, ...]]) -> None:
        """Note which words or pairs of characters are real."""
        self.known = known
        self._real = real_parts(known)

    def key(self, text: str) -> NameKey:
        """A text as the key of a name."""
        return name_key(text, self.language)

    def illness(self, text: str) -> tuple[Illness, ...]:
        """The illness that a text names: as a whole, else by the part that says what it is; a symptom is none."""
        key = self.key(text)
        if self._is_generic(key) or (_UNITS.search(text) and key not in self.known):
            return ()
        found = self.known.get(key) or self.known.get(self._main_part(text), ())
        return tuple(each for each in found if not is_symptom(each.codes))

    def names_any(self, text: str) -> bool:
        """Check whether an illness is named anywhere in a text."""
        found = (self.known[hit.key] for hit in self._hits(text))
        return any(not is_symptom(each.codes) for some in found for each in some)

    def is_abbreviation(self, text: str, at_most: int = 5) -> bool:
        """Check whether what names an illness is an abbreviation of so many letters, which can mean several."""
        part = self._main_part(text) or frozenset(words(text))
        letters = part if isinstance(part, str) else "".join(part)
        return letters.isascii() and 0 < len(letters) <= at_most and letters.upper() in text

    def mentions(self, text: str, truth: Truth) -> bool:
        """Check whether a true name is anywhere in a text."""
        return self.is_one_of(text, truth.names) or self._held(text, truth) is not None

    def compare(self, text: str, truth: Truth) -> Relation | None:
        """Tell how what a text names is related to the true diagnosis; None if it names nothing that is known."""
        if code := _CODE.match(text):
            return self._by_code(code[1], truth)
        text = self._spelled(text, truth)
        if not self.key(text):
            return None
        if self.is_one_of(text, truth.own):
            return Relation.SAME
        if self._opposes(text, truth):
            return Relation.OTHER
        named, whole = self._by_name(text, truth), self._relation(self.key(text), truth)
        if whole is None:
            return named or self._by_part(text, truth)
        if named in (None, whole) or (named is Relation.UNSURE and whole is not Relation.OTHER):
            return Relation.UNSURE if whole is Relation.NARROWER and self._alters(text, truth) else whole
        # A known name that has a true name in it, or is in one: sure only where both say the same.
        is_truth = {whole, named} == {Relation.SAME, Relation.NARROWER}
        return named if whole is Relation.UNSURE or is_truth else Relation.UNSURE

    def _by_code(self, code: str, truth: Truth) -> Relation:
        if code == truth.code:
            return Relation.SAME
        return related(Illness(codes={code}), truth.illnesses[0], truth.codes, same_head=False, is_own=True)

    def _by_name(self, text: str, truth: Truth) -> Relation | None:
        """Judge a text that contains a true name and more, or is a part of one."""
        if self.is_one_of(text, truth.names):
            return Relation.SAME
        if held := self._held(text, truth):
            is_near = all(self._is_near(hit.key, truth) for hit in self._hits(text))
            is_form = held.name not in truth.broad and held.is_end and is_near
            return Relation.NARROWER if is_form and not self._alters(text, truth) else Relation.UNSURE
        return self._within(text, truth)

    def _by_part(self, text: str, truth: Truth) -> Relation | None:
        """Judge a text by the known name that says what it is; what is added may change that."""
        part = self._main_part(text)
        found = self._relation(part, truth) if part and self.illness(text) else None
        if found is None or found is Relation.OTHER:
            return found
        is_more = found is Relation.BROADER and not self.is_only(part, text)
        return Relation.UNSURE if is_more or self._alters(text, truth) else found

    def _relation(self, key: NameKey, truth: Truth) -> Relation | None:
        """Tell how an illness of that name is related to the true one; the nearest if there are several."""
        same_head = self._same_head(key, truth)
        is_own = key in illness_graph().listed and not self._is_made_of(key, truth)
        found = [
            related(said, true, truth.codes, same_head=same_head, is_own=is_own)
            for said in self.known.get(key, ())
            for true in truth.illnesses
        ]
        return min(found, key=_RANK.index, default=None)

    def _is_near(self, key: NameKey, truth: Truth) -> bool:
        """Check that a name is not of an illness that ICD-10 has elsewhere."""
        relation = self._relation(key, truth)
        if relation is Relation.UNSURE:
            return any(not each.codes or share(each.codes, truth.codes, by_block=True) for each in self.known[key])
        return relation is not Relation.OTHER

    def _hits(self, text: str) -> list[NameHit]:
        """The known names in a text; not those that any illness could have."""
        return [hit for hit in find_names(units(text, self.language), self.known) if not self._is_generic(hit.key)]

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text has the words of one of the names."""
        return frozenset(words(text)) in english_bags(names)

    def is_only(self, name: NameKey, text: str) -> bool:
        """Check the words that are added."""
        return frozenset(words(text)) <= frozenset(name) | listed("detail")

    def _is_generic(self, key: NameKey) -> bool:
        """Check whether a name is too broad to name an illness."""
        return _is_generic(frozenset(key))

    def _main_part(self, text: str) -> NameKey:
        """The known name in a text that says what it is."""
        return _longest_known(text)

    def _same_head(self, key: NameKey, truth: Truth) -> bool:
        """Check whether a name and the true one are of one kind of thing, such as two kinds of pneumonia."""
        heads = frozenset(map(head_of, _latin(truth.names)))
        return not self._told(heads).isdisjoint(key)

    def _is_made_of(self, key: NameKey, truth: Truth) -> bool:
        return self._told(frozenset(key)) <= _all_words(truth.names)

    def _told(self, said: frozenset[str]) -> frozenset[str]:
        """The words that not every illness has."""
        return said - listed("generic") - listed("detail")

    def _opposes(self, text: str, truth: Truth) -> bool:
        """Check whether a text has the opposite of a part of the true name: chronic for acute, right for left."""
        said, true = frozenset(words(text)), _all_words(truth.names)
        if not self._same_head(said, truth):
            return False
        return any(one in said - true and other in true - said for one, other in opposites("opposites"))

    def _alters(self, text: str, truth: Truth) -> bool:
        """Check whether a text has a part that makes it another illness, or one that is over: old, latent, post-."""
        letters = {letter for name in truth.names for letter in _LETTER.findall(name)}
        if letters and set(_LETTER.findall(text)) - letters:  # type B for type A
            return True
        added = frozenset(words(text)) - _all_words(truth.names)
        changed = (word for word in added if word.startswith(("post", "pseudo", "non")))
        return bool(added & listed("privative")) or any(not word.startswith("posterior") for word in changed)

    def _spelled(self, text: str, truth: Truth) -> str:
        def meant(written: re.Match[str]) -> str:
            word = "".join(words(written[0])[:1])
            right = (true for true in _all_words(truth.names) if word not in self._real and is_misspelt(word, true))
            return next(right, written[0])

        return _WORD.sub(meant, text)

    def _held(self, text: str, truth: Truth) -> HeldName | None:
        said = frozenset(words(text))
        names = sorted((name for name in english_bags(truth.names) if name <= said), key=len)
        held = next((name for name in reversed(names) if name not in truth.broad), None) or next(iter(names), None)
        return HeldName(held, head_of(text) in held | listed("detail")) if held else None

    def _within(self, text: str, truth: Truth) -> Relation | None:
        """Judge a text that is a part of a name of the record."""
        said = frozenset(words(text))
        names = (name for name in _latin(truth.own) if said < frozenset(words(name)) and head_of(name) in said)
        return Relation.BROADER if any(names) and not self._is_generic(said) else None


def _is_generic(key: frozenset[str]) -> bool:
    return frozenset(word for word in key if not word.isdigit()) <= listed("generic") | listed("detail")


@lru_cache(maxsize=16384)
def _longest_known(text: str) -> frozenset[str]:
    """The longest known English name with the head of a text; other words may be between its own."""
    known, head = illness_graph().english, head_of(text)
    said = tuple(dict.fromkeys(words(text)))[-_MOST_WORDS:]
    for size in range(len(said), 0, -1):
        for part in map(frozenset, combinations(said, size)):
            if head in part and part in known and not _is_generic(part):
                return part
    return frozenset()


def _latin(names: tuple[str, ...]) -> list[str]:
    return [each for each in names if not is_chinese(each) and words(each)]


@lru_cache(maxsize=4096)
def english_bags(names: tuple[str, ...]) -> frozenset[frozenset[str]]:
    """The English names, each as its words."""
    return frozenset(frozenset(words(each)) for each in _latin(names))


@lru_cache(maxsize=4096)
def _all_words(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*english_bags(names))


@cache
def opposites(key: str) -> tuple[tuple[str, str], ...]:
    """Pairs of opposites, each in both orders."""
    pairs = (pair.partition("/") for pair in read("variants")[key].split())
    return tuple(both for one, _, other in pairs for both in ((one, other), (other, one)))
