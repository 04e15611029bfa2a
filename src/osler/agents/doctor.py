"""A doctor played by a model: one question a turn, or a conclusion."""

from __future__ import annotations

from typing import Any, Literal

from autogen_core.models import AssistantMessage, LLMMessage, UserMessage
from pydantic import BaseModel, Field

from osler.agents.backbones import Backbone
from osler.agents.calls import Caller
from osler.agents.case_notes import known
from osler.agents.guards.address import addressed
from osler.agents.guards.doctor import check_question, one_question
from osler.agents.interview import next_question, open_areas
from osler.agents.parsing import conclusion_of, named_of, plan_of
from osler.agents.participant import Briefing, Case, Conclusion, Participant, Question
from osler.agents.wording import briefing_slots, case_slots
from osler.events import ConsultationError, Ending, Intervened, Intervention, Journal, Maker, Role
from osler.loosejson import json_of
from osler.prompts import prompt
from osler.records.language import Language

_ASK_TOKENS, _IMPRESSION_TOKENS, _LIST_TOKENS = 160, 160, 160
_TREAT_TOKENS, _REPAIR_TOKENS = 300, 120
_LONGEST_QUOTE = 400
_ENDS = frozenset({"conclude", "end", "conclusion", "diagnose", "结论", "下结论"})


class _Move(BaseModel):
    suspects: list[str] = Field(max_length=3)
    action: Literal["ask", "conclude"]
    question: str


class _Plan(BaseModel):
    treatment: str
    reasoning: str


class _Short(BaseModel):
    diagnosis: str
    treatment: str


