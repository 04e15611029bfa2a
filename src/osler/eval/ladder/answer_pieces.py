"""Read an answer piece by piece: what counts as its own diagnosis, and what is left out as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from osler.eval.ladder.names import LONGEST
from osler.eval.vocabulary import cue


class LeftOut(NamedTuple):
    """A part of an answer that is not judged."""

    text: str
    why: str
    """differential, talk (to the judge), reasons, complication."""


_NUMBER = r"[(（\[]?(?:\d{1,2}[.)）、\]](?!\d)|[①-⑳])\s*"
_NUMBERED = re.compile(rf"\A\W*{_NUMBER}\S")
_NUMBERS = re.compile(rf"(?:(?<=\s)|(?<=[,，;；。])|\A){_NUMBER}|[①-⑳]")
_SENTENCE = re.compile(r"[\n;；。！!？?]+|\.+(?=[\s\"”'\]]|$)")
_MARKS = re.compile(r"\A[\s\-•*#>·\[{\"“”'`]+|[\s\]}\"“”'`*]+\Z")
_PARTED = re.compile(r"[,，:：()（）](?!\d)")
_NO_END = re.compile(r"\b(vs|cf|dr|st|approx|ca|incl|esp|e\.g|i\.e|(?-i:[A-Z])(?=\. ?[a-z]{4,}))\.", re.IGNORECASE)
"""Dots that end no sentence: of a short form, and of a germ's first name."""


def _pieces(answer: str) -> Iterator[tuple[str, bool]]:
    """Return the text between commas, colons and brackets, and whether a sentence begins with it."""
    answer = _NO_END.sub(r"\1", answer)
    if _NUMBERED.match(answer):
        answer = _NUMBERS.sub("\n", answer)
    for sentence in _SENTENCE.split(answer):
        for place, text in enumerate(_PARTED.split(sentence)):
            yield _MARKS.sub("", text), not place


@dataclass
class AnswerSentence:
    """A sentence that counts."""

    text: str = ""
    primary: bool = False
    """Whether the doctor says that this is the diagnosis."""


@dataclass
class SortedAnswer:
    """What counts, and what is left out."""

    sentences: list[AnswerSentence] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    why: str = ""
    """Why the present piece is left out, if it is."""
    until_end: bool = False
    """Whether that ends with the sentence."""

    def take(self, text: str, begins: bool) -> bool:
        """Read one piece; False when nothing that follows is an answer."""
        if begins:
            if self.until_end:
                self.why = ""
            if not self.sentences or self.sentences[-1].text:
                self.sentences.append(AnswerSentence())
        if cue("answer_cues", "talk").search(text):
            self.left_out.append(LeftOut(text, "talk"))
            return False
        if cue("answer_cues", "differential_after").search(text):
            self.left_out.append(LeftOut(text, "differential"))
            return True
        found = {key: cue("answer_cues", key).search(text) for key in ("differential", "primary", "reasons")}
        if hits := [(hit.start(), -hit.end(), key) for key, hit in found.items() if hit]:
            start, end, key = min(hits)
            self._turn(key, text[:start].strip(), text[-end:].strip(), begins)
        else:
            self._keep(text)
        return True

    def _turn(self, key: str, before: str, after: str, begins: bool) -> None:
        """Read a piece with a cue that changes what the rest is."""
        if key == "primary":
            self._begin()
            self._keep(after)
            return
        if key == "reasons" and not before and after and not self.sentences[-1].text:
            # "Based on the scan, acute appendicitis": only this piece gives a reason.
            self.left_out.append(LeftOut(after, self.why or "reasons"))
            return
        self._keep(before)
        if self.why != "differential":
            self.why, self.until_end = key, key == "reasons" and (bool(after) or not begins)
        self.left_out.append(LeftOut(after, self.why))

    def _begin(self) -> None:
        """The doctor says what it is: the text before it in the sentence was the reason."""
        self.why = ""
        last = self.sentences[-1]
        if last.text and not last.primary:
            self.left_out.append(LeftOut(last.text, "reasons"))
            self.sentences[-1] = AnswerSentence(primary=True)
        elif last.text:
            self.sentences.append(AnswerSentence(primary=True))
        else:
            last.primary = True

    def _keep(self, text: str) -> None:
        if self.why:
            self.left_out.append(LeftOut(text, self.why))
        elif text:
            last = self.sentences[-1]
            last.text = f"{last.text}, {text}" if last.text else text


def read_pieces(answer: str) -> SortedAnswer:
    """Sort the pieces of an answer; talk to the judge ends it."""
    sorted_out = SortedAnswer()
    for text, begins in _pieces(answer[:LONGEST]):
        if not sorted_out.take(text, begins):
            break
    return sorted_out
