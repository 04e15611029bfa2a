"""Failures of your own code.

Shown with their traceback as they come, and the end of a run that only repeats one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from osler.code_failures import debugging, print_failure
from osler.errors import RunStopped
from osler.runs.events import Failed
from osler.runs.plan import Column
from osler.runs.transcript import Transcript

KIND = "own_code"
"""What a run that ended so is stopped by."""
_ENOUGH = 3
"""Equal failures of a column after which the run is stopped, if no consultation of the column ever
succeeded."""
_MOST_SHOWN = 5
"""Different failures that are shown; `osler runs failures` has all."""


class OwnFailures:
    """Watches the consultations of a run as they end."""

    def __init__(
        self, has_succeeded: Callable[[Column], bool], stop: Callable[[RunStopped], None]
    ) -> None:
        """Take what tells whether a column ever succeeded, and what asks the run to end."""
        self._has_succeeded = has_succeeded
        self._stop = stop
        self._counts: Counter[tuple[Column, str]] = Counter()
        self._shown: set[str] = set()

    def ended(self, transcript: Transcript) -> None:
        """Take in a consultation that has ended."""
        failed = next(iter(transcript.of(Failed)), None)
        if failed is None or not failed.trace or not (failed.own_code or debugging()):
            return
        alike = failed.place or failed.message
        self._show(transcript, failed, alike)
        if not failed.own_code:
            return
        column = transcript.header.column
        self._counts[column, alike] += 1
        if self._counts[column, alike] >= _ENOUGH and not self._has_succeeded(column):
            line = (
                f"your own code failed alike in {_ENOUGH} consultations of {column}, and none"
                " succeeded"
            )
            self._stop(RunStopped(KIND, f"{line}: {failed.line}"))

    def _show(self, transcript: Transcript, failed: Failed, alike: str) -> None:
        if alike not in self._shown and len(self._shown) < _MOST_SHOWN:
            self._shown.add(alike)
            whose = "your own code" if failed.own_code else "Osler"
            print_failure(
                f"osler: {whose} failed in {transcript.header.cell}: {failed.line}", failed.trace
            )
