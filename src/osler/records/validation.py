"""From what a file says to a record: drafts go in, records or named problems come out."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from osler.errors import UserError
from osler.records.schema import PatientRecord

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
        return f"{', '.join(part for part in (self.file, self.place, self.field) if part)}: {self.reason}"


_LIST = "`osler records validate PATH` lists every problem"


class RecordError(UserError):
    """A record that cannot be used."""

    def __init__(self, problem: Problem, more: int = 0, remedy: str = _LIST) -> None:
        """Tell the first problem, how many more there are, and what can be done."""
        self.problem = problem
        others = f" and {more} more" if more else ""
        super().__init__(f"{problem}{others}", remedy)


class RecordWarning(UserWarning):
    """Something in a source that was mended on reading."""


@dataclass(frozen=True)
class RecordDraft:
    """One patient as a format read it: the schema's fields, not yet checked."""

    data: Any
    place: str = ""
    lines: Mapping[Loc, int] = field(default_factory=dict)
    """Line numbers of fields, where the format has them."""
    mended: tuple[str, ...] = ()
    """What the format put right, in words."""


def drafted(read: Callable[[], dict[str, Any]], file: str, place: str = "") -> RecordDraft | Problem:
    """The draft that a format reads from a case of somebody else's, or the problem where it has another shape."""
    try:
        return RecordDraft(read(), place)
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        detail = _short(str(error)) or type(error).__name__
        return Problem(file, f"has not the shape of its format ({detail}); export it again", place)


@dataclass(frozen=True)
class ReadResult:
    """What became of one draft: a record, or problems; and what was mended on the way."""

    file: str
    place: str = ""
    record: PatientRecord | None = None
    problems: tuple[Problem, ...] = ()
    mended: tuple[str, ...] = ()

    def expect(self) -> PatientRecord:
        """The record.

        Raises:
            RecordError: there is none.
        """
        if self.record is None:
            raise RecordError(self.problems[0], len(self.problems) - 1)
        return self.record


def check(draft: RecordDraft, file: str) -> ReadResult:
    """Validate a draft as a whole: one sound record, or every problem it has."""
    if not isinstance(draft.data, Mapping):
        kind = {list: "a list", type(None): "empty"}.get(type(draft.data), f"a {type(draft.data).__name__}")
        problem = Problem(file, f"the record is {kind}; it must be a mapping of fields", draft.place)
        return ReadResult(file, draft.place, problems=(problem,))
    try:
        record = PatientRecord.model_validate(draft.data)
    except ValidationError as error:
        problems = tuple(_problem(detail, draft, file) for detail in error.errors(include_url=False))
        return ReadResult(file, draft.place, problems=problems)
    return ReadResult(file, draft.place, record=record, mended=draft.mended)


def _problem(detail: ErrorDetails, draft: RecordDraft, file: str) -> Problem:
    loc = detail["loc"]
    # A missing field has no line of its own: name the nearest thing around it that has one.
    line = next((draft.lines[loc[:n]] for n in range(len(loc), -1, -1) if loc[:n] in draft.lines), None)
    reason, where = _reason(detail), _field(loc)
    if not where and (named := reason.split(":", 1)[0]).partition(".")[0] in PatientRecord.model_fields:
        where, reason = named, reason.partition(":")[2].strip()
        line = draft.lines.get(tuple(named.split("."))[:1], line)
    place = f"line {line}" if line is not None else draft.place
    return Problem(file, reason, place, where)


def _field(loc: Loc) -> str:
    text = ""
    for step in loc:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def _reason(detail: ErrorDetails) -> str:
    """The validator's message, as one sentence with a remedy."""
    kind, given = detail["type"], _quote(detail.get("input"))
    context = detail.get("ctx", {})
    match kind:
        case "missing":
            return "is missing; every record needs it"
        case "extra_forbidden":
            return "is not a field of a record; `osler records schema` lists the fields"
        case "enum":
            return f"is {given}; use one of {context.get('expected', '')}"
        case "string_pattern_mismatch":
            return f"is {given}; it must match {context.get('pattern', '')}"
        case "string_too_long":
            return f"is longer than {context.get('max_length')} characters; shorten it or split the entry"
        case "value_error":
            return str(context.get("error", detail["msg"]))
        case _:
            return f"is {given}; {detail['msg'][:1].lower()}{detail['msg'][1:]}"


def _quote(value: object) -> str:
    """A value as Python writes it; nothing that is large or deep is written out first."""
    return _short(repr(value[: _LONGEST_QUOTE + 1]) if isinstance(value, str) else reprlib.repr(value))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
