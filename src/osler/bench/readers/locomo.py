"""Reader of LoCoMo: `locomo10.json`, and if wanted the corrections of the published audit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language

_KINDS = {
    1: QuestionKind.MULTI,
    2: QuestionKind.TEMPORAL,
    3: QuestionKind.OPEN,
    4: QuestionKind.SINGLE,
    5: QuestionKind.UNANSWERABLE,
}
"""The categories by their numbers, as the evaluation of the data set reads them."""
_SESSION = re.compile(r"session_(\d+)")
_MESSAGE = re.compile(r"D\d+:\d+")
"""A message; some evidence has several in one text."""
_DATE = "%I:%M %p on %d %B, %Y"

Corrections = Mapping[str, Mapping[str, Any]]
"""What the audit corrects, by its question ids: `locomo_0_qa1` is the second question of the first conversation."""


def is_locomo(folder: Path) -> bool:
    """Check whether a folder holds LoCoMo."""
    return any(folder.glob("locomo*.json"))


def read_locomo(folder: Path, corrections: Path | None = None) -> Iterator[BenchCase]:
    """Each conversation of two people is one history."""
    known = read_corrections(corrections) if corrections is not None else {}
    for path in sorted(folder.glob("locomo*.json")):
        file = DataFile(path, "LoCoMo")
        for place, sample in enumerate(file.checked(file.json(), list, "the file")):
            name = str(file.checked(sample, dict, f"conversation {place}").get("sample_id", place))
            writer = TurnWriter()
            numbers = _conversation(file, file.field(sample, "conversation", dict, name), name, writer)
            asked = [
                _question(file, f"{name}, question {at + 1}", row, known.get(f"locomo_{place}_qa{at}"), numbers)
                for at, row in enumerate(file.field(sample, "qa", list, name))
            ]
            turns, sessions = tuple(writer.turns), tuple(writer.sessions)
            yield BenchCase(name, "locomo", Language.EN, turns, tuple(asked), sessions)


def read_corrections(path: Path) -> dict[str, Mapping[str, Any]]:
    """The audit's `errors.json`, or a folder with its `errors_conv_N.json`.

    Raises:
        UserError: It is something else.
    """
    files = sorted(path.glob("errors*.json")) if path.is_dir() else [path]
    found: dict[str, Mapping[str, Any]] = {}
    for one in files:
        file = DataFile(one, "the audit of LoCoMo")
        data = file.json()
        rows = data.get("errors") if isinstance(data, dict) else data
        for number, row in enumerate(file.checked(rows, list, "the list of errors"), 1):
            found[file.field(row, "question_id", str, f"error {number}")] = row
    if not found:
        raise DataFile(path, "the audit of LoCoMo").error("it has no errors.json or errors_conv_N.json with errors")
    return found


def _conversation(file: DataFile, conversation: Mapping[str, Any], name: str, writer: TurnWriter) -> dict[str, int]:
    """Write the sessions in their order; return the turn of each message by its id."""
    numbers: dict[str, int] = {}
    sessions = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    if not sessions:
        raise file.error(f"{name}: there is no session_1")
    for session in sessions:
        where = f"{name}, session {session}"
        date = file.field(conversation, f"session_{session}_date_time", str, where)
        try:
            at = datetime.strptime(date, _DATE)  # noqa: DTZ007 -- turns have no time zone
        except ValueError:
            raise file.error(f"{where}: {date!r} is no date such as 1:56 pm on 8 May, 2023") from None
        rows = file.field(conversation, f"session_{session}", list, where)
        said = [Said(file.field(row, "speaker", str, where), _said(file, row, where)) for row in rows]
        ids = [file.field(row, "dia_id", str, where) for row in rows]
        numbers |= dict(zip(ids, writer.session(said, at), strict=True))
    return numbers


def _said(file: DataFile, row: Mapping[str, Any], where: str) -> str:
    """What was said, and what a picture that was shared shows."""
    text, shown = file.field(row, "text", str, where), row.get("blip_caption")
    return f"{text} [{shown}]" if shown else text


def _question(
    file: DataFile, where: str, row: Any, correction: Mapping[str, Any] | None, numbers: Mapping[str, int]
) -> BenchQuestion:
    text = file.field(row, "question", str, where)
    category = file.field(row, "category", int, where)
    if category not in _KINDS:
        raise file.error(f"{where}: there is no category {category}")
    kind = _KINDS[category]
    if kind is QuestionKind.UNANSWERABLE:
        return BenchQuestion(text, kind=kind)
    answer, evidence = row.get("answer"), row.get("evidence", ())
    if correction is not None:
        if correction.get("question") != text:
            raise file.error(f"{where}: the correction {correction.get('question_id')} is of another question")
        answer = correction.get("correct_answer", answer)
        evidence = correction.get("correct_evidence", evidence)
    if answer is None:
        raise file.error(f"{where}: 'answer' is missing")
    ids = _MESSAGE.findall(" ".join(map(str, evidence)))
    answer = str(answer)
    parts = tuple(part.strip() for part in answer.split(",")) if kind is QuestionKind.MULTI else ()
    gold = frozenset(numbers[one] for one in ids if one in numbers)
    return BenchQuestion(text, answer, parts, gold, kind, relation=kind)
