"""Export runs as files that open from disk: the page, and every response of the server as a script.

A page from disk may not fetch files, but it may load scripts. Each calls `Osler.given(address,
answer)`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from osler import __version__
from osler.errors import UserError
from osler.private import make_private
from osler.runs.store import CellState, RunFile, search_index
from osler.runs.store.run_names import FOLDER
from osler.runs.store.run_table import MOST, TableQuery
from osler.view import consultation_data, run_data
from osler.view.responses import UNREADABLE, NotFound, encoded
from osler.view.run_list import ListedRun, RunList

STATIC = Path(__file__).parent / "static"
MARK = "osler-export.txt"
"""Marks a folder that an export wrote, and that a later one may replace."""
POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:"
    " data:; base-uri 'none'; form-action 'none'"
)


class Exported(NamedTuple):
    """What was written."""

    folder: Path
    runs: int
    consultations: int
    unreadable: int
    """Consultations that are in the table but could not be read, and have no file."""
    size: int
    """Bytes."""


def export(runs: Iterable[str | Path], target: Path) -> Exported:
    """Write the page of some runs into a folder, completely or not at all.

    Raises UserError if that cannot be done.
    """
    all_runs = RunList(runs).all()
    if not all_runs:
        raise UserError(
            f"there is no run in {FOLDER}", "name one, or make one with `osler simulate`"
        )
    with _replacing(target) as folder:
        _page(folder)
        rows = [run_data.run(run) | {"live": False} for run in all_runs]
        _write_script(folder / "data" / "runs.js", {"api/runs": {"runs": rows}})
        readable = 0
        unreadable = 0
        for run in all_runs:
            counts = _write_run(run, folder / "data" / run.key)
            readable += counts.readable
            unreadable += counts.unreadable
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Exported(target, len(all_runs), readable, unreadable, size)


def _page(folder: Path) -> None:
    shutil.copytree(STATIC, folder, dirs_exist_ok=True)
    # Before anything of a run is in it.
    make_private(folder)
    index = folder / "index.html"
    html = index.read_text("utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    for place, more in (
        ('data-from="server"', 'data-from="disk"'),
        ("<head>", f"<head>\n{policy}"),
    ):
        assert html.count(place) == 1
        html = html.replace(place, more)
    index.write_text(html, "utf-8")
    (folder / MARK).write_text(
        f"Written by osler {__version__}. `osler export` may replace this folder.\n", "utf-8"
    )


class _Counts(NamedTuple):
    """Consultations of a run."""

    readable: int
    unreadable: int


def _write_run(run: ListedRun, folder: Path) -> _Counts:
    """Write all responses about one run."""
    address = f"api/runs/{run.key}"
    texts: dict[str, str] = {}
    """What was said, by consultation."""
    unreadable = 0
    with run.open() as file:
        rows = _all_rows(file)
        _write_script(folder / "all.js", {f"{address}/all": {"rows": rows}})
        _write_script(folder / "makers.js", {f"{address}/makers": run_data.makers(file)})
        for row in rows:
            if row["state"] == CellState.TODO:
                continue
            cell = row["cell"]
            try:
                texts[str(cell)] = _write_consultation(file, run.key, cell, folder)
            # Damaged, or put back on the list since the table was read.
            except (NotFound, *UNREADABLE):
                texts[str(cell)] = ""
                unreadable += 1
    _write_script(folder / "said.js", {f"{address}/said": texts})
    return _Counts(len(texts) - unreadable, unreadable)


def _all_rows(file: RunFile) -> list[dict[str, Any]]:
    query = TableQuery(judge=run_data.judge_of(file), sort="cell", limit=MOST)
    rows: list[dict[str, Any]] = []
    while page := run_data.table(file, query.model_copy(update={"offset": len(rows)}))["rows"]:
        rows += page
    return rows


def _write_consultation(file: RunFile, key: str, cell: int, folder: Path) -> str:
    """Write the file of one consultation; return what was said in it."""
    ended = consultation_data.ended(file, cell)
    data = consultation_data.consultation(file, key, ended)
    address = f"api/runs/{key}/rows/{cell}"
    answers = {address: data, f"{address}/truth": consultation_data.truth(file, ended)}
    for part in (*data["turns"], data["closing"]):
        for call in part["calls"]:
            number = call["number"]
            answers[f"{address}/calls/{number}"] = consultation_data.exact_call(ended, number)
    _write_script(folder / f"{cell}.js", answers)
    return search_index.spoken(ended.transcript)


def _write_script(path: Path, answers: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    calls = [
        f"Osler.given({_safe(address)},{_safe(answer)});\n" for address, answer in answers.items()
    ]
    path.write_text("".join(("'use strict';\n", *calls)), "utf-8", newline="\n")


def _safe(data: Any) -> str:
    """JSON that is also safe inside a script."""
    text = encoded(data).replace("<", "\\u003c")
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """An empty folder that takes the target's place at the end, or not at all."""
    if target.exists() and not target.is_dir():
        raise UserError(f"{target} is a file", "name a folder with -o")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise UserError(f"{target} holds something else", "name an empty or a new folder with -o")
    parent = target.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{target.name}.", dir=parent) as beside:
            new = Path(beside, "new")
            old = Path(beside, "old")
            new.mkdir()
            yield new
            if target.exists():
                target.rename(old)
            try:
                new.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
    except OSError as error:
        reason = error.strerror or error
        remedy = "check the disk and the rights of the folder"
        raise UserError(f"{target} cannot be written ({reason})", remedy) from None
