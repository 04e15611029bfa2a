"""Write the report of a run: one page with its table, figures, failures and consultations."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from osler.errors import UserError
from osler.eval.compare import Comparison, compare
from osler.eval.compare.grid import grids
from osler.eval.report import drawing
from osler.eval.report.consultations import MOST, consultations, failures
from osler.eval.report.markup import Html, bounded, element, joined, table
from osler.eval.report.pictures import Picture, Pictures
from osler.eval.report.snapshot import Row, Snapshot, shown_in_full
from osler.eval.text_tables import Grid
from osler.eval.write_files import check_folder, check_free, write_whole
from osler.prompts import joint_hash
from osler.runs.run_pages import cost_text
from osler.runs.store import RunFile

_LONGEST_CELL = 200
_MADE_WITH = ("numpy", "matplotlib", "scikit-learn")
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
        figures: A folder for the figures as SVG and PNG; None means in the page alone.
        force: Whether files that are there are replaced.

    Raises:
        UserError: An extra is missing, the run cannot be read, or something cannot or must not be written.
    """
    missing = [package for module, package in _EXTRAS.items() if find_spec(module) is None]
    if missing:
        raise UserError(f"a report needs {' and '.join(missing)}", "pip install 'osler[report]'")
    with RunFile.open(run) as file:
        _check(target, file.path, force=force)
        if figures is not None and figures.exists() and not figures.is_dir():
            raise UserError(f"{figures} is no folder", "give a folder with --figures")
        text, pictures = _page(Snapshot(file), judge, ruler)
    drawn: dict[Path, bytes] = {}
    for picture in pictures:
        if figures is not None and picture.drawing is not None:
            figures.mkdir(parents=True, exist_ok=True)
            drawn |= {figures / name: data for name, data in drawing.files(picture.drawing, picture.name).items()}
    page = text.encode()
    write_whole(drawn | {target: page}, force=force)
    return Report(target, len(page), tuple(drawn))


def _check(target: Path, run: Path, *, force: bool) -> None:
    if target.exists() and target.samefile(run):
        raise UserError(f"{target} is the run itself", "give the page another name with --out")
    if target.is_dir():
        raise UserError(f"{target} is a folder", "name a file with --out, as in --out report.html")
    check_folder(target.parent)
    check_free(target, force=force)


