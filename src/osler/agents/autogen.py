"""AutoGen in agents: the base class of every participant, and a consultation as an AutoGen team.

Nothing else in `agents` imports AutoGen, so replacing it means changing this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import FunctionalTermination
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, StructuredMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from pydantic import BaseModel

from osler.agents.messages import Briefing, Case, Conclusion, Question, Reply, Selection
from osler.memory.base import Memory, Turn


class Participant(BaseChatAgent):
    """A doctor, a patient or the module between them, as an agent of AutoGen.

    A subclass takes the newest message's content and gives the content of its answer; text messages of other
    agents work as well, so that a participant can sit in an AutoGen team.
    """

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
        if isinstance(answer, Question | Reply):
            return Response(chat_message=TextMessage(content=answer.text, source=self.name))
        form: Any = StructuredMessage.__class_getitem__(type(answer))
        return Response(chat_message=form(content=answer, source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Nothing to reset, except what a subclass keeps between turns."""


class TeamDoctor(Participant):
    """A doctor in a team: counts its turns and has a memory, as the consultation's own loop does for it."""

    def __init__(self, doctor: Participant, memory: Memory, case: Case, turns: int) -> None:
        """Take a doctor, its memory, and how many questions it may ask."""
        super().__init__("doctor", doctor.description)
        self._doctor, self._memory, self._case, self._turns = doctor, memory, case, turns
        self._turn, self._question = 0, ""

    async def respond(self, content: Any) -> Question | Conclusion:
        """Return the next question, or the conclusion, after what the patient said."""
        reply = str(content)
        recall = await self._memory.recall(reply)
        if self._question:
            await self._memory.remember(Turn(number=self._turn, question=self._question, reply=reply))
        self._turn += 1
        move = await self._doctor.respond(
            Briefing(
                case=self._case,
                turn=self._turn,
                turns_left=self._turns + 1 - self._turn,
                question=self._question,
                reply=reply,
                recall=recall,
            )
        )
        assert isinstance(move, Question | Conclusion)
        self._question = move.text if isinstance(move, Question) else ""
        return move


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
