"""The strategies `stepwise` and `checklist`.

`stepwise` concludes in three requests; `checklist` asks standard questions first.
"""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel

from osler.agents.doctors.plain import PlainDoctor, require_conclusion
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.agents.parsing import named_of, plan_of
from osler.agents.rules.address import rephrase_for_speaker
from osler.prompts import Prompt, prompt
from osler.runs.events import Maker

_GROWN_UP = 14
"""Years from which a patient is asked about smoking, alcohol and work."""


class _TreatmentForm(BaseModel):
    treatment: str
    reasoning: str


class StepwiseDoctor(PlainDoctor):
    """Asks as the plain doctor does, and concludes in three requests.

    Asked what is telling, a small model thinks before it lists; a bare list of names it gives
    better than one answer that has to hold everything at once.
    """

    async def conclude(self, briefing: Briefing) -> Conclusion:
        """Impression, list, treatment."""
        answer = await self._answer("doctor_impression", briefing)
        impression = answer.strip() or "-"
        answer = await self._answer("doctor_illnesses", briefing, impression=impression)
        conclusion = named_of(answer)
        if conclusion is None:
            repaired = await self._repair(
                "doctor_illnesses", briefing, answer, impression=impression
            )
            conclusion = require_conclusion(repaired)
        # A model that gave its whole conclusion at once is not asked for its treatment again.
        if conclusion.treatment:
            return conclusion
        answer = await self._answer(
            "doctor_treat", briefing, schema=_TreatmentForm, diagnosis=conclusion.diagnosis
        )
        return conclusion.model_copy(update=plan_of(answer))


class ChecklistDoctor(StepwiseDoctor):
    """Asks the n-th standard question in turn n, credited to the strategy.

    After the last of them the model asks.
    """

    async def next_move(self, briefing: Briefing) -> Question | Conclusion | None:
        """Return the question of this turn.

        Only the turn's number decides it: a strategy is not a memory.
        """
        standard = standard_questions(briefing.case)
        if briefing.turn <= len(standard):
            return Question(text=standard[briefing.turn - 1], maker=Maker.STRATEGY)
        return await super().next_move(briefing)


def standard_questions(case: Case) -> tuple[str, ...]:
    """Return the questions for this patient, addressed to whoever answers."""
    questions = _questions(prompt("checklist", case.language), child=case.years < _GROWN_UP)
    return tuple(
        rephrase_for_speaker(question, case.speaker, case.sex, case.language)
        for question in questions
    )


@cache
def _questions(checklist: Prompt, *, child: bool) -> tuple[str, ...]:
    """In the order of a good interview; some are worded differently for a child."""
    column = -1 if child else 0
    lines = checklist.text.strip().splitlines()
    return tuple(line.split("|")[column].strip() for line in lines)
