"""Reader of GVD (MemoryBank): `memory_bank_LANG.json` and `probing_questions_LANG.jsonl`, with `en` and `cn`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
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
    file = DataFile(folder / f"memory_bank_{code}.json", "GVD")
    asked = DataFile(folder / f"probing_questions_{code}.jsonl", "GVD")
    users = {name.strip(): user for name, user in file.checked(file.json(), dict, "the file").items()}
    rows = [row for line in asked.lines() for row in asked.checked(line, dict, "a line").items()]
    for place, (name, texts) in enumerate(rows):
        name = name.strip()
        if name not in users:
            raise asked.error(f"{file.path.name} has no user {name!r}")
        questions = [BenchQuestion(asked.checked(text, str, name)) for text in asked.checked(texts, list, name)]
        kept = tuple(map(_with_kind, with_gold_turns(f"gvd_{language}", place, questions)))
        writer = _history(file, name, users[name], language)
        yield BenchCase(
            name,
            f"gvd {language}",
            language,
            tuple(writer.turns),
            kept,
            tuple(writer.sessions),
            left_out=len(questions) - len(kept),
        )


def _with_kind(question: BenchQuestion) -> BenchQuestion:
    return replace(question, kind=QuestionKind.MULTI) if len(question.turns) > 1 else question


def _history(file: DataFile, name: str, user: object, language: Language) -> TurnWriter:
    writer = TurnWriter()
    for day, exchanges in file.field(user, "history", dict, name).items():
        try:
            at = datetime.strptime(day, "%Y-%m-%d")  # noqa: DTZ007 -- turns have no time zone
        except ValueError:
            raise file.error(f"{name}: {day!r} is no date such as 2023-04-27") from None
        said: list[Said] = []
        for one in file.checked(exchanges, list, f"{name}, {day}"):
            said.append(Said(name, file.field(one, "query", str, f"{name}, {day}")))
            said.append(Said(_COMPANION[language], file.field(one, "response", str, f"{name}, {day}")))
        writer.session(said, at)
    return writer
