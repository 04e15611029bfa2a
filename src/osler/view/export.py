"""Export runs as files that open from disk.

The same page, with every response of the server in a script beside it.

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
    shelf = RunList(runs).all()
    if not shelf:
        raise UserError(
            f"there is no run in {FOLDER}", "name one, or make one with `osler simulate`"
        )
    with _replacing(target) as folder:
        _page(folder)
        listed = [run_data.run(shown) | {"live": False} for shown in shelf]
        _write_script(folder / "data" / "runs.js", {"api/runs": {"runs": listed}})
        written = [_run(shown, folder / "data" / shown.key) for shown in shelf]
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    whole = sum(done for done, _ in written)
    return Exported(target, len(shelf), whole, sum(left for _, left in written), size)


def _page(folder: Path) -> None:
    shutil.copytree(STATIC, folder, dirs_exist_ok=True)
    make_private(folder)  # before anything of a run is in it
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


def _run(shown: ListedRun, folder: Path) -> tuple[int, int]:
    """Write all responses about one run.

    Return how many consultations there are, and how many could not be read.
    """
    address = f"api/runs/{shown.key}"
    said: dict[str, str] = {}
    unreadable = 0
    with shown.open() as file:
        query = TableQuery(judge=run_data.judge_of(file), sort="cell", limit=MOST)
        rows: list[dict[str, Any]] = []
        while page := run_data.table(file, query.model_copy(update={"offset": len(rows)}))["rows"]:
            rows += page
        _write_script(folder / "all.js", {f"{address}/all": {"rows": rows}})
        _write_script(folder / "makers.js", {f"{address}/makers": run_data.makers(file)})
        for cell in (row["cell"] for row in rows if row["state"] != CellState.TODO):
            try:
                said[str(cell)] = _consultation(file, shown.key, cell, folder)
            except (
                NotFound,
                *UNREADABLE,
            ):  # damaged, or put back on the list since the table was read
                said[str(cell)] = ""
                unreadable += 1
    _write_script(folder / "said.js", {f"{address}/said": said})
    return len(said) - unreadable, unreadable


def _consultation(file: RunFile, key: str, cell: int, folder: Path) -> str:
    """Write the file of one consultation; return what was said in it."""
    held = consultation_data.ended(file, cell)
    address, told = f"api/runs/{key}/rows/{cell}", consultation_data.consultation(file, key, held)
    answers = {address: told, f"{address}/truth": consultation_data.truth(file, held)}
    for part in (*told["turns"], told["closing"]):
        for number in (call["number"] for call in part["calls"]):
            answers[f"{address}/calls/{number}"] = consultation_data.exact_call(held, number)
    _write_script(folder / f"{cell}.js", answers)
    return search_index.spoken(held.transcript)


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
            new, old = Path(beside, "new"), Path(beside, "old")
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
