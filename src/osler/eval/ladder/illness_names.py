"""Compare the name of an illness with the true diagnosis: the same, narrower, broader, another, or not sure.

The steps are the same in both languages; `name_forms` has what differs.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from osler.eval.ladder.icd import is_symptom, share
from osler.eval.ladder.illness_graph import Illness, Relation, illness_graph, related
from osler.eval.ladder.names import NameHit, NameKey, find_names, name_key, units, words
from osler.language import Language

_CODE = re.compile(r"\A\W*([A-TV-Z]\d\d(?:\.\d{1,2})?)\W*\Z")
_UNITS = re.compile(r"\d\s?(?:mm|cm|ml|mg|g|%)(?![A-Za-z])")
"""A measurement: "1.2 mm" is no multiple myeloma."""
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


class IllnessNames(ABC):
    """The names of illnesses in one language."""

    language: Language
    known: dict[NameKey, tuple[Illness, ...]]

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

    @abstractmethod
    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text is one of the names, and nothing else."""

    @abstractmethod
    def is_only(self, name: NameKey, text: str) -> bool:
        """Check whether a text says no more than a name and details such as its side or grade."""

    @abstractmethod
    def _is_generic(self, key: NameKey) -> bool:
        """Check whether a name is too broad to name an illness."""

    @abstractmethod
    def _main_part(self, text: str) -> NameKey:
        """The known name in a text that says what it is."""

    @abstractmethod
    def _same_head(self, key: NameKey, truth: Truth) -> bool:
        """Check whether a name and the true one are of one kind of thing, such as two kinds of pneumonia."""

    @abstractmethod
    def _is_made_of(self, key: NameKey, truth: Truth) -> bool:
        """Check whether a name is made of parts of the true ones."""

    @abstractmethod
    def _opposes(self, text: str, truth: Truth) -> bool:
        """Check whether a text has the opposite of a part of the true name: chronic for acute, right for left."""

    @abstractmethod
    def _alters(self, text: str, truth: Truth) -> bool:
        """Check whether a text has a part that makes it another illness, or one that is over: old, latent, post-."""

    @abstractmethod
    def _spelled(self, text: str, truth: Truth) -> str:
        """The text with spelling mistakes of the true names put right."""

    @abstractmethod
    def _held(self, text: str, truth: Truth) -> HeldName | None:
        """The true name that a text contains."""

    @abstractmethod
    def _within(self, text: str, truth: Truth) -> Relation | None:
        """Judge a text that is a part of a name of the record."""
