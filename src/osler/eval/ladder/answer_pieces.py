"""Read an answer clause by clause: what it asserts as its diagnosis, and what it only mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from osler.eval.ladder.names import LONGEST, script
from osler.eval.ladder.negation import split_clause
from osler.eval.vocabulary import cue
from osler.language import Language

_NUMBER = r"[(（\[]?(?:\d{1,2}[.)）、\]](?!\d)|[①-⑳])\s*"
_NUMBERED = re.compile(rf"\A\W*{_NUMBER}\S")
_NUMBERS = re.compile(rf"(?:(?<=\s)|(?<=[,，;；。])|\A){_NUMBER}|[①-⑳]")
_SENTENCE = re.compile(r"[\n;；。！!？?]+|\.+(?=[\s\]]|$)")
_QUOTES = re.compile(r"[\"“”`*#{}_<>\[\]]+")
_CLAUSE = re.compile(r"([,，:：(（)）](?!\d))")
_NO_END = re.compile(
    r"\b(vs|cf|dr|st|approx|ca|incl|esp|e\.g|i\.e|pos|neg|strep|staph|(?-i:[A-Z])(?=\. ?[a-z]{4,}))\.", re.IGNORECASE
)
"""Dots that end no sentence: of a short form, and of a germ's first name."""

_TURNS = ("primary", "differential", "reasons")
"""Cues that change what the rest of the answer or the sentence is."""


@dataclass
class Statement:
    """A sentence, or what is left of it, that counts as part of the answer."""

    text: str = ""
    primary: bool = False
    """Whether the doctor says that this is the diagnosis."""

    def add(self, mark: str, text: str) -> None:
        """Add a clause with the punctuation before it."""
        if text:
            self.text = f"{self.text}{mark} {text}".strip() if self.text else text


@dataclass
class ReadAnswer:
    """What an answer asserts, and what it denies."""

    statements: list[Statement] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    """What is denied, to be excluded, of the past or of the family."""
    talks: bool = False
    """Whether it speaks to whoever judges; what follows that is not read."""


def _clauses(answer: str) -> Iterator[tuple[bool, str, str]]:
    """Yield each clause: whether a sentence begins with it, the punctuation before it, and its text."""
    answer = _NO_END.sub(r"\1", _QUOTES.sub(" ", answer))
    if _NUMBERED.match(answer):
        answer = _NUMBERS.sub("\n", answer)
    for sentence in _SENTENCE.split(answer):
        begins, mark = True, ""
        for part in _CLAUSE.split(sentence):
            if _CLAUSE.fullmatch(part):
                mark = part
            elif part := part.strip(" \t-•>·'"):
                yield begins, mark, part
                begins, mark = False, ""


class _Reader:
    """Sorts the clauses of an answer, one after the other."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.found = ReadAnswer()
        self._skips = self._skips_sentence = self._is_heading = False

    def take(self, begins: bool, mark: str, text: str) -> None:
        """Sort one clause."""
        if begins:
            self._skips_sentence = False
            self.found.statements.append(Statement())
        if cue("answer_cues", "differential_after").search(text):
            self.found.denied.append(text)
            return
        hits = [(hit.start(), hit.end(), key) for key in _TURNS if (hit := cue("answer_cues", key).search(text))]
        if not hits:
            self._keep(mark, text)
            return
        start, end, key = min(hits)
        before, after = text[:start].strip(), text[end:].strip()
        if key == "primary":
            self._skips = self._skips_sentence = self._is_heading = False
            self.found.statements.append(Statement(primary=True))
            if after:
                self.take(False, "", after)
            return
        self._keep(mark, before)
        self._skips |= key == "differential"
        # "Based on the scan, acute appendicitis": only the first clause gives a reason.
        self._skips_sentence |= key == "reasons" and (not begins or bool(before))

    def _keep(self, mark: str, text: str) -> None:
        self._skips_sentence |= self._is_heading and mark in (":", "：")  # "Past history: measles"
        if self._skips or self._skips_sentence:
            return
        for piece in cue("answer_cues", "piece", self.language).split(text):
            asserted, denied = split_clause(piece.strip(), self.language)
            if self.language is Language.ZH:  # which can have English around it
                asserted, also_denied = split_clause(asserted, Language.EN)
                denied = denied or also_denied
            self.found.statements[-1].add(mark, asserted)
            self.found.denied += filter(None, [denied])
            self._is_heading = bool(denied and not asserted)
            mark = ","


@lru_cache(maxsize=512)
def read_answer(answer: str) -> ReadAnswer:
    """Sort the clauses of an answer; talk to the judge ends it."""
    reader = _Reader(script(answer[:LONGEST]))
    for begins, mark, text in _clauses(answer[:LONGEST]):
        if cue("answer_cues", "talk").search(text):
            reader.found.talks = True
            break
        reader.take(begins, mark, text)
    return reader.found
