"""Reader of KdConv: `film_*.json`, `music_*.json` and `travel_*.json`, dialogues with triples.

KdConv has no questions. As in the papers on Think-in-Memory, they are made from the triples:
`name的attribute是什么？`. Their gold turns are those with a message that carries the triple.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language

_DOMAINS = ("film", "music", "travel")
_HISTORY = 15
"""Dialogues in one memory: about 140 turns of the travel domain, as many as the papers timed."""
_LONGEST_VALUE = 30
"""Characters of a value that somebody would ask for."""
_BETWEEN_UNANSWERABLE = 8
"""One unanswerable question after so many others."""
_TEXT = "Information"
"""The attribute that is a whole text and no fact."""
_NOTE = re.compile(r"[（(].*?[）)]")
"""What tells namesakes apart in the knowledge graph; nobody says it."""

Carriers = dict[tuple[str, str], dict[str, set[int]]]
"""By name and attribute: each value with the turns that carry it."""


def is_kdconv(folder: Path) -> bool:
    """Check whether a folder holds dialogues of KdConv."""
    return any(_files(folder))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for domain in _DOMAINS:
        for path in sorted(folder.glob(f"{domain}*.json")):
            yield domain, path


def read_kdconv(folder: Path) -> Iterator[BenchCase]:
    """Each run of dialogues is one history, and counts as one person."""
    for domain, path in _files(folder):
        file = DataFile(path, "KdConv")
        dialogues = file.checked(file.json(), list, "the file")
        for start in range(0, len(dialogues), _HISTORY):
            history = dialogues[start : start + _HISTORY]
            name = f"{path.stem} {start + 1}-{start + len(history)}"
            yield _case(file, f"kdconv {domain}", name, history)


def _case(file: DataFile, data: str, name: str, dialogues: Sequence[Any]) -> BenchCase:
    writer = TurnWriter()
    carriers: Carriers = {}
    for place, dialogue in enumerate(dialogues, 1):
        where = f"{name}, dialogue {place}"
        rows = file.field(dialogue, "messages", list, where)
        messages = []
        for position, row in enumerate(rows):
            speaker = "AB"[position % 2]
            messages.append(Message(speaker, file.field(row, "message", str, where)))
        numbers = writer.session(messages)
        for number, row in zip(numbers, rows, strict=True):
            for triple in row.get("attrs", ()):
                _add_carrier(carriers, file, triple, where, number)
    return BenchCase(
        person=name,
        data=data,
        language=Language.ZH,
        turns=tuple(writer.turns),
        questions=tuple(_questions(carriers)),
        sessions=tuple(writer.sessions),
    )


def _add_carrier(carriers: Carriers, file: DataFile, triple: Any, where: str, number: int) -> None:
    """Note that a turn carries a triple."""
    head = file.field(triple, "name", str, where).strip()
    attribute = file.field(triple, "attrname", str, where).strip()
    value = file.field(triple, "attrvalue", str, where).strip()
    if attribute != _TEXT:
        thing = _NOTE.sub("", head).strip() or head
        values = carriers.setdefault((thing, attribute), {})
        values.setdefault(value, set()).add(number)


def _questions(carriers: Carriers) -> Iterator[BenchQuestion]:
    """A question for each thing and attribute, and at intervals one that nothing answers."""
    attributes = list(dict.fromkeys(attribute for _, attribute in carriers))
    for place, ((thing, attribute), values) in enumerate(carriers.items(), 1):
        turns = frozenset[int]().union(*values.values())
        if max(map(len, values)) <= _LONGEST_VALUE:
            yield BenchQuestion(
                text=_text(thing, attribute),
                answer="、".join(values),
                parts=tuple(values),
                turns=turns,
                kind=QuestionKind.SINGLE if len(turns) == 1 else QuestionKind.MULTI,
                relation=attribute,
            )
        if place % _BETWEEN_UNANSWERABLE == 0:
            # Its attribute is talked about, but of other things.
            missing = [name for name in attributes if (thing, name) not in carriers]
            if missing:
                text = _text(thing, missing[place % len(missing)])
                yield BenchQuestion(text, kind=QuestionKind.UNANSWERABLE)


def _text(thing: str, attribute: str) -> str:
    return f"{thing}的{attribute}是什么？"
