"""A model as the judge: it sees two answers, not which of them is the true one, and says how they compare.

The doctor's text is treated as data: only the committed diagnosis, on one line, inside delimiters it cannot reproduce.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel

from osler.eval.judge import Kind, Opinion
from osler.eval.ladder import Commitment, committed, count
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import prompt
from osler.records.schema import PatientRecord

_MOST_TOKENS = 200
_LONGEST = 600
"""Characters of an answer that a judge is shown."""

_OPEN, _CLOSE = "<answer>", "</answer>"
_NO_MARKS = str.maketrans("<>", "‹›")


class _Verdict(BaseModel):
    because: str
    verdict: Literal["same", "less precise", "different", "no answer"]


_MEANS = {
    "same": Verdict.CORRECT,
    "less precise": Verdict.PARTIAL,
    "different": Verdict.WRONG,
    "no answer": Verdict.NONE,
    "相同": Verdict.CORRECT,
    "不够具体": Verdict.PARTIAL,
    "不同": Verdict.WRONG,
    "没有回答": Verdict.NONE,
}


class ModelJudge:
    """Judges at temperature 0."""

    def __init__(self, backbone: Backbone) -> None:
        """Take a model."""
        self._backbone = backbone

    @property
    def name(self) -> str:
        """Model and version of the rubric."""
        rubric = "".join(
            prompt(f"judge_{kind}", language).hash for kind in ("diagnosis", "treatment") for language in Language
        )
        return f"{self._backbone.spec}#{hashlib.sha256(rubric.encode()).hexdigest()[:8]}"

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Compare the committed answer with the true one; the judge is not told which is which."""
        if kind == "diagnosis":
            own = committed(answer, count(record.diagnosis.name))
            said = await self.pair(kind, record.diagnosis.name, own.diagnosis, record.language)
            if own.commitment is Commitment.CHOICE and said.verdict is Verdict.CORRECT:
                return replace(said, verdict=Verdict.PARTIAL)
            return said
        assert record.treatment is not None
        return await self.pair(kind, record.treatment.name, answer, record.language)

    async def pair(self, kind: str, truth: str, answer: str, language: Language) -> Opinion:
        """Compare two answers. Their text decides which comes first, so neither place always holds the true one."""
        content = hashlib.sha256("\0".join((kind, language, truth, answer)).encode("utf-8", "replace")).hexdigest()
        first, second = (truth, answer) if int(content, 16) % 2 else (answer, truth)
        template = prompt(f"judge_{kind}", language)
        text = template.fill(first=enclosed(first), second=enclosed(second))
        message = ChatMessage("user", text)
        said = await ask(self._backbone.client, [message], schema=_Verdict, max_tokens=_MOST_TOKENS)
        tokens = None if said.tokens_in is None else said.tokens_in + (said.tokens_out or 0)
        return _read(said.text, tokens)


def enclosed(answer: str, longest: int = _LONGEST) -> str:
    """Return an answer as one line between the prompt's delimiters, none of which it can contain."""
    line = " ".join("".join(char if char.isprintable() else " " for char in answer[:longest]).split())
    return f"{_OPEN}{line.translate(_NO_MARKS)}{_CLOSE}"


def _read(text: str, tokens: int | None) -> Opinion:
    data = json_of(text) or {}
    word = str(data.get("verdict", "")).strip().casefold()
    because = " ".join(str(data.get("because", "")).split())[:_LONGEST]
    if word in _MEANS:
        return Opinion(_MEANS[word], because, tokens)
    return Opinion(Verdict.UNPARSED, f"the judge's word could not be read: {' '.join(text.split())[:120]}", tokens)
