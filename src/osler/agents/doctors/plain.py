"""The settings of a doctor, and the strategy `plain`: one request a turn, one for the conclusion."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.calls import Caller
from osler.agents.messages import Briefing, Case, Conclusion, Question, ReadyToConclude
from osler.agents.parsing import conclusion_of, several
from osler.agents.prompt_slots import briefing_slots
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, FailureKind
from osler.prompts import Prompt, prompt
from osler.runs.events import ConsultationError, Ending, Intervened, Intervention, Journal, Maker, Role

LONGEST_QUESTION = 2000
"""Characters that the patient hears; what is longer is a model that repeats itself."""
MOST_ILLNESSES = 5
"""Maximum length of a differential besides the diagnosis: a longer list would be right by its length."""
_LONGEST_QUOTE = 400
"""Characters of an unreadable answer that the model is shown: one that rambled is not to go on rambling."""
_ASKS = frozenset({"ask", "question", "提问", "问"})
_ENDS = frozenset({"conclude", "conclusion", "end", "diagnose", "结论", "下结论"})
_QUESTION = re.compile(r'"question"\s*:\s*("(?:[^"\\]|\\.)*)', re.DOTALL)
"""The question of an object that was cut off, or that a stray quote broke."""


@dataclass(frozen=True)
class DoctorSettings:
    """The patient's case, the model, and the journal of its calls."""

    case: Case
    backbone: Backbone
    journal: Journal
    answer_tokens: int = 1000
    """Tokens that one answer of the model may take, its thinking included."""

    async def ask(
        self,
        prompt: str | list[ChatMessage],
        *,
        template: Prompt | None = None,
        schema: type[BaseModel] | None = None,
    ) -> str:
        """Return the model's answer to a prompt; empty if it said nothing. The call is part of the transcript.

        Args:
            prompt: A text, or messages.
            template: What the prompt was made from, if it is one of Osler's.
            schema: The form of the answer, for servers that can enforce one.

        Raises:
            ConsultationError: The model could not be reached, or refused.
        """
        messages = [ChatMessage("user", prompt)] if isinstance(prompt, str) else prompt
        call = Caller(self.backbone, Role.DOCTOR, self.journal)
        return await call.text([*messages], template, schema=schema, max_tokens=self.answer_tokens, may_be_empty=True)


class MoveForm(BaseModel):
    """The form that is asked for."""

    differential: list[str]
    action: Literal["ask", "conclude"]
    question: str


class ConclusionForm(BaseModel):
    """The form that is asked for."""

    differential: list[str]
    diagnosis: str
    treatment: str
    reasoning: str


