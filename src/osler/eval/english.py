"""How an English mention stands to the truth: the same name, a broader one, a form of it, a relative by its code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache

from osler.eval.icd import Illness, category, is_illness, titles, within
from osler.eval.lexicon import Concept, diseases, groups
from osler.eval.names import Name, is_chinese, listed, name, words
from osler.eval.slips import slip
from osler.eval.verdict import Judgement, Verdict

_LONGEST = 6
"""Words of a name that is looked for in a text."""


@cache
def _known() -> dict[frozenset[str], tuple[Concept, ...]]:
    index: dict[frozenset[str], list[Concept]] = defaultdict(list)
    for concept in diseases():
        for each in concept.names:
            if not is_chinese(each):
                index[name(each).words].append(concept)
    return {key: tuple(found) for key, found in index.items()}


@cache
def _broader() -> dict[frozenset[str], frozenset[str]]:
    index: dict[frozenset[str], frozenset[str]] = defaultdict(frozenset)
    for group in groups():
        for each in group.names:
            if not is_chinese(each):
                index[name(each).words] |= group.kin
    return dict(index)


@cache
def vocabulary() -> frozenset[str]:
    """Words that are real: a slip of the pen is never one of them."""
    return frozenset(word for key in (*_known(), *_broader(), *titles()) for word in key)


def concepts(names: Iterable[str]) -> tuple[Concept, ...]:
    """The diseases that go by one of the English names."""
    return tuple({found: None for each in names for found in _known().get(name(each).words, ())})


def codes(said: frozenset[str]) -> frozenset[str]:
    """The ICD-10 codes of a name: from the list of diseases, else from the titles."""
    if found := _known().get(said):
        return frozenset().union(*(concept.kin for concept in found))
    return titles().get(said, frozenset())


def is_disease(text: str) -> bool:
    """Whether a member of a list names a disease."""
    said = frozenset(words(text))
    endings = ("itis", "oma", "osis", "emia", "pathy", "syndrome", "disease", "disorder", "cancer", "ism", "sclerosis")
    if any(each in _known() or each in titles() for each in (said, _bare(said))):
        return True
    return any(word.endswith(endings) for word in said)


def is_known(text: str) -> bool:
    """Whether the text as a whole is the name of an illness."""
    said = frozenset(words(text))
    return any(_illness(each) is not None for each in (said, _bare(said)))


def illness(text: str) -> Illness | None:
    """The illness that a member of a list names by its head: known by name, or as a title of ICD-10."""
    said = frozenset(words(text))
    for each in (said, _bare(said)):
        if found := _illness(each):
            return found
    part = _longest_part(said)
    added = said - part - listed("detail") - listed("child")
    return _illness(part) if (name(text).head in part or not added) and not part <= listed("generic") else None


def illnesses(text: str) -> list[Illness]:
    """All that a text names, the longest name at each place, whatever stands between them."""
    order, place, found = words(text), 0, []
    while place < len(order):
        for length in range(min(_LONGEST, len(order) - place), 0, -1):
            said = frozenset(order[place : place + length])
            if (said in _known() or said in _broader()) and (each := _illness(said)):
                found.append(each)
                place += length - 1
                break
        place += 1
    return found


@lru_cache(maxsize=4096)
def _illness(said: frozenset[str]) -> Illness | None:
    found = codes(said) | _broader().get(said, frozenset())
    return Illness(said, found) if any(is_illness(code) for code in found) else None


def compare(mention: str, wanted: tuple[str, ...], own: tuple[Concept, ...], code: str | None) -> Judgement | None:
    """What an English mention is to the truth; None when it is nothing to it."""
    order = words(mention)
    said = frozenset(order)
    if not said:
        return None
    names = _names(wanted)
    return (
        _by_name(order, said, names, code, own)
        or _by_code(said, code, own)
        or _by_breadth(said, names)
        or _by_part(said, code, own)
        or _by_cause(said, names)
        or _by_slip(said, names)
    )


def is_one_of(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether the text is one of the names, and nothing else."""
    said = frozenset(words(text))
    return any(said == each.words for each in _names(wanted))


@lru_cache(maxsize=4096)
def _names(wanted: tuple[str, ...]) -> tuple[Name, ...]:
    return tuple(found for each in wanted if not is_chinese(each) and (found := name(each)).words)