class ModelDoctor(Participant):
    """Asks and concludes through a model; knows only its briefing."""

    def __init__(self, case: Case, backbone: Backbone, journal: Journal, *, guards: bool = True) -> None:
        """Take a seat."""
        super().__init__("doctor", "Asks one question a turn, then gives diagnosis and treatment.")
        self._case, self._journal, self._guards = case, journal, guards
        self._call = Caller(backbone, Role.DOCTOR, Ending.DOCTOR_ERROR, journal)

    async def respond(self, content: Any) -> Question | Conclusion:
        """Decide on the next step."""
        briefing = (
            content
            if isinstance(content, Briefing)
            else Briefing(case=self._case, turn=1, turns_left=1, reply=str(content))
        )
        if briefing.turns_left > 0:
            question = await self._ask(briefing)
            if question is not None:
                return question
        return await self._conclude(briefing)

    async def _ask(self, briefing: Briefing) -> Question | None:
        """The next question; None when the model would rather conclude."""
        template = prompt("doctor_ask", self._case.language)
        joint = "; " if self._case.language is Language.EN else "；"
        left = joint.join(area.label for area in open_areas(briefing)) or "-"
        filled = template.fill(**briefing_slots(briefing), turns_left=briefing.turns_left, open_areas=left)
        messages: list[LLMMessage] = [UserMessage(content=filled, source="briefing")]
        said = await self._call.text(messages, template, schema=_Move, max_tokens=_ASK_TOKENS)
        draft = self._question_of(said)
        if draft is None:
            return None
        if not self._guards or not (reasons := await self._refused(draft, briefing, template.hash)):
            return Question(text=draft, maker=Maker.MODEL)
        again = prompt("doctor_again", self._case.language)
        messages += [
            AssistantMessage(content=said, source="doctor"),
            UserMessage(content=again.fill(draft=draft, reasons="; ".join(reasons)), source="briefing"),
        ]
        second = self._question_of(await self._call.text(messages, again, schema=_Move, max_tokens=_ASK_TOKENS))
        if second is not None and not await self._refused(second, briefing, again.hash):
            return Question(text=second, maker=Maker.RETRIED)
        standard = next_question(briefing)
        return Question(text=self._spoken(standard), maker=Maker.STRATEGY) if standard is not None else None

    def _question_of(self, said: str) -> str | None:
        """The question, spoken to whoever sits there; with the guards off, as the model put it."""
        draft = _question_of(said)
        return draft if draft is None or not self._guards else self._spoken(draft)

    def _spoken(self, question: str) -> str:
        return addressed(question, self._case.speaker, self._case.sex, self._case.language)

    async def _refused(self, draft: str, briefing: Briefing, template: str) -> tuple[str, ...]:
        reasons = check_question(draft, briefing) + await self._contradicted(draft, briefing)
        if reasons:
            self._journal.add(
                Intervened, Role.DOCTOR, kind=Intervention.REFUSED, draft=draft, reasons=reasons, prompt=template
            )
        return reasons

    async def _contradicted(self, draft: str, briefing: Briefing) -> tuple[str, ...]:
        """The facts of its memory that a draft speaks against, as reasons."""
        if briefing.conflicts is None:
            return ()
        speaks = "it contradicts what you know" if self._case.language is Language.EN else "与已知情况矛盾"
        return tuple(f"{speaks}: {fact}" for fact in await briefing.conflicts(draft))

    async def _conclude(self, briefing: Briefing) -> Conclusion:
        """In steps, each easy for a small model: what is telling, illnesses that fit, the treatment.

        Asked what is telling, it thinks before it lists; a bare list of names it gives better than one answer that has
        to hold everything at once.
        """
        case = known(briefing)
        named = await self._named(await self._weighed(case))
        return named if named.treatment else await self._treated(named, case, briefing)

    async def _weighed(self, case: str) -> str:
        """The case with what is telling in it."""
        template = prompt("doctor_impression", self._case.language)
        filled = template.fill(case=case, **case_slots(self._case))
        asked: list[LLMMessage] = [UserMessage(content=filled, source="briefing")]
        return f"{case}\n\n{(await self._call.text(asked, template, max_tokens=_IMPRESSION_TOKENS)).strip()}"

    async def _named(self, case: str) -> Conclusion:
        """The likeliest illness and the others that fit; with a treatment only where a model gave one unasked."""
        language = self._case.language
        template = prompt("doctor_illnesses", language)
        filled = template.fill(case=case, **case_slots(self._case))
        messages: list[LLMMessage] = [UserMessage(content=filled, source="briefing")]
        said = await self._call.text(messages, template, max_tokens=_LIST_TOKENS)
        if named := named_of(said):
            return named
        repair = prompt("doctor_repair", language)
        # Quoted in part: a model that rambled is not to go on rambling.
        messages += [
            AssistantMessage(content=said[:_LONGEST_QUOTE], source="doctor"),
            UserMessage(content=repair.fill(), source="briefing"),
        ]
        repaired = conclusion_of(await self._call.text(messages, repair, schema=_Short, max_tokens=_REPAIR_TOKENS))
        if repaired is None:
            raise ConsultationError(
                Ending.UNPARSED, "unparsed", "the doctor's conclusion could not be read, also after a repair request"
            )
        return repaired

    async def _treated(self, named: Conclusion, case: str, briefing: Briefing) -> Conclusion:
        """With treatment and reasoning; asked for once more where they contradict a fact that the memory keeps."""
        template = prompt("doctor_treat", self._case.language)
        filled = template.fill(case=case, diagnosis=named.diagnosis)
        messages: list[LLMMessage] = [UserMessage(content=filled, source="briefing")]
        said = await self._call.text(messages, template, schema=_Plan, max_tokens=_TREAT_TOKENS)
        conclusion = named.model_copy(update=plan_of(said))
        draft = f"{conclusion.diagnosis}. {conclusion.treatment}. {conclusion.reasoning}"
        if not self._guards or not (reasons := await self._contradicted(draft, briefing)):
            return conclusion
        again = prompt("doctor_conflict", self._case.language)
        self._journal.add(
            Intervened, Role.DOCTOR, kind=Intervention.REFUSED, draft=draft, reasons=reasons, prompt=again.hash
        )
        messages += [
            AssistantMessage(content=said[:_LONGEST_QUOTE], source="doctor"),
            UserMessage(content=again.fill(facts="\n".join(f"- {reason}" for reason in reasons)), source="briefing"),
        ]
        second = plan_of(await self._call.text(messages, again, schema=_Plan, max_tokens=_TREAT_TOKENS))
        return named.model_copy(update=second) if second["treatment"] else conclusion


def _question_of(text: str) -> str | None:
    """The question in what a model wrote; None when it wants to end."""
    data = json_of(text)
    if data is not None:
        if str(data.get("action", "")).strip().casefold() in _ENDS or (
            not data.get("question") and data.get("diagnosis")
        ):
            return None
        text = str(data.get("question") or "")
    elif text.strip().upper().startswith("END"):
        return None
    return one_question(text) or None
