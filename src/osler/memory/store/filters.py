"""Filters on items, as mem0 writes them.

For example, `{"category": "diet", "created_at": {"gte": "2026-01-01"}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from osler.errors import UserError

TIMES = frozenset({"valid_at", "created_at", "updated_at", "superseded_at"})
IDS = ("user_id", "agent_id", "run_id")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, operand: bool(value == operand),
    "ne": lambda value, operand: bool(value != operand),
    "gt": lambda value, operand: bool(value > operand),
    "gte": lambda value, operand: bool(value >= operand),
    "lt": lambda value, operand: bool(value < operand),
    "lte": lambda value, operand: bool(value <= operand),
    "in": lambda value, operand: value in operand,
    "nin": lambda value, operand: value not in operand,
    "contains": lambda value, operand: str(operand) in str(value),
    "icontains": lambda value, operand: str(operand).casefold() in str(value).casefold(),
}
_OF_NOTHING = frozenset({"ne", "nin"})
"""Operators that are true of an item without the field."""


def matches(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Check an item, as a search returns it, against filters: its own fields, or else its metadata.

    Raises:
        UserError: A filter cannot be read.
    """
    return all(_matches_one(item, name, condition) for name, condition in filters.items())


def _matches_one(item: Mapping[str, Any], name: str, condition: Any) -> bool:
    """Check an item against one filter: a field with a value or operators, or AND, OR, NOT."""
    if name in {"AND", "OR", "NOT"}:
        return _matches_group(item, name, condition)
    name = "run_id" if name == "session_id" else name
    value = item[name] if name in item else item["metadata"].get(name)
    if condition == "*":
        return value is not None
    operands = condition if isinstance(condition, Mapping) else {"eq": condition}
    return all(_holds(name, value, operator, operand) for operator, operand in operands.items())


def _matches_group(item: Mapping[str, Any], name: str, filters: Any) -> bool:
    """Check an item against AND, OR or NOT of several filters."""
    parts = [filters] if isinstance(filters, Mapping) else filters
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise UserError(
            f"the filter {name} is no list of filters", f'write {{"{name}": [{{…}}, {{…}}]}}'
        )
    # All are looked at, so that one that cannot be read is refused whatever the others say.
    results = [matches(item, part) for part in parts]
    if name == "AND":
        return all(results)
    if name == "OR":
        return any(results)
    return not any(results)


def _holds(name: str, value: Any, operator: str, operand: Any) -> bool:
    if operator not in _OPERATORS:
        raise UserError(
            f"the filter {name} has no operator {operator!r}", f"use one of {', '.join(_OPERATORS)}"
        )
    if value is None:
        return operator in _OF_NOTHING or (operator == "eq" and operand is None)
    if name in TIMES and operator not in {"contains", "icontains"}:
        value = moment(value)
        is_list = operator in {"in", "nin"}
        operand = [moment(part) for part in operand] if is_list else moment(operand)
    try:
        return _OPERATORS[operator](value, operand)
    except TypeError:
        # A text and a number.
        return False


def moment(time: Any) -> datetime:
    """Read a time: a datetime, ISO 8601 text or seconds since 1970.

    The result is UTC without a time zone. A time without a time zone is taken as it is.

    Raises:
        UserError: It is none of these.
    """
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time.strip())
        elif isinstance(time, int | float) and not isinstance(time, bool):
            time = datetime.fromtimestamp(time, UTC)
        if isinstance(time, datetime):
            if time.tzinfo:
                return time.astimezone(UTC).replace(tzinfo=None)
            return time
        if hasattr(time, "timetuple"):
            return datetime(time.year, time.month, time.day)  # noqa: DTZ001 -- a date
    except (ValueError, OverflowError, OSError):
        pass
    raise UserError(f"{str(time)[:40]!r} is no time", "write it as 2026-03-31 or 2026-03-31T09:30")
