"""Of whom an English reply tells: the patient who speaks, the patient who is spoken of, or a relative."""

from __future__ import annotations

import re

from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_words import KIN

_KIN = re.compile(rf"\b(?:{'|'.join(sorted(KIN))})\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:I|[Mm]y|me|[Ww]e|[Oo]ur)\b")
_FAMILY = re.compile(rf"\b(?:family|relatives?|{'|'.join(sorted(KIN))})\b", re.IGNORECASE)


def is_told_of(question: str, reply: str) -> bool:
    """Whether somebody else tells of the patient, so that `she` is the patient; not when the family was asked about."""
    if _FAMILY.search(question):
        return False
    return bool(_OF_ANOTHER.search(question)) or not _FIRST.search(reply)


def relative(piece: str) -> str:
    """The relative that a clause is about: `noted by the mother` is not about her."""
    named = _KIN.search(piece)
    if not named:
        return ""
    verb = find_verb(expand(piece))
    before = verb.before(expand(piece)) if verb else piece.split(" by ")[0]
    return named[0].lower() if named[0] in before else ""
