"""A model that reads what a doctor concluded and fills in a form, of which the verdict is computed.

The doctor's text is treated as data: on one line, inside delimiters that it cannot reproduce. Words that the reader
quotes have to stand in it. A form that cannot be used is asked for once more; then the answer stays undecided.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from osler.eval.judge import Kind, Opinion, truth_of
from osler.eval.reader.forms import (
    Course,
    DiagnosisForm,
    Finding,
    RubricLine,
    TreatmentForm,
    rubric_of,
    verdict_on_diagnosis,
    verdict_on_treatment,
)
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.language.words import plain
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import phrases, prompt
from osler.records.schema import Diagnosis, PatientRecord, Treatment

RUNG = "reader"
"""Marks verdicts that a reader gave."""
PROMPTS = ("read_diagnosis", "read_treatment", "read_again", "read_lines")
LONGEST_ANSWER = 8000
"""Characters of an answer that a reader is shown."""
_LONGEST_REASON = 1200
_MOST_FAULTS = 4
"""Faults of a form that a reader is told of."""
_OPEN, _CLOSE = "<answer>", "</answer>"
_JOINTS = re.compile(r"…|\.\.\.|[;；|]")
"""Join the pieces of a quote."""
_NO_MARKS = str.maketrans("<>＜＞", "‹›‹›")

Form = TypeVar("Form", bound=BaseModel)
Number = TypeVar("Number", int, float)


class UnusableFormError(Exception):
    """A form that is not JSON, leaves lines out, or quotes what is not there."""

    def __init__(self, faults: Sequence[str]) -> None:
        """Take what is wrong with it, in the language of the prompt."""
        super().__init__("; ".join(faults[:_MOST_FAULTS]))


@dataclass(frozen=True)
class _Reading:
    """What a reader is asked about one answer, and how the verdict follows from what it says."""

    prompt: str
    form: type[BaseModel]
    most_tokens: int
    find: Callable[[str], Finding]
    """Computes the verdict from the reader's text; raises `UnusableFormError`."""


class ModelJudge:
    """Judges with a model at temperature 0."""

    def __init__(self, backbone: Backbone) -> None:
        """Take a model."""
        self._backbone = backbone

    @property
    def name(self) -> str:
        """The model and a hash of its prompts."""
        whole = "".join(prompt(name, language).text for name in PROMPTS for language in Language)
        return f"{self._backbone.spec}#{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Judge an answer by the record's true diagnosis or treatment."""
        return await self.pair(truth_of(kind, record), answer, record.language, record.diagnosis.name)

    async def pair(self, truth: Diagnosis | Treatment, answer: str, language: Language, diagnosis: str = "") -> Opinion:
        """Judge an answer by a truth; a treatment is read together with the diagnosis that it is for."""
        if isinstance(truth, Diagnosis):
            reading = _reading_of_diagnosis(truth, answer, language)
        else:
            reading = _reading_of_treatment(truth, answer, language, diagnosis)
        messages = [ChatMessage("user", reading.prompt)]
        tokens: int | None = 0
        cost: float | None = 0.0
        finding = Finding(Verdict.UNDECIDED, "")
        for _ in range(2):
            said = await ask(self._backbone.client, messages, schema=reading.form, max_tokens=reading.most_tokens)
            tokens = _plus(tokens, None if said.tokens_in is None else said.tokens_in + (said.tokens_out or 0))
            cost = _plus(cost, said.cost)
            try:
                finding = reading.find(said.text)
                break
            except UnusableFormError as error:
                finding = Finding(Verdict.UNDECIDED, f"the reader's form cannot be used: {error}")
                again = prompt("read_again", language).fill(faults=error)
                messages += [ChatMessage("assistant", said.text), ChatMessage("user", again)]
        return Opinion(finding.verdict, one_line(finding.reason)[:_LONGEST_REASON], tokens, cost, RUNG)


