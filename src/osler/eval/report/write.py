"""Writing a report: checked before anything is counted, and written whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from osler.errors import UserError
from osler.eval.report.page import page_of
from osler.eval.report.pictures import Picture
from osler.eval.report.plots import style
from osler.eval.report.snapshot import Snapshot
from osler.eval.report.svg import files
from osler.eval.write_files import check_folder, check_free, write_whole
from osler.runs.store import RunFile

_EXTRAS = {"matplotlib": "matplotlib", "sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Report:
    """What was written."""

    page: Path
    size: int
    figures: tuple[Path, ...]


def write_report(
    run: str | Path,
    target: Path,
    *,
    judge: str | None = None,
    ruler: str | None = None,
    figures: Path | None = None,
    force: bool = False,
) -> Report:
    """Write the report of a run.

    Args:
        run: The run's name or file; it is only read, and may still be written by another process.
        target: The page.
        judge: Whose verdicts; the rules' ladder unless another is named.
        ruler: Whose leaks and fabrications; a model's that judged all replies, or else the rules'.
        figures: A folder for the figures as SVG and PNG; None: they are in the page alone.
        force: Whether files that are there are replaced.

    Raises:
        UserError: An extra is missing, the run cannot be read, or something cannot or must not be written.
    """
    _need_extras()
    with RunFile.open(run) as file:
        _check(target, file.path, force=force)
        if figures is not None and figures.exists() and not figures.is_dir():
            raise UserError(f"{figures} is no folder", "give a folder with --figures")
        text, pictures = page_of(Snapshot(file), judge, ruler)
    drawn = {} if figures is None else _drawn(pictures, figures)
    if figures is not None and drawn:
        figures.mkdir(parents=True, exist_ok=True)
    page = text.encode()
    write_whole(drawn | {target: page}, force=force)
    return Report(target, len(page), tuple(drawn))


def _need_extras() -> None:
    missing = [package for module, package in _EXTRAS.items() if find_spec(module) is None]
    if missing:
        raise UserError(f"a report needs {' and '.join(missing)}", "pip install 'osler[report]'")


def _drawn(pictures: list[Picture], folder: Path) -> dict[Path, bytes]:
    made: dict[Path, bytes] = {}
    with style():
        for picture in pictures:
            if picture.drawing is not None:
                made |= {folder / name: data for name, data in files(picture.drawing, picture.name).items()}
    return made


def _check(target: Path, run: Path, *, force: bool) -> None:
    if target.exists() and target.samefile(run):
        raise UserError(f"{target} is the run itself", "give the page another name with --out")
    if target.is_dir():
        raise UserError(f"{target} is a folder", "name a file with --out, as in --out report.html")
    check_folder(target.parent)
    check_free(target, force=force)
