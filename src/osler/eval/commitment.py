"""The one diagnosis that a doctor commits to, out of all that an answer says.

It is the first one named before any differential, alternative, list or talk to the judge. An illness with its side,
stage, cause or complication is one diagnosis; different illnesses, listed as answers, are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval import english, mandarin
from osler.eval.icd import Illness
from osler.eval.lexicon import read, split
from osler.eval.mentions import read_answer
from osler.eval.names import LONGEST, chinese, is_chinese, listed, words

_MANY = 4
"""Members of one list from which it is a guess at all of them, also where not every illness is known."""
_CHAIN = 3
"""Illnesses in one phrase from which it is no illness with its cause, but a list."""
_TO_THE_END = ("companion", "detail")
"""What joins these with an illness reaches to the end of the sentence."""
_BARE, _BARE_ZH = 1, 5
"""Words, less side and stage, or Chinese characters that may stand beside an illness where it is only named."""

_SHORT = 12
"""Chinese characters, or twice the words, of a name that is not known."""


class Commitment(StrEnum):
    """How an answer commits itself."""

    NONE = "none"
    """It names no diagnosis as its own."""
    ONE = "one"
    CHOICE = "choice"
    """It leaves open which of two it is."""
    SEVERAL = "several"
    """It names two or three."""
    LIST = "list"
    """It names many."""


class LeftOut(NamedTuple):
    """What of an answer is not judged."""

    text: str
    why: str
    """differential, talk to the judge, reasons, complication."""


@dataclass(frozen=True)
class Committed:
    """An answer's own diagnosis."""

    commitment: Commitment
    diagnosis: str
    """In the doctor's words; all of them, where they are several; empty where there is none."""
    core: str = ""
    """The same less a complication that is part of the name: "migraine" of "migraine with cerebral infarction"."""
    illnesses: tuple[str, ...] = ()
    """The different illnesses that are named as the answer, as far as they are known."""
    left_out: tuple[LeftOut, ...] = ()


@cache
def _cue(key: str) -> re.Pattern[str]:
    return re.compile("|".join(read("commitment")[key]), re.IGNORECASE)


@lru_cache(maxsize=512)
def committed(answer: str, at_most: int = 1) -> Committed:
    """What an answer commits to, in either language.

    Args:
        answer: As the doctor gave it.
        at_most: Illnesses that it may name: a truth that is two illnesses is answered by two.
    """
    parts = _read(answer)
    left_out = tuple(each for each in parts.left_out if each.text)
    named = _own(parts.named)
    if not named:
        return Committed(Commitment.NONE, "", left_out=left_out)
    illnesses = _different([member for sentence in named for member in sentence.members])
    whole = ". ".join(sentence.text for sentence in named)
    every = tuple(member.text for member in illnesses)
    if any(sentence.is_list for sentence in named) or len(every) >= at_most + _MANY - 1:
        return Committed(Commitment.LIST, whole, whole, every, left_out)
    if len(every) > at_most:
        is_choice = len(every) == 2 and len(named) == 1 and illnesses[1].part.by == "choice"
        kind = Commitment.CHOICE if is_choice else Commitment.SEVERAL
        return Committed(kind, whole, whole, every, left_out)
    if at_most > 1:
        return Committed(Commitment.ONE, whole, whole, every, left_out)
    first = named[0]
    if first.companion and not _is_name(first.text):
        left_out = (*left_out, LeftOut(first.companion, "complication"))
        return Committed(Commitment.ONE, first.own, first.own, every, left_out)
    return Committed(Commitment.ONE, first.text, first.own, every, left_out)


def count(name: str) -> int:
    """How many illnesses a truth is, by its name."""
    return max(1, len(_apart(member for each in _read(name).named for member in (*each.members, *each.beside))))


def _read(answer: str) -> _Parts:
    parts = _Parts()
    for piece in _pieces(answer[:LONGEST]):
        if not parts.take(piece):
            break
    return parts


class _Piece(NamedTuple):
    text: str
    before: str
    """What parts it from the piece before."""
    begins: bool
    """Whether a sentence begins with it."""


_NUMBER = r"[(（\[]?(?:\d{1,2}[.)）、\]](?!\d)|[①-⑳])\s*"
_NUMBERED = re.compile(rf"\A\W*{_NUMBER}\S")
_NUMBERS = re.compile(rf"(?:(?<=\s)|(?<=[,，;；。])|\A){_NUMBER}|[①-⑳]")
_SENTENCE = re.compile(r"[\n;；。！!？?]+|\.+(?=[\s\"”'\]]|$)")
_MARKS = re.compile(r"\A[\s\-•*#>·\[{\"“”'`]+|[\s\]}\"“”'`*]+\Z")
_PARTED = re.compile(r"([,，:：()（）])(?!\d)")