def _reading_of_diagnosis(truth: Diagnosis, answer: str, language: Language) -> _Reading:
    def find(text: str) -> Finding:
        form = _filled(DiagnosisForm, text, language)
        _check_quotes((illness.words for illness in form.illnesses), answer, language)
        return verdict_on_diagnosis(form)

    template = prompt("read_diagnosis", language)
    text = template.fill(truth="\n".join(_diagnosis_lines(truth, language)), answer=enclosed(answer))
    return _Reading(text, DiagnosisForm, 800, find)


def _reading_of_treatment(truth: Treatment, answer: str, language: Language, diagnosis: str) -> _Reading:
    rubric = rubric_of(truth)

    def find(text: str) -> Finding:
        form = _filled(TreatmentForm, text, language)
        _check_lines(form, rubric, language)
        mentioned = [line.words for line in form.lines if line.course is not Course.NOT_MENTIONED]
        _check_quotes(mentioned, answer, language)
        return verdict_on_treatment(form, rubric)

    told = phrases("read_lines", language)
    lines = [told["diagnosis"].format(told=one_line(diagnosis))] if diagnosis else []
    lines += _rubric_lines(rubric, language)
    text = prompt("read_treatment", language).fill(truth="\n".join(lines), answer=enclosed(answer))
    return _Reading(text, TreatmentForm, 400 + 120 * len(rubric), find)


def truth_lines(truth: Diagnosis | Treatment, language: Language) -> list[str]:
    """What a reader is told of the truth: its names and code, or the lines of a treatment."""
    if isinstance(truth, Diagnosis):
        return _diagnosis_lines(truth, language)
    return _rubric_lines(rubric_of(truth), language)


def _diagnosis_lines(truth: Diagnosis, language: Language) -> list[str]:
    told = [("truth", truth.name)]
    if truth.aliases:
        told.append(("names", "; ".join(truth.aliases)))
    if truth.icd10:
        told.append(("code", truth.icd10))
    words = phrases("read_lines", language)
    return [words[key].format(told=one_line(text)) for key, text in told]


def _rubric_lines(rubric: Sequence[RubricLine], language: Language) -> list[str]:
    words = phrases("read_lines", language)
    return [
        words[line.kind].format(number=number, told=one_line(" / ".join(line.names)), because=one_line(line.because))
        for number, line in enumerate(rubric, 1)
    ]


def _filled(form: type[Form], text: str, language: Language) -> Form:
    try:
        return form.model_validate(json_of(text.rpartition("</think>")[2]))
    except ValidationError:
        raise UnusableFormError([phrases("read_lines", language)["unreadable"]]) from None


def _check_lines(form: TreatmentForm, rubric: Sequence[RubricLine], language: Language) -> None:
    there = {line.line for line in form.lines}
    missing = [number for number in range(1, len(rubric) + 1) if number not in there]
    if missing:
        told = phrases("read_lines", language)["line"]
        raise UnusableFormError([told.format(number=number) for number in missing])


def _check_quotes(quotes: Iterable[str], answer: str, language: Language) -> None:
    """Check that quotes stand in the answer, letter by letter; each piece where one leaves something out."""
    letters = _letters(answer[:LONGEST_ANSWER])
    told = phrases("read_lines", language)["quote"]
    faults = []
    for quote in quotes:
        pieces = [_letters(piece) for piece in _JOINTS.split(quote)]
        if not any(pieces) or not all(piece in letters for piece in pieces):
            faults.append(told.format(words=one_line(quote)))
    if faults:
        raise UnusableFormError(faults)


def _letters(text: str) -> str:
    """Letters and digits alone: a model quotes with other marks than it was shown."""
    return "".join(char for char in plain(text) if char.isalnum())


def enclosed(answer: str, longest: int = LONGEST_ANSWER) -> str:
    """Return an answer as one line between the prompt's delimiters, none of which it can contain."""
    return f"{_OPEN}{one_line(answer[:longest])}{_CLOSE}"


def one_line(text: str) -> str:
    """Return a text without line breaks, marks of ours and what cannot be printed."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line.translate(_NO_MARKS)


def _plus(total: Number | None, more: Number | None) -> Number | None:
    """Add what may be unknown: then so is the sum."""
    return None if total is None or more is None else total + more
