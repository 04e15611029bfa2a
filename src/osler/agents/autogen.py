"""AutoGen in agents: the base class of every participant, and a consultation as an AutoGen team.

Nothing else in `agents` imports AutoGen, so replacing it means changing this file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import FunctionalTermination
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, StructuredMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from pydantic import BaseModel

from osler.agents.messages import Conclusion, Question, Reply, Selection


class Participant(BaseChatAgent):
    """A doctor, a patient or the module between them, as an agent of AutoGen.

    A subclass takes the newest message's content and gives the content of its answer; text messages of other
    agents work as well, so that a participant can sit in an AutoGen team.
    """

    concludes_once = False
    """Whether a conclusion that it gives early stands as it is: nobody asks a person twice."""

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Text for what is said aloud, structured messages for the rest."""
        return (TextMessage, StructuredMessage[Selection], StructuredMessage[Conclusion])

    async def respond(self, content: Any) -> BaseModel:
        """Answer what arrived."""
        raise NotImplementedError(f"{type(self).__name__} is abstract: it does not say how it responds")

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        """Answer the newest message."""
        newest = messages[-1]
        answer = await self.respond(newest.content if isinstance(newest, StructuredMessage) else newest.to_text())
        return response_of(answer, self.name)

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Nothing to reset, except what a subclass keeps between turns."""


def response_of(answer: BaseModel, source: str) -> Response:
    """Return an answer as AutoGen sends it: as text what is said aloud, else as a structured message."""
    if isinstance(answer, Question | Reply):
        return Response(chat_message=TextMessage(content=answer.text, source=source))
    form: Any = StructuredMessage.__class_getitem__(type(answer))
    return Response(chat_message=form(content=answer, source=source))


class TeamDoctor(Participant):
    """A doctor in a team: hands what it hears to a function that gives the doctor's next move."""

    def __init__(self, description: str, next_move: Callable[[str, str], Awaitable[Question | Conclusion]]) -> None:
        """Take what gives the next move, after a reply and the reports that came with it."""
        super().__init__("doctor", description)
        self._next_move = next_move

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        """Answer the patient's reply; reports come with what the retrieval found, before it."""
        selections = (message.content for message in messages if isinstance(message, StructuredMessage))
        reports = [content.results for content in selections if isinstance(content, Selection) and content.results]
        return response_of(await self._next_move(messages[-1].to_text(), "\n".join(reports)), self.name)


def round_robin(doctor: Participant, ram: Participant, patient: Participant) -> RoundRobinGroupChat:
    """A team in which they speak in turn until the doctor concludes. Run it with the patient's opening words."""
    types: list[type[BaseAgentEvent | BaseChatMessage]] = [StructuredMessage[Selection], StructuredMessage[Conclusion]]
    return RoundRobinGroupChat(
        [doctor, ram, patient],
        name="consultation",
        termination_condition=FunctionalTermination(
            lambda messages: any(isinstance(getattr(one, "content", None), Conclusion) for one in messages)
        ),
        custom_message_types=types,
    )
