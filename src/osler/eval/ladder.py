"""The ladder: judges an answer by rules, from the surest step to the least sure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from osler.eval import english, mandarin, treatment
from osler.eval.lexicon import Concept
from osler.eval.mentions import members, offers_a_choice, read_answer, says_nothing
from osler.eval.names import LONGEST, is_chinese
from osler.eval.verdict import Judgement, Verdict
from osler.records.language import Language
from osler.records.schema import Diagnosis, Treatment

LADDER = "ladder/2"

_MANY = 4
"""Diseases in one list from which it is no answer but a guess at all of them."""


def judge_diagnosis(answer: str, truth: Diagnosis, language: Language) -> Judgement:
    """Whether the answer is the diagnosis. Names are read by their script, so that both languages are known in each."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no diagnosis was given")
    reading = read_answer(answer[:LONGEST])
    said = [found for pieces in reading.meant if (found := _sentence(pieces, truth))]
    for verdict in (Verdict.CORRECT, Verdict.PARTIAL, Verdict.WRONG):
        if found := next((each for each in said if each.verdict is verdict), None):
            return found
    if any((found := _compare(piece, truth)) and found.verdict is Verdict.CORRECT for piece in reading.mentioned):
        return Judgement(Verdict.WRONG, "negated", f"mentions {truth.name} without meaning it")
    if says_nothing(answer):
        return Judgement(Verdict.NONE, "none", "no diagnosis was given")
    return Judgement(Verdict.WRONG, "name", f"does not name {truth.name}")


def judge_differential(answers: Sequence[str], truth: Diagnosis, language: Language) -> int | None:
    """The place of the first correct answer, the main one being the first; None when none is."""
    for rank, answer in enumerate(answers, start=1):
        if judge_diagnosis(answer, truth, language).verdict is Verdict.CORRECT:
            return rank
    return None


def judge_treatment(answer: str, truth: Treatment, language: Language) -> Judgement:
    """Whether the answer holds what should be done, and nothing that must not be."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    return treatment.judge(answer[:LONGEST], truth)


def _sentence(pieces: tuple[str, ...], truth: Diagnosis) -> Judgement | None:
    """What a sentence says: as a whole, else by its pieces; a choice of two is half an answer, a list of four none."""
    whole = ", ".join(pieces)
    parts = pieces if len(pieces) > 1 else ()
    found = _compare(whole, truth) or next((each for piece in parts if (each := _compare(piece, truth))), None)
    if found is None:
        return None
    listed = members(whole)
    named = [each for each in listed if (mandarin if is_chinese(each) else english).is_disease(each)]
    if len(listed) >= _MANY and len(named) >= _MANY - 1:
        return Judgement(Verdict.WRONG, "list", f"one of {len(named)} in a list")
    if found.verdict is Verdict.CORRECT and len(named) > 1 and offers_a_choice(whole):
        return Judgement(Verdict.PARTIAL, "choice", "one of several alternatives")
    return found


def _compare(mention: str, truth: Diagnosis) -> Judgement | None:
    own = _concepts(truth.names)
    wanted = (*truth.names, *(name for concept in own for name in concept.names))
    compare = mandarin.compare if is_chinese(mention) else english.compare
    return compare(mention, wanted, own, truth.icd10)


@lru_cache(maxsize=4096)
def _concepts(names: tuple[str, ...]) -> tuple[Concept, ...]:
    latin = [each for each in names if not is_chinese(each)]
    return tuple(dict.fromkeys((*english.concepts(latin), *mandarin.concepts(names))))
