"""Check an entry that a model made from a text: is it quoted, are its numbers there, is it denied where it says so?

Only what is certainly wrong is refused; a refused entry is asked for once more before it is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from osler.agents.gate import mentions_name
from osler.language import Language, Speaker
from osler.language.cues import cues, finder
from osler.language.lexicon import meant
from osler.language.numerals import values, written_values
from osler.language.reader import denies, denies_a_list, read
from osler.language.times_and_values import time_finder
from osler.language.words import canonical, content, plain, sentences
from osler.records.classify import result_words
from osler.records.schema import Diagnosis, Status

_SHORTEST_QUOTE = {Language.EN: 6, Language.ZH: 3}
_LONGEST_QUOTE, _MOST_SENTENCES = 300, 3
"""A quotation of more sentences than that, and more characters, would support anything."""
_LEAST_SHARE = 0.5
"""Share of a report's words that its source must have."""
_CUT = re.compile(r"\.{3,}|…+")
_LISTED_HISTORY = re.compile(r"等|史$")
_DENYING_WORD = re.compile(
    r"\bnon-?\w{3,}|\b(?:afebrile|asymptomatic|anicteric|atraumatic)\b|\w{3,}less\b|-free\b", re.I
)
_GENERAL = re.compile(
    r"^(?:(?:acute|chronic|primary|secondary|severe|mild|recurrent|left|right|bilateral)\s+)+"
    r"|^(?:急性|慢性|原发性?|继发性?|重度|轻度|复发性|左侧?|右侧?|双侧)+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SourceText:
    """A text whose sentences can be quoted."""

    text: str
    language: Language

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, in order."""
        return tuple(sentences(self.text, self.language))

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        return tuple(map(_key, self.sentences))

    def find(self, quote: str, about: str = "") -> tuple[int, ...]:
        """Return the numbers of the sentences that a quotation is from, or none if it does not occur.

        Case, width, space and punctuation do not count. If it occurs more than once, the place whose words are most
        like `about` is taken.
        """
        found: set[int] = set()
        for part in filter(None, map(_key, _CUT.split(quote))):
            places = self._places(part) if len(part) >= _SHORTEST_QUOTE[self.language] or part in self._keys else []
            if not places:
                return ()
            wanted = _words(about, self.language)
            found.update(max(places, key=lambda place: len(wanted & _words(self.joined(place), self.language))))
        return tuple(sorted(found))

    def _places(self, part: str) -> list[tuple[int, ...]]:
        whole, places = "".join(self._keys), []
        ends: list[int] = []
        for key in self._keys:
            ends.append((ends[-1] if ends else 0) + len(key))
        start = whole.find(part)
        while start >= 0:
            stop = start + len(part)
            begins = (end - len(key) for end, key in zip(ends, self._keys, strict=True))
            spans = enumerate(zip(begins, ends, strict=True))
            places.append(tuple(number for number, (first, last) in spans if first < stop and start < last))
            start = whole.find(part, start + 1)
        return places

    def joined(self, numbers: tuple[int, ...]) -> str:
        """The sentences of these numbers as one text."""
        return (" " if self.language is Language.EN else "").join(self.sentences[number] for number in numbers)


def _key(text: str) -> str:
    return "".join(char for char in plain(text) if char.isalnum() or char == "+")


def _words(text: str, language: Language) -> frozenset[str]:
    return frozenset(map(canonical, content(text, language)))


def quotation_fault(source: SourceText, numbers: tuple[int, ...]) -> str:
    """Say what is wrong with a quotation that was looked for, or return an empty text."""
    if not numbers:
        return "its source does not occur in the text"
    if len(numbers) > _MOST_SENTENCES and len(source.joined(numbers)) > _LONGEST_QUOTE:
        return "its source is a passage; quote one sentence"
    return ""


def number_fault(said: str, source: str, language: Language) -> str:
    """Say which number, unit or time of a text its source does not have, or return an empty text."""
    known = values(source)
    for written, readings in written_values(said):
        if not any(known >= reading for reading in readings):
            return f"the number {written} is not in its source"
    for time in time_finder(language).finditer(said):
        if not known >= values(time[0]):
            return f"the time {time[0].strip()!r} is not in its source"
    there = _with_units(source)
    for number, unit in _with_units(said):
        units = {other for value, other in there if value == number}
        if units and not any(other.startswith(unit) or unit.startswith(other) for other in units):
            return f"the unit of {number} {unit} is not that of its source"
    return ""


def _with_units(text: str) -> list[tuple[str, str]]:
    found = _units().findall(plain(text))
    return [(number.replace(",", ""), unit.replace(" ", "").removesuffix("s")) for number, unit in found]


@cache
def _units() -> re.Pattern[str]:
    listed = {plain(cue) for kind in ("measure_units", "time_units") for one in Language for cue in cues(kind, one)}
    each = "|".join(map(re.escape, sorted(listed, key=lambda cue: (-len(cue), cue))))
    return re.compile(rf"(\d[\d,]*(?:\.\d+)?)[\s-]*({each})(?![a-z])")


def wording_fault(name: str, report: str, source: str, language: Language) -> str:
    """Say that a source does not speak of an entry, or return an empty text."""
    there = _words(source, language)
    wanted = _words(report or name, language)
    if language is Language.ZH:  # words of two texts may be cut differently
        wanted, there = frozenset("".join(wanted)), frozenset(plain(source))
    share = len(wanted & there) / len(wanted) if wanted else 0.0
    is_meant = not report and meant(name, language) & meant(source, language)
    if share >= _LEAST_SHARE or is_meant:
        return ""
    return "its source says something else; use the words of the text"


def polarity_fault(name: str, report: str, status: Status, source: str, language: Language) -> str:
    """Say that a status contradicts what the source denies or affirms, or return an empty text."""
    is_normal = result_words("normal", language).search(source) is not None
    can_deny = denies(source, language) or is_normal or _DENYING_WORD.search(source) is not None
    about = _denials(f"{name} {report}" if status is Status.PRESENT else name, source, language)
    if status is Status.NOT_DONE:
        told = finder("not_done", language).search(source) or denies(source, language)
        return "" if told else "its source does not say that it was not done"
    if status is Status.NORMAL:
        return "" if can_deny or values(source) else "its source does not call it normal"
    if status is Status.ABSENT:
        is_affirmed = bool(about) and not any(about) and not is_normal and not _DENYING_WORD.search(source)
        return "its source does not deny it" if not can_deny or is_affirmed else ""
    return "its source denies it" if about and all(about) and not denies(report, language) else ""


def _denials(said: str, source: str, language: Language) -> list[bool]:
    """Return for each clause of a source that speaks of a thing, or for all if none does, whether it denies."""
    wanted = _words(said, language)
    own: list[bool] = []
    every: list[bool] = []
    for sentence in read(source, language, Speaker.MOTHER).sentences:
        before = False
        for clause in sentence.clauses:
            opens = denies_a_list(clause.text, language)
            goes_on = before and language is Language.ZH and _LISTED_HISTORY.search(clause.text) is not None
            denied = opens or goes_on or (bool(clause.mentions) and all(one.denied for one in clause.mentions))
            every.append(opens or goes_on)
            if wanted & _words(clause.text, language) or (language is Language.ZH and _shares(said, clause.text)):
                own.append(denied)
            before = opens or goes_on
    return own or ([] if not all(every) else every)


def _shares(said: str, clause: str) -> bool:
    """Check whether two Chinese texts have a pair of characters in common."""
    return any(said[at : at + 2] in clause for at in range(len(said) - 1) if said[at : at + 2].strip())


def names_truth(text: str, truth: Diagnosis) -> bool:
    """Check whether a text names the diagnosis, also without words like `acute` before it."""
    cores = {_GENERAL.sub("", name) for name in truth.names}
    return any(mentions_name(text, name) for name in {*truth.names, *cores} if len(name) > 1)
