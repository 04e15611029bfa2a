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
from typing import NamedTuple

from osler.errors import UserError
from osler.eval.compare import Comparison, compare, comparison_tables
from osler.eval.measures import Place
from osler.eval.report import drawing
from osler.eval.report.consultations import consultations_section
from osler.eval.report.failures import failures_section
from osler.eval.report.pictures import Picture, Pictures
from osler.eval.report.snapshot import Snapshot, shown_in_full
from osler.eval.write_files import check_folder, check_free, write_whole
from osler.language import Language
from osler.prompts import joint_hash
from osler.runs.run_pages import cost_text
from osler.runs.scored import ScoredConsultation
from osler.runs.store import RunFile
from osler.settings.stored import setting_rows
from osler.tables import Link, Table, TableColumn, html_table
from osler.tables.markup import Html, bounded, element, joined, table_element

_MADE_WITH = ("numpy", "matplotlib")
MOST_SHOWN = 200
"""Consultations on a page; more would make it too large to open."""
_LANGUAGES = {Language.EN: "English", Language.ZH: "Chinese"}


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
    patient_judge: str | None = None,
    figures: Path | None = None,
    force: bool = False,
) -> Report:
    """Write the report of a run.

    Args:
        run: The run's name or file; it is only read, and may still be written by another process.
        target: The page.
        judge: Whose verdicts; the run's own unless another is named.
        patient_judge: Whose word on leaks and fabrications; else the last model's that read
            replies.
        figures: A folder for the figures as SVG and PNG; None means in the page alone.
        force: Whether files that are there are replaced.

    Raises:
        UserError: matplotlib is missing, the run cannot be read, or something cannot or must not be
            written.
    """
    if find_spec("matplotlib") is None:
        raise UserError("a report needs matplotlib", "pip install 'osler[report]'")
    with RunFile.open(run) as file:
        _check(target, file.path, force=force)
        if figures is not None and figures.exists() and not figures.is_dir():
            raise UserError(f"{figures} is no folder", "give a folder with --figures")
        text, pictures = _page(Snapshot(file), judge, patient_judge)
    drawn: dict[Path, bytes] = {}
    for picture in pictures:
        if figures is not None and picture.drawing is not None:
            figures.mkdir(parents=True, exist_ok=True)
            for name, content in drawing.files(picture.drawing, picture.name).items():
                drawn[figures / name] = content
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


