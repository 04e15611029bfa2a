"""What the tests of blind rating share: runs in which everybody says what the test wants, and
sheets that are filled in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from osler.memory.base import Recall
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, Concluded, Ending, Event, Maker, Recalled, Role
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter
from osler.runs.transcript import Header, Transcript
from osler.settings.run_settings import RunSettings
from tests.conftest import small_record
from tests.headers import header_of

BACKBONES = ("Zebra-7B@http://127.0.0.1:9/v1", "openai:okapi-4o")
MEMORIES = ("quagga,k=3", "raw")
_SCALES = (6, 7, 8)
"""The columns of the three scales."""
TRUTH = "Ankle sprain"

Say = Callable[[str, int], str]


def plain(what: str, turn: int) -> str:
    return f"{what} of turn {turn}"


def consultation(
    header: Header, say: Say, questions: int, ending: Ending = Ending.CONCLUDED
) -> Transcript:
    """A consultation in which everybody says what the test wants; it goes on for some questions."""
    events: list[Event] = []
    heard = "I twisted my ankle."
    for turn in range(1, questions + 1):
        recall = Recall(text=say("recall", turn)) if turn > 2 else Recall()
        question, reply = say("question", turn), say("reply", turn)
        events.append(Recalled(turn=turn, role=Role.MEMORY, query=heard, recall=recall))
        events.append(Asked(turn=turn, role=Role.DOCTOR, question=question))
        events.append(Answered(turn=turn, role=Role.PATIENT, reply=reply, maker=Maker.RULES))
        heard = reply
    last = questions + 1
    events.append(
        Recalled(turn=last, role=Role.MEMORY, query=heard, recall=Recall(text=say("recall", last)))
    )
    if ending.is_answer:
        events.append(
            Concluded(
                turn=last,
                role=Role.DOCTOR,
                diagnosis=say("diagnosis", last),
                treatment=say("treatment", last),
            )
        )
    return Transcript(header=header, ending=ending, events=tuple(events))


def a_run(
    path: Path,
    say: Say = plain,
    patients: int = 4,
    questions: Callable[[int], int] = lambda number: 5,
    ending: Callable[[int], Ending] = lambda number: Ending.CONCLUDED,
) -> RunFile:
    """A run of two backbones and two memories; `questions` and `ending` are told the number of the
    consultation."""
    records = [
        PatientRecord.model_validate(small_record(id=f"gnu-{number}-en", patient=f"gnu-{number}"))
        for number in range(patients)
    ]
    by_id = {record.id: record for record in records}
    with RunWriter.create_or_resume(path, {"settings": RunSettings().as_json()}) as run:
        for number in run.extend(Plan(records, BACKBONES, MEMORIES)).todo:
            cell = run.cell(number)
            header = header_of(cell, by_id[cell.case])
            run.finish(number, consultation(header, say, questions(number), ending(number)))
    return RunFile.open(path)


def items_of(path: Path) -> Worksheet:
    page = load_workbook(path).worksheets[1]
    assert isinstance(page, Worksheet)
    return page


def cells_of(path: Path) -> dict[str, tuple[str, ...]]:
    """The texts of each item."""
    return {
        str(row[0]): tuple(map(str, row[1:5]))
        for row in items_of(path).iter_rows(min_row=2, values_only=True)
    }


def fill(
    path: Path, values: Callable[[str], tuple[object, object, object]], comment: str = ""
) -> None:
    """Rate every item as a person would: open, enter, save."""
    book = load_workbook(path)
    page = book.worksheets[1]
    for row in range(2, page.max_row + 1):
        for column, value in zip(_SCALES, values(str(page.cell(row, 1).value)), strict=True):
            page.cell(row, column).value = value  # type: ignore[assignment]
        page.cell(row, 9).value = comment or None
        page.cell(row, 9).data_type = "s"
    book.save(path)
