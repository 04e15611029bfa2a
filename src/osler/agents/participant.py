"""What passes between the participants, and the AutoGen agent that each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseChatMessage, StructuredMessage, TextMessage
from autogen_core import CancellationToken
from pydantic import BaseModel, ConfigDict

from osler.language import Language, Speaker
from osler.memory.base import Recall
from osler.records.schema import Entry, Persona, Sex
from osler.runs.events import Maker, Thing


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class Case(_Frozen):
    """What a doctor may know before the first question."""

    language: Language
    age: str
    years: float = 40.0
    sex: Sex
    complaint: str
    speaker: Speaker
    persona: Persona = Persona.PLAIN


class Briefing(_Frozen):
    """What the doctor has before it when it decides on its next step: nothing more than this."""

    case: Case
    turn: int
    turns_left: int
    """Questions it may still ask; 0: it must conclude now."""
    question: str = ""
    """Its last question; empty on the first turn, and after a turn in which it said nothing."""
    reply: str
    """The patient's last reply; the opening complaint on the first turn, empty after one without a question."""
    results: str = ""
    """Reports that the doctor was handed with the last reply, in the record's words."""
    recall: Recall = Recall()
    """What its memory brought to mind of earlier turns; in a prompt it stands as its text."""


class Question(_Frozen):
    """One question to the patient, and how it came about."""

    text: str
    """Empty: the doctor said nothing."""
    maker: Maker = Maker.RULES
    differential: tuple[str, ...] = ()
    """What it thinks of, the likeliest first; its memory is given this with the turn."""


class Exchange(_Frozen):
    """A question and the reply to it."""

    question: str
    reply: str


class Enquiry(_Frozen):
    """A question on its way to the record, with the exchange before it: "and does it itch?" asks about something."""

    text: str
    before: Exchange | None = None


class Conclusion(_Frozen):
    """How a doctor ends."""

    diagnosis: str
    treatment: str
    differential: tuple[str, ...] = ()
    reasoning: str = ""


class Selection(_Frozen):
    """The doctor's question, augmented with the entries it asks for: all that the patient may answer from."""

    case: Case
    question: str
    entries: tuple[Entry, ...]
    scores: tuple[float, ...] = ()
    asked_for: tuple[str, ...] = ()
    things: tuple[Thing, ...] = ()
    """What was asked for, thing by thing, where a model read the question."""
    maker: Maker = Maker.RULES
    """Who chose the entries."""
    results: str = ""
    """Reports that the doctor is handed itself; the patient does not tell them."""
    reported: tuple[str, ...] = ()
    """Names of the entries whose reports these are."""
    before: Exchange | None = None
    """The exchange before the question."""

    @property
    def known(self) -> tuple[Entry, ...]:
        """The entries that the patient tells."""
        return tuple(entry for entry in self.entries if entry.name not in self.reported)


class Reply(_Frozen):
    """What the patient said, and how it came about."""

    text: str
    maker: Maker


class Participant(BaseChatAgent):
    """A doctor, a patient or the module between them, as an agent of AutoGen.

    A subclass takes the newest message's content and gives the content of its answer; text messages of other
    agents work as well, so that a participant can sit in an AutoGen team.
    """

    def __init__(self, name: str, description: str) -> None:
        """Name the agent."""
        super().__init__(name=name, description=description)

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Text for what is said aloud, structured messages for the rest."""
        return (TextMessage, StructuredMessage)

    async def respond(self, content: Any) -> BaseModel:
        """Answer what arrived."""
        raise NotImplementedError(f"{type(self).__name__} is abstract: it does not say how it responds")

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        """Answer the newest message."""
        newest = messages[-1]
        answer = await self.respond(newest.content if isinstance(newest, StructuredMessage) else newest.to_text())
        if isinstance(answer, Question | Reply):
            return Response(chat_message=TextMessage(content=answer.text, source=self.name))
        return Response(chat_message=StructuredMessage[BaseModel](content=answer, source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Nothing is kept between turns but what a subclass keeps."""
