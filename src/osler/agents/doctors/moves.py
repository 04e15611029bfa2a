"""Reads a doctor's move from its model's answer: a question, or the wish to conclude."""

from __future__ import annotations

import json
import re
from typing import Literal

from pydantic import BaseModel

from osler.agents.messages import Conclusion, Question
from osler.agents.parsing import conclusion_of, several
from osler.loosejson import json_of

_ASKS = frozenset({"ask", "question", "提问", "问"})
_ENDS = frozenset({"conclude", "conclusion", "end", "diagnose", "结论", "下结论"})
_QUESTION = re.compile(r'"question"\s*:\s*("(?:[^"\\]|\\.)*)', re.DOTALL)
"""The question of an object that was cut off, or that a stray quote broke."""


class MoveForm(BaseModel):
    """The form that is asked for."""

    differential: list[str]
    action: Literal["ask", "conclude"]
    question: str


def move_of(text: str) -> Question | str:
    """The question in an answer, without text if the doctor wants to conclude; where there is no move, why not."""
    data = json_of(text)
    if data is None:
        return "it holds no JSON object"
    action = str(data.get("action") or "").strip().casefold()
    differential = several(data.get("differential") or ())
    if action in _ENDS:
        return Question(text="", differential=differential)
    if action not in _ASKS:
        return "it names no action"
    question = _line(data.get("question"))
    return Question(text=question, differential=differential) if question else "it asks without a question"


def stated(text: str) -> Conclusion | None:
    """The conclusion in an answer that is no move; None where it states no diagnosis, or asks something."""
    if json_of(text) is None and re.search(r"[?？]", text):
        return None
    return conclusion_of(text)


def words_of(text: str) -> str:
    """What can be said aloud of an answer that is no move: all of it, or the question of a broken form."""
    data = json_of(text)
    if data is not None:
        return _line(data.get("question"))
    if found := _QUESTION.search(text):
        try:
            return _line(json.loads(f'{found[1]}"', strict=False))
        except ValueError:
            return _line(found[1].strip('"\\'))
    return "" if text.lstrip().startswith("{") else _line(text)


def _line(value: object) -> str:
    """On one line: a memory tells of a question in one."""
    return " ".join(str(value or "").split())
