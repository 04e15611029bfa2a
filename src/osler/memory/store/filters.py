"""Filters on items, as mem0 writes them: `{"category": "diet", "created_at": {"gte": "2026-01-01"}}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from osler.errors import UserError

TIMES = frozenset({"valid_at", "created_at", "updated_at", "superseded_at"})
IDS = ("user_id", "agent_id", "run_id")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: bool(value == wanted),
    "ne": lambda value, wanted: bool(value != wanted),
    "gt": lambda value, wanted: bool(value > wanted),
    "gte": lambda value, wanted: bool(value >= wanted),
    "lt": lambda value, wanted: bool(value < wanted),
    "lte": lambda value, wanted: bool(value <= wanted),
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "contains": lambda value, wanted: str(wanted) in str(value),
    "icontains": lambda value, wanted: str(wanted).casefold() in str(value).casefold(),
}
_OF_NOTHING = frozenset({"ne", "nin"})
"""Operators that are true of an item without the field."""


def matches(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Check an item, as a search returns it, against filters: its own fields, or else its metadata.

    Raises:
        UserError: A filter cannot be read.
    """
    return all(_one(item, name, wanted) for name, wanted in filters.items())


def _one(item: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name in {"AND", "OR", "NOT"}:
        if isinstance(wanted, Mapping):
            wanted = [wanted]
        if not isinstance(wanted, list) or not all(isinstance(one, Mapping) for one in wanted):
            raise UserError(f"the filter {name} is no list of filters", f'write {{"{name}": [{{…}}, {{…}}]}}')
        found = [matches(item, one) for one in wanted]
        return {"AND": all(found), "OR": any(found), "NOT": not any(found)}[name]
    name = "run_id" if name == "session_id" else name
    value = item[name] if name in item else item["metadata"].get(name)
    if wanted == "*":
        return value is not None
    conditions = wanted if isinstance(wanted, Mapping) else {"eq": wanted}
    return all(_holds(name, value, operator, operand) for operator, operand in conditions.items())


def _holds(name: str, value: Any, operator: str, wanted: Any) -> bool:
    if operator not in _OPERATORS:
        raise UserError(f"the filter {name} has no operator {operator!r}", f"use one of {', '.join(_OPERATORS)}")
    if value is None:
        return operator in _OF_NOTHING or (operator == "eq" and wanted is None)
    if name in TIMES and operator not in {"contains", "icontains"}:
        value, wanted = moment(value), [moment(one) for one in wanted] if operator in {"in", "nin"} else moment(wanted)
    try:
        return _OPERATORS[operator](value, wanted)
    except TypeError:  # a text and a number
        return False


def moment(given: Any) -> datetime:
    """Read a time: a datetime, ISO 8601 text or seconds since 1970. The result is UTC without a time zone.

    A time without a time zone is taken as it is.

    Raises:
        UserError: It is none of these.
    """
    try:
        if isinstance(given, str):
            given = datetime.fromisoformat(given.strip())
        elif isinstance(given, int | float) and not isinstance(given, bool):
            given = datetime.fromtimestamp(given, UTC)
        if isinstance(given, datetime):
            return given.astimezone(UTC).replace(tzinfo=None) if given.tzinfo else given
        if hasattr(given, "timetuple"):
            return datetime(given.year, given.month, given.day)  # noqa: DTZ001 -- a date
    except (ValueError, OverflowError, OSError):
        pass
    raise UserError(f"{str(given)[:40]!r} is no time", "write it as 2026-03-31 or 2026-03-31T09:30")
