"""Cut a sentence into segments: a clause's head, and the things that a list adds to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise

from osler.language.base import Language
from osler.language.cues import any_of, cues, finder, pattern
from osler.language.times_and_values import time_finder, value_finder

EDGE = " \t\r\n.,;:!?。，；：！？、…"
_EVERYTHING = re.compile(r"\b(?:all|both|every\w*)\b|都|全", re.IGNORECASE)
_BRACKETS = re.compile(r"[（(][^）)]*[）)]|“[^”]*”|\"[^\"]*\"")


_JOINT_OF = {"but": "but", "new": ".", "list": "list", "mark": ","}
"""What a segment behind a cut has as its joint, by the kind of the cut."""
_BY_STRENGTH = ("", ",", "list", ".", "but")
"""Joints, the strongest last."""
_LONGEST_SHARED = 3
"""Words of the longest thing that takes over how the thing before it opened."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sentence that says one thing."""

    text: str
    joint: str = ""
    """What separates it from the segment before: "," or "list", "but", or "." for a new clause."""
    start: int = 0
    end: int = 0
    """Its position in the sentence."""


@cache
def _boundary(language: Language) -> re.Pattern[str]:
    """Finds where a sentence may be cut; the name of the group says what kind of cut it is."""
    contrast = pattern("contrast", language)
    joint = pattern("joints", language)
    new = pattern("new_clause", language)
    if language is Language.ZH:
        return re.compile(
            rf"(?P<but>[，,]?{contrast})|(?P<list>{joint})|(?P<new>(?={new}))|(?P<mark>[，,；;：:])"
        )
    gap = r"\s{0,3}"
    kinds = (
        rf"(?P<but>(?:{gap},)?{gap}{contrast}(?:{gap},)?)",
        rf"(?P<list>(?:{gap},)?{gap}{joint}(?=\s))",
        rf"(?P<new>(?:,{gap})?(?={new}))",
        r"(?P<mark>[,;:](?=\s|$)|\s[-–—]+\s)",
    )
    return re.compile("|".join(kinds), re.IGNORECASE)


@cache
def _uncut(language: Language) -> re.Pattern[str]:
    """Finds idioms, which are not cut."""
    kinds = ("kept_negation", "fixed_phrases")
    return re.compile("|".join(pattern(kind, language) for kind in kinds), re.IGNORECASE)


def spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return where a pattern is found."""
    return [match.span() for match in pattern.finditer(text) if match[0].strip()]


def _overlaps(start: int, end: int, others: list[tuple[int, int]]) -> bool:
    """Check whether a stretch overlaps one of the others."""
    return any(start < other_end and end > other_start for other_start, other_end in others)


def segments(text: str, language: Language) -> list[Segment]:
    """The segments of a sentence, in order.

    What belongs together (a date, a range, an idiom) is not cut.
    """
    uncut = [
        *spans(time_finder(language), text),
        *spans(value_finder(language), text),
        *spans(_uncut(language), text),
        *spans(_BRACKETS, text),
    ]
    parts: list[Segment] = []
    begin = 0
    joint = ""
    for cut in _boundary(language).finditer(text):
        before = text[begin : cut.start()]
        if _overlaps(*_core(cut), uncut) or not _separates(before, cut, language):
            continue
        if before.strip(EDGE):
            parts.append(_cut_out(text, begin, cut.start(), joint))
            joint = ""
        begin = cut.end()
        joint = _stronger(joint, cut)
    if text[begin:].strip(EDGE):
        parts.append(_cut_out(text, begin, len(text), joint))
    _share_nouns(parts, language)
    if language is Language.EN:
        _share_openings(parts)
    return parts


def _cut_out(text: str, begin: int, end: int, joint: str) -> Segment:
    without_start = text[begin:end].lstrip(EDGE)
    stripped = without_start.rstrip(EDGE)
    start = end - len(without_start)
    return Segment(stripped, joint, start, start + len(stripped))


def _core(cut: re.Match[str]) -> tuple[int, int]:
    """Return where the cut's own words are, without the blanks around them."""
    return cut.end() - len(cut[0].lstrip(" ,")), cut.end()


def _separates(before: str, cut: re.Match[str], language: Language) -> bool:
    """Check whether a cut is between two things.

    In Chinese a subject or a place is not a thing by itself.
    """
    is_exception = cut.lastgroup == "but" and finder("exception", language).search(cut[0])
    # Of "all of them apart from this one" the exception is not true: it stays with what it is an
    # exception from.
    if is_exception and _EVERYTHING.search(before):
        return False
    if language is Language.EN or cut.lastgroup in ("mark", "but"):
        return True
    bare = before.strip(EDGE)
    if cut.lastgroup == "new":
        return bool(_remainder(bare, language)) and bare not in cues("attributes", language)
    return bool(bare) and bare not in cues("subjects", language)


def _remainder(text: str, language: Language) -> str:
    """Return what is left of the opening of a segment without empty words and times."""
    without_time = time_finder(language).sub("", text)
    return _empty_words(language).sub("", without_time).strip(EDGE)


@cache
def _empty_words(language: Language) -> re.Pattern[str]:
    kinds = ("fillers", "subjects", "negation")
    empty_words = chain.from_iterable(cues(kind, language) for kind in kinds)
    return re.compile(any_of(empty_words, language))


def _stronger(joint: str, cut: re.Match[str]) -> str:
    """Return the stronger of two cuts in a row ("fever, but")."""
    return max(joint, _JOINT_OF[cut.lastgroup or "mark"], key=_BY_STRENGTH.index)


def _share_nouns(parts: list[Segment], language: Language) -> None:
    """Give each thing of a list the noun it shares: "drug or food allergies", "皮肤、巩膜黄染"."""
    attributes = set(cues("attributes", language))
    is_english = language is Language.EN
    gap = " " if is_english else ""
    # From the end: the next thing must have got its noun to hand it on.
    for place in reversed(range(len(parts) - 1)):
        part = parts[place]
        following = parts[place + 1]
        if following.joint != "list":
            continue
        last = part.text.split()[-1] if is_english else _ending_attribute(part.text, attributes)
        if last.lower() not in attributes:
            continue
        noun = _shared_noun(following.text, attributes, language)
        if noun:
            parts[place] = replace(part, text=f"{part.text}{gap}{noun}")


def _share_openings(parts: list[Segment]) -> None:
    """Give each short thing of an English list the opening of the one before it."""
    opening = finder("shared_openings", Language.EN)
    # Over the parts as they were: an opening is handed on once.
    for place, (part, following) in enumerate(pairwise(tuple(parts))):
        match = opening.search(part.text)
        is_short = len(following.text.split()) <= _LONGEST_SHARED
        if match and is_short and following.joint == "list":
            parts[place + 1] = replace(following, text=f"{match[0]} {following.text}")


def _ending_attribute(text: str, attributes: set[str]) -> str:
    """The attribute that ends a Chinese text; empty if a thing ends it."""
    return max((name for name in attributes if text.endswith(name)), key=len, default="")


def _shared_noun(text: str, attributes: set[str], language: Language) -> str:
    """Return what follows the attribute that opens a text: the allergies of "food allergies"."""
    if language is Language.EN:
        first, _, rest = text.partition(" ")
        if first.lower() in attributes:
            return rest
        return ""
    opening = max((name for name in attributes if text.startswith(name)), key=len, default="")
    if opening:
        return text[len(opening) :]
    return ""
