"""Reader of GVD (MemoryBank): `memory_bank_en.json`, `probing_questions_en.jsonl`, also `cn`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
from osler.bench.readers.gold_turns import with_gold_turns
from osler.bench.readers.json_files import DataFile
from osler.language import Language

_CODES = {Language.EN: "en", Language.ZH: "cn"}
_COMPANION = {Language.EN: "AI companion", Language.ZH: "AI伴侣"}


def is_gvd(folder: Path) -> bool:
    """Check whether a folder holds GVD."""
    return any((folder / f"memory_bank_{code}.json").exists() for code in _CODES.values())


def read_gvd(folder: Path) -> Iterator[BenchCase]:
    """Each virtual user is one person; the data has no gold answers."""
    for language, code in _CODES.items():
        if (folder / f"memory_bank_{code}.json").exists():
            yield from _of_language(folder, language, code)


def _of_language(folder: Path, language: Language, code: str) -> Iterator[BenchCase]:
    user_file = DataFile(folder / f"memory_bank_{code}.json", "GVD")
    question_file = DataFile(folder / f"probing_questions_{code}.jsonl", "GVD")
    users = {}
    for name, user in user_file.checked(user_file.json(), dict, "the file").items():
        users[name.strip()] = user
    for place, (name, texts) in enumerate(_question_rows(question_file)):
        if name not in users:
            raise question_file.error(f"{user_file.path.name} has no user {name!r}")
        questions = [BenchQuestion(question_file.checked(text, str, name)) for text in texts]
        labelled = with_gold_turns(f"gvd_{language}", place, questions)
        writer = _history(user_file, name, users[name], language)
        yield BenchCase(
            person=name,
            data=f"gvd {language}",
            language=language,
            turns=tuple(writer.turns),
            questions=tuple(map(_with_kind, labelled)),
            sessions=tuple(writer.sessions),
            left_out=len(questions) - len(labelled),
        )


def _question_rows(file: DataFile) -> Iterator[tuple[str, list[object]]]:
    """Each user's name and questions."""
    for line in file.lines():
        for name, texts in file.checked(line, dict, "a line").items():
            name = name.strip()
            yield name, file.checked(texts, list, name)


def _with_kind(question: BenchQuestion) -> BenchQuestion:
    if len(question.turns) > 1:
        return replace(question, kind=QuestionKind.MULTI)
    return question


def _history(file: DataFile, name: str, user: object, language: Language) -> TurnWriter:
    writer = TurnWriter()
    for day, exchanges in file.field(user, "history", dict, name).items():
        where = f"{name}, {day}"
        try:
            at = datetime.strptime(day, "%Y-%m-%d")  # noqa: DTZ007 -- turns have no time zone
        except ValueError:
            raise file.error(f"{name}: {day!r} is no date such as 2023-04-27") from None
        messages: list[Message] = []
        for exchange in file.checked(exchanges, list, where):
            query = file.field(exchange, "query", str, where)
            response = file.field(exchange, "response", str, where)
            messages.append(Message(name, query))
            messages.append(Message(_COMPANION[language], response))
        writer.session(messages, at)
    return writer