class PlainDoctor(Participant):
    """Asks and concludes through a model; knows only its briefing, and keeps nothing between turns."""

    def __init__(self, settings: DoctorSettings) -> None:
        """Take the case, the model and the journal."""
        super().__init__("doctor", "Asks, then gives diagnosis and treatment.")
        self._settings = settings

    async def respond(self, content: Any) -> Question | Conclusion | ReadyToConclude:
        """Decide on the next step."""
        briefing = briefing_of(content, self._settings.case)
        if briefing.turns_left <= 0:
            return self._counted(await self.conclude(briefing))
        move = await self.next_move(briefing)
        if isinstance(move, Question):
            return self._shortened(move)
        return self._counted(move) if move else ReadyToConclude()

    async def next_move(self, briefing: Briefing) -> Question | Conclusion | None:
        """Return the next question, or an early conclusion; None if the doctor wants to be asked for its conclusion.

        What cannot be read is asked for once more. After that the text itself is the question.
        """
        unread: list[tuple[str, Maker]] = []
        for maker in (Maker.MODEL, Maker.RETRIED):
            before = unread[0][0] if unread else None
            left = briefing.turns_left
            text = await self._answer("doctor_ask", briefing, schema=MoveForm, unread=before, turns_left=left)
            read = move_of(text)
            if isinstance(read, Question):
                return read.model_copy(update={"maker": maker}) if read.text else None
            if said := stated(text):
                return said if said.treatment else None
            if before is None:
                self._note(Intervention.UNREAD, text, read)
            unread.append((text, maker))
        for text, maker in unread:
            if words := words_of(text):
                return Question(text=words, maker=maker)
        return Question(text="", maker=Maker.SILENT)

    async def conclude(self, briefing: Briefing) -> Conclusion:
        """Conclude in one request, and once more if it cannot be read. Raises if no diagnosis can be read."""
        first = await self._answer("doctor_conclude", briefing, schema=ConclusionForm)
        said = conclusion_of(first)
        if said is not None and said.treatment:
            return said
        repaired = await self._repaired("doctor_conclude", briefing, first)
        return repaired if repaired is not None and (repaired.treatment or said is None) else readable(said)

    async def _repaired(self, name: str, briefing: Briefing, first: str, **slots: object) -> Conclusion | None:
        """The conclusion in a second answer."""
        self._note(Intervention.UNREAD, first, "it names no diagnosis and no treatment")
        return conclusion_of(await self._answer(name, briefing, schema=ConclusionForm, unread=first, **slots))

    async def _answer(
        self,
        name: str,
        briefing: Briefing,
        *,
        schema: type[BaseModel] | None = None,
        unread: str | None = None,
        **slots: object,
    ) -> str:
        """Return the model's answer to the prompt of that name; empty if it says nothing.

        After an unread answer, the model is shown the answer and asked for a readable one. A prompt that does not fit
        into the model's context is sent once more with the newest half of the recall.
        """
        try:
            return await self._send(name, briefing, schema, unread, slots)
        except ConsultationError as error:
            lines = briefing.recall.text.splitlines()
            if error.kind != FailureKind.TOO_LONG or len(lines) < 2:
                raise
        half = (len(lines) + 1) // 2
        reason = f"the prompt does not fit: the oldest {half} of {len(lines)} recalled lines are left out"
        used = prompt(name, self._settings.case.language).hash
        self._note(Intervention.OVERFLOW, "\n".join(lines[:half]), reason, used)
        shorter = briefing.recall.model_copy(update={"text": "\n".join(lines[half:])})
        return await self._send(name, briefing.model_copy(update={"recall": shorter}), schema, unread, slots)

    async def _send(
        self, name: str, briefing: Briefing, schema: type[BaseModel] | None, unread: str | None, slots: dict[str, Any]
    ) -> str:
        language = self._settings.case.language
        template = prompt(name, language)
        text = template.fill(**briefing_slots(briefing), **slots)
        messages = [ChatMessage("user", text)]
        if unread is not None:
            template = prompt("doctor_repair_move" if schema is MoveForm else "doctor_repair_conclusion", language)
            if quoted := unread[:_LONGEST_QUOTE].strip():
                messages += [ChatMessage("assistant", quoted), ChatMessage("user", template.fill())]
            else:  # no server takes an empty message of its model
                messages = [ChatMessage("user", f"{text}\n\n{template.fill()}")]
        return await self._settings.ask(messages, template=template, schema=schema)

    def _note(self, kind: Intervention, draft: str, reason: str, used: str | None = None) -> None:
        """Record in the journal how the model's words were changed."""
        self._settings.journal.add(Intervened, Role.DOCTOR, kind=kind, draft=draft, reasons=(reason,), prompt=used)

    def _shortened(self, question: Question) -> Question:
        if len(question.text) <= LONGEST_QUESTION:
            return question
        reason = f"{len(question.text):,} characters, of which {LONGEST_QUESTION:,} are heard"
        self._note(Intervention.SHORTENED, question.text, reason)
        return question.model_copy(update={"text": question.text[:LONGEST_QUESTION], "maker": Maker.CUT})

    def _counted(self, said: Conclusion) -> Conclusion:
        """Return the conclusion with as many illnesses as count."""
        if len(said.differential) <= MOST_ILLNESSES:
            return said
        reason = f"{len(said.differential)} illnesses in the differential, of which {MOST_ILLNESSES} count"
        self._note(Intervention.SHORTENED, "; ".join(said.differential), reason)
        return said.model_copy(update={"differential": said.differential[:MOST_ILLNESSES]})


def briefing_of(content: Any, case: Case) -> Briefing:
    """Return a doctor's input as a briefing; a text is the first thing that the patient says."""
    is_briefing = isinstance(content, Briefing)
    return content if is_briefing else Briefing(case=case, turn=1, turns_left=1, reply=str(content))


def readable(said: Conclusion | None) -> Conclusion:
    """Return the conclusion that could be read; without one the consultation ends here."""
    if said is None:
        line = "the doctor's conclusion could not be read, also after a repair request"
        raise ConsultationError(Ending.UNPARSED, "unparsed", line)
    return said


def move_of(text: str) -> Question | str:
    """Return the question in an answer, without text if the doctor wants to conclude; if there is no move, why not."""
    data = json_of(text)
    if data is None:
        return "it holds no JSON object"
    action = str(data.get("action") or "").strip().casefold()
    differential = several(data.get("differential") or ())
    if action in _ENDS:
        return Question(text="", differential=differential)
    if action not in _ASKS:
        return "it names no action"
    question = _line(data.get("question"))
    return Question(text=question, differential=differential) if question else "it asks without a question"


def stated(text: str) -> Conclusion | None:
    """Return the conclusion in an answer that is not a move; None if it states no diagnosis or asks something."""
    if json_of(text) is None and re.search(r"[?？]", text):
        return None
    return conclusion_of(text)


def words_of(text: str) -> str:
    """Return what can be said aloud of an answer that is not a move: all of it, or the question of a broken form."""
    data = json_of(text)
    if data is not None:
        return _line(data.get("question"))
    if found := _QUESTION.search(text):
        try:
            return _line(json.loads(f'{found[1]}"', strict=False))
        except ValueError:
            return _line(found[1].strip('"\\'))
    return "" if text.lstrip().startswith("{") else _line(text)


def _line(value: object) -> str:
    """Put a text on one line, as memories show a question."""
    return " ".join(str(value or "").split())
