"""How lessons from earlier patients change what the rules doctor believes."""

from __future__ import annotations

import math

import numpy as np

from osler.agents.rules.findings import Findings
from osler.agents.rules.knowledge import Floats, knowledge
from osler.language import Language
from osler.runs.lessons import Lesson, LessonRecall

_TIMES = math.log(3)
"""A diagnosis that was right in a case just like this one is three times as likely, one that was wrong a third."""


def weight_of_lessons(recall: LessonRecall) -> Floats:
    """Return what to add to the logarithm of how likely each condition is."""
    places = {name: place for place, name in enumerate(knowledge().conditions)}
    added = np.zeros(len(places))
    for one in recall.lessons:
        lesson = one.lesson
        right = lesson.truth or (lesson.given if lesson.given_was else "")
        if right in places:
            added[places[right]] += one.fit * _TIMES
        if lesson.given_was is False and lesson.given in places:
            added[places[lesson.given]] -= one.fit * _TIMES
    return added


def learned_illnesses(recall: LessonRecall, findings: Findings, language: Language) -> list[tuple[Lesson, float]]:
    """Return the illnesses that the doctor knows from lessons alone, and the logarithm of how likely each is.

    Its picture of such an illness lies half-way between the one patient that had it and everybody.
    """
    known = knowledge()
    prior = math.log(float(np.mean([condition.prior for condition in known.conditions.values()])))
    found = []
    for one in recall.lessons:
        lesson = one.lesson
        if not lesson.diagnosis or lesson.truth or lesson.language is not language:
            continue
        log = prior
        for name, there in findings.items():
            share = known.item_of[name].findings[name].base
            if name in lesson.findings:
                share = (share + lesson.findings[name]) / 2
            log += math.log(min(max(share if there else 1 - share, 0.01), 0.99))
        found.append((lesson, log))
    return found
