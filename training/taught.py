"""What the teacher left (`training/teacher.py`), read from the folder that OSLER_TAUGHT names.

words.json        {language: words}; points.LANGUAGE.npy has a row for each
readings.jsonl.gz [text, language, [[concept, probability], ...]] for names, reports and words of the entries
made.jsonl.gz     the same for questions that it wrote, and for single words
heard.jsonl.gz    the same for questions labelled by hand, from which it has not learned
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from osler.records import Language

Reading = dict[str, float]
"""Concepts, each with its probability."""


def folder() -> Path:
    """Where its files are."""
    return Path(os.environ.get("OSLER_TAUGHT", Path(__file__).parent / "taught"))


def points(language: Language) -> dict[str, np.ndarray]:
    """Where each word lies, around the middle of all and with one mean square in every direction together."""
    words = json.loads((folder() / "words.json").read_text(encoding="utf-8"))[language.value]
    rows = np.load(folder() / f"points.{language.value}.npy").astype(np.float32)
    rows -= rows.mean(axis=0)
    rows /= np.sqrt((rows**2).mean())
    return dict(zip(words, rows, strict=True))


@cache
def made(language: Language) -> list[tuple[str, Reading]]:
    """Questions that it wrote and words, as it read them."""
    return [(text, reading) for text, reading in _rows("made.jsonl.gz", language) if reading]


@cache
def readings(language: Language) -> dict[str, Reading]:
    """The texts of the bundled records, as it read them."""
    return dict(_rows("readings.jsonl.gz", language))


@cache
def heard(language: Language) -> list[tuple[str, Reading]]:
    """Questions labelled by hand, as it read them."""
    return [(text, reading) for text, reading in _rows("heard.jsonl.gz", language) if reading]


def _rows(name: str, language: Language) -> Iterator[tuple[str, Reading]]:
    with gzip.open(folder() / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            text, spoken, reading = json.loads(line)
            if spoken == language.value:
                yield text, dict(reading)
