"""From a file to a record: read files within limits, check drafts, one line for each problem."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from osler.errors import UserError
from osler.records.schema import PatientRecord

MAX_DOCUMENT = 16 * 2**20
"""Bytes of a file that is read whole and may hold many records (JSON, XLSX)."""
MAX_RECORD = 2**20
"""Bytes of a file or line with one record; parsers need up to a hundred times as much memory."""
Loc = tuple[int | str, ...]
_LONGEST_QUOTE = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with one file."""

    file: str
    reason: str
    place: str = ""
    """Where in the file: `line 12`, `sheet 3`, `case 7`."""
    field: str = ""
    """Which field of the record: `entries[3].category`."""

    def __str__(self) -> str:
        """One line: file, place, field and reason."""
        where = ", ".join(filter(None, (self.file, self.place, self.field)))
        return f"{where}: {self.reason}"


class RecordError(UserError):
    """A file or a record that cannot be used."""

    def __init__(self, problem: Problem, more: int = 0) -> None:
        """Tell the first problem and how many more there are."""
        self.problem = problem
        others = f" and {more} more" if more else ""
        super().__init__(f"{problem}{others}", "`osler records validate PATH` lists every problem")


class RecordWarning(UserWarning):
    """Something in a source that was repaired on reading."""


@dataclass(frozen=True)
class RecordDraft:
    """One patient as a format read it: the schema's fields, not yet checked."""

    data: Any
    place: str = ""
    lines: Mapping[Loc, int] = field(default_factory=dict)
    """Line numbers of fields, if the format has them."""
    mended: tuple[str, ...] = ()
    """What the format corrected, in words."""
    notes: tuple[str, ...] = ()
    """What of the source is not in the record, such as entries that only name the diagnosis."""


@dataclass(frozen=True)
class ReadResult:
    """The result of one draft: a record, or problems; and what was repaired on the way."""

    file: str
    place: str = ""
    record: PatientRecord | None = None
    problems: tuple[Problem, ...] = ()
    mended: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What of the source is not in the record."""

    def expect(self) -> PatientRecord:
        """The record; raises RecordError if there is none."""
        if self.record is None:
            raise RecordError(self.problems[0], len(self.problems) - 1)
        return self.record


def check_size(path: Path, limit: int, file_name: str) -> None:
    """Refuse a file that is too large to be read whole."""
    size = path.stat().st_size
    if size > limit:
        reason = (
            f"the file has {size / 2**20:.3g} MB, more than the {limit / 2**20:.3g} MB a file of"
            " this kind may have; split it, or use JSONL, which has no limit"
        )
        raise RecordError(Problem(file_name, reason))


def read_text(path: Path, limit: int, file_name: str) -> str:
    """Read a whole file as text; refuse one that is too large, empty, or not UTF-8."""
    check_size(path, limit, file_name)
    text = decode(path.read_bytes(), file_name)
    if not text.strip():
        raise RecordError(
            Problem(file_name, "the file is empty; write a record into it or remove it")
        )
    return text


def decode(raw: bytes, file_name: str, place: str = "") -> str:
    """UTF-8 text without NUL characters."""
    position = raw.find(b"\0")
    reason = f"byte {position} is NUL, which no text holds; save the file as text in UTF-8"
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        position = error.start
        reason = f"byte {position} is not UTF-8; save the file with the encoding UTF-8"
    if position >= 0:
        line = raw.count(b"\n", 0, position) + 1
        raise RecordError(Problem(file_name, reason, place or f"line {line}"))
    return text


def parse_json(text: str, file_name: str, place: str = "") -> Any:
    """Parse a JSON text. `Any`, because a file may contain anything."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"is not valid JSON: {error.msg}"
        place = place or f"line {error.lineno}"
    except RecursionError:
        reason = "is nested too deeply: brackets within brackets, as no record has"
    except ValueError:  # Python's own bound
        reason = "holds a number of thousands of digits, which no record has"
    raise RecordError(Problem(file_name, f"{reason}; export it again", place))


def check(draft: RecordDraft | Problem, file: str) -> ReadResult:
    """Validate a draft as a whole: one sound record, or every problem it has."""
    if isinstance(draft, Problem):
        return ReadResult(file, draft.place, problems=(draft,))
    if not isinstance(draft.data, Mapping):
        kind = "empty" if draft.data is None else f"a {type(draft.data).__name__}"
        reason = f"the record is {kind}; it must be a mapping of fields"
        problem = Problem(file, reason, draft.place)
        return ReadResult(file, draft.place, problems=(problem,))
    try:
        record = PatientRecord.model_validate(draft.data)
    except ValidationError as error:
        return ReadResult(file, draft.place, problems=problems_of(error, draft, file))
    return ReadResult(file, draft.place, record=record, mended=draft.mended, notes=draft.notes)


def problems_of(error: ValidationError, draft: RecordDraft, file: str) -> tuple[Problem, ...]:
    """Return every problem that pydantic found in a draft, with the line of each field."""
    details = error.errors(include_url=False)
    return tuple(_problem(detail, draft, file) for detail in details)


def _problem(detail: ErrorDetails, draft: RecordDraft, file: str) -> Problem:
    loc = detail["loc"]
    reason = _reason(detail)
    names, colon, rest = reason.partition(": ")
    if not loc and colon:  # of several fields together, which the reason names
        loc = tuple(names.split("."))
        reason = rest
    return problem_at(loc, reason, draft, file)


def problem_at(loc: Loc, reason: str, draft: RecordDraft, file: str) -> Problem:
    """Return a problem with one field of a draft, with its line if the format has lines."""
    line = _nearest_line(loc, draft.lines)
    place = draft.place if line is None else f"line {line}"
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return Problem(file, reason, place, "".join(steps).removeprefix("."))


def _nearest_line(loc: Loc, lines: Mapping[Loc, int]) -> int | None:
    """The line of a field, or of what is around it: a missing field has no line of its own."""
    for length in range(len(loc), -1, -1):
        if loc[:length] in lines:
            return lines[loc[:length]]
    return None


def _reason(detail: ErrorDetails) -> str:
    quotation = _quote(detail.get("input"))
    context = detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            return "is missing; every record needs it"
        case "extra_forbidden":
            return "is not a field of a record; `osler records schema` lists the fields"
        case "enum":
            return f"is {quotation}; use one of {context.get('expected', '')}"
        case "string_pattern_mismatch":
            return f"is {quotation}; it must match {context.get('pattern', '')}"
        case "string_too_long":
            length = context.get("max_length")
            return f"is longer than {length} characters; shorten it or split the entry"
        case "value_error":
            return str(context.get("error", detail["msg"]))
        case _:
            message = detail["msg"]
            return f"is {quotation}; {message[:1].lower()}{message[1:]}"


def _quote(value: object) -> str:
    """A value as Python writes it; nothing that is large or deep is written out first."""
    if isinstance(value, str):
        return short(repr(value[: _LONGEST_QUOTE + 1]))
    return short(reprlib.repr(value))


def short(text: str) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
