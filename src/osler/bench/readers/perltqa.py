"""Reader of PerLTQA: `perltmem*.json` with each character's memories, `perltqa*.json` to ask.

Memories that are no dialogue become turns, too: each field of the profile, each relationship and
each event is one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language
from osler.memory.store.messages import language_of

_FIRST_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 -- turns have no time zone
_NARRATOR = {Language.EN: "record", Language.ZH: "档案"}


class Statement(NamedTuple):
    """A memory that is no dialogue."""

    key: str
    """What questions refer to it by."""
    title: str
    text: str


class Dialogue(NamedTuple):
    """One sitting of a dialogue."""

    key: str
    """What questions refer to it by."""
    at: datetime
    messages: list[Message]


def is_perltqa(folder: Path) -> bool:
    """Check whether a folder holds PerLTQA."""
    return any(folder.glob("perltmem*.json"))


def read_perltqa(folder: Path) -> Iterator[BenchCase]:
    """Each character is one person; the memory anchors are the parts of the gold answer."""
    for path in sorted(folder.glob("perltmem*.json")):
        memory_file = DataFile(path, "PerLTQA")
        question_path = path.with_name(path.name.replace("perltmem", "perltqa"))
        question_file = DataFile(question_path, "PerLTQA")
        characters = _characters(memory_file)
        for row in _as_list(question_file.json()):
            for name, groups in question_file.checked(row, dict, "the file").items():
                if name not in characters:
                    raise question_file.error(f"{path.name} has no character {name!r}")
                yield _case(memory_file, question_file, name, characters[name], groups)


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value]


def _characters(file: DataFile) -> dict[str, Any]:
    """The memories by name; older versions are a list."""
    data = file.json()
    if not isinstance(data, list):
        return file.checked(data, dict, "the file")
    characters = {}
    for character in data:
        profile = file.field(character, "profile", dict, "a character")
        name = file.field(profile, "Protagonist", str, "a profile")
        characters[name] = character
    return characters


def _case(
    memory_file: DataFile, question_file: DataFile, name: str, character: Any, groups: Any
) -> BenchCase:
    profile = memory_file.field(character, "profile", dict, name)
    language = language_of(str(profile)) or Language.EN
    writer = TurnWriter()
    turns: dict[str, list[int]] = {}
    dialogues = list(_dialogues(memory_file, character, name))
    dialogues.sort(key=lambda dialogue: dialogue.at)
    # Statements have no date: they come first, as what everybody knows when the talking begins.
    start = dialogues[0].at if dialogues else _FIRST_TIME
    for statement in _statements(memory_file, character, name):
        title = Message(_NARRATOR[language], statement.title)
        numbers = writer.session([title, Message(name, statement.text)], start)
        turns.setdefault(statement.key, []).extend(numbers)
    for dialogue in dialogues:
        numbers = writer.session(dialogue.messages, dialogue.at)
        # A question names one sitting, or with the part before the # all of a dialogue.
        for key in (dialogue.key, dialogue.key.partition("#")[0]):
            turns.setdefault(key, []).extend(numbers)
    return BenchCase(
        person=name,
        data=f"perltqa {language}",
        language=language,
        turns=tuple(writer.turns),
        questions=tuple(_questions(question_file, name, groups, turns)),
        sessions=tuple(writer.sessions),
    )


def _statements(file: DataFile, character: Any, name: str) -> Iterator[Statement]:
    for field, value in file.field(character, "profile", dict, name).items():
        yield Statement(field, field, str(value))
    for key, relation in file.field(character, "social_relationship", dict, name).items():
        parts = list(map(str, file.checked(relation, dict, f"{name}, {key}").values()))
        yield Statement(key, parts[0] if parts else key, " ".join(parts))
    for key, event in file.field(character, "events", dict, name).items():
        title = str(event.get("summary", key))
        yield Statement(key, title, file.field(event, "content", str, f"{name}, event {key}"))


def _dialogues(file: DataFile, character: Any, name: str) -> Iterator[Dialogue]:
    for key, dialogue in file.field(character, "dialogues", dict, name).items():
        contents = file.field(dialogue, "contents", dict, f"{name}, dialogue {key}")
        for time, lines in contents.items():
            yield Dialogue(key, _parse_time(time), [_message(str(line)) for line in lines])


def _parse_time(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M")  # noqa: DTZ007 -- turns have no time zone
    except ValueError:
        return _FIRST_TIME


def _message(line: str) -> Message:
    """A line such as `Ann: Hello.`, with a colon of either width."""
    speaker, _, text = line.replace("：", ":", 1).partition(":")
    return Message(speaker.strip(), text.strip())


def _questions(
    file: DataFile, name: str, groups: Any, turns: Mapping[str, Sequence[int]]
) -> Iterator[BenchQuestion]:
    for group, rows in file.checked(groups, dict, name).items():
        for row in _flat(rows):
            yield _question(file, f"{name}, {group}", row, group, turns)


def _question(
    file: DataFile, where: str, row: Any, group: str, turns: Mapping[str, Sequence[int]]
) -> BenchQuestion:
    parts: list[str] = []
    for anchor in file.field(row, "Memory Anchors", list, where):
        parts += file.checked(anchor, dict, where)
    keys = _keys(row.get("Reference Memory"))
    gold: set[int] = set()
    for key in keys:
        gold.update(turns.get(key, ()))
    return BenchQuestion(
        text=file.field(row, "Question", str, where),
        answer=file.field(row, "Answer", str, where),
        parts=tuple(parts),
        turns=frozenset(gold),
        kind=QuestionKind.SINGLE if len(keys) < 2 else QuestionKind.MULTI,
        relation=group,
    )


def _flat(rows: Any) -> Iterator[Any]:
    """The questions of a group: in a list, or under the keys of the memories they are about."""
    for row in _as_list(rows):
        if isinstance(row, dict) and "Question" not in row:
            for nested in row.values():
                yield from _flat(nested)
        else:
            yield row


def _keys(reference: Any) -> list[str]:
    """The keys of the reference memory: a key, a list, or a list written as text."""
    if isinstance(reference, str) and reference.startswith("["):
        try:
            reference = ast.literal_eval(reference)
        except (ValueError, SyntaxError):
            return [reference]
    return list(map(str, _as_list(reference)))