def _pieces(answer: str) -> Iterator[_Piece]:
    """An answer between its commas, colons and brackets."""
    for pattern in read("commitment")["dots"]:
        answer = re.sub(pattern, r"\1", answer, flags=re.IGNORECASE if "vs" in pattern else 0)
    if _NUMBERED.match(answer):
        answer = _NUMBERS.sub("\n", answer)
    for sentence in _SENTENCE.split(answer):
        begins, before = True, ""
        for place, text in enumerate(_PARTED.split(sentence)):
            if place % 2:
                before = text
                continue
            yield _Piece(_MARKS.sub("", text), before, begins)
            begins = False


@dataclass
class _Sentence:
    text: str = ""
    primary: bool = False

    def add(self, text: str, before: str) -> None:
        if text:
            self.text += {"": "", ",": ", ", ":": ": ", "(": " ("}.get(before, before) * bool(self.text) + text
        elif before in ")）" and self.text:
            self.text += before


@dataclass
class _Parts:
    """An answer read piece by piece: what counts as its own, and what is left out."""

    sentences: list[_Sentence] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    why: str = ""
    """Why the present piece is left out, if it is."""
    until_end: bool = False
    """Whether that ends with the sentence."""

    @property
    def named(self) -> list[_Named]:
        """The sentences that count, with the illnesses they name."""
        return [found for each in self.sentences if (found := _Named.of(each))]

    def take(self, piece: _Piece) -> bool:
        """Read one piece; False when nothing that follows is an answer."""
        if piece.begins:
            if self.until_end:
                self.why = ""
            if not self.sentences or self.sentences[-1].text:
                self.sentences.append(_Sentence())
        if _cue("talk").search(piece.text):
            self.left_out.append(LeftOut(piece.text, "talk to the judge"))
            return False
        if _cue("differential_after").search(piece.text):
            self.left_out.append(LeftOut(piece.text, "differential"))
            return True
        self._keep(*self._by_cue(piece), piece.before)
        return True

    def _by_cue(self, piece: _Piece) -> tuple[str, str]:
        """The text to keep, and what of the piece comes before a cue that changes what the rest is."""
        keys = ("differential", "primary", "reasons", *(("lead",) if self.why != "differential" else ()))
        hits = [(hit.start(), -hit.end(), key, hit) for key in keys if (hit := _cue(key).search(piece.text))]
        if not hits:
            return piece.text, ""
        *_, key, hit = min(hits, key=lambda each: each[:2])
        before, after = piece.text[: hit.start()].strip(), piece.text[hit.end() :].strip()
        if key in ("primary", "lead"):
            self._begin(before, after)
            return after, ""
        was = self.why
        leads_in = key == "reasons" and not before and not self.sentences[-1].text
        if was != "differential":
            self.why, self.until_end = key, key == "reasons" and (bool(after) or not piece.begins)
        if leads_in and after:
            # "Based on the scan, acute appendicitis": only this piece gives a reason.
            self.why = was
            self.left_out.append(LeftOut(piece.text, "reasons"))
            return "", ""
        self.left_out.append(LeftOut(after, self.why))
        return "", before if not was else ""

    def _begin(self, before: str, after: str) -> None:
        """The doctor says what it is: what stood before in the sentence was the reason."""
        self.why = ""
        last = self.sentences[-1]
        if last.text and not last.primary:
            self.left_out.append(LeftOut(last.text, "reasons"))
            self.sentences[-1] = _Sentence(primary=True)
        elif last.text:
            self.sentences.append(_Sentence(primary=True))
        else:
            last.primary = True

    def _keep(self, text: str, before_cue: str, parted_by: str) -> None:
        if before_cue:
            self.sentences[-1].add(before_cue, parted_by)
        elif self.why:
            self.left_out.append(LeftOut(text, self.why))
        else:
            self.sentences[-1].add(text, parted_by)


class _Member(NamedTuple):
    text: str
    illness: Illness
    part: _Part

    @property
    def is_bare(self) -> bool:
        """Whether the text does nothing but name."""
        if is_chinese(self.text):
            return len(chinese(self.text)) - len("".join(self.illness.words)) <= _BARE_ZH
        return len(frozenset(words(self.text)) - self.illness.words - listed("detail") - listed("child")) <= _BARE


