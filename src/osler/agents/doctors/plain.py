"""The settings of a doctor, and the strategy `plain`.

`plain` makes one request in each turn and one for the conclusion.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Case, Conclusion, Question, ReadyToConclude
from osler.agents.parsing import conclusion_of, several
from osler.agents.prompt_slots import briefing_slots
from osler.agents.seat_settings import SeatSettings
from osler.loosejson import json_of
from osler.models import ChatMessage, FailureKind
from osler.prompts import phrases, prompt
from osler.runs.events import (
    ConsultationError,
    Ending,
    Intervened,
    Intervention,
    Maker,
    Role,
)
from osler.settings.personas import bias_of

LONGEST_QUESTION = 2000
"""Characters that the patient hears; what is longer is a model that repeats itself."""
MOST_ILLNESSES = 5
"""Maximum length of a differential besides the diagnosis.

A longer list would be right by its length.
"""
_LONGEST_QUOTE = 400
"""Characters of an unreadable answer that the model is shown.

One that rambled would go on rambling.
"""
_ASKS = frozenset({"ask", "question", "提问", "问"})
_ENDS = frozenset({"conclude", "conclusion", "end", "diagnose", "结论", "下结论"})
_QUESTION = re.compile(r'"question"\s*:\s*("(?:[^"\\]|\\.)*)', re.DOTALL)
"""The question of an object that was cut off, or that a stray quote broke."""


class DoctorSettings(SeatSettings):
    """What a doctor is made from: the patient's case, the model, and the journal of its calls."""

    role = Role.DOCTOR


class MoveForm(BaseModel):
    """The form of a move that is asked for."""

    differential: list[str]
    action: Literal["ask", "conclude"]
    question: str


class ConclusionForm(BaseModel):
    """The form of a conclusion that is asked for, with the reasoning first."""

    reasoning: str
    differential: list[str]
    diagnosis: str
    treatment: str


class PlainDoctor(Participant):
    """Asks and concludes through a model.

    Knows only its briefing, and keeps nothing between turns.
    """

    def __init__(self, settings: DoctorSettings) -> None:
        """Take the case, the model and the journal."""
        super().__init__("doctor", "Asks, then gives diagnosis and treatment.")
        self._settings = settings

    async def respond(self, content: Any) -> Question | Conclusion | ReadyToConclude:
        """Decide on the next step."""
        briefing = briefing_of(content, self._settings.case)
        if briefing.turns_left <= 0:
            return self._limit_differential(await self.conclude(briefing))
        move = await self.next_move(briefing)
        if isinstance(move, Question):
            return self._shorten(move)
        return self._limit_differential(move) if move else ReadyToConclude()

    async def next_move(self, briefing: Briefing) -> Question | Conclusion | None:
        """Return the next question, or an early conclusion.

        None if the doctor wants to be asked for its conclusion. What cannot be read is asked for
        once more. After that the text itself is the question.
        """
        unread: list[tuple[str, Maker]] = []
        for maker in (Maker.MODEL, Maker.RETRIED):
            first_unread = unread[0][0] if unread else None
            answer = await self._answer(
                "doctor_ask",
                briefing,
                schema=MoveForm,
                unread=first_unread,
                manner=phrases("asking", self._settings.case.language)[self._settings.run.ask],
                turns_left=briefing.turns_left,
            )
            move = move_of(answer)
            if isinstance(move, Question):
                # A move without a question is the wish to conclude.
                return move.model_copy(update={"maker": maker}) if move.text else None
            conclusion = early_conclusion(answer)
            if conclusion is not None:
                # Without a treatment it is only a diagnosis: the doctor is asked for the rest.
                return conclusion if conclusion.treatment else None
            if first_unread is None:
                self._note(Intervention.UNREAD, answer, move)
            unread.append((answer, maker))
        for answer, maker in unread:
            words = words_of(answer)
            if words:
                return Question(text=words, maker=maker)
        return Question(text="", maker=Maker.SILENT)

    async def conclude(self, briefing: Briefing) -> Conclusion:
        """Conclude in one request, and once more if it cannot be read.

        Raises if no diagnosis can be read.
        """
        answer = await self._answer("doctor_conclude", briefing, schema=ConclusionForm)
        conclusion = conclusion_of(answer)
        if conclusion is not None and conclusion.treatment:
            return conclusion
        repaired = await self._repair("doctor_conclude", briefing, answer)
        # A diagnosis of the first answer stands, unless the second one has a treatment as well.
        if repaired is not None and (repaired.treatment or conclusion is None):
            return repaired
        return require_conclusion(conclusion)

    async def _repair(
        self, name: str, briefing: Briefing, unread: str, **slots: object
    ) -> Conclusion | None:
        """Ask once more for a conclusion, and return it; None if it cannot be read either."""
        self._note(Intervention.UNREAD, unread, "it names no diagnosis and no treatment")
        answer = await self._answer(name, briefing, schema=ConclusionForm, unread=unread, **slots)
        return conclusion_of(answer)

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

        After an unread answer, the model is shown the answer and asked for a readable one. A prompt
        that does not fit into the model's context is sent once more with the newest half of the
        recall.
        """
        try:
            return await self._send(name, briefing, schema, unread, slots)
        except ConsultationError as error:
            lines = briefing.recall.text.splitlines()
            if error.kind != FailureKind.TOO_LONG or len(lines) < 2:
                raise
        half = (len(lines) + 1) // 2
        older, newer = lines[:half], lines[half:]
        reason = (
            f"the prompt does not fit: the oldest {half} of {len(lines)} recalled lines are"
            " left out"
        )
        prompt_hash = prompt(name, self._settings.case.language).hash
        self._note(Intervention.OVERFLOW, "\n".join(older), reason, prompt_hash)
        shorter = briefing.recall.model_copy(update={"text": "\n".join(newer)})
        briefing = briefing.model_copy(update={"recall": shorter})
        return await self._send(name, briefing, schema, unread, slots)

    async def _send(
        self,
        name: str,
        briefing: Briefing,
        schema: type[BaseModel] | None,
        unread: str | None,
        slots: dict[str, Any],
    ) -> str:
        language = self._settings.case.language
        template = prompt(name, language)
        text = template.fill(**briefing_slots(briefing), **slots)
        bias = bias_of("doctor", self._settings.run.bias)
        if bias:
            text = f"{phrases('biases', language)[f'doctor_{bias}']}\n\n{text}"
        messages = [ChatMessage("user", text)]
        if unread is not None:
            repair = "doctor_repair_move" if schema is MoveForm else "doctor_repair_conclusion"
            template = prompt(repair, language)
            quoted = unread[:_LONGEST_QUOTE].strip()
            if quoted:
                messages.append(ChatMessage("assistant", quoted))
                messages.append(ChatMessage("user", template.fill()))
            else:  # no server takes an empty message of its model
                messages = [ChatMessage("user", f"{text}\n\n{template.fill()}")]
        return await self._settings.ask(messages, template=template, schema=schema)

    def _note(
        self, kind: Intervention, draft: str, reason: str, prompt_hash: str | None = None
    ) -> None:
        """Record in the journal how the model's words were changed."""
        self._settings.journal.add(
            Intervened, Role.DOCTOR, kind=kind, draft=draft, reasons=(reason,), prompt=prompt_hash
        )

    def _shorten(self, question: Question) -> Question:
        if len(question.text) <= LONGEST_QUESTION:
            return question
        reason = f"{len(question.text):,} characters, of which {LONGEST_QUESTION:,} are heard"
        self._note(Intervention.SHORTENED, question.text, reason)
        text = question.text[:LONGEST_QUESTION]
        return question.model_copy(update={"text": text, "maker": Maker.CUT})

    def _limit_differential(self, conclusion: Conclusion) -> Conclusion:
        """Return the conclusion with as many illnesses as count."""
        illnesses = conclusion.differential
        if len(illnesses) <= MOST_ILLNESSES:
            return conclusion
        reason = f"{len(illnesses)} illnesses in the differential, of which {MOST_ILLNESSES} count"
        self._note(Intervention.SHORTENED, "; ".join(illnesses), reason)
        return conclusion.model_copy(update={"differential": illnesses[:MOST_ILLNESSES]})


