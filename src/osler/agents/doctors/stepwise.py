"""Concludes in steps, each easy for a small model: what is telling, the illnesses that fit, the treatment."""

from __future__ import annotations

from pydantic import BaseModel

from osler.agents.doctors.plain import PlainDoctor, readable
from osler.agents.messages import Briefing, Conclusion
from osler.agents.parsing import named_of, plan_of


class _Plan(BaseModel):
    treatment: str
    reasoning: str


class StepwiseDoctor(PlainDoctor):
    """Asks as the plain doctor does, and concludes in three requests.

    Asked what is telling, a small model thinks before it lists; a bare list of names it gives better than one answer
    that has to hold everything at once.
    """

    async def conclude(self, briefing: Briefing) -> Conclusion:
        """Impression, list, treatment."""
        impression = (await self._requests.answer("doctor_impression", briefing)).strip() or "-"
        listed = await self._requests.answer("doctor_illnesses", briefing, impression=impression)
        named = named_of(listed)
        if named is None:
            named = readable(await self._repaired("doctor_illnesses", briefing, listed, impression=impression))
        if named.treatment:
            return named
        said = await self._requests.answer("doctor_treat", briefing, schema=_Plan, diagnosis=named.diagnosis)
        return named.model_copy(update=plan_of(said))
