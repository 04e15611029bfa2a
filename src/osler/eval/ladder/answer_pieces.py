"""Read an answer clause by clause: what it asserts as its diagnosis, and what it only mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from osler.eval.ladder.names import LONGEST, script
from osler.eval.ladder.negation import SENTENCE, split_clauses
from osler.eval.vocabulary import cue
from osler.language import Language

_NUMBER = r"[(（\[]?(?:\d{1,2}[.)）、\]](?!\d)|[①-⑳])\s*"
_NUMBERED = re.compile(rf"\A\W*{_NUMBER}\S")
_NUMBERS = re.compile(rf"(?:(?<=\s)|(?<=[,，;；。])|\A){_NUMBER}|[①-⑳]")
_QUOTES = re.compile(r"[\"“”`*#{}_<>\[\]]+")
_CLAUSE = re.compile(r"([,，:：(（)）](?!\d))")
_NO_END = re.compile(r"\b(vs|e\.g|i\.e|(?-i:[A-Z])(?=\. ?[a-z]{4,}))\.", re.IGNORECASE)
"""Dots that end no sentence: of a short form, and of a germ's first name."""


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
    skipped: str = ""
    """The cue for which clauses are skipped now: `aside` to the end of the sentence, `differential` further on."""

    def take(self, mark: str, text: str, language: Language) -> None:
        """Sort one clause, with the punctuation before it."""
        if cue("answer_cues", "differential_after").search(text):
            self.denied.append(text)
            return
        turns = ("primary", "differential", "aside")
        hits = [(hit.start(), hit.end(), key) for key in turns if (hit := cue("answer_cues", key).search(text))]
        start, end, turn = min(hits, default=(len(text), len(text), ""))
        if turn == "primary":
            self.skipped = ""
            self.statements.append(Statement(primary=True))
            if after := text[end:].strip():
                self.take("", after, language)
            return
        if not self.skipped:
            for asserted, denied in split_clauses(text[:start].strip(), language):
                self.statements[-1].add(mark, asserted)
                self.denied += filter(None, [denied])
                mark = ","
        self.skipped = self.skipped or turn


def _clauses(answer: str) -> Iterator[tuple[bool, str, str]]:
    """Yield each clause: whether a sentence begins with it, the punctuation before it, and its text."""
    answer = _NO_END.sub(r"\1", _QUOTES.sub(" ", answer))
    if _NUMBERED.match(answer):
        answer = _NUMBERS.sub("\n", answer)
    for sentence in SENTENCE.split(answer):
        begins, mark = True, ""
        for part in _CLAUSE.split(sentence):
            if _CLAUSE.fullmatch(part):
                mark = part
            elif part := part.strip(" \t-•>·'"):
                yield begins, mark, part
                begins, mark = False, ""


@lru_cache(maxsize=512)
def read_answer(answer: str) -> ReadAnswer:
    """Sort the clauses of an answer; talk to the judge ends it."""
    found, language = ReadAnswer(), script(answer[:LONGEST])
    for begins, mark, text in _clauses(answer[:LONGEST]):
        if cue("answer_cues", "talk").search(text):
            found.talks = True
            break
        if begins:
            found.statements.append(Statement())
            found.skipped = found.skipped if found.skipped == "differential" else ""
        found.take(mark, text, language)
    return found
