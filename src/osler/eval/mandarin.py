"""How a Chinese mention stands to the truth: the same name, a broader one, a form of it, a relative by its code."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.icd import Illness, category, is_illness, within
from osler.eval.lexicon import Concept, diseases, groups, read
from osler.eval.names import chinese
from osler.eval.slips import slipped
from osler.eval.verdict import Judgement, Verdict

_LONGEST = 24
_BRACKET = re.compile(r"[（）()]")
_BREAK = re.compile("|".join(read("cues")["zh_break"]))
_FLUFF = re.compile("|".join(read("cues")["zh_fluff"]))
_HEADS = tuple(read("variants")["heads_zh"].split())
_NOT_YET = ("先兆", "非", "假", "类", "副", "前")
"""Before a name these make it another disease."""
_AFTERMATH = ("后", "相关", "样", "前期", "恐惧", "携带", "疫苗", "接触", "足")
"""Behind a name these do."""


class Hit(NamedTuple):
    """A known name found in a text."""

    start: int
    end: int
    concepts: tuple[Concept, ...]


def bare(text: str) -> str:
    """A name without the ending that writers leave out."""
    return text[:-1] if len(text) > 3 and text.endswith("症") else text


def _core(text: str) -> str:
    """A name without what stands around it and says nothing about it."""
    return bare(_FLUFF.sub("", text).strip("，。、,."))


@cache
def _known() -> dict[str, tuple[Concept, ...]]:
    index: dict[str, list[Concept]] = defaultdict(list)
    for concept in diseases():
        for each in concept.names:
            index[bare(chinese(each))].append(concept)
    return {key: tuple(found) for key, found in index.items()}


@cache
def _broader() -> dict[str, frozenset[str]]:
    index: dict[str, frozenset[str]] = defaultdict(frozenset)
    for group in groups():
        for each in group.names:
            index[bare(chinese(each))] |= group.kin
    return dict(index)


@cache
def _pairs() -> frozenset[str]:
    """Neighbouring characters in real names: a slip of the pen makes none of them."""
    return frozenset(key[place : place + 2] for key in (*_known(), *_broader()) for place in range(len(key) - 1))


def concepts(names: Iterable[str]) -> tuple[Concept, ...]:
    """The diseases that go by one of the names."""
    return tuple({found: None for each in names for found in _known().get(bare(chinese(each)), ())})


def hits(text: str) -> Iterator[Hit]:
    """Known names in the text, the longest at each place."""
    place = 0
    while place < len(text):
        for length in range(min(_LONGEST, len(text) - place), 1, -1):
            found = _known().get(text[place : place + length])
            if found and _whole(text, place, place + length):
                yield Hit(place, place + length, found)
                place += length - 1
                break
        place += 1


def _whole(text: str, start: int, end: int) -> bool:
    """Latin letters are a name only when no other stand beside them."""
    latin = re.compile(r"[a-z0-9]")
    return not (
        (latin.match(text[start]) and start and latin.match(text[start - 1]))
        or (latin.match(text[end - 1]) and end < len(text) and latin.match(text[end]))
    )


def is_disease(text: str) -> bool:
    """Whether a member of a list names a disease."""
    said = bare(chinese(text).strip("，。、"))
    return said in _broader() or said.endswith(_HEADS) or next(hits(said), None) is not None


def is_known(text: str) -> bool:
    """Whether the text as a whole is the name of an illness."""
    said = _core(chinese(text))
    return said in _known() or said in _broader()


def illness(text: str) -> Illness | None:
    """The illness that a member of a list names: the last known name in it, unless another one ends behind that."""
    said = _core(chinese(text))
    if broader := _broader().get(said):
        exact = frozenset().union(*(concept.kin for concept in _known().get(said, ())))
        return Illness(frozenset({said}), broader | exact)
    last = next(iter(reversed([*hits(said)])), None)
    if last is None or said[last.end :].strip("症病型期").endswith(_HEADS):
        return None
    return _illness(said, last)


def illnesses(text: str) -> list[Illness]:
    """All that a text names, the longest name at each place, whatever stands between them."""
    said = chinese(text)
    return [found for hit in hits(said) if (found := _illness(said, hit))]


def _illness(text: str, hit: Hit) -> Illness | None:
    codes = frozenset().union(*(concept.kin for concept in hit.concepts))
    return Illness(frozenset({text[hit.start : hit.end]}), codes) if any(map(is_illness, codes)) else None


def compare(mention: str, wanted: tuple[str, ...], own: tuple[Concept, ...], code: str | None) -> Judgement | None:
    """What a Chinese mention is to the truth; None when it is nothing to it."""
    text = chinese(mention)
    core = _core(text)
    names = _names(wanted)
    open_text = _BRACKET.sub("", text)
    return (
        _by_name(text, core, names, own)
        or (_by_name(open_text, core, names, own) if open_text != text else None)
        or _by_code(text, core, code, own)
        or _by_form(core, names)
        or _by_breadth(core, names)
        or _by_cause(core, names)
        or _by_slip(text, core, names)
    )


def is_one_of(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether the text is one of the names, and nothing else; one that lists two does so in any order."""
    said = _listed_names(text)
    return any(said == _listed_names(each) for each in wanted)


