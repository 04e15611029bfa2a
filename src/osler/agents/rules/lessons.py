"""How lessons from earlier patients change what the rules doctor believes."""

from __future__ import annotations

import math

import numpy as np

from osler.agents.rules.findings import Findings
from osler.agents.rules.knowledge import Floats, knowledge
from osler.language import Language
from osler.runs.lessons import Lesson, LessonRecall

_TIMES = math.log(3)
"""A right diagnosis in a case just like this becomes three times as likely, a wrong one a third."""


def weight_of_lessons(recall: LessonRecall) -> Floats:
    """Return what to add to the logarithm of how likely each condition is."""
    places = {name: place for place, name in enumerate(knowledge().conditions)}
    weights = np.zeros(len(places))
    for recalled in recall.lessons:
        lesson = recalled.lesson
        right = lesson.truth
        if not right and lesson.given_was:
            right = lesson.given
        if right in places:
            weights[places[right]] += recalled.fit * _TIMES
        # None means that nobody said whether the diagnosis was right.
        if lesson.given_was is False and lesson.given in places:
            weights[places[lesson.given]] -= recalled.fit * _TIMES
    return weights


def learned_illnesses(
    recall: LessonRecall, findings: Findings, language: Language
) -> list[tuple[Lesson, float]]:
    """Return the illnesses known from lessons alone, each with the logarithm of its likelihood.

    The doctor's picture of such an illness lies half-way between the one patient that had it and
    everybody.
    """
    priors = [condition.prior for condition in knowledge().conditions.values()]
    log_prior = math.log(float(np.mean(priors)))
    illnesses = []
    for recalled in recall.lessons:
        lesson = recalled.lesson
        # A lesson with a `truth` is about a condition that the doctor knows anyway.
        if not lesson.diagnosis or lesson.truth or lesson.language is not language:
            continue
        log_likelihood = log_prior
        for name, is_present in findings.items():
            log_likelihood += _log_chance(lesson, name, is_present)
        illnesses.append((lesson, log_likelihood))
    return illnesses


def _log_chance(lesson: Lesson, name: str, is_present: bool) -> float:
    """Return the logarithm of how likely a finding is in the illness of a lesson."""
    share = knowledge().item_of[name].findings[name].base
    if name in lesson.findings:
        share = (share + lesson.findings[name]) / 2
    chance = share if is_present else 1 - share
    return math.log(min(max(chance, 0.01), 0.99))
