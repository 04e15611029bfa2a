"""The doctor as it is: a prompt, its memory and its model. One request a turn, one for the conclusion."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.doctors.moves import Move, MoveForm, move_of, stated, words_of
from osler.agents.doctors.requests import Requests, Unread, briefing_of
from osler.agents.doctors.settings import DoctorSettings
from osler.agents.messages import Briefing, Conclusion, Question
from osler.agents.parsing import conclusion_of
from osler.runs.events import ConsultationError, Ending, Intervention, Maker

LONGEST_QUESTION = 2000
"""Characters that the patient hears; what is longer is a model that repeats itself."""
MOST_ILLNESSES = 5
"""Of a differential, beside the diagnosis: a longer list would be right by its length."""
_NO_CONCLUSION = "it names no diagnosis and no treatment"


class ConclusionForm(BaseModel):
    """The form that is asked for."""

    differential: list[str]
    diagnosis: str
    treatment: str
    reasoning: str


class PlainDoctor(Participant):
    """Asks and concludes through a model; knows only its briefing, and keeps nothing between turns."""

    def __init__(self, settings: DoctorSettings) -> None:
        """Take a seat."""
        super().__init__("doctor", "Asks, then gives diagnosis and treatment.")
        self._case = settings.case
        self._requests = Requests(settings)

    async def respond(self, content: Any) -> Question | Conclusion:
        """Decide on the next step."""
        briefing = briefing_of(content, self._case)
        move = await self.next_move(briefing) if briefing.turns_left > 0 else None
        if isinstance(move, Question):
            return self._heard(move)
        return self._counted(move if move is not None else await self.conclude(briefing))

    async def next_move(self, briefing: Briefing) -> Question | Conclusion | None:
        """What it asks, or concludes already; None when it wants to be asked for its conclusion.

        What cannot be read is asked for once more. After that the text itself is the question.
        """
        first = await self._asked_for(briefing)
        read = move_of(first)
        if isinstance(read, Move):
            return _asked(read, Maker.MODEL)
        if said := stated(first):
            return said if said.treatment else None
        self._requests.note(Intervention.UNREAD, first, read)
        second = await self._asked_for(briefing, Unread(first, "doctor_repair_move"))
        read = move_of(second)
        if isinstance(read, Move):
            return _asked(read, Maker.RETRIED)
        if said := stated(second):
            return said if said.treatment else None
        for text, maker in ((first, Maker.MODEL), (second, Maker.RETRIED)):
            if words := words_of(text):
                return Question(text=words, maker=maker)
        return Question(text="", maker=Maker.SILENT)

    async def _asked_for(self, briefing: Briefing, after: Unread | None = None) -> str:
        left = briefing.turns_left
        return await self._requests.answer("doctor_ask", briefing, schema=MoveForm, after=after, turns_left=left)

    async def conclude(self, briefing: Briefing) -> Conclusion:
        """All of it in one request, and once more where it cannot be read.

        Raises:
            ConsultationError: No diagnosis can be read.
        """
        first = await self._requests.answer("doctor_conclude", briefing, schema=ConclusionForm)
        said = conclusion_of(first)
        if said is not None and said.treatment:
            return said
        repaired = await self._repaired("doctor_conclude", briefing, first)
        return repaired if repaired is not None and (repaired.treatment or said is None) else readable(said)

    async def _repaired(self, name: str, briefing: Briefing, first: str, **slots: object) -> Conclusion | None:
        """The conclusion in a second answer."""
        self._requests.note(Intervention.UNREAD, first, _NO_CONCLUSION)
        after = Unread(first, "doctor_repair_conclusion")
        return conclusion_of(await self._requests.answer(name, briefing, schema=ConclusionForm, after=after, **slots))

    def _heard(self, question: Question) -> Question:
        """The question as far as a patient listens."""
        if len(question.text) <= LONGEST_QUESTION:
            return question
        reason = f"{len(question.text):,} characters, of which {LONGEST_QUESTION:,} are heard"
        self._requests.note(Intervention.SHORTENED, question.text, reason)
        return question.model_copy(update={"text": question.text[:LONGEST_QUESTION], "maker": Maker.CUT})

    def _counted(self, said: Conclusion) -> Conclusion:
        """The conclusion with as many illnesses as count."""
        if len(said.differential) <= MOST_ILLNESSES:
            return said
        reason = f"{len(said.differential)} illnesses in the differential, of which {MOST_ILLNESSES} count"
        self._requests.note(Intervention.SHORTENED, "; ".join(said.differential), reason)
        return said.model_copy(update={"differential": said.differential[:MOST_ILLNESSES]})


def _asked(move: Move, maker: Maker) -> Question | None:
    return Question(text=move.question, maker=maker, differential=move.differential) if move.question else None


def readable(said: Conclusion | None) -> Conclusion:
    """A conclusion that could be read; without one the consultation ends here."""
    if said is None:
        raise ConsultationError(
            Ending.UNPARSED, "unparsed", "the doctor's conclusion could not be read, also after a repair request"
        )
    return said
