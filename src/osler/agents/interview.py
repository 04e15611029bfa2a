"""The parts of an interview, and which of them a doctor can see it has not asked about yet."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from osler.agents.guards.doctor import check_question
from osler.agents.guards.known import known_questions
from osler.agents.lexicon import broad_parts, categories
from osler.agents.lexicon.asks import separate_asks
from osler.agents.lexicon.qualities import ALL_RESULTS
from osler.agents.lexicon.spoken import things
from osler.agents.participant import Briefing
from osler.prompts import prompt
from osler.ranking import reaches
from osler.records.language import Language
from osler.words import content

_RESULTS = frozenset({"sign", "test", "examination"})
"""Parts of many findings, each of which may decide."""
_WHOLE = 0.999
_GROWN_UP = 14
"""Years from which a patient is asked about smoking, alcohol and work."""


class Area(NamedTuple):
    """One part of an interview."""

    key: str
    """A category, or `chief` and `others` for the symptoms."""
    label: str
    question: str
    """What a doctor asks who has no better idea."""


@cache
def areas(language: Language, *, child: bool = False) -> tuple[Area, ...]:
    """All parts, in the order of a good interview. Some are asked for in other words where the patient is a child."""
    lines = prompt("checklist", language).text.strip().splitlines()
    rows = ([cell.strip() for cell in line.split("|")] for line in lines)
    return tuple(Area(key, *(words[-2:] if child else words[:2])) for key, *words in rows)


def open_areas(briefing: Briefing) -> list[Area]:
    """What the doctor has not asked about, as far as its memory and its last question show."""
    language = briefing.case.language
    known = known_questions(briefing)
    asked = frozenset[str]().union(*(_asked_for(question, language) for question in known))
    # A memory that keeps only the words of weight of a question keeps those of a standard one, if not its phrases.
    kept = {frozenset(content(question, language)) for question in known}
    return [
        area
        for area in areas(language, child=briefing.case.years < _GROWN_UP)
        if area.key not in asked and frozenset(content(area.question, language)) not in kept
    ]


@lru_cache(maxsize=1024)
def _asked_for(question: str, language: Language) -> frozenset[str]:
    """The parts that a question asks for, by its phrases alone: a memory has many lines, looked at for nothing else."""
    asked: set[str] = set()
    for text in separate_asks(question, language):
        # "The physical examination" asks for that part alone, though "examination" is a word for another too.
        if not (parts := broad_parts(text, language)):
            found = categories(language).find(text).items()
            parts = frozenset(name for name, share in found if reaches(share, _WHOLE))
            # An X-ray of the knee is one result; there may be others.
            if not things(text, language) <= ALL_RESULTS:
                parts -= _RESULTS
        asked |= parts
    return frozenset(asked)


def next_question(briefing: Briefing) -> str | None:
    """The standard question of the first open part that can be asked; None when there is none left."""
    return next((area.question for area in open_areas(briefing) if not check_question(area.question, briefing)), None)
