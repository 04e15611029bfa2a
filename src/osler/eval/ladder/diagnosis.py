"""Judge a diagnosis by rules, and only where that is sure; everything else is undecided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from osler.eval.ladder.answer_pieces import read_answer
from osler.eval.ladder.commitment import Commitment, Committed, committed, count
from osler.eval.ladder.illness_graph import Relation
from osler.eval.ladder.illness_names import Truth
from osler.eval.ladder.name_forms import names_for, truth_of
from osler.eval.ladder.names import LONGEST
from osler.eval.ladder.negation import says_nothing
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import Diagnosis

LADDER = "ladder/8"

_QUESTION = re.compile(r"[?？]")
_IS_TRUTH = (Relation.SAME, Relation.NARROWER)
_VERDICTS = {
    Relation.SAME: Verdict.CORRECT,
    Relation.NARROWER: Verdict.CORRECT,
    Relation.BROADER: Verdict.PARTIAL,
    Relation.OTHER: Verdict.WRONG,
    Relation.UNSURE: Verdict.UNDECIDED,
}


def judge_diagnosis(answer: str, truth: Diagnosis) -> Opinion:
    """Judge whether the diagnosis that an answer commits to is the true one."""
    if not answer.strip():
        return Opinion(Verdict.NONE, rung="none", because="no diagnosis was given")
    true = truth_of(truth.names, truth.icd10)
    if names_for(answer[:LONGEST]).is_one_of(answer[:LONGEST], truth.names):
        return Opinion(Verdict.CORRECT, rung="name", because="the same name")
    said = committed(answer, count(truth.name))
    if said.commitment is Commitment.ONE:
        return _judge_one(answer, said, true)
    if said.commitment is Commitment.NONE:
        return _judge_none(answer, true)
    relations = [_compare(each, true) for each in said.illnesses]
    named = ", ".join((*said.illnesses[:3], *("…" for _ in said.illnesses[3:4])))
    is_open = says_nothing(answer) or len(_QUESTION.findall(answer)) > 1
    if (said.commitment is Commitment.LIST and not is_open) or all(each is Relation.OTHER for each in relations):
        return Opinion(Verdict.WRONG, rung="several", because=f"several diagnoses, not one: {named}")
    if said.commitment is Commitment.CHOICE and any(each in _IS_TRUTH for each in relations):
        return Opinion(Verdict.PARTIAL, rung="choice", because="one of two alternatives")
    return _undecided(f"whether one diagnosis is meant: {named}")


def _judge_one(answer: str, said: Committed, truth: Truth) -> Opinion:
    """Judge the one diagnosis that an answer commits to."""
    name = said.illnesses[0]
    relation = _compare(name, truth)
    if relation is Relation.OTHER and (names_for(name).is_abbreviation(name, at_most=3) or not said.is_first):
        relation = Relation.UNSURE
    if relation not in _IS_TRUTH:
        relation = _with_details(relation, (name, *said.details), said.diagnosis, truth)
    if relation is None:
        return _judge_none(answer, truth)
    if relation is Relation.UNSURE or (relation in _IS_TRUTH and _denies(answer, truth)):
        return _undecided(f"how {name} is related to {truth.names[0]}")
    return Opinion(_VERDICTS[relation], rung="name", because=relation.value)


def _with_details(relation: Relation | None, parts: tuple[str, ...], whole: str, truth: Truth) -> Relation | None:
    """Judge a name that is not the true one together with what is said of it, such as a second name in brackets."""
    if any(_compare(each, truth) in _IS_TRUTH for each in parts[1:] if not names_for(each).is_abbreviation(each)):
        return Relation.UNSURE if relation is Relation.OTHER else Relation.NARROWER
    joined = (_compare(text, truth) for text in (" ".join(parts), whole))
    if relation is not Relation.OTHER and any(each in _IS_TRUTH for each in joined):
        return Relation.NARROWER
    names = ", ".join(each for each in parts if _compare(each, truth) is Relation.BROADER)
    index = names_for(whole)
    # What is added to a less precise name can make it the true one.
    return Relation.UNSURE if relation is Relation.BROADER and not index.is_only(index.key(names), whole) else relation


def _judge_none(answer: str, truth: Truth) -> Opinion:
    """Judge an answer that commits to no illness that is known."""
    read = read_answer(answer)
    texts = [answer[:LONGEST]] if read.talks else [each.text for each in read.statements if each.text]
    is_named = any(names_for(text).names_any(text) for text in texts)
    denies, is_silent = _denies(answer, truth), says_nothing(answer) or read.talks
    if is_silent and not (is_named or denies):
        return Opinion(Verdict.NONE, rung="none", because="no diagnosis was given")
    if denies and not is_silent:
        return Opinion(Verdict.WRONG, rung="negated", because=f"mentions {truth.names[0]} without meaning it")
    return _undecided("which illness is meant")


def _denies(answer: str, truth: Truth) -> bool:
    """Check whether an answer names the true diagnosis as denied, to be excluded or past."""
    return any(names_for(each).mentions(each, truth) for each in read_answer(answer).denied)


def _undecided(what: str) -> Opinion:
    return Opinion(Verdict.UNDECIDED, rung="undecided", because=f"the rules cannot tell {what}")


def judge_differential(answers: Sequence[str], truth: Diagnosis) -> int | None:
    """Return the rank of the first answer that is surely correct, the main one being the first, or None if none is."""
    for rank, answer in enumerate(answers, start=1):
        if judge_diagnosis(answer, truth).verdict is Verdict.CORRECT:
            return rank
    return None


@lru_cache(maxsize=4096)
def _compare(text: str, truth: Truth) -> Relation | None:
    return names_for(text).compare(text, truth)
