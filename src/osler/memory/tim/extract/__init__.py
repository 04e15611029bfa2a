"""Thoughts from a turn without a language model: patterns over the clauses of the reply."""

from __future__ import annotations

from osler.memory.base import Turn
from osler.memory.tim.extract.chinese import think_chinese
from osler.memory.tim.extract.english import think_english
from osler.memory.tim.extract.relative import of_whom
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.records.schema import Speaker

__all__ = ["of_whom", "think"]


def think(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    """The facts of the reply, completed by the question where the reply leaves something out."""
    form = think_chinese if language is Language.ZH else think_english
    return of_whom(form(turn.question, turn.reply), turn.question, speaker, language)
