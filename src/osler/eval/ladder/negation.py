"""Tell what an answer asserts from what it only mentions: denied, to rule out, to avoid, past or family history."""

from __future__ import annotations

import re

from osler.eval.ladder.names import LONGEST
from osler.eval.vocabulary import cue
from osler.language import Language

SENTENCE = re.compile(r"[\n;；。！!？?]+|\.+(?=[\s\]]|$)")


def split_clauses(sentence: str, language: Language) -> list[tuple[str, str]]:
    """Return the clauses of a sentence, each as what it asserts and what it only mentions."""
    return [_split(clause.strip()) for clause in cue("answer_cues", "piece", language).split(sentence)]


def _split(clause: str) -> tuple[str, str]:
    is_past = cue("answer_cues", "past").search(clause)
    if is_past or cue("answer_cues", "after").search(clause.rstrip("的者）)")):
        return "", clause
    if hit := cue("answer_cues", "before").search(clause):
        ahead, behind = clause[: hit.start()].strip(), clause[hit.end() :].strip()
        # What a denial with nothing behind it denies stands before it: "NSAIDs are not", "佐匹克隆一律不用".
        return (ahead, behind) if behind else ("", ahead)
    return clause, ""


def says_nothing(answer: str) -> bool:
    """Check whether the answer says that there is none."""
    return bool(cue("answer_cues", "nothing").search(answer[:LONGEST]))
