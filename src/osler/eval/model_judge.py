"""A model as the judge: it reads the record's truth and the doctor's answer, and follows docs/judging.md.

The doctor's text is treated as data: on one line, inside delimiters that it cannot reproduce.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Literal

from pydantic import BaseModel

from osler.eval.judge import Kind, Opinion, truth_of
from osler.eval.verdict import Verdict
from osler.eval.vocabulary import read
from osler.language import Language
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import phrases, prompt
from osler.records.schema import Diagnosis, PatientRecord, Treatment

_MOST_TOKENS = 200
_LONGEST_ANSWER = 2000
"""Characters of an answer that a judge is shown."""
_LONGEST = 600

_OPEN, _CLOSE = "<answer>", "</answer>"
_NO_MARKS = str.maketrans("<>", "‹›")
_CHINESE = {"正确": "correct", "部分正确": "partial", "错误": "wrong", "未回答": "none", "不安全": "unsafe"}
_WORDS = frozenset(_CHINESE.values())


class _DiagnosisReply(BaseModel):
    because: str
    verdict: Literal["correct", "partial", "wrong", "none"]


class _TreatmentReply(BaseModel):
    because: str
    verdict: Literal["correct", "partial", "wrong", "none", "unsafe"]


EXAMPLES = "+examples"
"""Ends the name of a judge that is shown examples."""


class ModelJudge:
    """Judges at temperature 0, with or without examples of hard cases in its prompt."""

    def __init__(self, backbone: Backbone, *, examples: bool = False) -> None:
        """Take a model."""
        self._backbone, self._examples = backbone, examples

    @property
    def name(self) -> str:
        """The model, a hash of its prompts, and whether it is shown examples."""
        kinds: tuple[Kind, ...] = ("diagnosis", "treatment")
        forms = {language: prompt("judge_truth", language).text for language in Language}
        whole = "".join(self._prompt(kind, language, forms[language]) for kind in kinds for language in Language)
        shown = EXAMPLES if self._examples else ""
        return f"{self._backbone.spec}#{hashlib.sha256(whole.encode()).hexdigest()[:8]}{shown}"

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Judge an answer by the record's true diagnosis or treatment."""
        return await self.pair(truth_of(kind, record), answer, record.language)

    async def pair(self, truth: Diagnosis | Treatment, answer: str, language: Language) -> Opinion:
        """Judge an answer by a truth."""
        kind: Kind = "diagnosis" if isinstance(truth, Diagnosis) else "treatment"
        schema = _DiagnosisReply if kind == "diagnosis" else _TreatmentReply
        text = self._prompt(kind, language, _question(truth, answer, language))
        said = await ask(self._backbone.client, [ChatMessage("user", text)], schema=schema, max_tokens=_MOST_TOKENS)
        tokens = None if said.tokens_in is None else said.tokens_in + (said.tokens_out or 0)
        verdict, because = _read(said.text, kind)
        return Opinion(verdict, because, tokens, said.cost, "model")

    def _prompt(self, kind: Kind, language: Language, question: str) -> str:
        shown = _examples(kind, language) if self._examples else ""
        return prompt(f"judge_{kind}", language).fill(examples=shown, question=question)


def enclosed(answer: str, longest: int = _LONGEST) -> str:
    """Return an answer as one line between the prompt's delimiters, none of which it can contain."""
    return f"{_OPEN}{_line(answer[:longest])}{_CLOSE}"


def _line(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line.translate(_NO_MARKS)


def truth_lines(truth: Diagnosis | Treatment, language: Language) -> list[str]:
    """What a judge is told of the truth: its names, and a treatment's parts, alternatives and what is unsafe."""
    told = [("truth", truth.name)]
    if truth.aliases:
        told.append(("names", "; ".join(truth.aliases)))
    if isinstance(truth, Treatment):
        if truth.parts:
            told.append(("parts", "; ".join(" / ".join(part.names) for part in truth.parts)))
        if truth.alternatives:
            told.append(("alternatives", "; ".join(truth.alternatives)))
        told += [("unsafe", f"{' / '.join(one.names)} ({one.because})") for one in truth.unsafe]
    words = phrases("judge_truth", language)
    return [words[key].format(told=_line(text)) for key, text in told]


def _question(truth: Diagnosis | Treatment, answer: str, language: Language) -> str:
    asked = phrases("judge_truth", language)["answer"].format(told=enclosed(answer, _LONGEST_ANSWER))
    return "\n".join((*truth_lines(truth, language), asked))


@cache
def _examples(kind: Kind, language: Language) -> str:
    """Hard cases with their verdicts, each in the form of a question and the reply."""
    model = Diagnosis if kind == "diagnosis" else Treatment
    shown = ""
    for row in read("judge_examples")[kind][language]:
        reply = json.dumps({"because": row["because"], "verdict": row["verdict"]}, ensure_ascii=False)
        shown += f"{_question(model.model_validate(row['truth']), row['answer'], language)}\n{reply}\n\n"
    return shown


def _read(text: str, kind: Kind) -> tuple[Verdict, str]:
    """Parse the model's reply; what cannot be read leaves the answer undecided."""
    data = json_of(text.rpartition("</think>")[2]) or {}
    word = str(data.get("verdict", "")).strip().casefold()
    word = _CHINESE.get(word, word)
    if word in _WORDS and (word != Verdict.UNSAFE or kind == "treatment"):
        return Verdict(word), " ".join(str(data.get("because", "")).split())[:_LONGEST]
    return Verdict.UNDECIDED, f"the judge's reply could not be read: {' '.join(text.split())[:120]}"
