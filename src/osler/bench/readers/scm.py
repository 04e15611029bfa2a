"""Reader of the long dialogues of SCM: `dialogue_LANG.json` and `dialogue_LANG_questions.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
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
    questions = _questions(DataFile(folder / f"dialogue_{language}_questions.json", "SCM"))
    place = 0  # among the dialogues with questions, as the gold turns count them
    for number, dialogue in enumerate(file.checked(file.json(), list, "the file"), 1):
        name = file.field(dialogue, "id", str, f"dialogue {number}")
        texts = file.field(dialogue, "dialogue", list, name)
        if name not in questions:
            continue
        writer = TurnWriter()
        messages = []
        for position, text in enumerate(texts):
            speaker = _SPEAKERS[language][position % 2]
            messages.append(Message(speaker, file.checked(text, str, name)))
        writer.session(messages)
        labelled = with_gold_turns(f"scm_{language}", place, questions[name])
        yield BenchCase(
            person=name,
            data=f"scm {language}",
            language=language,
            turns=tuple(writer.turns),
            questions=labelled,
            left_out=len(questions[name]) - len(labelled),
        )
        place += 1


def _questions(file: DataFile) -> dict[str, list[BenchQuestion]]:
    """The questions by the name of their dialogue."""
    questions: dict[str, list[BenchQuestion]] = {}
    for number, row in enumerate(file.checked(file.json(), list, "the file"), 1):
        name = file.field(row, "id", str, f"question {number}")
        question = BenchQuestion(
            text=file.field(row, "question", str, name),
            answer=file.field(row, "answer", str, name),
            kind=_KINDS.get(str(row.get("mode")), QuestionKind.SINGLE),
        )
        questions.setdefault(name, []).append(question)
    return questions
