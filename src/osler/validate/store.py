"""The folder of a validation: a line per interview and simulated patient, and models' answers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from osler.errors import UserError
from osler.json_lines import append_line, complete_lines
from osler.private import make_private
from osler.prompts import changed_prompts
from osler.validate.results import AskedInterview, PatientColumn

_REPLIES = "replies.jsonl"
_CACHE = "answers.sqlite"
_OURS = {_REPLIES, _CACHE}


class ValidationFolder:
    """What was asked so far. Killed at any time, it loses at most the interviews under way."""

    def __init__(self, path: Path) -> None:
        """Name a folder; nothing is read or written yet."""
        self.path = path

    @property
    def cache(self) -> Path:
        """The file of models' answers, so that what was under way is not paid for again."""
        return self.path / _CACHE

    def begin(self) -> None:
        """Make the folder, or check that it is one of ours.

        Raises:
            UserError: It holds other files.
        """
        if self.path.exists() and not self.path.is_dir():
            raise UserError(f"{self.path} is a file", "give a folder with --out")
        if not self.path.exists():
            self.path.mkdir(parents=True)
            make_private(self.path)
            return
        names = {path.name for path in self.path.iterdir()}
        if names and names.isdisjoint(_OURS):
            raise UserError(f"{self.path} holds other files", "give another folder with --out")

    def append(self, asked: AskedInterview) -> None:
        """Add an interview; it is on the disk when this returns."""
        append_line(self.path / _REPLIES, asked.model_dump_json().encode())

    def asked(self) -> list[AskedInterview]:
        """All that was asked, the newest of each interview and column.

        Raises:
            UserError: A line cannot be read.
        """
        newest: dict[tuple[PatientColumn, str, str], AskedInterview] = {}
        for line in complete_lines(self.path / _REPLIES):
            try:
                asked = AskedInterview.model_validate_json(line)
            except ValidationError:
                raise UserError(
                    f"{self.path / _REPLIES} has a line that cannot be read",
                    "start anew in another folder",
                ) from None
            newest[asked.column, asked.interview, asked.content] = asked
        return list(newest.values())

    def finished(
        self, columns: Iterable[PatientColumn], contents: dict[str, str]
    ) -> dict[tuple[PatientColumn, str], AskedInterview]:
        """The whole interviews of these columns that need not be asked again.

        Only with the same words and record (`contents`, by interview), and the same prompts.
        """
        wanted = set(columns)
        finished = {}
        for asked in self.asked():
            is_current = (
                asked.column in wanted
                and asked.is_whole
                and contents.get(asked.interview) == asked.content
            )
            if is_current and not changed_prompts(asked.prompts):
                finished[asked.column, asked.interview] = asked
        return finished
