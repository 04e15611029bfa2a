"""Thoughts from a turn without a language model: patterns over the clauses of the reply."""

from __future__ import annotations

from osler.memory.base import Turn
from osler.memory.tim.extract.chinese import think_chinese
from osler.memory.tim.extract.english import think_english
from osler.memory.tim.thought import Draft
from osler.records.language import Language

__all__ = ["think"]


def think(turn: Turn, language: Language) -> list[Draft]:
    """The facts of the reply, completed by the question where the reply leaves something out."""
    if language is Language.ZH:
        return think_chinese(turn.question, turn.reply)
    return think_english(turn.question, turn.reply)
