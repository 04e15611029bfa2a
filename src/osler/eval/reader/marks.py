"""The marks of judges.

Kept for this user, so that a judge is examined once, and in every run that it judged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from osler.errors import UserError
from osler.eval.controls import controls_of, tried
from osler.eval.judge import Kind
from osler.eval.reader.examination import LEAST_KAPPA, Examination, examine
from osler.eval.reader.labelled_pairs import KINDS, labelled_pairs
from osler.eval.reader.model_judge import ModelJudge
from osler.language import Language
from osler.private import OWNER_ONLY, private_cache
from osler.runs.store import RunFile, RunWriter
from osler.runs.store.patient_verdicts import judge_trial


class KeptMark(BaseModel, frozen=True):
    """How far a judge agrees with the labelled pairs of one kind and language."""

    pairs: int
    decided: float
    kappa: float | None


Marks = dict[str, KeptMark]
"""By kind."""


def marks_of(examination: Examination) -> dict[Language, Marks]:
    """What is kept of an examination."""
    marks: dict[Language, Marks] = {}
    for language in Language:
        for kind in KINDS:
            mark = examination.mark(kind, language)
            if mark is not None:
                marks.setdefault(language, {})[kind] = KeptMark(
                    pairs=mark.pairs, decided=round(mark.decided, 4), kappa=_rounded(mark.kappa)
                )
    return marks


def _rounded(value: float | None) -> float | None:
    if value is None:
        return None
    return round(value, 4)


class KeptExamination(BaseModel, frozen=True):
    """What is kept of a judge in one language: why the controls refused it, or its marks."""

    refused: str = ""
    marks: Marks = {}


async def examined(
    judge: ModelJudge, language: Language, gate: asyncio.Semaphore
) -> tuple[KeptExamination, int]:
    """Return a judge's examination in a language and the tokens it took; a judge is examined once.

    One that fails the controls is not asked about the labelled pairs.
    """
    earlier = _kept(judge.name, language)
    if earlier is not None:
        return earlier, 0
    pairs = labelled_pairs(language)
    trial = await tried(judge, language, gate)
    if trial.failed:
        examination = KeptExamination(refused=trial.line)
        _keep(judge.name, language, examination)
        return examination, trial.tokens
    result = await examine(judge, judge.name, pairs, gate)
    keep(result)
    return KeptExamination(marks=marks_of(result)[language]), trial.tokens + result.tokens


def keep(examination: Examination) -> None:
    """Keep the marks of a judge that passed the controls, if there is a folder for them."""
    for language, marks in marks_of(examination).items():
        if sum(mark.pairs for mark in marks.values()) == len(labelled_pairs(language)):
            _keep(examination.judge, language, KeptExamination(marks=marks))


def _keep(judge: str, language: Language, examination: KeptExamination) -> None:
    path = _path(judge, language)
    if path is not None:
        with suppress(OSError):  # then it is examined again the next time
            path.write_text(examination.model_dump_json(), encoding="utf-8")
            path.chmod(OWNER_ONLY)


def _kept(judge: str, language: Language) -> KeptExamination | None:
    path = _path(judge, language)
    try:
        if path:
            return KeptExamination.model_validate_json(path.read_bytes())
        return None
    except (OSError, ValidationError):
        return None


def _path(judge: str, language: Language) -> Path | None:
    """Where an examination is kept.

    The name has the judge, whose own name holds its prompts, and the pairs and controls.
    """
    folder = private_cache("judges")
    if folder is None:
        return None
    pairs = [pair.id + pair.answer for pair in labelled_pairs(language)]
    content = "\0".join((judge, language.value, str(controls_of(language)), *pairs))
    return folder / f"{sha256(content.encode()).hexdigest()[:24]}.json"


def require_agreement(
    judge: str, kinds: Sequence[Kind], language: Language, examination: KeptExamination
) -> None:
    """Refuse a judge that failed the controls, or that agrees with the labels too little.

    Raises:
        UserError: It does.
    """
    faults = [examination.refused] if examination.refused else []
    for kind in kinds:
        mark = examination.marks.get(kind)
        if mark is None:
            continue
        if mark.kappa is None or mark.kappa < LEAST_KAPPA or mark.decided < LEAST_KAPPA:
            kappa = "–" if mark.kappa is None else f"{mark.kappa:.2f}"
            faults.append(
                f"{kind} {language.value}: kappa {kappa} on {mark.pairs} pairs, {mark.decided:.0%}"
                f" decided; {LEAST_KAPPA} is needed of both"
            )
    if faults:
        raise UserError(
            f"{judge} cannot judge ({'; '.join(faults)})",
            "name a larger model; once the run is held, `osler score --any-judge` has its verdicts"
            " all the same",
        )


def store_marks(store: RunWriter, judge: str, marks: Mapping[Language, Marks]) -> None:
    """Keep a judge's marks in a run that it judges, beside those in other languages."""
    earlier = judge_trial(store, judge)
    new: dict[str, Any] = {}
    for language, by_kind in marks.items():
        new[language.value] = {kind: mark.model_dump() for kind, mark in by_kind.items()}
    store.store_examination(judge, {**earlier, **new})


def has_marks(file: RunFile, judge: str, language: Language) -> bool:
    """Check whether a judge was examined in a language when it judged this run."""
    return language.value in judge_trial(file, judge)


def mark_notes(files: Sequence[RunFile], judge: str) -> Iterator[str]:
    """Say how far each examined reader of a judge or panel agrees with the labelled pairs."""
    for name in judge.split(" & "):
        stored: dict[str, Any] = {}
        for file in files:
            stored |= judge_trial(file, name)
        kappas = []
        for language, marks in sorted(stored.items()):
            kappas += [
                f"{mark['kappa']:.2f} on {mark['pairs']} ({kind}, {language})"
                for kind, mark in sorted(marks.items())
                if mark["kappa"] is not None
            ]
        if kappas:
            yield f"judge {name}: kappa on labelled pairs {', '.join(kappas)}"
