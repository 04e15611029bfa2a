"""Ask a memory one question: rank turns, recall within the budget, answer, and score."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, text_of
from osler.bench.models import BenchModel
from osler.bench.replay import places_of, ranked_turns, recalled_turns
from osler.bench.results import AskedResult
from osler.bench.scoring import agreement, graded, parts_found, refuses
from osler.language import Language
from osler.language.words import content
from osler.memory.base import Memory, Recall, tokens
from osler.prompts import phrases, prompt

_ANSWER_TOKENS, _VERDICT_TOKENS = 200, 200
_LONGEST_REFERENCE, _LONGEST_ANSWER = 6000, 2000
"""Characters that the judge is shown."""
_GRADES = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Examiner:
    """Who answers and who judges; without a model, the recall itself is looked at."""

    case: BenchCase
    model: BenchModel | None = None
    judge: BenchModel | None = None

    @property
    def language(self) -> Language:
        """The language of the conversation."""
        return self.case.language

    async def ask(self, memory: Memory, question: BenchQuestion) -> AskedResult:
        """Ask one question, and score all that comes back."""
        begun = time.perf_counter()
        recall = await memory.recall(question.text)
        seconds = time.perf_counter() - begun
        ranked = await ranked_turns(memory, question.text, recall) if question.turns else []
        answer = await self.answer(question.text, recall)
        said = recall.text if self.model is None else answer
        share = None if said is None else parts_found(question, said, self.language)
        told = {*recalled_turns(recall)}
        return AskedResult(
            text=question.text,
            kind=question.kind,
            places=places_of(question.turns, ranked),
            recalled=len(question.turns & told) / len(question.turns) if question.turns else None,
            told=self._told(question, recall),
            tokens=tokens(recall.text),
            seconds=seconds,
            answer=answer,
            recall=recall.text,
            found=share,
            correct=graded(share),
            refused=self._refused(recall, answer),
            **await self._judged(question, answer),
        )

    async def answer(self, question: str, recall: Recall) -> str | None:
        """The model's answer from what was recalled; None without a model, or if it failed."""
        if self.model is None:
            return None
        nothing = phrases("bench_lines", self.language)["nothing"]
        template = prompt("bench_answer", self.language)
        return await self.model.text(template.fill(recall=recall.text or nothing, question=question), _ANSWER_TOKENS)

    async def agreement(self, memory: Memory, first: AskedResult) -> float | None:
        """Ask a question again; return how far the replies agree in their words, or without a model the recalls."""
        recall = await memory.recall(first.text)
        again = recall.text if self.model is None else await self.answer(first.text, recall)
        before = first.recall if self.model is None else first.answer
        if again is None or before is None:
            return None
        return agreement(content(again, self.language), content(before, self.language))

    def _told(self, question: BenchQuestion, recall: Recall) -> float | None:
        """Share of the gold turns' content words in the recall."""
        said = [text_of(turn) for turn in self.case.turns if turn.number in question.turns]
        wanted = {word for text in said for word in content(text, self.language)}
        return len(wanted.intersection(content(recall.text, self.language))) / len(wanted) if wanted else None

    def _refused(self, recall: Recall, answer: str | None) -> bool | None:
        if self.model is None:
            return not recall.text
        return None if answer is None else refuses(answer, self.language)

    async def _judged(self, question: BenchQuestion, answer: str | None) -> dict[str, float | None]:
        """The judge's two grades of an answer; a question without an answer has none to be judged."""
        if self.judge is None or answer is None or question.kind is QuestionKind.UNANSWERABLE:
            return {}
        filled = prompt("bench_judge", self.language).fill(
            question=_one_line(question.text),
            reference=self._reference(question)[:_LONGEST_REFERENCE],
            answer=_one_line(answer[:_LONGEST_ANSWER]),
        )
        said = await self.judge.data(filled, _VERDICT_TOKENS) or {}
        return {"judged": _grade(said.get("correct")), "coherent": _grade(said.get("coherent"))}

    def _reference(self, question: BenchQuestion) -> str:
        """The gold answer or, in data that has none, the gold turns, or else the whole conversation."""
        if question.answer:
            return question.answer
        turns = [turn for turn in self.case.turns if turn.number in question.turns] or self.case.turns
        return "\n".join(map(text_of, turns))


def _one_line(text: str) -> str:
    """A text as one line without the marks that enclose it in the prompt."""
    return " ".join(text.split()).translate(str.maketrans("<>", "‹›"))


def _grade(value: Any) -> float | None:
    """A grade of the scale, also as text; None for anything else."""
    try:
        grade = float(value)
    except (TypeError, ValueError):
        return None
    return grade if grade in _GRADES else None