def briefing_of(content: Any, case: Case) -> Briefing:
    """Return a doctor's input as a briefing; a text is the first thing that the patient says."""
    if isinstance(content, Briefing):
        return content
    return Briefing(case=case, turn=1, turns_left=1, reply=str(content))


def require_conclusion(conclusion: Conclusion | None) -> Conclusion:
    """Return the conclusion that could be read; without one the consultation ends here."""
    if conclusion is None:
        line = "the doctor's conclusion could not be read, also after a repair request"
        raise ConsultationError(Ending.UNPARSED, "unparsed", line, role=Role.DOCTOR)
    return conclusion


def move_of(answer: str) -> Question | str:
    """Return the question in an answer, without text if the doctor wants to conclude.

    If there is no move, return why not.
    """
    data = json_of(answer)
    if data is None:
        return "it holds no JSON object"
    action = str(data.get("action") or "").strip().casefold()
    differential = several(data.get("differential") or ())
    if action in _ENDS:
        return Question(text="", differential=differential)
    if action not in _ASKS:
        return "it names no action"
    question = _line(data.get("question"))
    if not question:
        return "it asks without a question"
    return Question(text=question, differential=differential)


def early_conclusion(answer: str) -> Conclusion | None:
    """Return the conclusion in an answer that is not a move.

    None if it states no diagnosis or asks something.
    """
    if json_of(answer) is None and re.search(r"[?？]", answer):
        return None
    return conclusion_of(answer)


def words_of(answer: str) -> str:
    """Return what can be said aloud of an answer that is not a move.

    That is all of it, or the question of a broken form.
    """
    data = json_of(answer)
    if data is not None:
        return _line(data.get("question"))
    match = _QUESTION.search(answer)
    if match:
        # The pattern leaves out the closing quotation mark, which a cut answer does not have.
        try:
            return _line(json.loads(f'{match[1]}"', strict=False))
        except ValueError:
            return _line(match[1].strip('"\\'))
    is_broken_form = answer.lstrip().startswith("{")
    return "" if is_broken_form else _line(answer)


def _line(value: object) -> str:
    """Put a text on one line, as memories show a question."""
    return " ".join(str(value or "").split())
