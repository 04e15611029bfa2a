"""Tell what an answer asserts from what it only mentions: denied, to rule out, to avoid, past or family history."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import LONGEST, plain_case, script
from osler.eval.vocabulary import cue
from osler.language import Language

SENTENCE = re.compile(r"[.:](?=\s|$)|[;；。!！?？\n]")


class AnswerMeaning(NamedTuple):
    """An answer split into what it asserts and what it only mentions."""

    meant: tuple[tuple[str, ...], ...]
    """Sentences, each as its pieces between commas."""
    mentioned: tuple[str, ...]
    """Pieces that mention something without asserting it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is asserted, one text per sentence."""
        return tuple(", ".join(pieces) for pieces in self.meant)


@lru_cache(maxsize=256)
def meaning(answer: str) -> AnswerMeaning:
    """Return the answer's sentences without what they only mention."""
    language = script(answer[:LONGEST])
    meant: list[tuple[str, ...]] = []
    mentioned: list[str] = []
    for sentence in SENTENCE.split(plain_case(answer) if language is Language.EN else answer[:LONGEST]):
        kept: list[str] = []
        turned_down = by_example = False
        for piece in map(str.strip, cue("answer_cues", "piece", language).split(sentence)):
            is_example = cue("answer_cues", "example", language).match(piece) is not None
            goes_on = by_example and cue("answer_cues", "more_examples").fullmatch(piece)
            if turned_down and (is_example or goes_on):
                # "Avoid what dries her out, such as furosemide": an example is treated like what it is an example of.
                by_example = True
                mentioned.append(piece)
                continue
            said, only_mentioned = split_clause(piece, language)
            turned_down, by_example = bool(only_mentioned) or (turned_down and not piece), False
            kept.append(said)
            mentioned.append(only_mentioned)
        if any(kept):
            meant.append(tuple(filter(None, kept)))
    return AnswerMeaning(tuple(meant), tuple(filter(None, mentioned)))


def split_clause(piece: str, language: Language) -> tuple[str, str]:
    """Split a piece into what it asserts and what it only mentions."""
    is_past = cue("answer_cues", "past", language).search(piece)
    if is_past or cue("answer_cues", "after", language).search(piece.rstrip("的者）)")):
        return "", piece
    if hit := cue("answer_cues", "before", language).search(piece):
        return piece[: hit.start()].strip(), piece[hit.end() :].strip()
    return piece, ""


def says_nothing(answer: str) -> bool:
    """Check whether the answer says that there is none."""
    return bool(cue("answer_cues", "nothing").search(answer[:LONGEST]))
