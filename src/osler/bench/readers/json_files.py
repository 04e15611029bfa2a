"""Read the files of a data set; an error names the file and the place that is not as published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from osler.errors import UserError

T = TypeVar("T")
_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


class DataFile:
    """One JSON or JSON Lines file of a data set."""

    def __init__(self, path: Path, data_set: str) -> None:
        """Take a file and the name of its data set, for messages."""
        self.path = path
        self._data_set = data_set

    def json(self) -> Any:
        """The whole file.

        Raises:
            UserError: It is missing, or not JSON.
        """
        return self._parsed(self._text(), "")

    def lines(self) -> list[Any]:
        """The lines of a JSON Lines file, without empty ones."""
        rows = []
        for number, line in enumerate(self._text().splitlines(), 1):
            if line.strip():
                rows.append(self._parsed(line, f"line {number}"))
        return rows

    def field(self, holder: object, name: str, kind: type[T], where: str) -> T:
        """A field that must be there, of that type; `where` says of which row."""
        value = self.checked(holder, dict, where).get(name)
        if not isinstance(value, kind):
            state = "is missing" if value is None else f"is {type(value).__name__}"
            expected = _NAMES.get(kind, kind.__name__)
            raise self.error(f"{where}: {name!r} {state} where {expected} belongs")
        return value

    def checked(self, value: object, kind: type[T], where: str) -> T:
        """The value, if it has that type."""
        if not isinstance(value, kind):
            expected = _NAMES.get(kind, kind.__name__)
            raise self.error(f"{where} is {type(value).__name__} where {expected} belongs")
        return value

    def error(self, fault: str) -> UserError:
        """The error for a file that is not as published."""
        return UserError(
            f"{self.path} is not as {self._data_set} publishes it: {fault}", "see docs/bench.md"
        )

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UserError(
                f"{self.path} is missing", f"{self._data_set} has this file: see docs/bench.md"
            ) from None
        except UnicodeDecodeError:
            raise self.error("it is not UTF-8") from None

    def _parsed(self, text: str, where: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise self.error(f"{where or 'the file'} is not JSON ({error})") from None
