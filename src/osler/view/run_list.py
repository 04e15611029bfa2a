"""The runs that are shown, each under a short key: an address never holds a path."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from zlib import crc32

from osler.errors import UserError
from osler.runs.store import RunFile, forks_path, run_path
from osler.runs.store.reader import FOLDER, SUFFIX
from osler.view.responses import NotFound


@dataclass(frozen=True)
class ListedRun:
    """One run of the page."""

    key: str
    path: Path

    @property
    def name(self) -> str:
        """What people call it."""
        return self.path.name.removesuffix(SUFFIX)

    def open(self) -> RunFile:
        """A connection of one's own, for one answer.

        Opening costs under a millisecond. Nothing stays open between answers, so that a writer can always close its
        file, and a file that was deleted is noticed.

        Raises:
            NotFound: The run is gone.
            UserError: It cannot be read.
        """
        if not self.path.is_file():
            raise NotFound(f"the run {self.name} is gone", "start `osler view` again with the runs there are")
        try:
            return RunFile.open(self.path)
        except UserError as error:  # an answer names no path
            told = (text.replace(str(self.path), self.name) for text in (error.message, error.remedy))
            raise UserError(*told) from None

    def stamp(self) -> str:
        """Changes whenever something is written to the run; told from the files alone, so it can be asked often."""
        return f"{crc32(repr(self._written()).encode()):08x}"

    def changed_within(self, seconds: float) -> bool:
        """Whether something was written lately."""
        return time.time() - max(at for at, _ in self._written()) / 1e9 < seconds

    def _written(self) -> list[tuple[int, int]]:
        """Of the file, and of the log beside it where a run that is being written keeps its last words."""
        return [_state(self.path), _state(self.path.with_name(f"{self.path.name}-wal"))]


def _state(path: Path) -> tuple[int, int]:
    """When a file was last written, and its size; an empty one is as good as none, since readers make such."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return (found.st_mtime_ns, found.st_size) if found.st_size else (0, 0)


class RunList:
    """Runs by key, in the order they were given, with their forks. Without any, the runs of the usual folder.

    It looks again whenever it is asked: runs and forks that are made later come last, and a key never changes.
    """

    def __init__(self, names: Iterable[str | Path] = ()) -> None:
        """Take the runs.

        Raises:
            UserError: One of them cannot be opened.
        """
        self._runs: dict[str, ListedRun] = {}
        self._looking = Lock()
        self._given = list(dict.fromkeys(run_path(name) for name in names))
        for path in self._given:
            RunFile.open(path).close()
        self._look()

    def _look(self) -> None:
        forks = map(forks_path, self._given)
        there = [*self._given, *filter(Path.is_file, forks)] if self._given else sorted(FOLDER.glob(f"*{SUFFIX}"))
        with self._looking:
            known = {run.path for run in self._runs.values()}
            for path in dict.fromkeys(there):
                if path not in known:
                    key = f"k{len(self._runs)}"
                    self._runs[key] = ListedRun(key, path)

    def all(self) -> list[ListedRun]:
        """Every run that is there now."""
        self._look()
        return [run for run in list(self._runs.values()) if run.path.is_file()]

    def get(self, key: str) -> ListedRun:
        """The run of a key.

        Raises:
            NotFound: There is none.
        """
        if key not in self._runs:
            raise NotFound("there is no such run", "go back to the list of runs")
        return self._runs[key]

    def key_of(self, path: Path) -> str | None:
        """The key of a run that is shown; None: it is not."""
        self._look()
        sought = path.resolve()
        return next((run.key for run in list(self._runs.values()) if run.path.resolve() == sought), None)