@dataclass(frozen=True)
class _Named:
    """A sentence with the illnesses it names."""

    text: str
    own: str
    """Less what goes with the illness."""
    companion: str
    members: tuple[_Member, ...]
    """The illnesses of its list."""
    beside: tuple[_Member, ...]
    """Those that go with them."""
    primary: bool
    is_list: bool
    """Whether it is one of many, known or not."""

    @classmethod
    def of(cls, sentence: _Sentence) -> _Named | None:
        """Take a sentence apart; None when it means nothing."""
        meant = read_answer(sentence.text).sentences
        text = ". ".join(meant)
        if not any(char.isalnum() for char in text):
            return None
        parts = list(_parts(text))
        members = [
            _Member(part.text, found, part) for part in parts if part.by != "detail" and (found := _illness(part.text))
        ]
        own = [member for member in members if member.part.by != "companion"] or members
        whole = _illness(text)
        if whole is not None and len(own) > 1 and _is_name(text):
            own = [_Member(text, whole, parts[0])]
        beside = [member for member in members if member.part.by == "companion" and member not in own]
        cut = beside[0].part.joint if beside else len(text)
        return cls(
            text,
            text[:cut].strip(" ,，"),
            text[cut:].strip(),
            tuple(own),
            tuple(beside),
            sentence.primary,
            _is_list(text[:cut], parts) or len(_different(members)) >= _MANY,
        )

    @property
    def is_short(self) -> bool:
        """Whether it is no longer than a name."""
        return len(self.text) <= _SHORT if is_chinese(self.text) else len(words(self.text)) <= _SHORT // 2

    @property
    def is_bare(self) -> bool:
        """Whether one of its members does nothing but name."""
        return any(member.is_bare for member in self.members)


def _is_name(text: str) -> bool:
    """Whether a text as a whole is the name of an illness, whatever it seems to list."""
    return (mandarin if is_chinese(text) else english).is_known(text)


@lru_cache(maxsize=4096)
def _illness(text: str) -> Illness | None:
    if is_chinese(text):
        return mandarin.illness(text)
    return english.illness(_cue("cause").split(text, maxsplit=1)[0]) or english.illness(text)


@cache
def _joints() -> re.Pattern[str]:
    parts = (f"(?P<{key}>{'|'.join(read('commitment')[key])})" for key in ("choice", "companion", "detail", "list"))
    return re.compile("|".join(parts), re.IGNORECASE)


class _Part(NamedTuple):
    text: str
    by: str
    """What joins it with what stands before."""
    joint: int
    """Where that begins."""


def _parts(text: str) -> Iterator[_Part]:
    """A sentence between what joins its illnesses; what goes with an illness goes on to the end."""
    by, joint, start = "list", 0, 0
    for hit in _joints().finditer(text):
        if part := text[start : hit.start()].strip(" ."):
            yield _Part(part, by, joint)
        if part or hit.lastgroup != "list":
            by, joint = (by if by in _TO_THE_END else hit.lastgroup or ""), hit.start()
        start = hit.end()
    if part := text[start:].strip(" ."):
        yield _Part(part, by, joint)


def _is_list(text: str, parts: list[_Part]) -> bool:
    """Whether a text lists many, known or not, or runs on from one known illness to the next."""
    reader = mandarin if is_chinese(text) else english
    names = [part.text for part in parts if part.by not in _TO_THE_END]
    diseases = [each for each in names if (mandarin if is_chinese(each) else english).is_disease(each)]
    if len(names) >= _MANY and len(diseases) >= _MANY - 1:
        return True
    return not _is_name(text) and len(_apart(_Member("", each, parts[0]) for each in reader.illnesses(text))) >= _CHAIN


@cache
def _consequences() -> tuple[frozenset[frozenset[str]], frozenset[str]]:
    names = split(" ".join(read("commitment")["consequences"].split()))
    return (
        frozenset(frozenset(words(each)) for each in names if not is_chinese(each)),
        frozenset(mandarin.bare(chinese(each)) for each in names if is_chinese(each)),
    )


def _comes_of_it(member: _Member) -> bool:
    """Whether it is a state that an illness brings with it."""
    latin, script = _consequences()
    if is_chinese(member.text):
        return mandarin.bare(chinese(member.text)) in script or member.illness.words <= script
    return frozenset(words(member.text)) in latin or member.illness.words in latin


def _different(members: Iterable[_Member]) -> list[_Member]:
    """The different illnesses among the members; what the first brings with it is none."""
    first, *rest = [*members] or [None]
    return _apart([first, *(each for each in rest if not _comes_of_it(each))]) if first else []


def _apart(members: Iterable[_Member]) -> list[_Member]:
    found: list[_Member] = []
    for member in members:
        if all(member.illness.differs(other.illness) for other in found):
            found.append(member)
    return found


def _own(sentences: list[_Named]) -> list[_Named]:
    """The sentences in which the doctor commits: said to be the diagnosis, or nothing but a name; else the first."""
    named = [each for each in sentences if each.members or each.is_list]
    own = [each for each in named if each.primary or each.is_bare or each.is_list]
    said = [each for each in sentences if each.primary] or [each for each in sentences[:1] if each.is_short]
    return own or said[:1] or named[:1] or sentences[:1]
