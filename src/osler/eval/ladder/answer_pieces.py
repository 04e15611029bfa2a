"""An answer read piece by piece: what counts as its own diagnosis, and what is left out as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from osler.eval.ladder.names import LONGEST
from osler.eval.vocabulary import cue


class LeftOut(NamedTuple):
    """What of an answer is not judged."""

    text: str
    why: str
    """differential, talk (to the judge), reasons, complication."""


class Piece(NamedTuple):
    """What stands between two commas, colons or brackets."""

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
_NO_END = re.compile(r"\b(vs|cf|dr|st|approx|ca|incl|esp|e\.g|i\.e|(?-i:[A-Z])(?=\. ?[a-z]{4,}))\.", re.IGNORECASE)
"""Dots that end no sentence: of a short form, and of a germ's first name."""


def _pieces(answer: str) -> Iterator[Piece]:
    """An answer between its commas, colons and brackets."""
    answer = _NO_END.sub(r"\1", answer)
    if _NUMBERED.match(answer):
        answer = _NUMBERS.sub("\n", answer)
    for sentence in _SENTENCE.split(answer):
        begins, before = True, ""
        for place, text in enumerate(_PARTED.split(sentence)):
            if place % 2:
                before = text
                continue
            yield Piece(_MARKS.sub("", text), before, begins)
            begins = False


@dataclass
class AnswerSentence:
    """One that counts."""

    text: str = ""
    primary: bool = False
    """Whether the doctor says that this is the diagnosis."""

    def add(self, text: str, before: str) -> None:
        """One more piece, with what parts it from the last."""
        if text:
            self.text += {"": "", ",": ", ", ":": ": ", "(": " ("}.get(before, before) * bool(self.text) + text
        elif before in ")）" and self.text:
            self.text += before


@dataclass
class SortedAnswer:
    """What counts, and what is left out."""

    sentences: list[AnswerSentence] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    why: str = ""
    """Why the present piece is left out, if it is."""
    until_end: bool = False
    """Whether that ends with the sentence."""

    def take(self, piece: Piece) -> bool:
        """Read one piece; False when nothing that follows is an answer."""
        if piece.begins:
            if self.until_end:
                self.why = ""
            if not self.sentences or self.sentences[-1].text:
                self.sentences.append(AnswerSentence())
        if cue("answer_cues", "talk").search(piece.text):
            self.left_out.append(LeftOut(piece.text, "talk"))
            return False
        if cue("answer_cues", "differential_after").search(piece.text):
            self.left_out.append(LeftOut(piece.text, "differential"))
            return True
        self._keep(*self._bycue(piece), piece.before)
        return True

    def _bycue(self, piece: Piece) -> tuple[str, str]:
        """The text to keep, and what of the piece comes before a cue that changes what the rest is."""
        found = {key: cue("answer_cues", key).search(piece.text) for key in ("differential", "primary", "reasons")}
        hits = [(hit.start(), -hit.end(), key) for key, hit in found.items() if hit]
        if not hits:
            return piece.text, ""
        start, end, key = min(hits)
        before, after = piece.text[:start].strip(), piece.text[-end:].strip()
        if key == "primary":
            self._begin()
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

    def _begin(self) -> None:
        """The doctor says what it is: what stood before in the sentence was the reason."""
        self.why = ""
        last = self.sentences[-1]
        if last.text and not last.primary:
            self.left_out.append(LeftOut(last.text, "reasons"))
            self.sentences[-1] = AnswerSentence(primary=True)
        elif last.text:
            self.sentences.append(AnswerSentence(primary=True))
        else:
            last.primary = True

    def _keep(self, text: str, before_cue: str, parted_by: str) -> None:
        if before_cue:
            self.sentences[-1].add(before_cue, parted_by)
        elif self.why:
            self.left_out.append(LeftOut(text, self.why))
        else:
            self.sentences[-1].add(text, parted_by)


def read_pieces(answer: str) -> SortedAnswer:
    """Sort the pieces of an answer; talk to the judge ends it."""
    sorted_out = SortedAnswer()
    for piece in _pieces(answer[:LONGEST]):
        if not sorted_out.take(piece):
            break
    return sorted_out
