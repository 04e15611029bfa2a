"""Judge a diagnosis by rules: the same name, related by name or ICD-10 code, or another illness."""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.ladder.commitment import Commitment, Committed, committed, count
from osler.eval.ladder.illness_names import names_for, truth_of
from osler.eval.ladder.names import LONGEST
from osler.eval.ladder.negation import meaning, says_nothing
from osler.eval.verdict import Judgement, Verdict
from osler.records.schema import Diagnosis

LADDER = "ladder/5"

_ORDER = (Verdict.CORRECT, Verdict.PARTIAL, Verdict.WRONG)
_AS = {
    "differential": "another possibility",
    "talk": "talk to the judge",
    "reasons": "a reason",
    "complication": "what goes with another illness",
}


def judge_diagnosis(answer: str, truth: Diagnosis) -> Judgement:
    """Judge whether the diagnosis that an answer commits to is the true one."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no diagnosis was given")
    if names_for(answer[:LONGEST]).is_one_of(answer[:LONGEST], truth.names):
        return Judgement(Verdict.CORRECT, "name", "the same name")
    said = committed(answer, count(truth.name))
    if said.commitment is Commitment.LIST or (
        said.commitment is Commitment.SEVERAL and not _is_one(answer, said, truth)
    ):
        first = ", ".join((*said.illnesses[:3], *("…" for _ in said.illnesses[3:4])))
        return Judgement(Verdict.WRONG, "several", f"several diagnoses, not one: {first}")
    found = _judged(said, truth)
    if found is None:
        return _unnamed(answer, said, truth)
    if said.commitment is Commitment.CHOICE and found.verdict is Verdict.CORRECT:
        return Judgement(Verdict.PARTIAL, "choice", "one of several alternatives")
    return found


def _is_one(answer: str, said: Committed, truth: Diagnosis) -> bool:
    """Check whether two names are of one diagnosis: "Hypothyroidism (Hashimoto's thyroiditis)"."""
    if all(_compare(each, truth) for each in said.illnesses):
        return True
    *_, last = said.illnesses
    is_in_brackets = any(f"{bracket}{last}" in answer for bracket in "(（")
    one, other = (names_for(each).illness(each) for each in (said.illnesses[0], last))
    return len(said.illnesses) == 2 and is_in_brackets and one is not None and other is not None and one.is_near(other)


def _judged(said: Committed, truth: Diagnosis) -> Judgement | None:
    """Compare the answer's own words with the true diagnosis: as a whole, else by its pieces."""
    alternatives = said.illnesses if said.commitment is Commitment.CHOICE else ()
    found = []
    for text in dict.fromkeys((said.diagnosis, *alternatives)):
        for pieces in meaning(text).meant:
            judged = (_compare(each, truth) for each in dict.fromkeys((", ".join(pieces), *pieces)))
            found += [next(filter(None, judged), None)]
    return min(filter(None, found), key=lambda each: _ORDER.index(each.verdict), default=None)


def _unnamed(answer: str, said: Committed, truth: Diagnosis) -> Judgement:
    """Say why an answer that does not commit to the true diagnosis is not right."""
    if any(_is_correct(piece, truth) for piece in meaning(answer[:LONGEST]).mentioned):
        return Judgement(Verdict.WRONG, "negated", f"mentions {truth.name} without meaning it")
    for part in said.left_out:
        if _is_correct(part.text, truth):
            return Judgement(Verdict.WRONG, part.why, f"names {truth.name} only as {_AS[part.why]}")
    if says_nothing(answer):
        return Judgement(Verdict.NONE, "none", "no diagnosis was given")
    if said.commitment is Commitment.NONE and said.left_out:
        return Judgement(Verdict.WRONG, said.left_out[0].why, "commits to no diagnosis")
    return Judgement(Verdict.WRONG, "name", f"does not name {truth.name}")


def judge_differential(answers: Sequence[str], truth: Diagnosis) -> int | None:
    """Return the rank of the first correct answer, the main one being the first, or None if none is."""
    for rank, answer in enumerate(answers, start=1):
        if judge_diagnosis(answer, truth).verdict is Verdict.CORRECT:
            return rank
    return None


def _is_correct(text: str, truth: Diagnosis) -> bool:
    found = _compare(text, truth)
    return found is not None and found.verdict is Verdict.CORRECT


def _compare(mention: str, truth: Diagnosis) -> Judgement | None:
    return names_for(mention).compare(mention, truth_of(truth.names, truth.icd10))
