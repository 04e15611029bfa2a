"""Reader of PerLTQA: `perltmem*.json` with each character's memories, `perltqa*.json` with the questions.

Memories that are no dialogue become turns, too: each field of the profile, each relationship and each event is one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language
from osler.memory.store.messages import language_of

_FIRST_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 -- turns have no time zone
_NARRATOR = {Language.EN: "record", Language.ZH: "档案"}


def is_perltqa(folder: Path) -> bool:
    """Check whether a folder holds PerLTQA."""
    return any(folder.glob("perltmem*.json"))


def read_perltqa(folder: Path) -> Iterator[BenchCase]:
    """Each character is one person; the memory anchors are the parts of the gold answer."""
    for path in sorted(folder.glob("perltmem*.json")):
        memories = DataFile(path, "PerLTQA")
        asked = DataFile(path.with_name(path.name.replace("perltmem", "perltqa")), "PerLTQA")
        characters = _characters(memories)
        rows = asked.json()
        for row in rows if isinstance(rows, list) else [rows]:
            for name, groups in asked.checked(row, dict, "the file").items():
                if name not in characters:
                    raise asked.error(f"{path.name} has no character {name!r}")
                yield _case(memories, asked, name, characters[name], groups)


def _characters(file: DataFile) -> dict[str, Any]:
    """The memories by name; older versions are a list."""
    data = file.json()
    if isinstance(data, list):
        profiles = [file.field(one, "profile", dict, "a character") for one in data]
        names = [file.field(one, "Protagonist", str, "a profile") for one in profiles]
        return dict(zip(names, data, strict=True))
    return file.checked(data, dict, "the file")


def _case(memories: DataFile, asked: DataFile, name: str, character: Any, groups: Any) -> BenchCase:
    language = language_of(str(memories.field(character, "profile", dict, name))) or Language.EN
    writer, held = TurnWriter(), dict[str, list[int]]()
    dialogues = sorted(_dialogues(memories, character, name), key=lambda one: one[1])
    first = dialogues[0][1] if dialogues else _FIRST_TIME
    for key, title, text in _statements(memories, character, name):
        held.setdefault(key, []).extend(writer.session([Said(_NARRATOR[language], title), Said(name, text)], first))
    for key, at, said in dialogues:
        numbers = writer.session(said, at)
        for one in (key, key.partition("#")[0]):
            held.setdefault(one, []).extend(numbers)
    questions = tuple(_questions(asked, name, groups, held))
    return BenchCase(name, f"perltqa {language}", language, tuple(writer.turns), questions, tuple(writer.sessions))


def _statements(file: DataFile, character: Any, name: str) -> Iterator[tuple[str, str, str]]:
    """Memories that are no dialogue: the key that questions refer to, a title and the text."""
    for field, value in file.field(character, "profile", dict, name).items():
        yield field, field, str(value)
    for key, one in file.field(character, "social_relationship", dict, name).items():
        told = [str(value) for value in file.checked(one, dict, f"{name}, {key}").values()]
        yield key, told[0] if told else key, " ".join(told)
    for key, one in file.field(character, "events", dict, name).items():
        yield key, str(one.get("summary", key)), file.field(one, "content", str, f"{name}, event {key}")


def _dialogues(file: DataFile, character: Any, name: str) -> Iterator[tuple[str, datetime, list[Said]]]:
    for key, one in file.field(character, "dialogues", dict, name).items():
        for time, lines in file.field(one, "contents", dict, f"{name}, dialogue {key}").items():
            try:
                at = datetime.strptime(time, "%Y-%m-%d %H:%M")  # noqa: DTZ007 -- turns have no time zone
            except ValueError:
                at = _FIRST_TIME
            pairs = (str(line).replace("：", ":", 1).partition(":") for line in lines)
            yield key, at, [Said(speaker.strip(), text.strip()) for speaker, _, text in pairs]


def _questions(asked: DataFile, name: str, groups: Any, held: Mapping[str, list[int]]) -> Iterator[BenchQuestion]:
    for group, rows in asked.checked(groups, dict, name).items():
        for row in _flat(rows):
            where = f"{name}, {group}"
            anchors = asked.field(row, "Memory Anchors", list, where)
            keys = _keys(row.get("Reference Memory"))
            turns = frozenset(turn for key in keys for turn in held.get(key, ()))
            yield BenchQuestion(
                asked.field(row, "Question", str, where),
                asked.field(row, "Answer", str, where),
                tuple(anchor for one in anchors for anchor in asked.checked(one, dict, where)),
                turns,
                QuestionKind.SINGLE if len(keys) < 2 else QuestionKind.MULTI,
                relation=group,
            )


def _flat(rows: Any) -> Iterator[Any]:
    """The questions of a group: in a list, or under the keys of the memories that they are about."""
    for row in rows if isinstance(rows, list) else [rows]:
        if isinstance(row, dict) and "Question" not in row:
            yield from (one for some in row.values() for one in _flat(some))
        else:
            yield row


def _keys(reference: Any) -> list[str]:
    """The keys of the reference memory: one, a list, or a list written as text."""
    if isinstance(reference, str) and reference.startswith("["):
        try:
            reference = ast.literal_eval(reference)
        except (ValueError, SyntaxError):
            return [reference]
    return [str(key) for key in reference] if isinstance(reference, list) else [str(reference)]