def _page(run: Snapshot, judge: str | None, ruler: str | None) -> tuple[str, list[Picture]]:
    """The page as text, and its figures."""
    rows = list(run.rows(judge, ruler))
    comparison = compare([run], judge=judge, ruler=ruler) if rows else None
    pictures = Pictures(run, rows, comparison.columns).draw() if comparison else []
    sections = list(_sections(run, rows, comparison, pictures))
    links = (element("a", title, href=f"#{anchor}") for anchor, title, _ in sections)
    body = (element("section", element("h2", title, id=f"{anchor}"), inside) for anchor, title, inside in sections)
    template = Template((files("osler.eval.report") / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=element("span", bounded(run.path.stem, 120)),
        lead=_lead(run, rows, run.judge(judge)),
        warnings=_warnings(run, comparison),
        contents=joined(links),
        sections=joined(body),
    )
    return text, pictures


def _sections(
    run: Snapshot, rows: list[Row], comparison: Comparison | None, pictures: list[Picture]
) -> Iterator[tuple[str, str, Html]]:
    """Every section: its anchor, its title and what is in it."""
    if comparison is not None:
        shown = {row["number"] for row in shown_in_full(rows, MOST)}
        agreement = element("p", f"How far leaks and fabrications can be believed: {comparison.ruler_agreement}.")
        tables = joined([*(_grid(grid, main=not place) for place, grid in enumerate(grids(comparison))), agreement])
        yield "comparison", "Comparison", tables
        yield "figures", "Figures", _figures(pictures)
        yield "failures", "Failures", failures(run, rows, comparison.columns, shown)
        yield "consultations", "Consultations", consultations(run, rows, comparison.columns, shown)
    yield "made-with", "Made with", _made_with(run)


def _lead(run: Snapshot, rows: list[Row], judge: str) -> Html:
    if not rows:
        return element("p", "No consultation of this run has ended yet, so there is nothing to show but its settings.")
    patients = len({row["patient"] for row in rows})
    languages = " and ".join(sorted({{"en": "English", "zh": "Chinese"}[row["language"]] for row in rows}))
    last = max(row["at"] for row in rows)[:16].replace("T", " ")
    told = (
        f"{len(rows):,} consultation(s) with {patients:,} patient(s), in {languages}, judged by {bounded(judge, 80)}."
        f" The last of them ended {bounded(last, 40)} UTC."
    )
    return element("p", told)


def _warnings(run: Snapshot, comparison: Comparison | None) -> Html:
    if comparison is None or not comparison.warnings:
        return Html()
    # A page is passed on: the run's name says enough, the folder it lay in is nobody's business.
    told = (warning.replace(str(run.path), run.path.name) for warning in comparison.warnings[:50])
    items = (element("li", bounded(warning, 400)) for warning in told)
    return element("aside", element("strong", "To know before reading"), element("ul", *items), class_="warnings")


def _grid(grid: Grid, *, main: bool) -> Html:
    header: list[str | Html] = [bounded(cell, _LONGEST_CELL) for cell in grid.header]
    if main:
        linked = (element("a", cell, href=f"#column-{place}") for place, cell in enumerate(header[1:], start=1))
        header = [header[0], *linked]
    rows: list[list[str | Html]] = [[bounded(cell, _LONGEST_CELL) for cell in row] for row in grid.rows]
    for row in rows:
        if main and row[0].startswith("failed"):
            row[1:] = [cell if cell == "0" else element("a", cell, href="#failures") for cell in row[1:]]
    notes = (element("p", bounded(note, 400), class_="note") for note in grid.notes if not note.startswith("! "))
    title = [] if main else [element("h3", grid.title.capitalize())]
    return joined([*title, table(header, rows, numbers=main), *notes])


def _figures(pictures: list[Picture]) -> Html:
    """Those that were drawn, then why the others were not."""
    drawn, words = [], []
    for picture in pictures:
        anchor = f"figure-{picture.name}"
        if picture.drawing is None:
            words.append(element("p", element("strong", f"{picture.title}. "), picture.caption, id=anchor))
        else:
            svg = drawing.inline(picture.drawing, picture.name, f"{picture.title}. {picture.caption}")
            caption = element("figcaption", picture.caption)
            drawn.append(element("figure", element("h3", picture.title), svg, caption, id=anchor))
    return joined([element("div", *drawn, class_="figures"), *words])


def _made_with(run: Snapshot) -> Html:
    about, standing = run.about, run.file.status()
    judges = ", ".join(f"{name} ({count:,})" for name, count in run.file.judges().items())
    held = f"{standing.done:,} answered, {standing.failed:,} failed, {standing.todo:,} still to be held"
    used = f"{standing.attempts:,} attempts, {standing.calls:,} calls, {standing.tokens:,} tokens"
    used += cost_text(standing, digits=4)
    packages = ", ".join(f"{package} {version(package)}" for package in _MADE_WITH)
    told = [
        ("run", run.path.name),
        ("consultations", held),
        ("used", f"{used}, {standing.seconds:.0f} s"),
        ("judges, and how many each judged", judges or "none"),
        ("Osler", about["version"]),
        ("prompts", _prompts(run)),
        *((name.replace("_", " "), _setting(value)) for name, value in about["settings"].items()),
        ("report by", f"Python {platform.python_version()}, {packages}"),
    ]
    return table(["setting", "value"], ([name, bounded(value, 400)] for name, value in told))


def _prompts(run: Snapshot) -> str:
    """The prompt templates that were used, by one hash; a run of an earlier version has one over all of a language."""
    if of_languages := run.about.get("prompts"):
        return ", ".join(f"{language} {mark}" for language, mark in of_languages.items())
    used = run.file.prompts()
    return f"{len(used)} templates, {joint_hash(used)}" if used else "none noted"


def _setting(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items() if one is not None) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)
