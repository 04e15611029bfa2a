"""The marks of judges: kept for this user, so that a judge is examined once, and in every run that it judged."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from osler.errors import UserError
from osler.eval.judge import Kind
from osler.eval.reader.examination import LEAST_KAPPA, Examination, examine
from osler.eval.reader.labelled_pairs import KINDS, labelled_pairs
from osler.eval.reader.model_judge import ModelJudge
from osler.language import Language
from osler.private import OWNER_ONLY, private_cache
from osler.runs.store import RunFile, RunWriter


class KeptMark(BaseModel, frozen=True):
    """How far a judge agrees with the labelled pairs of one kind and language."""

    pairs: int
    decided: float
    kappa: float | None


Marks = dict[str, KeptMark]
"""By kind."""
_MARKS = TypeAdapter(Marks)


def marks_of(examination: Examination) -> dict[Language, Marks]:
    """What is kept of an examination."""
    found: dict[Language, Marks] = {}
    for language in Language:
        for kind in KINDS:
            if mark := examination.mark(kind, language):
                found.setdefault(language, {})[kind] = KeptMark(
                    pairs=mark.pairs, decided=round(mark.decided, 4), kappa=_rounded(mark.kappa)
                )
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


async def examined(judge: ModelJudge, language: Language, gate: asyncio.Semaphore) -> tuple[Marks, int]:
    """Return a judge's marks in a language and the tokens they took; only a judge without any is examined."""
    if (known := _kept(judge.name, language)) is not None:
        return known, 0
    pairs = labelled_pairs(language)
    sys.stderr.write(f"osler: examining {judge.name} on {len(pairs)} labelled pairs ({language.value}), once\n")
    examination = await examine(judge, judge.name, pairs, gate)
    keep(examination)
    return marks_of(examination)[language], examination.tokens


def keep(examination: Examination) -> None:
    """Keep the marks of a judge for later runs, where there is a folder for it."""
    for language, marks in marks_of(examination).items():
        if sum(mark.pairs for mark in marks.values()) < len(labelled_pairs(language)):
            continue  # examined on some of the pairs only
        if path := _path(examination.judge, language):
            try:
                path.write_bytes(_MARKS.dump_json(marks))
                path.chmod(OWNER_ONLY)
            except OSError:
                return


def _kept(judge: str, language: Language) -> Marks | None:
    path = _path(judge, language)
    try:
        return _MARKS.validate_json(path.read_bytes()) if path else None
    except (OSError, ValidationError):
        return None


def _path(judge: str, language: Language) -> Path | None:
    """Where marks are kept: by the judge, whose name holds its prompts, and by the pairs."""
    folder = private_cache("judges")
    whole = "\0".join((judge, language.value, *(pair.id + pair.answer for pair in labelled_pairs(language))))
    return folder / f"{sha256(whole.encode()).hexdigest()[:24]}.json" if folder else None


def require_agreement(judge: str, kinds: Sequence[Kind], language: Language, marks: Marks) -> None:
    """Refuse a judge that agrees with the labels too little.

    Raises:
        UserError: It does.
    """
    told = []
    for kind in kinds:
        mark = marks.get(kind)
        if mark is not None and (mark.kappa is None or mark.kappa < LEAST_KAPPA or mark.decided < LEAST_KAPPA):
            kappa = "–" if mark.kappa is None else f"{mark.kappa:.2f}"
            told.append(f"{kind} {language.value}: kappa {kappa} on {mark.pairs} pairs, {mark.decided:.0%} decided")
    if told:
        raise UserError(
            f"{judge} cannot judge ({'; '.join(told)}; {LEAST_KAPPA} is needed of both)",
            "name a larger model, or have its verdicts all the same with `osler score --any-judge`",
        )


def store_marks(store: RunWriter, judge: str, marks: Mapping[Language, Marks]) -> None:
    """Keep a judge's marks in a run that it judges, beside those in other languages."""
    known = _stored(store, judge)
    new = {language.value: {kind: mark.model_dump() for kind, mark in some.items()} for language, some in marks.items()}
    store.judge_examined(judge, {**known, **new})


def mark_notes(files: Sequence[RunFile], judge: str) -> Iterator[str]:
    """Say of each reader of a judge or panel that was examined how far it agrees with the labelled pairs."""
    for name in judge.split(" & "):
        stored: dict[str, Any] = {}
        for file in files:
            stored |= _stored(file, name)
        told = [
            f"{mark['kappa']:.2f} on {mark['pairs']} ({kind}, {language})"
            for language, marks in sorted(stored.items())
            for kind, mark in sorted(marks.items())
            if mark["kappa"] is not None
        ]
        if told:
            yield f"judge {name}: kappa on labelled pairs {', '.join(told)}"


def _stored(file: RunFile, judge: str) -> dict[str, Any]:
    found = file.ask("SELECT trial FROM patient_judges WHERE judge = :judge", {"judge": judge})
    stored: dict[str, Any] = json.loads(found[0][0]) if found else {}
    return stored
