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
from osler.records.validation import Problem, Remark

_STATUS_STYLE = {Status.PRESENT: "bold", Status.ABSENT: "dim", Status.NORMAL: "green", Status.NOT_DONE: "yellow"}
_WIDEST = 120
_MOST_PROBLEMS = 1000
"""Problems that are kept; a file of a million broken lines says the same thing a million times."""


def printed(page: RenderableType) -> None:
    """Print a page; the text of a record is never taken for markup, nor can it change the text direction."""
    console = Console(markup=False, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, width=_WIDEST)
    with console.capture() as shown:
        console.print(page)
    console.file.write(unturned(shown.get()))


def listing(records: Iterable[PatientRecord]) -> Table:
    """One line per record."""
    table = Table(box=None, pad_edge=False)
    for title in ("id", "specialty", "age", "sex", "speaks", "diagnosis", "ICD-10", "entries"):
        table.add_column(title, justify="right" if title == "entries" else "left", no_wrap=title in {"id", "age"})
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
    """Show the record as a clinician would want to read it: who, the true diagnosis, then what can be asked."""
    return Group(_heading(record), Padding(_facts(record), (1, 0, 0, 2)), *_sections(record), *_visits(record))


def _heading(record: PatientRecord) -> Text:
    line = Text(record.id, style="bold")
    about = (record.age.label(record.language), label(record.sex, record.language), record.specialty or "")
    return line.append("  " + " · ".join(filter(None, about)), style="not bold")


def _facts(record: PatientRecord) -> Table:
    titles = load_texts(record.language, "record_page")
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")

    def row(name: str, text: str | None, style: str = "") -> None:
        if text:
            table.add_row(titles[name], Text(text, style=style))

    truth = record.diagnosis
    voice = (label(record.speaker, record.language), label(record.persona, record.language))
    row("speaks", f"{', '.join(voice)}, {record.expected_rounds} {titles['rounds']}")
    row("opens", f"“{record.complaint}”")
    row("wants", record.intent)
    row("diagnosis", f"{truth.name}{f' ({truth.icd10})' if truth.icd10 else ''}", "bold")
    row("also", ", ".join(truth.aliases))
    if record.treatment is not None:
        row("treatment", record.treatment.name, "bold")
        row("also", ", ".join(record.treatment.aliases))
        row("parts", ", ".join(part.name for part in record.treatment.parts))
        row("other", "; ".join(record.treatment.alternatives))
        for danger in record.treatment.unsafe:
            row("unsafe", f"{danger.name}: {danger.because}", "red")
    row("order", str(record.exam_order) if record.exam_order else None)
    row("date", str(record.date) if record.date else None)
    row("earlier", ", ".join(record.earlier))
    row("source", record.source)
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
    titles, language = load_texts(record.language, "record_page"), record.language
    for number, visit in enumerate(record.visits, start=1):
        speaker = label(visit.speaker or record.speaker, language)
        yield Text(f"\n{titles['visit'].format(number)} · {visit.date} · {speaker}", style="bold underline")
        for one in visit.exchanges:
            lines = (f"- {one.question}", f"  {one.reply}", *(f"  {line}" for line in one.results.splitlines()))
            yield Padding(Text("\n".join(lines)), (0, 0, 0, 2))
        for name in ("treatment", "outcome"):
            if told := getattr(visit, name):
                yield Padding(Text(f"{titles[name]}: {told}", style="cyan"), (0, 0, 0, 2))
    if record.key_facts:
        yield Text(f"\n{titles['key_facts']}", style="bold underline")
    for fact in record.key_facts:
        yield Padding(Text(f"{fact.question} {fact.answer} ({titles['visit'].format(fact.visit)})"), (0, 0, 0, 2))


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
    problems: tuple[Problem, ...]
    mended: tuple[str, ...]
    notes: tuple[str, ...]
    """What of the sources is not in the records, diagnoses that are not known, and what a reader should check."""

    @classmethod
    def of(
        cls,
        pool: RecordPool,
        inspect: Callable[[Diagnosis], Remark | None],
        notes_on: Callable[[PatientRecord], Iterable[str]] = lambda _: (),
    ) -> PoolCheck:
        """Read everything once; `inspect` looks at each diagnosis, `notes_on` at each sound record."""
        counts: Counter[tuple[str, Language]] = Counter()
        problems: list[Problem] = []
        mended: list[str] = []
        notes: list[str] = []
        for reading in pool.readings():
            found = list(reading.problems)
            remark = inspect(reading.record.diagnosis) if reading.record else None
            place = f"{reading.file}, {reading.place}" if reading.place else reading.file
            if remark and remark.is_problem:
                found.append(Problem(reading.file, remark.text, reading.place, "diagnosis.name"))
            elif reading.record is not None:
                counts[reading.record.specialty or "(none)", reading.record.language] += 1
                of_diagnosis = (remark.text,) if remark else ()
                of_record = (*reading.notes, *of_diagnosis, *notes_on(reading.record))
                notes.extend(f"{place}: {note}" for note in of_record)
            problems.extend(found[: _MOST_PROBLEMS - len(problems)])
            mended.extend(f"{reading.file}: {note}" for note in reading.mended)
        return cls(counts, tuple(problems), tuple(mended), tuple(notes[:_MOST_PROBLEMS]))

    @property
    def sound(self) -> int:
        """Records without a problem."""
        return self.by_specialty.total()

    def table(self) -> Table:
        """Records by specialty and language."""
        languages = sorted({language for _, language in self.by_specialty})
        table = Table(title=f"{self.sound} records, all sound", title_justify="left", show_footer=True)
        table.add_column("specialty", footer="all")
        for each in languages:
            total = sum(count for (_, language), count in self.by_specialty.items() if language is each)
            table.add_column(each.value, justify="right", footer=str(total))
        for specialty in sorted({specialty for specialty, _ in self.by_specialty}):
            table.add_row(specialty, *(str(self.by_specialty[specialty, language]) for language in languages))
        return table
