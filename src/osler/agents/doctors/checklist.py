"""A guided interview first: the standard questions, one a turn, each credited to this strategy and not to the model."""

from __future__ import annotations

from functools import cache

from osler.agents.doctors.stepwise import StepwiseDoctor
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.agents.rules.address import addressed
from osler.language import Language
from osler.prompts import prompt
from osler.runs.events import Maker

_GROWN_UP = 14
"""Years from which a patient is asked about smoking, alcohol and work."""


class ChecklistDoctor(StepwiseDoctor):
    """Asks the n-th standard question in turn n; after the last of them the model asks. Concludes in three requests."""

    async def next_move(self, briefing: Briefing) -> Question | Conclusion | None:
        """The question of this turn. Nothing but the turn's number decides it: a strategy is no memory."""
        standard = standard_questions(briefing.case)
        if briefing.turn <= len(standard):
            return Question(text=standard[briefing.turn - 1], maker=Maker.STRATEGY)
        return await super().next_move(briefing)


def standard_questions(case: Case) -> tuple[str, ...]:
    """The interview with this patient, put to whoever answers."""
    questions = _questions(case.language, child=case.years < _GROWN_UP)
    return tuple(addressed(question, case.speaker, case.sex, case.language) for question in questions)


@cache
def _questions(language: Language, *, child: bool) -> tuple[str, ...]:
    """In the order of a good interview. Some are put in other words where the patient is a child."""
    rows = (line.split("|") for line in prompt("checklist", language).text.strip().splitlines())
    return tuple(row[-1 if child else 0].strip() for row in rows)
