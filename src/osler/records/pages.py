"""Pages about records for a terminal: the list, one record, and the result of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from osler.errors import unturned
from osler.language import Language
from osler.locale import label, load_texts
from osler.records.pool import RecordPool
from osler.records.schema import Category, Diagnosis, Entry, Part, PatientRecord, Relevance, Status
from osler.records.validation import Problem

_STATUS_STYLE = {
    Status.PRESENT: "bold",
    Status.ABSENT: "dim",
    Status.NORMAL: "green",
    Status.NOT_DONE: "yellow",
}
_WIDEST = 120
_MOST_PROBLEMS = 1000
"""Problems in a list; a file of a million broken lines says the same thing a million times."""


def printed(page: RenderableType) -> None:
    """Print a page; a record's text is never taken for markup, nor can it turn the direction."""
    console = Console(markup=False, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, width=_WIDEST)
    with console.capture() as capture:
        console.print(page)
    console.file.write(unturned(capture.get()))


def listing(records: Iterable[PatientRecord]) -> Table:
    """One line per record."""
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("specialty")
    table.add_column("age", no_wrap=True)
    for title in ("sex", "speaks", "diagnosis", "ICD-10"):
        table.add_column(title)
    table.add_column("entries", justify="right")
    for record in records:
        cells = (
            record.id,
            record.specialty or "",
            record.age.label(record.language),
            label(record.sex, record.language),
            label(record.speaker, record.language),
            record.diagnosis.name,
            record.diagnosis.icd10 or "",
            str(len(record.entries)),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def page(record: PatientRecord) -> Group:
    """The record as a clinician would read it: who, the true diagnosis, then what can be asked."""
    return Group(
        _heading(record),
        Padding(_facts(record), (1, 0, 0, 2)),
        *_sections(record),
        *_visits(record),
    )


def _heading(record: PatientRecord) -> Text:
    line = Text(record.id, style="bold")
    about = (
        record.age.label(record.language),
        label(record.sex, record.language),
        record.specialty or "",
    )
    return line.append("  " + " · ".join(filter(None, about)), style="not bold")


def _facts(record: PatientRecord) -> Table:
    titles = load_texts(record.language, "record_page")
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")

    def row(name: str, text: str | None, style: str = "") -> None:
        if text:
            table.add_row(titles[name], Text(text, style=style))

    speaker = label(record.speaker, record.language)
    persona = label(record.persona, record.language)
    row("speaks", f"{speaker}, {persona}, {record.expected_rounds} {titles['rounds']}")
    row("opens", f"“{record.complaint}”")
    row("wants", record.intent)
    diagnosis = record.diagnosis
    code = f" ({diagnosis.icd10})" if diagnosis.icd10 else ""
    row("diagnosis", f"{diagnosis.name}{code}", "bold")
    row("also", ", ".join(diagnosis.aliases))
    treatment = record.treatment
    if treatment is not None:
        row("treatment", treatment.name, "bold")
        row("also", ", ".join(treatment.aliases))
        row("parts", ", ".join(part.name for part in treatment.parts))
        row("other", "; ".join(treatment.alternatives))
        for danger in treatment.unsafe:
            row("unsafe", f"{danger.name}: {danger.because}", "red")
    row("order", str(record.exam_order) if record.exam_order else None)
    row("date", str(record.date) if record.date else None)
    row("earlier", ", ".join(record.earlier))
    row("source", record.source)
    row("twin_of", record.twin_of)
    row("difference", record.difference)
    return table


def _sections(record: PatientRecord) -> Iterator[RenderableType]:
    for part in Part:
        entries = [entry for entry in record.entries if entry.part is part]
        if not entries:
            continue
        yield Text(f"\n{label(part, record.language)}", style="bold underline")
        for category in Category:
            chosen = [entry for entry in entries if entry.category is category]
            if chosen:
                yield Text(f"\n  {label(category, record.language)}", style="cyan")
                yield Padding(_entries(record, chosen), (0, 0, 0, 4))


def _visits(record: PatientRecord) -> Iterator[RenderableType]:
    """Earlier visits word for word, then the facts of them that matter."""
    titles = load_texts(record.language, "record_page")
    for number, visit in enumerate(record.visits, start=1):
        title = titles["visit"].format(number)
        speaker = label(visit.speaker or record.speaker, record.language)
        yield Text(f"\n{title} · {visit.date} · {speaker}", style="bold underline")
        for exchange in visit.exchanges:
            lines = [f"- {exchange.question}", f"  {exchange.reply}"]
            lines += [f"  {line}" for line in exchange.results.splitlines()]
            yield _indented(Text("\n".join(lines)))
        if visit.treatment:
            yield _indented(Text(f"{titles['treatment']}: {visit.treatment}", style="cyan"))
        if visit.outcome:
            yield _indented(Text(f"{titles['outcome']}: {visit.outcome}", style="cyan"))
    if record.key_facts:
        yield Text(f"\n{titles['key_facts']}", style="bold underline")
    for fact in record.key_facts:
        title = titles["visit"].format(fact.visit)
        yield _indented(Text(f"{fact.question} {fact.answer} ({title})"))


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))


