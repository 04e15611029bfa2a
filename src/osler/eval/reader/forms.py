"""The forms that a reader fills in about an answer, and the verdict that follows from each.

A reader says what the answer says and shows the words. It gives no verdict: `verdict_on_diagnosis`
and `verdict_on_treatment` compute it by the convention in docs/judging.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel

from osler.eval.verdict import Verdict
from osler.records.schema import Treatment


class Standing(StrEnum):
    """How an answer stands to an illness that it names."""

    PRESENT = "present"
    """The answer says that the patient has it now, or that it is the most likely."""
    CHOICE = "choice"
    """One of several that the answer leaves open."""
    POSSIBLE = "possible"
    """To be considered or excluded, beside or instead of something else."""
    DENIED = "denied"
    PAST = "past"
    RELATIVE = "relative"
    """Of a relative or somebody else."""


class Relation(StrEnum):
    """How an illness that an answer names relates to the true one."""

    SAME = "same"
    NARROWER = "narrower"
    """A more precise form of it."""
    BROADER = "broader"
    """A group that it belongs to."""
    SIBLING = "sibling"
    """Another form of the same illness, which does not compete with it."""
    CAUSE = "cause"
    COMPLICATION = "complication"
    SYMPTOM = "symptom"
    BACKGROUND = "background"
    """Another disease of the patient that is not meant to explain what brought them."""
    DIFFERENT = "different"


class NamedIllness(BaseModel):
    """An illness that an answer names."""

    words: str
    """The answer's own words."""
    standing: Standing
    relation: Relation


class DiagnosisForm(BaseModel):
    """What a reader finds in a diagnosis."""

    summary: str
    """What the answer commits to, in one sentence."""
    illnesses: list[NamedIllness]


class Course(StrEnum):
    """What a plan does with a treatment."""

    RECOMMENDED = "recommended"
    """Now, or as a definite later step."""
    IN_PART = "in part"
    """Only the class of a drug or the kind of operation is named."""
    OPTION = "option"
    """One of several choices that the plan leaves open, of which another is not right."""
    CONDITIONAL = "conditional"
    """Only if something happens that is not known yet."""
    DEFERRED = "deferred"
    """Only once the reason against it is gone or has been excluded."""
    FORBIDDEN = "forbidden"
    """Warned against, stopped or turned down."""
    NOT_MENTIONED = "not mentioned"


class RubricAnswer(BaseModel):
    """What a plan does with one line of the rubric."""

    line: int
    words: str
    """The plan's own words; empty if it is not mentioned."""
    course: Course


class Rest(StrEnum):
    """What a plan holds beside the lines of the rubric."""

    NOTHING = "nothing"
    SAFE = "safe"
    """More treatment, which does no harm."""
    HARMFUL = "harmful"
    """Something that would plainly harm this patient."""


class TreatmentForm(BaseModel):
    """What a reader finds in a treatment plan."""

    summary: str
    """What the plan does, in one sentence."""
    treats: bool
    """Whether it recommends any treatment at all: not only tests, referral, waiting, or words about
    the answer."""
    lines: list[RubricAnswer]
    rest: Rest
    rest_words: str
    """The plan's own words for what is harmful; empty otherwise."""


class LineKind(StrEnum):
    """What a line of a rubric is."""

    PART = "part"
    WHOLE = "whole"
    """A whole treatment that is right."""
    UNSAFE = "unsafe"


@dataclass(frozen=True)
class RubricLine:
    """One line that a plan is read for."""

    kind: LineKind
    names: tuple[str, ...]
    because: str = ""
    """Why it is unsafe for this patient."""


def rubric_of(treatment: Treatment) -> list[RubricLine]:
    """The lines of a record's treatment.

    Its parts, the whole treatments that are right, and what is unsafe.
    """
    lines = [RubricLine(LineKind.PART, part.names) for part in treatment.parts]
    lines += [RubricLine(LineKind.WHOLE, treatment.names)]
    lines += [RubricLine(LineKind.WHOLE, (name,)) for name in treatment.alternatives]
    return lines + [
        RubricLine(LineKind.UNSAFE, thing.names, thing.because) for thing in treatment.unsafe
    ]


