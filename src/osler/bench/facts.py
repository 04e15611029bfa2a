"""Questions made from the data by rule: facts to correct or delete, and facts of other people."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, text_of
from osler.bench.scoring import holds, squeezed
from osler.memory.base import Turn
from osler.prompts import phrases
from osler.seeds import derive

_SHORTEST_VALUE = 2
"""Characters of the shortest value that can be changed."""
_LONGEST_VALUE = 40
"""Letters of a value that can be looked for: a longer value is not said twice in the same words."""
_MOST_FACTS = 5
"""Facts of one person that are changed."""
_MOST_BORROWED = 3
"""Questions about somebody else that one person's memory is asked."""
_NEXT_DIGIT = str.maketrans("0123456789", "1234567890")


class FactChange(NamedTuple):
    """A fact, and the value that takes its place."""

    question: BenchQuestion
    old: str
    new: str
    correction: Turn
    """The exchange that corrects it; its number is set when a memory gets it."""
    statement: Turn | None = None
    """The exchange that tells the old value, if the conversation does not."""


def single_facts(case: BenchCase) -> list[BenchQuestion]:
    """The questions with one short value that the gold turns say and no other turn does."""
    texts = {turn.number: squeezed(text_of(turn)) for turn in case.turns}
    return [question for question in case.questions if _is_single_fact(question, texts)]


def _is_single_fact(question: BenchQuestion, texts: dict[int, str]) -> bool:
    if question.kind is QuestionKind.UNANSWERABLE or len(question.wanted) != 1:
        return False
    value = squeezed(question.wanted[0])
    if not _has_usable_length(value):
        return False
    # Who asks with the value gives the answer away, whatever the memory recalls.
    if value in squeezed(question.text):
        return False
    holders = {number for number, text in texts.items() if value in text}
    return bool(holders) and holders <= question.turns


def fact_changes(case: BenchCase, others: Sequence[BenchCase], seed: int) -> list[FactChange]:
    """Facts of a case, drawn by the seed, each with another value.

    The new value is what another question of the same relation has as its answer, in any
    conversation of the data set, if nothing in this one says it. If there is none, the digits of
    the value each go up by one; a value without digits is left out.
    """
    draws = random.Random(derive(seed, case.person, 0, "facts"))  # noqa: S311 -- a sample
    own_text = squeezed("\n".join(map(text_of, case.turns)))
    values = _values_by_relation(others)
    line = phrases("bench_lines", case.language)["correction"]
    facts = single_facts(case)
    draws.shuffle(facts)
    changes: list[FactChange] = []
    for question in facts:
        if len(changes) == _MOST_FACTS:
            break
        old = question.wanted[0]
        new_values = _new_values(old, values.get(question.relation, ()), own_text)
        if new_values:
            new = draws.choice(new_values)
            correction = _exchange(case, question.text, line.format(value=new))
            changes.append(FactChange(question, old, new, correction))
    return changes


def _values_by_relation(cases: Iterable[BenchCase]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for case in cases:
        for question in case.questions:
            if question.relation and len(question.wanted) == 1:
                values.setdefault(question.relation, []).append(question.wanted[0])
    return values


def _new_values(old: str, candidates: Iterable[str], own_text: str) -> list[str]:
    """The candidates that can replace a value, or else the value with other digits."""
    usable = [value for value in candidates if _can_replace(old, value, own_text)]
    if usable:
        return usable
    changed = old.translate(_NEXT_DIGIT)
    if _can_replace(old, changed, own_text):
        return [changed]
    return []


def _can_replace(old: str, new: str, own_text: str) -> bool:
    """Check whether a recall can be searched for both values without taking one for the other."""
    new = squeezed(new)
    old = squeezed(old)
    if not _has_usable_length(new) or new in own_text:
        return False
    return new not in old and old not in new


def _has_usable_length(value: str) -> bool:
    return _SHORTEST_VALUE <= len(value) <= _LONGEST_VALUE


def planted_facts(case: BenchCase) -> list[FactChange]:
    """Facts that no conversation of the data has, told and later corrected; everybody's alike."""
    changes = []
    for ask, reply, correction, question, old, new in _planted()[case.language]:
        change = FactChange(
            question=BenchQuestion(question, old),
            old=old,
            new=new,
            correction=_exchange(case, ask, correction),
            statement=_exchange(case, ask, reply),
        )
        changes.append(change)
    return changes


@cache
def _planted() -> Any:
    path = files("osler.bench") / "planted_facts.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _exchange(case: BenchCase, question: str, reply: str) -> Turn:
    """An exchange after the conversation, in which whoever spoke first replies to the other."""
    first = case.turns[0]
    changed = {
        "question": question,
        "reply": reply,
        "asked_by": first.said_by,
        "said_by": first.asked_by,
    }
    return case.turns[-1].model_copy(update=changed)


def borrowed_questions(case: BenchCase, other: BenchCase) -> list[BenchQuestion]:
    """Questions of another person whose answer stands nowhere here.

    There are none for data that has unanswerable questions of its own.
    """
    if any(question.kind is QuestionKind.UNANSWERABLE for question in case.questions):
        return []
    own_text = "\n".join(map(text_of, case.turns))
    own_questions = {question.text for question in case.questions}
    texts = []
    for question in other.questions:
        if not question.wanted or question.text in own_questions:
            continue
        if not any(holds(own_text, value) for value in question.wanted):
            texts.append(question.text)
    return [BenchQuestion(text, kind=QuestionKind.UNANSWERABLE) for text in texts[:_MOST_BORROWED]]