def _entries(record: PatientRecord, entries: list[Entry]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(max_width=30, overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    marks = {Relevance.DECIDING: "★", Relevance.KEY: "", Relevance.INCIDENTAL: "·"}
    for entry in entries:
        when = f" ({entry.when})" if entry.when else ""
        status = Text(label(entry.status, record.language), style=_STATUS_STYLE[entry.status])
        table.add_row(marks[entry.relevance], Text(entry.name), status, Text(entry.report + when))
    return table


@dataclass(frozen=True)
class PoolCheck:
    """Counts and problems of a whole pool."""

    by_specialty: Counter[tuple[str, Language]]
    """Sound records without twins."""
    twins: int
    """Sound twins."""
    problems: tuple[Problem, ...]
    mended: tuple[str, ...]
    notes: tuple[str, ...]
    """What the records leave out of their sources, unknown diagnoses, and what to check."""

    @classmethod
    def of(
        cls,
        pool: RecordPool,
        inspect: Callable[[Diagnosis], str | None],
        notes_on: Callable[[PatientRecord], Iterable[str]] = lambda _: (),
    ) -> PoolCheck:
        """Read everything once.

        `inspect` may remark on a diagnosis, `notes_on` on a sound record.
        """
        counts: Counter[tuple[str, Language]] = Counter()
        twins = 0
        problems: list[Problem] = []
        mended: list[str] = []
        notes: list[str] = []
        for reading in pool.readings():
            record = reading.record
            if record is not None:
                if record.twin_of is None:
                    counts[record.specialty or "(none)", record.language] += 1
                else:
                    twins += 1
                place = f"{reading.file}, {reading.place}" if reading.place else reading.file
                remarks = list(reading.notes)
                remark = inspect(record.diagnosis)
                if remark:
                    remarks.append(remark)
                remarks.extend(notes_on(record))
                notes.extend(f"{place}: {note}" for note in remarks)
            problems.extend(reading.problems[: _MOST_PROBLEMS - len(problems)])
            mended.extend(f"{reading.file}: {note}" for note in reading.mended)
        remarks_shown = tuple(notes[:_MOST_PROBLEMS])
        return cls(counts, twins, tuple(problems), tuple(mended), remarks_shown)

    @property
    def sound(self) -> int:
        """Records without a problem, twins included."""
        return self.by_specialty.total() + self.twins

    def table(self) -> Table:
        """Records by specialty and language, without twins."""
        specialties = sorted({specialty for specialty, _ in self.by_specialty})
        languages = sorted({language for _, language in self.by_specialty})
        title = f"{self.by_specialty.total()} records, all sound"
        table = Table(title=title, title_justify="left", show_footer=True)
        table.add_column("specialty", footer="all")
        for language in languages:
            total = sum(self.by_specialty[specialty, language] for specialty in specialties)
            table.add_column(language.value, justify="right", footer=str(total))
        for specialty in specialties:
            counts = [str(self.by_specialty[specialty, language]) for language in languages]
            table.add_row(specialty, *counts)
        return table
