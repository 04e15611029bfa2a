"""Reader of KdConv: `film_*.json`, `music_*.json` and `travel_*.json`, dialogues with knowledge triples on messages.

KdConv has no questions. As in the papers on Think-in-Memory, they are made from the triples: `name的attribute是什么？`.
Their gold turns are those with a message that carries the triple.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language

_DOMAINS = ("film", "music", "travel")
_HISTORY = 15
"""Dialogues in one memory: about 140 turns of the travel domain, as many memories as the papers timed."""
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
        yield from ((domain, path) for path in sorted(folder.glob(f"{domain}*.json")))


def read_kdconv(folder: Path) -> Iterator[BenchCase]:
    """Each run of dialogues is one history, and counts as one person."""
    for domain, path in _files(folder):
        file = DataFile(path, "KdConv")
        dialogues = file.checked(file.json(), list, "the file")
        for first in range(0, len(dialogues), _HISTORY):
            name = f"{path.stem} {first + 1}-{min(first + _HISTORY, len(dialogues))}"
            yield _case(file, f"kdconv {domain}", name, dialogues[first : first + _HISTORY])


def _case(file: DataFile, data: str, name: str, dialogues: Sequence[Any]) -> BenchCase:
    writer, carriers = TurnWriter(), Carriers()
    for place, dialogue in enumerate(dialogues, 1):
        where = f"{name}, dialogue {place}"
        messages = file.field(dialogue, "messages", list, where)
        said = [Said("AB"[at % 2], file.field(one, "message", str, where)) for at, one in enumerate(messages)]
        for number, message in zip(writer.session(said), messages, strict=True):
            for triple in message.get("attrs", ()):
                head, attribute, value = (
                    file.field(triple, key, str, where).strip() for key in ("name", "attrname", "attrvalue")
                )
                if attribute != _TEXT:
                    thing = _NOTE.sub("", head).strip() or head
                    carriers.setdefault((thing, attribute), {}).setdefault(value, set()).add(number)
    questions = tuple(_questions(carriers))
    return BenchCase(name, data, Language.ZH, tuple(writer.turns), questions, tuple(writer.sessions))


def _questions(carriers: Carriers) -> Iterator[BenchQuestion]:
    """A question for each thing and attribute, and now and then one for an attribute that was not talked about."""
    attributes = list(dict.fromkeys(attribute for _, attribute in carriers))
    for place, ((thing, attribute), values) in enumerate(carriers.items(), 1):
        turns = frozenset[int]().union(*values.values())
        if all(len(value) <= _LONGEST_VALUE for value in values):
            yield BenchQuestion(
                text=_text(thing, attribute),
                answer="、".join(values),
                parts=tuple(values),
                turns=turns,
                kind=QuestionKind.SINGLE if len(turns) == 1 else QuestionKind.MULTI,
                relation=attribute,
            )
        if place % _BETWEEN_UNANSWERABLE == 0:
            missing = [one for one in attributes if (thing, one) not in carriers]
            if missing:
                yield BenchQuestion(_text(thing, missing[place % len(missing)]), kind=QuestionKind.UNANSWERABLE)


def _text(thing: str, attribute: str) -> str:
    return f"{thing}的{attribute}是什么？"
