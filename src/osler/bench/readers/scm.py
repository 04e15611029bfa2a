"""Reader of the long dialogues of SCM: `dialogue_LANG.json` and `dialogue_LANG_questions.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
from osler.bench.readers.gold_turns import with_gold_turns
from osler.bench.readers.json_files import DataFile
from osler.language import Language

_SPEAKERS = {Language.EN: ("user", "assistant"), Language.ZH: ("用户", "助手")}
_KINDS = {"single-turn": QuestionKind.SINGLE, "multi-turn": QuestionKind.MULTI}


def is_scm(folder: Path) -> bool:
    """Check whether a folder holds SCM."""
    return any((folder / f"dialogue_{language}.json").exists() for language in Language)


def read_scm(folder: Path) -> Iterator[BenchCase]:
    """Each dialogue that has questions is one person."""
    for language in Language:
        if (folder / f"dialogue_{language}.json").exists():
            yield from _of_language(folder, language)


def _of_language(folder: Path, language: Language) -> Iterator[BenchCase]:
    file = DataFile(folder / f"dialogue_{language}.json", "SCM")
    asked = DataFile(folder / f"dialogue_{language}_questions.json", "SCM")
    rows: dict[str, list[dict[str, object]]] = {}
    for number, row in enumerate(asked.checked(asked.json(), list, "the file"), 1):
        rows.setdefault(asked.field(row, "id", str, f"question {number}"), []).append(row)
    place = 0
    for number, dialogue in enumerate(file.checked(file.json(), list, "the file"), 1):
        name = file.field(dialogue, "id", str, f"dialogue {number}")
        said = file.field(dialogue, "dialogue", list, name)
        if name not in rows:
            continue
        writer, speakers = TurnWriter(), _SPEAKERS[language]
        writer.session([Said(speakers[at % 2], file.checked(text, str, name)) for at, text in enumerate(said)])
        yield _case(name, language, writer, rows[name], asked, place)
        place += 1


def _case(
    name: str, language: Language, writer: TurnWriter, rows: list[dict[str, object]], asked: DataFile, place: int
) -> BenchCase:
    questions = [
        BenchQuestion(
            text=asked.field(row, "question", str, name),
            answer=asked.field(row, "answer", str, name),
            kind=_KINDS.get(str(row.get("mode")), QuestionKind.SINGLE),
        )
        for row in rows
    ]
    kept = with_gold_turns(f"scm_{language}", place, questions)
    left_out = len(questions) - len(kept)
    return BenchCase(name, f"scm {language}", language, tuple(writer.turns), kept, left_out=left_out)
