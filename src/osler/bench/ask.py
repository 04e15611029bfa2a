"""Ask a memory: rank turns, recall within the budget, answer, and have the answer read."""

from __future__ import annotations

import time
from dataclasses import dataclass

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, text_of
from osler.bench.models import BenchModel
from osler.bench.replay import places_of, ranked_turns
from osler.bench.results import AskedResult
from osler.eval.reader.memory_answers import (
    Agreement,
    AnswerForm,
    AskedTruth,
    MemoryAnswerReader,
    Says,
    exact_forms,
)
from osler.language import Language
from osler.memory.base import Memory, Query, Recall, tokens
from osler.prompts import phrases, prompt

_ANSWER_TOKENS = 200
"""Maximum tokens of an answer."""


@dataclass(frozen=True)
class Examiner:
    """Who answers and who reads the answers; without a model, the recall itself is looked at."""

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
        recall = await memory.recall(Query(question.text))
        seconds = time.perf_counter() - begun
        ranked = await ranked_turns(memory, question.text, recall) if question.turns else []
        answer = await self.answer(question.text, recall)
        form = await self.read(self.truth_of(question), answer)
        return AskedResult(
            text=question.text,
            kind=question.kind,
            places=places_of(question.turns, ranked),
            recalled=recalled_share(question, recall),
            tokens=tokens(recall.text),
            seconds=seconds,
            answer=answer,
            form=form,
            refused=self._refused(recall, form),
        )

    async def answer(self, question: str, recall: Recall) -> str | None:
        """The model's answer from what was recalled; None without a model, or if it failed."""
        if self.model is None:
            return None
        nothing = phrases("bench_lines", self.language)["nothing"]
        template = prompt("bench_answer", self.language)
        filled = template.fill(recall=recall.text or nothing, question=question)
        return await self.model.text(filled, _ANSWER_TOKENS)

    async def read(self, truth: AskedTruth, answer: str | None) -> AnswerForm | None:
        """What an answer says; None if there is none, or nobody could read it."""
        if answer is None:
            return None
        if self.judge is not None:
            return await self.judge.read(truth, answer, self.language)
        return await MemoryAnswerReader(None, self.language).read(truth, answer)

    async def agreement(
        self, memory: Memory, question: BenchQuestion, first: AskedResult
    ) -> float | None:
        """Ask again: do both answers say the same of what is true? None if either was not read.

        Answers that say nothing of it agree with none: nobody compared them with each other.
        """
        if first.form is None:
            return None
        recall = await memory.recall(Query(question.text))
        answer = await self.answer(question.text, recall)
        form = await self.read(self.truth_of(question), answer)
        if form is None:
            return None
        return float(form.agrees is first.form.agrees is not Agreement.NONE)

    def truth_of(self, question: BenchQuestion) -> AskedTruth:
        """The gold answer, or in data without answers the gold turns, or the whole conversation."""
        if question.kind is QuestionKind.UNANSWERABLE:
            unknown = phrases("read_memory_lines", self.language)["unknown"]
            return AskedTruth(question.text, unknown)
        if question.answer:
            return truth_of_value(question.text, question.answer)
        gold = [turn for turn in self.case.turns if turn.number in question.turns]
        return AskedTruth(question.text, "\n".join(map(text_of, gold or self.case.turns)))

    def _refused(self, recall: Recall, form: AnswerForm | None) -> bool | None:
        if self.model is None:
            return not recall.text
        if form is None:
            return None
        return form.says is Says.NOT_KNOWN


def truth_of_value(question: str, value: str, before: tuple[str, ...] = ()) -> AskedTruth:
    """A question whose answer is one value, and the values that it had before."""
    forms = exact_forms(Says.TELLS, Agreement.OUTDATED, before)
    # The right value comes last: a value that was changed back is right, and not outdated.
    forms |= exact_forms(Says.TELLS, Agreement.ALL, [value])
    return AskedTruth(question, value, before, forms)


def recalled_share(question: BenchQuestion, recall: Recall) -> float | None:
    """Share of the gold turns that a recall tells of; None if they or its turns are not known."""
    if not question.turns or recall.told_turns is None:
        return None
    return len(question.turns.intersection(recall.told_turns)) / len(question.turns)
