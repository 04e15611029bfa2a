"""The folder of a bench: its settings, and a line per memory and person, appended when done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from osler.bench.results import PersonResult
from osler.errors import UserError
from osler.json_lines import append_line, complete_lines
from osler.private import write_private

_SETTINGS = "bench.json"
_RESULTS = "results.jsonl"
_CACHE = "answers.sqlite"
PAGE = "bench.html"
_MAY_DIFFER = {"version", "memories"}
"""Settings in which a bench may differ from what its folder was begun with."""


class BenchFolder:
    """What a bench has measured so far. Killed at any time, it loses at most what was under way."""

    def __init__(self, path: Path) -> None:
        """Name a folder; nothing is read or written yet."""
        self.path = path

    @property
    def is_there(self) -> bool:
        """Whether it is the folder of a bench."""
        return (self.path / _SETTINGS).is_file()

    @property
    def cache(self) -> Path:
        """The file of model answers, so that a resumed bench does not pay for them again."""
        return self.path / _CACHE

    @property
    def page(self) -> Path:
        """The page with the tables and curves."""
        return self.path / PAGE

    def begin(self, settings: dict[str, Any]) -> None:
        """Make the folder, or check that what is in it was measured with the same settings.

        Raises:
            UserError: It is the folder of another bench, or cannot be written.
        """
        if self.is_there:
            stored = self.settings()
            self._check_settings(settings, stored)
            memories = list(dict.fromkeys([*stored["memories"], *settings["memories"]]))
            settings = {**settings, "memories": memories}
        elif self.path.exists() and any(self.path.iterdir()):
            raise UserError(f"{self.path} holds other files", "give another folder with --out")
        self.path.mkdir(parents=True, exist_ok=True)
        text = json.dumps(settings, ensure_ascii=False, indent=1)
        write_private(self.path / _SETTINGS, text.encode())

    def _check_settings(self, settings: dict[str, Any], stored: dict[str, Any]) -> None:
        changed = []
        for name in sorted(settings.keys() - _MAY_DIFFER):
            if stored.get(name) != settings[name]:
                changed.append(name)
        if changed:
            raise UserError(
                f"{self.path} holds a bench with another {' and '.join(changed)}",
                "give another folder with --out",
            )

    def settings(self) -> dict[str, Any]:
        """What the bench was run with.

        Raises:
            UserError: It is no folder of a bench.
        """
        try:
            settings = json.loads((self.path / _SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            settings = None
        if not isinstance(settings, dict):
            raise UserError(
                f"{self.path} is no folder of a bench",
                "give the folder that `osler bench memory` wrote",
            )
        return settings

    def results(self) -> list[PersonResult]:
        """All that is done; a last line that a kill cut off is not."""
        # Two benches at once in one folder may both measure a person: the last result counts.
        results: dict[tuple[str, str, str], PersonResult] = {}
        for line in complete_lines(self.path / _RESULTS):
            try:
                result = PersonResult.model_validate_json(line)
            except ValidationError:
                raise UserError(
                    f"{self.path / _RESULTS} has a line that cannot be read",
                    "start anew in another folder",
                ) from None
            results[result.memory, result.data, result.person] = result
        return list(results.values())

    def append(self, result: PersonResult) -> None:
        """Add what was measured; it is on the disk when this returns.

        Raises:
            StorageError: The file cannot be written.
        """
        append_line(self.path / _RESULTS, result.model_dump_json().encode())