def _page(run: Snapshot, judge: str | None, patient_judge: str | None) -> tuple[str, list[Picture]]:
    """The page as text, and its figures."""
    consultations = list(run.consultations(judge, patient_judge))
    comparison = compare([run], judge=judge, patient_judge=patient_judge) if consultations else None
    pictures = Pictures(consultations, comparison.columns).draw() if comparison else []
    links = []
    body = []
    for section in _sections(run, consultations, comparison, pictures):
        title = element("h2", section.title, id=section.anchor)
        links.append(element("a", section.title, href=f"#{section.anchor}"))
        body.append(element("section", title, section.content))
    template = Template((files("osler.eval.report") / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=element("span", bounded(run.path.stem, 120)),
        lead=_lead(consultations, run.judge(judge)),
        warnings=_warnings(run, comparison),
        contents=joined(links),
        sections=joined(body),
    )
    return text, pictures


class _Section(NamedTuple):
    anchor: str
    title: str
    content: Html


def _sections(
    run: Snapshot,
    consultations: list[ScoredConsultation],
    comparison: Comparison | None,
    pictures: list[Picture],
) -> Iterator[_Section]:
    if comparison is not None:
        columns = comparison.columns
        shown = shown_in_full(consultations, MOST_SHOWN)
        main, *others = comparison_tables(comparison, place=Place.REPORT)
        tables = [_main_table(main), *map(_table, others)]
        failed = failures_section(run, consultations, columns, shown)
        held = consultations_section(run, consultations, columns, shown)
        yield _Section("comparison", "Comparison", joined(tables))
        yield _Section("figures", "Figures", _figures(pictures))
        yield _Section("failures", "Failures", failed)
        yield _Section("consultations", "Consultations", held)
    yield _Section("made-with", "Made with", _made_with(run))


def _lead(consultations: list[ScoredConsultation], judge: str) -> Html:
    if not consultations:
        return element(
            "p",
            "No consultation of this run has ended yet, so there is nothing to show but its"
            " settings.",
        )
    patients = len({consultation.patient for consultation in consultations})
    spoken = {_LANGUAGES[consultation.language] for consultation in consultations}
    languages = " and ".join(sorted(spoken))
    last = max(consultation.at for consultation in consultations)[:16].replace("T", " ")
    text = (
        f"{len(consultations):,} consultation(s) with {patients:,} patient(s), in {languages},"
        f" judged by {bounded(judge, 80)}. The last of them ended {bounded(last, 40)} UTC."
    )
    return element("p", text)


def _warnings(run: Snapshot, comparison: Comparison | None) -> Html:
    if comparison is None or not comparison.warnings:
        return Html()
    # A page is passed on: the run's name says enough, the folder it lay in is nobody's business.
    items = []
    for warning in comparison.warnings[:50]:
        without_folder = warning.replace(str(run.path), run.path.name)
        items.append(element("li", bounded(without_folder, 400)))
    title = element("strong", "To know before reading")
    return element("aside", title, element("ul", *items), class_="warnings")


def _main_table(table: Table) -> Html:
    """The first table: its columns lead to their consultations, failures to their list."""
    names, *columns = table.columns
    linked = []
    for place, column in enumerate(columns, start=1):
        linked.append(TableColumn(Link(column.header, f"#column-{place}")))
    rows = []
    for row in table.rows:
        is_of_failures = row[0].startswith("failed")
        rows.append(_linked_failures(row) if is_of_failures else row)
    # Warnings stand at the top of the page.
    notes = tuple(note for note in table.notes if not note.startswith("! "))
    return html_table(Table(table.title, (names, *linked), rows, notes))


def _linked_failures(row: list[str]) -> list[str]:
    name, *counts = row
    return [name, *(count if count == "0" else Link(count, "#failures") for count in counts)]


def _table(table: Table) -> Html:
    return joined([element("h3", table.title.capitalize()), html_table(table)])


def _figures(pictures: list[Picture]) -> Html:
    """Those that were drawn, then why the others were not."""
    drawn = []
    missing = []
    for picture in pictures:
        anchor = f"figure-{picture.name}"
        if picture.drawing is None:
            title = element("strong", f"{picture.title}. ")
            missing.append(element("p", title, picture.caption, id=anchor))
        else:
            words = f"{picture.title}. {picture.caption}"
            svg = drawing.inline(picture.drawing, picture.name, words)
            title = element("h3", picture.title)
            caption = element("figcaption", picture.caption)
            drawn.append(element("figure", title, svg, caption, id=anchor))
    return joined([element("div", *drawn, class_="figures"), *missing])


def _made_with(run: Snapshot) -> Html:
    about = run.about
    standing = run.file.status()
    judges = ", ".join(f"{name} ({count:,})" for name, count in run.file.judges().items())
    counts = (
        f"{standing.done:,} answered, {standing.failed:,} failed, {standing.todo:,} still to be"
        " held"
    )
    used = f"{standing.attempts:,} attempts, {standing.calls:,} calls, {standing.tokens:,} tokens"
    used += cost_text(standing, digits=4)
    packages = ", ".join(f"{package} {version(package)}" for package in _MADE_WITH)
    rows = [
        ("run", run.path.name),
        ("consultations", counts),
        ("used", f"{used}, {standing.seconds:.0f} s"),
        ("judges, and how many each judged", judges or "none"),
        ("Osler", about.get("version", "unknown")),
        ("prompts", _prompts(run)),
        *setting_rows(about["settings"]),
        ("report by", f"Python {platform.python_version()}, {packages}"),
    ]
    return table_element(["setting", "value"], ([name, bounded(text, 400)] for name, text in rows))


def _prompts(run: Snapshot) -> str:
    """The prompt templates that were used, by one hash."""
    used = run.file.prompts()
    if used:
        return f"{len(used)} templates, {joint_hash(used)}"
    return "none noted"
