"""Gold turns of SCM and GVD, which publish none: labels by the checksum of each question."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from osler.bench.cases import BenchQuestion


@cache
def _labels() -> Any:
    return json.loads((files("osler.bench.readers") / "gold_turns.json").read_text(encoding="utf-8"))


def with_gold_turns(name: str, place: int, questions: Sequence[BenchQuestion]) -> tuple[BenchQuestion, ...]:
    """The questions of the conversation at that place with their gold turns; those that no turn answers are left out.

    A conversation with other questions than those that were labelled is of another version: its gold is not known.
    """
    conversations = _labels()[name]
    known: dict[str, list[int]] = conversations[place] if place < len(conversations) else {}
    keys = [str(zlib.crc32(question.text.encode())) for question in questions]
    if not known.keys() >= set(keys):
        return tuple(questions)
    labelled = zip(questions, keys, strict=True)
    return tuple(question.with_turns(known[key]) for question, key in labelled if known[key])
