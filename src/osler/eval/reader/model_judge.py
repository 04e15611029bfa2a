"""A model that reads what a doctor concluded and fills in a form, of which the verdict is computed.

The doctor's text is treated as data: on one line, inside delimiters that it cannot reproduce. Words
that the reader quotes have to stand in it. A form that cannot be used is asked for once more; then
the answer stays undecided.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from osler.eval.judge import Kind, Opinion, truth_of
from osler.eval.reader.ask_form import FormAnswer, UnusableFormError, ask_form
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
from osler.models import Backbone
from osler.prompts import phrases, prompt
from osler.records.schema import Diagnosis, PatientRecord, Treatment

RUNG = "reader"
"""Marks verdicts that a reader gave."""
PROMPTS = ("read_diagnosis", "read_treatment", "read_again", "read_lines")
LONGEST_ANSWER = 8000
"""Characters of an answer that a reader is shown."""
_LONGEST_REASON = 1200
"""Characters of a reason that are stored."""
_OPEN = "<answer>"
_CLOSE = "</answer>"
_JOINTS = re.compile(r"…|\.\.\.|[;；|]")
"""Join the pieces of a quote."""
_NO_MARKS = str.maketrans("<>＜＞", "‹›‹›")


class ModelJudge:
    """Judges with a model at temperature 0."""

    def __init__(self, backbone: Backbone) -> None:
        """Take a model."""
        self._backbone = backbone

    @property
    def backbone(self) -> Backbone:
        """The model."""
        return self._backbone

    @property
    def name(self) -> str:
        """The model and a hash of its prompts."""
        whole = "".join(prompt(name, language).text for name in PROMPTS for language in Language)
        return f"{self._backbone.spec}#{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Judge an answer by the record's true diagnosis or treatment."""
        return await self.pair(
            truth_of(kind, record), answer, record.language, record.diagnosis.name
        )

    async def pair(
        self, truth: Diagnosis | Treatment, answer: str, language: Language, diagnosis: str = ""
    ) -> Opinion:
        """Judge an answer by a truth.

        A treatment is read together with the diagnosis that it is for.
        """
        if isinstance(truth, Diagnosis):
            read = await self._read_diagnosis(truth, answer, language)
        else:
            read = await self._read_treatment(truth, answer, language, diagnosis)
        finding = read.result or Finding(
            Verdict.UNDECIDED, f"the reader's form cannot be used: {read.fault}"
        )
        return Opinion(
            finding.verdict, _lines(finding.reason)[:_LONGEST_REASON], read.tokens, read.cost, RUNG
        )

    async def _read_diagnosis(
        self, truth: Diagnosis, answer: str, language: Language
    ) -> FormAnswer[Finding]:
        def finding_of(form: DiagnosisForm) -> Finding:
            check_quotes((illness.words for illness in form.illnesses), answer, language)
            return verdict_on_diagnosis(form)

        template = prompt("read_diagnosis", language)
        request = template.fill(
            truth="\n".join(_diagnosis_lines(truth, language)), answer=enclosed(answer)
        )
        return await ask_form(self._backbone, request, DiagnosisForm, finding_of, 800, language)

    async def _read_treatment(
        self, truth: Treatment, answer: str, language: Language, diagnosis: str
    ) -> FormAnswer[Finding]:
        rubric = rubric_of(truth)

        def finding_of(form: TreatmentForm) -> Finding:
            _check_lines(form, rubric, language)
            mentioned = [
                line.words for line in form.lines if line.course is not Course.NOT_MENTIONED
            ]
            check_quotes(mentioned, answer, language)
            return verdict_on_treatment(form, rubric)

        told = phrases("read_lines", language)
        lines = [told["diagnosis"].format(told=one_line(diagnosis))] if diagnosis else []
        lines += _rubric_lines(rubric, language)
        request = prompt("read_treatment", language).fill(
            truth="\n".join(lines), answer=enclosed(answer)
        )
        most_tokens = 400 + 120 * len(rubric)
        return await ask_form(
            self._backbone, request, TreatmentForm, finding_of, most_tokens, language
        )


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
        words[line.kind].format(
            number=number, told=one_line(" / ".join(line.names)), because=one_line(line.because)
        )
        for number, line in enumerate(rubric, 1)
    ]


def _check_lines(form: TreatmentForm, rubric: Sequence[RubricLine], language: Language) -> None:
    there = {line.line for line in form.lines}
    missing = [number for number in range(1, len(rubric) + 1) if number not in there]
    if missing:
        told = phrases("read_lines", language)["line"]
        raise UnusableFormError([told.format(number=number) for number in missing])


def check_quotes(quotes: Iterable[str], answer: str, language: Language) -> None:
    """Check that quotes stand in the answer, letter by letter.

    Where a quote leaves something out, each of its pieces has to stand there.

    Raises:
        UnusableFormError: One does not.
    """
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


def _lines(reason: str) -> str:
    """A reason with nothing but its line breaks that cannot be printed."""
    return "\n".join(map(one_line, reason.split("\n")))


def enclosed(answer: str, longest: int = LONGEST_ANSWER) -> str:
    """Return an answer as one line between the prompt's delimiters, which it cannot contain."""
    return f"{_OPEN}{one_line(answer[:longest])}{_CLOSE}"


def one_line(text: str) -> str:
    """Return a text without line breaks, marks of ours and what cannot be printed."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line.translate(_NO_MARKS)
