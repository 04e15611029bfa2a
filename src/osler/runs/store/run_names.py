"""The names of runs.

The file behind a name, the name of a file, a fresh name, and the run that `latest` means.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from osler.errors import UserError
from osler.runs.store.connection import connect_for_reading, log_of

FOLDER = Path("runs")
SUFFIX = ".osler"
FORKS = ".forks"
"""What the run of a run's forks has behind its name."""
LATEST = "latest"
"""Stands for the run of the folder that was started or resumed last."""


def run_path(name: str | Path) -> Path:
    """The file of a run.

    A path, or a name that means `runs/NAME.osler`, also beside a folder of that name.

    Raises:
        UserError: It is `latest`, and there is no run.
    """
    path = Path(name)
    if path.suffix == SUFFIX or os.path.isfile(path) or path.name in ("", ".."):
        return path
    if str(path) == LATEST:
        return _latest_run()
    if len(path.parts) > 1:
        return path.with_name(path.name + SUFFIX)
    return FOLDER / f"{path}{SUFFIX}"


def run_name(path: Path) -> str:
    """Return a run as one would type it: its name if it is in `runs`, else its path."""
    is_name = path.stem != LATEST and FOLDER / f"{path.stem}{SUFFIX}" == path
    if is_name:
        return path.stem
    return str(path)


def fresh_paths() -> Iterator[Path]:
    """Files for a new run that was given no name, none of which was there.

    Their names are today's date and a number.
    """
    today = datetime.now(UTC).astimezone().date()
    for number in count(1):
        path = FOLDER / f"{today}-{number:03}{SUFFIX}"
        if not path.exists():
            yield path


def _latest_run() -> Path:
    """The run whose last session began last.

    Scoring or explaining a run does not make it the latest.
    """
    found: tuple[str, float, Path] | None = None
    for changed, path in sorted(
        ((_changed(path), path) for path in FOLDER.glob(f"*{SUFFIX}")), reverse=True
    ):
        if (
            found
            and datetime.fromtimestamp(changed + 1, UTC).isoformat(timespec="seconds") < found[0]
        ):
            break  # it was not even written to since the one that was found began
        if not path.stem.endswith(FORKS) and (began := _last_began(path)):
            found = max(found or ("", 0.0, path), (began, changed, path))
    if found is None:
        raise UserError(f"there is no run in {FOLDER} yet", "`osler simulate` makes one")
    return found[2]


def _changed(path: Path) -> float:
    """When a run was last written to; what is new is in its log first."""
    return max(
        (part.stat().st_mtime for part in (path, log_of(path)) if part.exists()), default=0.0
    )


def _last_began(path: Path) -> str:
    """When the last session of a run began.

    It is empty for a run without a session, and for what is no run or cannot be read.
    """
    try:
        with closing(connect_for_reading(path)) as file:
            ((began,),) = file.execute("SELECT max(began) FROM sessions")
    except (sqlite3.Error, OSError):
        return ""
    if isinstance(began, str):
        return began
    return ""
