"""The illnesses that the ladder knows, and how two of them are related: the same, narrower, broader or another.

Three sources are joined by the names they share: the bilingual vocabulary (`diseases.yaml`, `groups.yaml`), the Mondo
Disease Ontology (`mondo.tsv`: names and parents), and ICD-10 (`icd_terms.tsv`: titles and inclusion terms).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from osler.eval.ladder.icd import category, covers, is_unspecified, share
from osler.eval.ladder.names import NameKey, is_chinese, name_key
from osler.eval.vocabulary import concepts, rows
from osler.language import Language

_LEVELS = 4
"""How far up the tree a broader name may be."""


class Relation(Enum):
    """How an illness that an answer names is related to the true one."""

    SAME = "the same illness"
    NARROWER = "a more precise form of it"
    BROADER = "less precise"
    OTHER = "another illness"
    UNSURE = "related to it in a way that the rules cannot tell"


@dataclass(eq=False)
class Illness:
    """An illness or a group of illnesses."""

    names: tuple[str, ...] = ()
    """As the bilingual vocabulary has them."""
    codes: set[str] = field(default_factory=set)
    scope: set[str] = field(default_factory=set)
    """Codes or categories of ICD-10 that are forms of it."""
    parents: set[Illness] = field(default_factory=set)
    """Broader illnesses by Mondo."""

    def is_below(self, other: Illness) -> bool:
        """Check whether the other one is a few levels above this one in the tree."""
        level = {self}
        for _ in range(_LEVELS):
            level = {parent for illness in level for parent in illness.parents}
            if other in level:
                return True
        return False


def related(said: Illness, truth: Illness, codes: frozenset[str], *, same_head: bool, is_own: bool) -> Relation:
    """Tell how an illness that was said is related to the true one.

    Mondo's tree counts where ICD-10 does not speak against it.

    Args:
        said: The illness that was said.
        truth: The true one.
        codes: The codes of the true one.
        same_head: Whether their names are of one kind of thing, such as two kinds of pneumonia.
        is_own: Whether the name that was said is of the bilingual vocabulary, as Mondo's synonyms are less exact, and
            has words that the true one has not.
    """
    if said is truth:
        return Relation.SAME
    in_block = share(said.codes, codes, by_block=True)
    has_codes = bool(said.codes and codes)
    if covers(said.scope, codes):
        return Relation.BROADER
    if truth.is_below(said):
        return Relation.BROADER if same_head or in_block or not has_codes else Relation.UNSURE
    if covers(truth.scope, {code for code in said.codes if not is_unspecified(code)}):
        return Relation.NARROWER
    if said.is_below(truth):
        is_sibling = in_block and not (share(said.codes, codes) and all(map(is_unspecified, codes)))
        return Relation.NARROWER if not has_codes or (same_head and not is_sibling) else Relation.UNSURE
    is_split = bool(said.parents and truth.parents)  # Mondo knows both, and sets neither above the other
    if share(said.codes, codes) or not has_codes or (same_head and not is_split):
        return Relation.UNSURE
    is_apart = is_own and (is_split or not any(map(is_unspecified, said.codes)))
    return Relation.UNSURE if in_block and not is_apart else Relation.OTHER


class IllnessGraph:
    """All illnesses, by name."""

    def __init__(self) -> None:
        """Join the sources: names of the bilingual vocabulary count before those of Mondo, and these before ICD-10."""
        self.english: dict[NameKey, tuple[Illness, ...]] = {}
        self.chinese: dict[NameKey, tuple[Illness, ...]] = {}
        self.listed: set[NameKey] = set()
        for concept in concepts("diseases"):
            self._name(concept.names, Illness(concept.names, set(concept.kin)))
        for concept in concepts("groups"):
            known = {illness for index, key in _keys(concept.names) for illness in getattr(self, index).get(key, ())}
            illness = known.pop() if len(known) == 1 else Illness(concept.names, set(concept.kin))
            illness.scope |= concept.kin
            self._name(concept.names, illness)
        self._add_mondo()
        self._add_codes()

    def _name(self, names: tuple[str, ...], illness: Illness) -> None:
        for index, key in _keys(names):
            known = getattr(self, index)
            self.listed.add(key)
            if illness not in known.get(key, ()):
                known[key] = (*known.get(key, ()), illness)

    def _add_mondo(self) -> None:
        own, found, above = dict(self.english), [], []
        by_name: dict[NameKey, list[Illness]] = defaultdict(list)
        for names, parents, codes in rows("mondo"):
            keys = [frozenset(name.split()) for name in names.split("; ")]
            known = [own[key][0] for key in keys if len(own.get(key, ())) == 1]
            illness = known[0] if keys[0] in own and known else next(iter(known), None) if len({*known}) == 1 else None
            illness = illness or Illness(codes=set(codes.split()))
            for key in keys:
                if key not in own and illness not in by_name[key]:
                    by_name[key].append(illness)
            found.append(illness)
            above.append(parents.split())
        for illness, numbers in zip(found, above, strict=True):
            illness.parents |= {found[int(number)] for number in numbers} - {illness}
        self.english |= {key: tuple(some) for key, some in by_name.items() if key and some}

    def _add_codes(self) -> None:
        """Add codes to illnesses that have none, and the scope of titles: all that has the code is a form of it."""
        titled: list[tuple[NameKey, str]] = []
        by_name: dict[NameKey, set[str]] = defaultdict(set)
        for code, titles, terms in rows("icd_terms"):
            titled += [(frozenset(name.split()), code) for name in titles.split("; ") if name]
            for name in filter(None, (*titles.split("; "), *terms.split("; "))):
                by_name[frozenset(name.split())].add(code)
        for key, codes in by_name.items():
            for illness in self.english.setdefault(key, (Illness(),)):
                illness.codes = illness.codes or codes
        for key, code in titled:
            for illness in self.english.get(key, ()):
                if (key in self.listed or not illness.names) and share(illness.codes, {code}):
                    illness.scope.add(category(code) if is_unspecified(code) else code)


def _keys(names: tuple[str, ...]) -> Iterator[tuple[str, NameKey]]:
    """The keys of names, each with its index; Chinese texts have Latin names too."""
    for name in names:
        yield "chinese", name_key(name, Language.ZH)
        if not is_chinese(name):
            yield "english", name_key(name, Language.EN)


@cache
def illness_graph() -> IllnessGraph:
    """The illnesses, loaded once."""
    return IllnessGraph()