class Finding(NamedTuple):
    """A verdict with what it rests on."""

    verdict: Verdict
    reason: str
    """For a reader: what was found, with the answer's own words."""


_JOINT = ";\n"
"""Stands between what was found for one illness or line and the next."""
_COMMITTED = frozenset({Standing.PRESENT, Standing.CHOICE})
_MEANS_TRUTH = frozenset({Relation.SAME, Relation.NARROWER})
_NEARLY = frozenset({Relation.BROADER, Relation.SIBLING})
_BESIDE = frozenset({Relation.CAUSE, Relation.COMPLICATION, Relation.SYMPTOM, Relation.BACKGROUND})
_MOST_CHOICES = 2
"""Illnesses that an open choice may have to be partly right."""


def verdict_on_diagnosis(form: DiagnosisForm) -> Finding:
    """Judge a diagnosis by what a reader found in it."""
    committed = [illness for illness in form.illnesses if illness.standing in _COMMITTED]
    right = [illness for illness in committed if illness.relation in _MEANS_TRUTH]
    nearly = [illness for illness in committed if illness.relation in _NEARLY]
    others = [illness for illness in committed if illness.relation is Relation.DIFFERENT]
    reason = _told_illnesses(committed or form.illnesses) or form.summary
    if not committed:
        return Finding(Verdict.NONE, reason)
    if (right or nearly) and len(others) + 1 > _MOST_CHOICES:
        return Finding(Verdict.WRONG, reason)
    if right:
        return Finding(Verdict.PARTIAL if others else Verdict.CORRECT, reason)
    if nearly and not others:
        return Finding(Verdict.PARTIAL, reason)
    return Finding(Verdict.WRONG, reason)


def _told_illnesses(illnesses: Sequence[NamedIllness]) -> str:
    return _JOINT.join(
        f"“{illness.words}”: {illness.standing}, {illness.relation}" for illness in illnesses
    )


_GIVEN = frozenset({Course.RECOMMENDED, Course.IN_PART, Course.OPTION, Course.CONDITIONAL})
"""What an unsafe treatment may not be. A drug that is put off until the danger is over is not
given."""
_SOMEHOW = _GIVEN | {Course.DEFERRED}
"""What a right treatment is at least, to be partly right."""


def verdict_on_treatment(form: TreatmentForm, rubric: Sequence[RubricLine]) -> Finding:
    """Judge a plan by what a reader found for each line of the rubric."""
    courses = {number: Course.NOT_MENTIONED for number in range(1, len(rubric) + 1)}
    courses |= {answer.line: answer.course for answer in form.lines if answer.line in courses}
    by_kind: dict[LineKind, list[Course]] = {kind: [] for kind in LineKind}
    for line, course in zip(rubric, courses.values(), strict=True):
        by_kind[line.kind].append(course)
    reason = _JOINT.join(_told_lines(form, rubric)) or form.summary
    if any(course in _GIVEN for course in by_kind[LineKind.UNSAFE]):
        return Finding(Verdict.UNSAFE, reason)
    if not form.treats:
        return Finding(Verdict.NONE, reason)
    if form.rest is Rest.HARMFUL:
        return Finding(Verdict.WRONG, f"“{form.rest_words}”: {Rest.HARMFUL}{_JOINT}{reason}")
    parts = by_kind[LineKind.PART]
    wholes = by_kind[LineKind.WHOLE]
    if Course.RECOMMENDED in wholes or (parts and set(parts) == {Course.RECOMMENDED}):
        return Finding(Verdict.CORRECT, reason)
    if any(course in _SOMEHOW for course in (*parts, *wholes)):
        return Finding(Verdict.PARTIAL, reason)
    return Finding(Verdict.WRONG, reason)


def _told_lines(form: TreatmentForm, rubric: Sequence[RubricLine]) -> Iterator[str]:
    for answer in form.lines:
        if 1 <= answer.line <= len(rubric) and answer.course is not Course.NOT_MENTIONED:
            line = rubric[answer.line - 1]
            yield f"{line.names[0]} ({line.kind}) “{answer.words}”: {answer.course}"
