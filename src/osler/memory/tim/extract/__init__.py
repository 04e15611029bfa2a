"""Thoughts from a turn without a language model: patterns over the clauses of the reply."""

from __future__ import annotations

import re

from osler.language import Language, Speaker
from osler.language.words import sentences
from osler.memory.base import Turn
from osler.memory.tim.extract.chinese import think_chinese
from osler.memory.tim.extract.english import think_english
from osler.memory.tim.extract.relative import of_whom
from osler.memory.tim.thought import Draft

__all__ = ["think"]

_LONGEST = 2000
"""Characters that are read at once: no patient says more in a turn, and patterns take the square of what they read."""

_SPACES = re.compile(r" {3,}")


def think(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    """The facts of the reply and of the reports, completed by the question where the reply leaves something out."""
    form = think_chinese if language is Language.ZH else think_english
    parts = [part for text in (turn.reply, *turn.results.splitlines()) for part in _parts(text, language)]
    drafts = [draft for part in parts for draft in form(turn.question, part)]
    return of_whom(drafts, turn.question, speaker, language)


def _parts(reply: str, language: Language) -> list[str]:
    """The reply in parts that can be read at once; a sentence that is longer by itself is cut."""
    reply = _SPACES.sub("  ", reply)
    if len(reply) <= _LONGEST:
        return [reply]
    said = sentences(reply, language)
    cut = [one[start : start + _LONGEST] for one in said for start in range(0, len(one), _LONGEST)]
    parts = [""]
    for one in cut:
        joined = f"{parts[-1]} {one}" if language is Language.EN and parts[-1] else parts[-1] + one
        parts[-1:] = [joined] if len(joined) <= _LONGEST or not parts[-1] else [parts[-1], one]
    return parts
