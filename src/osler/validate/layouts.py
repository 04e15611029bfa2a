"""The layouts of interviews that can be read: SPBench, PriMock57, and a plain JSON of turns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import UserError
from osler.language import Language
from osler.validate.interviews import HumanExchange, Interview, Side, SpokenTurn, exchanges_of

_REMEDY = "docs/validating.md shows the layouts that can be read"


class _Lenient(BaseModel):
    """Fields that are not named here are not read."""

    model_config = ConfigDict(extra="ignore")


class SpbenchRound(_Lenient):
    """A question and its answer in a file of SPBench, which holds one interview."""

    question: str
    answer: str


class JsonTurn(_Lenient):
    """One turn of an interview."""

    speaker: Side
    text: str


class JsonInterview(_Lenient):
    """An interview in the plain layout."""

    id: str
    language: Language
    turns: list[JsonTurn]
    record: str = ""
    """The id of its record; the interview's own id unless given."""


class PrimockInterview(_Lenient):
    """An interview of PriMock57: it has the GP's note, and names no language."""

    id: str
    note: str
    turns: list[JsonTurn]


def read_interviews(paths: Iterable[Path]) -> list[Interview]:
    """Read the interviews of files and folders, in the order of their names.

    Raises:
        UserError: There is none, a file cannot be read, or two interviews have one id.
    """
    interviews: dict[str, Interview] = {}
    for path in paths:
        for file in _files(path):
            for interview in _read_file(file):
                if interview.id in interviews:
                    raise UserError(
                        f"{file}: two interviews are called {interview.id!r}",
                        "give each its own id",
                    )
                interviews[interview.id] = interview
    spoken = [interview for interview in interviews.values() if interview.exchanges]
    if not spoken:
        raise UserError("there is no interview with a question and a reply", _REMEDY)
    return spoken


def _files(path: Path) -> Sequence[Path]:
    if path.is_file():
        return [path]
    files = sorted(path.glob("*.json")) if path.is_dir() else []
    if not files:
        raise UserError(
            f"{path} holds no interviews", "give a .json file of interviews, or a folder of them"
        )
    return files


def _read_file(path: Path) -> list[Interview]:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON ({error})", _REMEDY) from None
    items = data if isinstance(data, list) else [data]
    first = items[0] if items else None
    keys = first.keys() if isinstance(first, dict) else frozenset()
    try:
        if {"question", "answer"} <= keys:
            return [_from_spbench(items, path.stem)]
        if "language" not in keys and "note" in keys:
            return [_from_primock(item) for item in items]
        return [_from_json(item) for item in items]
    except ValidationError as error:
        detail = error.errors()[0]
        place = ".".join(map(str, detail["loc"]))
        raise UserError(
            f"{path} is no list of interviews: {place}: {detail['msg']}", _REMEDY
        ) from None


def _from_spbench(items: Sequence[Any], name: str) -> Interview:
    turns = []
    for item in items:
        exchange = SpbenchRound.model_validate(item)
        turns.append(SpokenTurn(Side.DOCTOR, exchange.question))
        turns.append(SpokenTurn(Side.PATIENT, exchange.answer))
    # As `osler records convert --with` calls the record of the case of that number.
    return Interview(f"spbench-{name}", Language.ZH, exchanges_of(turns))


def _from_primock(item: Any) -> Interview:
    interview = PrimockInterview.model_validate(item)
    return Interview(interview.id, Language.EN, _exchanges(interview.turns))


def _from_json(item: Any) -> Interview:
    interview = JsonInterview.model_validate(item)
    return Interview(
        interview.id, interview.language, _exchanges(interview.turns), interview.record
    )


def _exchanges(turns: Sequence[JsonTurn]) -> tuple[HumanExchange, ...]:
    return exchanges_of(SpokenTurn(turn.speaker, turn.text) for turn in turns)
