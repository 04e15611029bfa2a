"""Reader of LoCoMo: `locomo10.json`, and if wanted the corrections of the published audit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
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
"""What the audit corrects, by its question ids.

`locomo_0_qa1` is the second question of the first conversation."""


def is_locomo(folder: Path) -> bool:
    """Check whether a folder holds LoCoMo."""
    return any(folder.glob("locomo*.json"))


def read_locomo(folder: Path, corrections: Path | None = None) -> Iterator[BenchCase]:
    """Each conversation of two people is one history."""
    by_id = read_corrections(corrections) if corrections is not None else {}
    for path in sorted(folder.glob("locomo*.json")):
        file = DataFile(path, "LoCoMo")
        for place, sample in enumerate(file.checked(file.json(), list, "the file")):
            yield _case(file, place, sample, by_id)


def _case(file: DataFile, place: int, sample: Any, corrections: Corrections) -> BenchCase:
    name = str(file.checked(sample, dict, f"conversation {place}").get("sample_id", place))
    conversation = file.field(sample, "conversation", dict, name)
    writer = TurnWriter()
    turns = _write_sessions(file, conversation, name, writer)
    questions = []
    for number, row in enumerate(file.field(sample, "qa", list, name)):
        correction = corrections.get(f"locomo_{place}_qa{number}")
        where = f"{name}, question {number + 1}"
        questions.append(_question(file, where, row, correction, turns))
    return BenchCase(
        person=name,
        data="locomo",
        language=Language.EN,
        turns=tuple(writer.turns),
        questions=tuple(questions),
        sessions=tuple(writer.sessions),
    )


def read_corrections(path: Path) -> dict[str, Mapping[str, Any]]:
    """The audit's `errors.json`, or a folder with its `errors_conv_N.json`.

    Raises:
        UserError: It is something else.
    """
    paths = sorted(path.glob("errors*.json")) if path.is_dir() else [path]
    corrections: dict[str, Mapping[str, Any]] = {}
    for error_path in paths:
        file = DataFile(error_path, "the audit of LoCoMo")
        data = file.json()
        rows = data.get("errors") if isinstance(data, dict) else data
        for number, row in enumerate(file.checked(rows, list, "the list of errors"), 1):
            corrections[file.field(row, "question_id", str, f"error {number}")] = row
    if not corrections:
        raise DataFile(path, "the audit of LoCoMo").error(
            "it has no errors.json or errors_conv_N.json with errors"
        )
    return corrections


def _write_sessions(
    file: DataFile, conversation: Mapping[str, Any], name: str, writer: TurnWriter
) -> dict[str, int]:
    """Write the sessions in their order; return the turn of each message by its id."""
    turns: dict[str, int] = {}
    matches = filter(None, map(_SESSION.fullmatch, conversation))
    sessions = sorted(int(match[1]) for match in matches)
    if not sessions:
        raise file.error(f"{name}: there is no session_1")
    for session in sessions:
        where = f"{name}, session {session}"
        date = file.field(conversation, f"session_{session}_date_time", str, where)
        at = _parse_date(file, date, where)
        rows = file.field(conversation, f"session_{session}", list, where)
        messages = [_message(file, row, where) for row in rows]
        ids = [file.field(row, "dia_id", str, where) for row in rows]
        turns |= dict(zip(ids, writer.session(messages, at), strict=True))
    return turns


def _parse_date(file: DataFile, text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, _DATE)  # noqa: DTZ007 -- turns have no time zone
    except ValueError:
        raise file.error(f"{where}: {text!r} is no date such as 1:56 pm on 8 May, 2023") from None


def _message(file: DataFile, row: Mapping[str, Any], where: str) -> Message:
    """What somebody said, and what a picture that was shared shows."""
    speaker = file.field(row, "speaker", str, where)
    text = file.field(row, "text", str, where)
    caption = row.get("blip_caption")
    return Message(speaker, f"{text} [{caption}]" if caption else text)


def _question(
    file: DataFile,
    where: str,
    row: Any,
    correction: Mapping[str, Any] | None,
    turns: Mapping[str, int],
) -> BenchQuestion:
    text = file.field(row, "question", str, where)
    category = file.field(row, "category", int, where)
    if category not in _KINDS:
        raise file.error(f"{where}: there is no category {category}")
    kind = _KINDS[category]
    if kind is QuestionKind.UNANSWERABLE:
        return BenchQuestion(text, kind=kind)
    answer = row.get("answer")
    evidence = row.get("evidence", ())
    if correction is not None:
        if correction.get("question") != text:
            raise file.error(
                f"{where}: the correction {correction.get('question_id')} is of another question"
            )
        answer = correction.get("correct_answer", answer)
        evidence = correction.get("correct_evidence", evidence)
    if answer is None:
        raise file.error(f"{where}: 'answer' is missing")
    answer = str(answer)
    parts: tuple[str, ...] = ()
    if kind is QuestionKind.MULTI:
        parts = tuple(part.strip() for part in answer.split(","))
    ids = _MESSAGE.findall(" ".join(map(str, evidence)))
    gold = frozenset(turns[message] for message in ids if message in turns)
    return BenchQuestion(text, answer, parts, gold, kind, relation=kind)
