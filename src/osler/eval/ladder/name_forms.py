"""Chinese names of illnesses, as characters that end with the head, and the true diagnosis with all its names."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from osler.eval.ladder.illness_graph import Illness, Relation, illness_graph
from osler.eval.ladder.illness_names import HeldName, IllnessNames, Truth, english_bags, opposites
from osler.eval.ladder.names import (
    NameKey,
    chinese,
    is_chinese,
    is_miswritten,
    listed,
    name_key,
    script,
    words,
)
from osler.eval.vocabulary import cue, read
from osler.language import Language

_LATIN = re.compile(r"[A-Za-z][A-Za-z' -]{3,}[A-Za-z]")
_HEAD = re.compile(r"[病症炎癌瘤征]")
_LONGEST_INSERTED = 8
"""Characters of a detail inside a Chinese name."""
_DETAIL_ZH = frozenset("左右双侧轻中重度急慢性期级第一二三四型ⅠⅡⅢⅣ，。、,.()（）:：/")


class ChineseNames(IllnessNames):
    """Chinese names: strings of characters, the head at the end."""

    language = Language.ZH

    def __init__(self, known: dict[NameKey, tuple[Illness, ...]]) -> None:
        """Read which endings make another name."""
        super().__init__(known)
        self._heads = tuple(read("variants")["heads_zh"].split())
        self._generic = frozenset(read("variants")["generic_zh"].split())

    def is_one_of(self, text: str, names: tuple[str, ...]) -> bool:
        """Check whether the text has the characters of one of the names, in any order of its parts."""
        said = self.key(text)
        return any(said == self.key(name) or _characters(text) == _characters(name) for name in names)

    def is_only(self, name: NameKey, text: str) -> bool:
        """Check the characters that are added."""
        return frozenset(self.key(text)) <= frozenset(name) | _DETAIL_ZH

    def _is_generic(self, key: NameKey) -> bool:
        return key in self._generic

    def _main_part(self, text: str) -> NameKey:
        last = next(reversed(self._hits(text)), None)
        return "" if last is None or self._ends_other(str(self.key(text))[last.end :]) else last.key

    def _ends_other(self, rest: str) -> bool:
        """Check whether what follows a name makes it part of another."""
        return rest.strip("症病型期。").endswith(self._heads)

    def _same_head(self, key: NameKey, truth: Truth) -> bool:
        return any(str(key)[-2:] == name[-2:] for name in _chinese(truth.names))

    def _opposes(self, text: str, truth: Truth) -> bool:
        said = str(self.key(text))
        return any(
            one in said and other in name and one not in name and other not in said and name[-2:] in said
            for name in _chinese(truth.names)
            for one, other in opposites("opposites_zh")
        )

    def _alters(self, text: str, truth: Truth) -> bool:
        found = cue("answer_cues", "privative", self.language).findall(str(self.key(text)))
        return any(not any(part in name for name in truth.names) for part in found)

    def _spelled(self, text: str, truth: Truth) -> str:
        said, part = str(self.key(text)), str(self._main_part(text))
        for name in _chinese(truth.names):
            end = said[-len(name) :]
            is_odd = len(end) == len(name) and len(name) - len(part) > 2 and name.endswith(part)
            if is_odd and is_miswritten(end, name, self._real):
                return said[: -len(name)] + name
        return text

    def _held(self, text: str, truth: Truth) -> HeldName | None:
        said = str(self.key(text))
        for name in _chinese(truth.names):
            if place := _place(said, name):
                start, end = place
                is_other = self._ends_other(said[end:]) or (end - start > len(name) and said in self.known)
                return HeldName(name, not is_other)
        latin = " ".join(_LATIN.findall(text))
        is_latin = latin and english_names().compare(latin, truth) in (Relation.SAME, Relation.NARROWER)
        return HeldName(latin, is_end=True) if is_latin else None


def _place(said: str, name: str) -> tuple[int, int] | None:
    """Where a Chinese name is in a text: as a whole, or with a detail inserted before its last characters."""
    if (start := said.find(name)) >= 0:
        return start, start + len(name)
    last = len(name) if said.endswith("癌") else len(name) - 1  # of an organ's cancer only the last is a head
    for cut in range(1, last):
        end = said.rfind(name[cut:])
        start = said.rfind(name[:cut], 0, max(end, 0))
        if start >= 0 and end - start - cut <= _LONGEST_INSERTED and not _HEAD.search(said[start + cut : end]):
            return start, end + len(name) - cut
    return None


@cache
def english_names() -> IllnessNames:
    """The English names, indexed once."""
    return IllnessNames(illness_graph().english)


@cache
def _chinese_names() -> ChineseNames:
    return ChineseNames(illness_graph().chinese)


def names_for(text: str) -> IllnessNames:
    """The names of the language that a text is written in."""
    return _chinese_names() if script(text) is Language.ZH else english_names()


@lru_cache(maxsize=4096)
def truth_of(names: tuple[str, ...], code: str | None) -> Truth:
    """Return the true diagnosis with all names that the vocabulary knows for it.

    An alias can be less precise than the diagnosis: it counts only if its illness has the same code.
    """
    found: dict[Illness, None] = {}
    for name in names:
        index = names_for(name)
        known = index.known.get(index.key(name), ())
        if len(known) == 1 and (name == names[0] or code in (None, *known[0].codes)):
            found |= dict.fromkeys(known)
    every = (*names, *(name for illness in found for name in illness.names if not _is_less(name, names)))
    broad = _broad(names, {*found})
    return Truth(names, every, tuple(found) or (Illness(codes={code} if code else set()),), code, broad)


def _broad(names: tuple[str, ...], own: set[Illness]) -> frozenset[NameKey]:
    """The aliases that say less than the diagnosis: they are a part of another name, or a synonym of such an alias.

    An alias of an illness that is the true one by its code says enough.
    """
    known = {name: {*names_for(name).known.get(names_for(name).key(name), ())} for name in names[1:]}
    others = [name for name in known if own.isdisjoint(known[name])]
    less = [name for name in others if _is_less(name, names)]
    illnesses = set[Illness]().union(*(known[name] for name in less))
    broad = (name for name in others if name in less or known[name] & illnesses)
    return frozenset(name_key(name, language) for name in broad for language in Language)


def _is_less(name: str, names: tuple[str, ...]) -> bool:
    """Check whether a name of the vocabulary has less in it than one of the record, such as its course."""
    if is_chinese(name):
        said = str(name_key(name, Language.ZH))
        return any(said != each and _place(each, said) for each in _chinese(names))
    bag = frozenset(words(name))
    return any(bag < each and not each - bag <= listed("generic") for each in english_bags(names))


@lru_cache(maxsize=4096)
def _chinese(names: tuple[str, ...]) -> tuple[str, ...]:
    """The longest first."""
    every = {str(name_key(each, Language.ZH)) for each in names if is_chinese(each) or each.isupper()}
    return tuple(sorted(every, key=lambda each: (-len(each), each)))


@lru_cache(maxsize=16384)
def _characters(text: str) -> frozenset[str]:
    """The characters of a name, whatever order a comma or brackets put its parts in."""
    return frozenset("".join(cue("answer_cues", "break").split(chinese(text)))) - set("性型症")