def _by_name(
    order: tuple[str, ...], said: frozenset[str], names: tuple[Name, ...], code: str | None, own: tuple[Concept, ...]
) -> Judgement | None:
    if any(said == each.words for each in names):
        return Judgement(Verdict.CORRECT, "name", "the same name")
    held = [each for each in names if each.words <= said]
    if not held:
        return None
    longest = max(held, key=lambda each: len(each.words))
    if _other(_bare(said), code, own) or _other(said, code, own):
        # Another disease that holds two words of the name, with its head, is a form of it.
        kin = len(longest.words) > 1 and longest.head in said
        return Judgement(Verdict.PARTIAL, "name", "a form with a name of its own") if kin else None
    if own and longest.words < (part := _longest_part(said)) and _other(part, code, own):
        return None
    added = said - longest.words - listed("detail")
    before = _just_before(order, longest.words) - listed("detail")
    if added & listed("child") or (len(longest.words) == 1 and before & vocabulary()):
        return Judgement(Verdict.PARTIAL, "name", "a form of its own that the truth does not establish")
    return Judgement(Verdict.CORRECT, "name", "holds the name")


def _bare(said: frozenset[str]) -> frozenset[str]:
    """Without side, stage and grade."""
    return said - (listed("detail") - listed("course"))


def _other(said: frozenset[str], code: str | None, own: tuple[Concept, ...]) -> bool:
    """Whether the words are the name of another disease."""
    if found := _known().get(said):
        return not any(concept in own for concept in found)
    return bool((found_codes := titles().get(said)) and code and code not in found_codes)


def _just_before(order: tuple[str, ...], held: frozenset[str]) -> frozenset[str]:
    first = next(place for place, word in enumerate(order) if word in held)
    return frozenset(order[max(0, first - 1) : first])


def _by_code(said: frozenset[str], code: str | None, own: tuple[Concept, ...]) -> Judgement | None:
    if code is None:
        return None
    said = said if codes(said) or said in _broader() else _bare(said)
    found = codes(said)
    if code in found:
        named = _known().get(said)
        if (own and named and not set(named) & set(own)) or code.endswith(".8"):
            return Judgement(Verdict.PARTIAL, "icd", f"another disease under the same code {code}")
        return Judgement(Verdict.CORRECT, "icd", f"the same code {code}")
    if any(category(each) == category(code) for each in found):
        return Judgement(Verdict.PARTIAL, "icd", f"in the same category {category(code)}")
    if said in _broader() and within(code, _broader()[said]):
        return Judgement(Verdict.PARTIAL, "icd", "the group it belongs to")
    return None


def _by_breadth(said: frozenset[str], names: tuple[Name, ...]) -> Judgement | None:
    core = _bare(said)
    for each in names:
        if core and core < each.words and each.head in core and not core <= listed("generic"):
            return Judgement(Verdict.PARTIAL, "name", "a broader name")
    return None


@lru_cache(maxsize=4096)
def _longest_part(said: frozenset[str]) -> frozenset[str]:
    best: frozenset[str] = frozenset()
    for word in said:
        for key in _by_word().get(word, ()):
            if len(key) > len(best) and key <= said:
                best = key
    return best


@cache
def _by_word() -> dict[str, tuple[frozenset[str], ...]]:
    """Names of diseases by their rarest word, so that a mention is compared with few."""
    every = set(_known()) | set(titles()) | set(_broader())
    count: dict[str, int] = defaultdict(int)
    for key in every:
        for word in key:
            count[word] += 1
    index: dict[str, list[frozenset[str]]] = defaultdict(list)
    for key in every:
        index[min(key, key=lambda word: (count[word], word))].append(key)
    return {word: tuple(keys) for word, keys in index.items()}


def _by_part(said: frozenset[str], code: str | None, own: tuple[Concept, ...]) -> Judgement | None:
    part = _longest_part(said)
    if part == said or len(part) < 2:
        return None
    return _by_code(part, code, own)


def _by_cause(said: frozenset[str], names: tuple[Name, ...]) -> Judgement | None:
    """The same inflammation with a germ that the truth leaves open."""
    for each in names:
        rest = said - {each.head} - listed("detail")
        own = each.words - {each.head} - listed("detail") - {"infective", "bacterial", "viral"}
        same = each.head in said and each.head.endswith(("itis", "pneumonia", "sepsis"))
        if same and not own and rest & listed("child"):
            return Judgement(Verdict.PARTIAL, "name", "a form by its cause that the truth does not establish")
    return None


def _by_slip(said: frozenset[str], names: tuple[Name, ...]) -> Judgement | None:
    odd = [word for word in said if len(word) >= 5 and word not in vocabulary()]
    if not odd:
        return None
    for each in names:
        missing = each.words - said
        if missing and all(any(slip(word, wanted) for word in odd) for wanted in missing):
            return Judgement(Verdict.CORRECT, "fuzzy", "the name with a slip of the pen")
    return None
