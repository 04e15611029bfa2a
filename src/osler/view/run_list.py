"""The runs that the page shows, each under a short key: an address never holds a path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from zlib import crc32

from osler.errors import UserError
from osler.runs.store import RunFile, forks_path, run_path
from osler.runs.store.run_names import FOLDER, SUFFIX
from osler.view.responses import NotFound

PATIENCE = 20.0
"""Seconds after which a request for changes is answered although nothing has changed."""
_POLL = 0.5
"""Seconds between two looks at a folder."""
_NO_RUNS = "none"
"""The stamp if there are no runs: an empty one would be answered at once."""


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
        """A new connection, for one response.

        Raises NotFound if the run is gone, UserError if it cannot be read.

        Nothing stays open between responses, so that a writer can always close its file, and a
        deleted file is noticed.
        """
        if not self.path.is_file():
            raise NotFound(
                f"the run {self.name} is gone", "start `osler view` again with the runs there are"
            )
        try:
            return RunFile.open(self.path)
        except UserError as error:  # a response names no path
            told = (
                text.replace(str(self.path), self.name) for text in (error.message, error.remedy)
            )
            raise UserError(*told) from None

    def stamp(self) -> str:
        """Changes whenever something is written to the run.

        Reads only file times and sizes, so it is cheap.
        """
        return f"{crc32(repr(self._written()).encode()):08x}"

    def changed_within(self, seconds: float) -> bool:
        """Check whether something was written lately."""
        return time.time() - max(at for at, _ in self._written()) / 1e9 < seconds

    def _written(self) -> list[tuple[int, int]]:
        """Time and size of the file and its write-ahead log.

        An empty log does not count, since readers make such.
        """
        found = [(0, 0)]
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(OSError):
                if (state := path.stat()).st_size:
                    found.append((state.st_mtime_ns, state.st_size))
        return found


class RunList:
    """Runs by key, in the order they were given, with their forks.

    If none are given, they are the runs of the usual folder.

    It looks again whenever it is asked: runs and forks that are made later come last, and a key
    never changes.
    """

    def __init__(self, names: Iterable[str | Path] = ()) -> None:
        """Take the runs. Raises UserError if one of them cannot be opened."""
        self._runs: dict[str, ListedRun] = {}
        self._looking = Lock()
        self._given = list(dict.fromkeys(run_path(name) for name in names))
        for path in self._given:
            RunFile.open(path).close()
        self._look()

    def _look(self) -> None:
        forks = map(forks_path, self._given)
        if self._given:
            there = [*self._given, *filter(Path.is_file, forks)]
        else:
            there = sorted(FOLDER.glob(f"*{SUFFIX}"))
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
        """The run of a key. Raises NotFound if there is none."""
        if key not in self._runs:
            raise NotFound("there is no such run", "go back to the list of runs")
        return self._runs[key]

    def key_of(self, path: Path) -> str | None:
        """Return the key of a run, or None if it is not shown."""
        return next((run.key for run in self.all() if run.path.resolve() == path.resolve()), None)

    async def wait_for_change(self, since: str) -> dict[str, Any]:
        """The stamp of all runs, and the keys of those that changed, once there are any."""
        until = time.monotonic() + PATIENCE
        while True:
            stamp, changed = await asyncio.to_thread(self._changes, since)
            if changed or not since or time.monotonic() >= until:
                return {"stamp": stamp, "runs": changed}
            await asyncio.sleep(_POLL)

    def _changes(self, since: str) -> tuple[str, list[str]]:
        """A stamp holds one part per run, so nothing has to be kept about who asked when."""
        now = {run.key: run.stamp() for run in self.all()}
        before = dict(part.split("-", 1) for part in since.split(".") if "-" in part)
        changed = [key for key, stamp in now.items() if before.get(key) != stamp] if since else []
        changed += [key for key in before if key not in now]
        return ".".join(f"{key}-{stamp}" for key, stamp in now.items()) or _NO_RUNS, changed