@lru_cache(maxsize=4096)
def _listed_names(text: str) -> frozenset[str]:
    return frozenset(
        bare(part) for part in re.split(r"[，、,;；。.]|以?及|和|与|伴有?|合并|并发", chinese(text)) if part
    )


@lru_cache(maxsize=4096)
def _names(wanted: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({bare(chinese(each)) for each in wanted}, key=lambda each: (-len(each), each)))


def _by_name(text: str, core: str, names: tuple[str, ...], own: tuple[Concept, ...]) -> Judgement | None:
    if core in names or _reordered(text, names):
        return Judgement(Verdict.CORRECT, "name", "the same name")
    found = list(hits(text))
    for each in names:
        start = text.find(each)
        if start < 0 or not _whole(text, start, start + len(each)):
            continue
        end = start + len(each)
        over = [hit for hit in found if hit.start <= start and end <= hit.end and (hit.start, hit.end) != (start, end)]
        if any(not set(hit.concepts) & set(own) for hit in over) or text[:start].endswith(_NOT_YET):
            continue
        before, after = _BREAK.split(text[:start])[-1], _BREAK.split(text[end:])[0]
        if after.startswith(_AFTERMATH) or after.strip("症病型。").endswith(_HEADS):
            continue
        if any((mark in before or mark in text[end:]) and mark not in each for mark in _listed("child_zh")):
            return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
        return Judgement(Verdict.CORRECT, "name", "holds the name")
    return None


def _reordered(text: str, names: tuple[str, ...]) -> bool:
    """The same characters with a qualifier put behind a comma or into brackets."""
    parts = [part for part in re.split(r"[，,（）()]", text) if part]
    return len(parts) == 2 and any(
        bare(each) in names or bare(parts[1] + parts[0].removeprefix(parts[1][-1])) in names
        for each in (
            parts[1] + parts[0],
            parts[1].removesuffix("性") + parts[0],
            parts[1].removesuffix("型") + parts[0],
        )
    )


@cache
def _listed(key: str) -> tuple[str, ...]:
    return tuple(read("variants")[key].split())


def _by_code(text: str, core: str, code: str | None, own: tuple[Concept, ...]) -> Judgement | None:
    if code is None:
        return None
    exact = _known().get(core)
    said = exact or tuple(concept for hit in hits(text) for concept in hit.concepts)
    found = {each for concept in said for each in concept.kin}
    if code in found:
        if own or not exact or code.endswith(".8"):
            return Judgement(Verdict.PARTIAL, "icd", f"another disease under the same code {code}")
        return Judgement(Verdict.CORRECT, "icd", f"the same code {code}")
    if any(category(each) == category(code) for each in found):
        return Judgement(Verdict.PARTIAL, "icd", f"in the same category {category(code)}")
    if core in _broader() and within(code, _broader()[core]):
        return Judgement(Verdict.PARTIAL, "icd", "the group it belongs to")
    return None


def _by_form(core: str, names: tuple[str, ...]) -> Judgement | None:
    """Another disease whose name ends with a long name of the truth is a form of it."""
    for each in names:
        if len(each) >= 5 and core != each and core.endswith(each) and not core[: -len(each)].endswith(_NOT_YET):
            return Judgement(Verdict.PARTIAL, "name", "a form with a name of its own")
    return None


def _by_breadth(core: str, names: tuple[str, ...]) -> Judgement | None:
    for each in names:
        if len(core) < 2 or core == each or not each.endswith(core) or core in _listed("generic_zh"):
            continue
        if not each[: -len(core)].endswith(_NOT_YET):
            return Judgement(Verdict.PARTIAL, "name", "a broader name")
    return None


def _by_cause(core: str, names: tuple[str, ...]) -> Judgement | None:
    """The same disease with a germ or a tissue that the truth leaves open."""
    if core in _known():
        return None
    for each in names:
        head = re.sub(r"^(?:急|慢|亚急|感染|细菌|病毒|原发)+", "", each)
        if len(head) < 2 or head in _listed("generic_zh"):
            continue
        if core.endswith(head) and core != each and any(mark in core[: -len(head)] for mark in _listed("child_zh")):
            return Judgement(Verdict.PARTIAL, "name", "a form by its cause that the truth does not establish")
        if head[-1] in "癌瘤" and core.endswith(head[-1]) and core.startswith(head[:-1]) and len(head) > 2:
            return Judgement(Verdict.PARTIAL, "name", "a form by its tissue that the truth does not establish")
    return None


def _by_slip(text: str, core: str, names: tuple[str, ...]) -> Judgement | None:
    for each in names:
        if len(each) < 3 or core in _known() or core in _broader():
            continue
        for chunk in (core, *_BREAK.split(text)):
            piece = bare(chunk)[-len(each) :]
            if len(piece) == len(each) and slipped(piece, each, _pairs()):
                return Judgement(Verdict.CORRECT, "fuzzy", "the name with a slip of the pen")
    return None
