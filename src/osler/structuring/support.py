"""Check an entry that a model made from a text: is it quoted, are its numbers there, is it denied where it says so?

Only what is certainly wrong is refused; a refused entry is asked for once more before it is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from osler.agents.gate import mentions_name
from osler.language import Language, Speaker
from osler.language.cues import cues, finder
from osler.language.lexicon.phrases import meant
from osler.language.numerals import values, written_values
from osler.language.reader import denies, denies_a_list, read
from osler.language.times_and_values import time_finder
from osler.language.words import canonical, content, plain, sentences
from osler.prompts import phrases
from osler.records.classify import DENIED, result_words
from osler.records.schema import Diagnosis, Status

_SHORTEST_QUOTE = {Language.EN: 6, Language.ZH: 3}
_LONGEST_QUOTE, _MOST_SENTENCES = {Language.EN: 200, Language.ZH: 100}, 3
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


class SupportFault(NamedTuple):
    """Why an entry is refused: a key of the phrases `structure_faults`, and the words it is about."""

    kind: str
    words: str = ""

    def reason(self, language: Language = Language.EN) -> str:
        """Return the reason in words: for the model in the language of its text, for the user in English."""
        return phrases("structure_faults", language)[self.kind].format(words=self.words)


class SourceText:
    """A text whose sentences can be quoted."""

    def __init__(self, text: str, language: Language) -> None:
        """Cut the text into sentences."""
        self.text, self.language = text, language
        self.sentences = tuple(sentences(text, language))
        self._keys = tuple(map(_key, self.sentences))
        self._owners = [number for number, key in enumerate(self._keys) for _ in key]
        """The sentence of each character of the keys."""

    def find(self, quote: str, about: str = "") -> tuple[str, ...]:
        """Return the sentences that a quotation is from, or none if it does not occur.

        Case, width, space and punctuation do not count. If it occurs more than once, the place whose words are most
        like `about` is taken.
        """
        wanted, found = _words(about, self.language), set[int]()
        for part in filter(None, map(_key, _CUT.split(quote))):
            places = self._places(part)
            if not places:
                return ()
            told = [_words(self.joined(self.sentences[number] for number in place), self.language) for place in places]
            found.update(max(zip(places, told, strict=True), key=lambda one: len(wanted & one[1]))[0])
        return tuple(self.sentences[number] for number in sorted(found))

    def _places(self, part: str) -> list[list[int]]:
        """The numbers of the sentences at each place where a part of a quotation occurs."""
        if len(part) < _SHORTEST_QUOTE[self.language] and part not in self._keys:
            return []
        hits = re.finditer(f"(?={re.escape(part)})", "".join(self._keys))
        return [sorted(set(self._owners[hit.start() : hit.start() + len(part)])) for hit in hits]

    def joined(self, quoted: Iterable[str]) -> str:
        """Some of its sentences as one text."""
        return (" " if self.language is Language.EN else "").join(quoted)


def _key(text: str) -> str:
    return "".join(char for char in plain(text) if char.isalnum() or char == "+")


def _words(text: str, language: Language) -> frozenset[str]:
    return frozenset(map(canonical, content(text, language)))


def quotation_fault(quoted: Sequence[str], language: Language) -> SupportFault | None:
    """Find what is wrong with the sentences of a quotation: there are none, or too many."""
    if not quoted:
        return SupportFault("not_quoted")
    is_long = len(quoted) > _MOST_SENTENCES and sum(map(len, quoted)) > _LONGEST_QUOTE[language]
    return SupportFault("passage") if is_long else None


def number_fault(said: str, source: str, language: Language) -> SupportFault | None:
    """Find a number, unit or time of a text that its source does not have."""
    known = values(source)
    for written, readings in written_values(said):
        if not any(known >= reading for reading in readings):
            return SupportFault("number", written)
    for time in time_finder(language).finditer(said):
        if not known >= values(time[0]):
            return SupportFault("time", time[0].strip())
    there = _with_units(source)
    for number, unit in _with_units(said):
        units = {other for value, other in there if value == number and other.isascii() == unit.isascii()}
        if units and not any(other.startswith(unit) or unit.startswith(other) for other in units):
            return SupportFault("unit", f"{number} {unit}")
    return None


def _with_units(text: str) -> list[tuple[str, str]]:
    found = _units().findall(plain(text))
    return [(number.replace(",", ""), unit.replace(" ", "").removesuffix("s")) for number, unit in found]


@cache
def _units() -> re.Pattern[str]:
    listed = {plain(cue) for kind in ("measure_units", "time_units") for one in Language for cue in cues(kind, one)}
    each = "|".join(map(re.escape, sorted(listed, key=lambda cue: (-len(cue), cue))))
    return re.compile(rf"(\d[\d,]*(?:\.\d+)?)[\s-]*({each})(?![a-z])")


def wording_fault(name: str, report: str, source: str, language: Language) -> SupportFault | None:
    """Find that a source does not speak of an entry at all."""
    there = _words(source, language)
    wanted = _words(report or name, language)
    if language is Language.ZH:  # words of two texts may be cut differently
        wanted, there = frozenset("".join(wanted)), frozenset(plain(source))
    share = len(wanted & there) / len(wanted) if wanted else 0.0
    is_meant = not report and meant(name, language) & meant(source, language)
    is_bare_no = source.rpartition(": ")[2].strip(" .。").casefold() in DENIED  # "transfusion history: none"
    return None if share >= _LEAST_SHARE or is_meant or is_bare_no else SupportFault("wording")


def polarity_fault(name: str, report: str, status: Status, source: str, language: Language) -> SupportFault | None:
    """Find that a status contradicts what the source denies or affirms."""
    has_denial, has_value = denies(source, language), bool(values(source))
    is_called_normal = bool(result_words("normal", language).search(source) or _DENYING_WORD.search(source))
    about = _denials(f"{name} {report}" if status is Status.PRESENT else name, source, language)
    match status:
        case Status.NOT_DONE:
            is_right = has_denial or finder("not_done", language).search(source) is not None
        case Status.NORMAL:
            is_right = has_denial or is_called_normal or has_value
        case Status.ABSENT:
            is_right = is_called_normal or (has_denial and (not about or any(about)))
        case Status.PRESENT:
            is_right = not about or not all(about) or denies(report, language)
    return None if is_right else SupportFault(status.value)


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


def truth_fault(text: str, truth: Diagnosis) -> SupportFault | None:
    """Find that a text names the diagnosis, also without words like `acute` before it."""
    names = {*truth.names, *(_GENERAL.sub("", name) for name in truth.names)}
    is_named = any(mentions_name(text, name) for name in names if len(name) > 1)
    return SupportFault("names_diagnosis", truth.name) if is_named else None
