"""Questions made from the data by rule: facts to correct or delete, and questions that have no answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, text_of
from osler.bench.scoring import holds, parts_found, squeezed
from osler.memory.base import Turn
from osler.prompts import phrases
from osler.seeds import derive

_LONGEST_VALUE, _SHORTEST_VALUE = 40, 2
"""Letters of a value that can be looked for: a longer one is not said twice in the same words."""
_MOST_FACTS, _MOST_BORROWED = 5, 3
_NEXT_DIGIT = str.maketrans("0123456789", "1234567890")


class FactChange(NamedTuple):
    """A fact, and the value that takes its place."""

    question: BenchQuestion
    old: str
    new: str
    correction: Turn
    """The exchange that corrects it; its number is set when it is told."""
    statement: Turn | None = None
    """The exchange that tells the old value, if the conversation does not."""


def single_facts(case: BenchCase) -> list[BenchQuestion]:
    """The questions with one short value that the gold turns say and no other turn does."""
    said = {turn.number: squeezed(text_of(turn)) for turn in case.turns}
    found = []
    for question in case.questions:
        value = squeezed(question.wanted[0]) if len(question.wanted) == 1 else ""
        if not _SHORTEST_VALUE <= len(value) <= _LONGEST_VALUE or question.kind is QuestionKind.UNANSWERABLE:
            continue
        holders = {number for number, text in said.items() if value in text}
        if holders and holders <= question.turns and value not in squeezed(question.text):
            found.append(question)
    return found


def fact_changes(case: BenchCase, others: Sequence[BenchCase], seed: int) -> list[FactChange]:
    """Facts of a case, drawn by the seed, each with another value.

    The new value is what another question of the same relation has as its answer, in any conversation of the data set,
    if nothing in this one says it. If there is none, the digits of the value each go up by one; a value without digits
    is left out.
    """
    draws = random.Random(derive(seed, case.person, 0, "facts"))  # noqa: S311 -- a sample
    own = squeezed("\n".join(map(text_of, case.turns)))
    values: dict[str, list[str]] = {}
    for other in others:
        for question in other.questions:
            if question.relation and len(question.wanted) == 1:
                values.setdefault(question.relation, []).append(question.wanted[0])
    facts, found = single_facts(case), list[FactChange]()
    line = phrases("bench_lines", case.language)["correction"]
    draws.shuffle(facts)
    for question in facts:
        old = question.wanted[0]
        usable = [value for value in values.get(question.relation, ()) if _is_new(value, old, own)]
        changed = old.translate(_NEXT_DIGIT)
        usable = usable or ([changed] if _is_new(changed, old, own) else [])
        if usable and len(found) < _MOST_FACTS:
            new = draws.choice(usable)
            found.append(FactChange(question, old, new, _exchange(case, question.text, line.format(value=new))))
    return found


def planted_facts(case: BenchCase) -> list[FactChange]:
    """Facts that no conversation of the data has, told and later corrected; the same for everybody."""
    found = []
    for ask, reply, correction, question, old, new in _planted()[case.language]:
        told, corrected = _exchange(case, ask, reply), _exchange(case, ask, correction)
        found.append(FactChange(BenchQuestion(question, old), old, new, corrected, told))
    return found


@cache
def _planted() -> Any:
    return yaml.safe_load((files("osler.bench") / "planted_facts.yaml").read_text(encoding="utf-8"))


def _exchange(case: BenchCase, asked: str, reply: str) -> Turn:
    """An exchange after the conversation: whoever spoke first in it now replies to the other one."""
    first, last = case.turns[0], case.turns[-1]
    names = {"asked_by": first.said_by, "said_by": first.asked_by}
    return last.model_copy(update={"question": asked, "reply": reply, **names})


def _is_new(value: str, old: str, own: str) -> bool:
    new, before = squeezed(value), squeezed(old)
    fits = _SHORTEST_VALUE <= len(new) <= _LONGEST_VALUE
    return fits and new not in own and new not in before and before not in new


def borrowed_questions(case: BenchCase, other: BenchCase) -> list[BenchQuestion]:
    """Questions of another person that nothing in this conversation answers, for data without unanswerable ones."""
    if any(question.kind is QuestionKind.UNANSWERABLE for question in case.questions):
        return []
    own = "\n".join(map(text_of, case.turns))
    asked = [one for one in other.questions if one.wanted and one.text not in {mine.text for mine in case.questions}]
    foreign = [one for one in asked if not parts_found(one, own, case.language) and not holds(own, one.answer)]
    return [BenchQuestion(one.text, kind=QuestionKind.UNANSWERABLE) for one in foreign[:_MOST_BORROWED]]
