"""Cut a sentence into segments: a clause's head, and the things that a list adds to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from osler.language.base import Language
from osler.language.cues import any_of, cues, finder, pattern
from osler.language.times_and_values import time_finder, value_finder

EDGE = " \t\r\n.,;:!?。，；：！？、…"
_EVERYTHING = re.compile(r"\b(?:all|both|every\w*)\b|都|全", re.IGNORECASE)
_BRACKETS = re.compile(r"[（(][^）)]*[）)]|“[^”]*”|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sentence that says one thing."""

    text: str
    joint: str = ""
    """The separator before it: "," or a list conjunction, "but" for a contrast, "." for a new clause."""
    start: int = 0
    end: int = 0
    """Its position in the sentence."""


@cache
def _boundary(language: Language) -> re.Pattern[str]:
    contrast, joint, new = (pattern(kind, language) for kind in ("contrast", "joints", "new_clause"))
    if language is Language.EN:
        gap = r"\s{0,3}"
        mark = r"[,;:](?=\s|$)|\s[-–—]+\s"
        return re.compile(
            rf"(?P<but>(?:{gap},)?{gap}{contrast}(?:{gap},)?)|(?P<list>(?:{gap},)?{gap}{joint}(?=\s))"
            rf"|(?P<new>(?:,{gap})?(?={new}))|(?P<mark>{mark})",
            re.IGNORECASE,
        )
    return re.compile(rf"(?P<but>[，,]?{contrast})|(?P<list>{joint})|(?P<new>(?={new}))|(?P<mark>[，,；;：:])")


@cache
def _whole(language: Language) -> re.Pattern[str]:
    return re.compile("|".join(pattern(kind, language) for kind in ("kept_negation", "fixed_phrases")), re.IGNORECASE)


def spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return where a pattern is found."""
    return [found.span() for found in pattern.finditer(text) if found[0].strip()]


def within(start: int, end: int, held: list[tuple[int, int]]) -> bool:
    """Check whether a stretch overlaps one of those kept together."""
    return any(start < stop and end > first for first, stop in held)


def segments(text: str, language: Language) -> list[Segment]:
    """The segments of a sentence, in order; what belongs together (a date, a range, an idiom) is not cut."""
    held = [
        *spans(time_finder(language), text),
        *spans(value_finder(language), text),
        *spans(_whole(language), text),
        *spans(_BRACKETS, text),
    ]
    found: list[Segment] = []
    begin, joint = 0, ""
    for cut in _boundary(language).finditer(text):
        before = text[begin : cut.start()]
        if within(*_core(cut), held) or not _parts(before, cut, language):
            continue
        if before.strip(EDGE):
            found.append(_cut_out(text, begin, cut.start(), joint))
            joint = ""
        begin, joint = cut.end(), _stronger(joint, cut)
    if text[begin:].strip(EDGE):
        found.append(_cut_out(text, begin, len(text), joint))
    return _shared(found, language)


def _cut_out(text: str, begin: int, end: int, joint: str) -> Segment:
    piece = text[begin:end]
    start = begin + len(piece) - len(piece.lstrip(EDGE))
    return Segment(piece.strip(EDGE), joint, start, start + len(piece.strip(EDGE)))


def _core(cut: re.Match[str]) -> tuple[int, int]:
    """Return where the cut's own words are, without the blanks around them."""
    shown = cut[0]
    return cut.start() + len(shown) - len(shown.lstrip(" ,")), cut.end()


def _parts(before: str, cut: re.Match[str], language: Language) -> bool:
    """Check whether a cut is between two things; in Chinese a subject or a place is not a thing by itself.

    Of "all of them apart from this one" the exception is not true: it stays with what it is an exception from.
    """
    if cut.lastgroup == "but" and _EVERYTHING.search(before) and finder("exception", language).search(cut[0]):
        return False
    if language is Language.EN or cut.lastgroup in ("mark", "but"):
        return True
    bare = before.strip(EDGE)
    if cut.lastgroup == "new":
        return bool(_remainder(bare, language)) and bare not in cues("attributes", language)
    return bool(bare) and bare not in cues("subjects", language)


def _remainder(text: str, language: Language) -> str:
    """Return what is left of the opening of a segment without empty words and times."""
    return _empty_words(language).sub("", time_finder(language).sub("", text)).strip(EDGE)


@cache
def _empty_words(language: Language) -> re.Pattern[str]:
    small = [cue for kind in ("fillers", "subjects", "negation") for cue in cues(kind, language)]
    return re.compile(any_of(small, language))


def _stronger(joint: str, cut: re.Match[str]) -> str:
    """Return the stronger of two cuts in a row ("fever, but")."""
    kind = {"but": "but", "new": ".", "list": "list", "mark": ","}[cut.lastgroup or "mark"]
    order = ("", ",", "list", ".", "but")
    return max(joint, kind, key=order.index)


def _shared(found: list[Segment], language: Language) -> list[Segment]:
    """Give each thing of a list the noun it shares with the next: "drug or food allergies", "皮肤、巩膜黄染"."""
    attributes = set(cues("attributes", language))
    for place in reversed(range(len(found) - 1)):
        one, other = found[place], found[place + 1]
        if other.joint != "list":
            continue
        last = one.text.split()[-1] if language is Language.EN else _tail(one.text, attributes)
        if last.lower() not in attributes:
            continue
        head = _head(other.text, attributes, language)
        if head:
            gap = " " if language is Language.EN else ""
            found[place] = replace(one, text=f"{one.text}{gap}{head}")
    opening = finder("shared_openings", language)
    for place, (one, other) in enumerate(pairwise(found)):
        begun = opening.search(one.text)
        if language is Language.EN and begun and other.joint == "list" and len(other.text.split()) <= 3:
            found[place + 1] = replace(other, text=f"{begun[0]} {other.text}")
    return found


def _tail(text: str, attributes: set[str]) -> str:
    """The attribute that ends a Chinese text after what denies or opens it; empty if a thing ends it."""
    return max((name for name in attributes if text.endswith(name)), key=len, default="")


def _head(text: str, attributes: set[str], language: Language) -> str:
    """Return what follows the attribute that opens a text: the allergies of "food allergies"."""
    if language is Language.EN:
        first, _, rest = text.partition(" ")
        return rest if first.lower() in attributes else ""
    opened = max((name for name in attributes if text.startswith(name)), key=len, default="")
    return text[len(opened) :] if opened else ""
