"""AutoGen in agents: the base class of every participant, and a consultation as an AutoGen team.

Nothing else in `agents` imports AutoGen, so replacing it means changing this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    StructuredMessage,
    TextMessage,
)
from autogen_core import CancellationToken
from pydantic import BaseModel

from osler.agents.messages import Conclusion, Question, Reply, Selection
from osler.errors import UserError

Listener = Callable[[str, BaseModel], None]
"""Called with the name of a participant and what it answers."""


class Participant(BaseChatAgent):
    """A doctor, a patient or the module between them, as an agent of AutoGen.

    A subclass takes the newest message's content and gives the content of its answer; text messages
    of other agents work as well, so that a participant can sit in an AutoGen team.
    """

    concludes_once = False
    """Whether a conclusion that it gives early stands as it is: nobody asks a person twice."""

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Text for what is said aloud, structured messages for the rest."""
        return (TextMessage, StructuredMessage[Selection], StructuredMessage[Conclusion])

    async def respond(self, content: Any) -> BaseModel:
        """Answer what arrived."""
        raise NotImplementedError(
            f"{type(self).__name__} is abstract: it does not say how it responds"
        )

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """Answer the newest message."""
        newest = messages[-1]
        content = newest.content if isinstance(newest, StructuredMessage) else newest.to_text()
        return response_of(await self.respond(content), self.name)

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Nothing to reset, except what a subclass keeps between turns."""


def response_of(answer: BaseModel, source: str) -> Response:
    """Return an answer as AutoGen sends it: text if it is said aloud, else a structured message."""
    if isinstance(answer, Question | Reply):
        return Response(chat_message=TextMessage(content=answer.text, source=source))
    form: Any = StructuredMessage.__class_getitem__(type(answer))
    return Response(chat_message=form(content=answer, source=source))


class ConsultationTeam:
    """A consultation that runs as a team of AutoGen does, with `run` or `run_stream`.

    The order of speakers, retrieval and the doctor's memory are those of every consultation of
    Osler: the team only passes on what is said.
    """

    def __init__(self, complaint: str, hold: Callable[[Listener], Awaitable[None]]) -> None:
        """Take the opening words, and what holds the consultation and tells a listener of it."""
        self._complaint, self._hold = complaint, hold

    async def run(
        self,
        *,
        task: str | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> TaskResult:
        """Hold the consultation and return all messages.

        Args:
            task: The patient's opening words, if anything: a consultation opens with its own.
            cancellation_token: Ends the consultation when it is cancelled.
        """
        stream = self.run_stream(task=task, cancellation_token=cancellation_token)
        results = [item async for item in stream if isinstance(item, TaskResult)]
        return results[-1]

    async def run_stream(
        self,
        *,
        task: str | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[BaseChatMessage | TaskResult, None]:
        """Hold the consultation; yield each message as it is said, and all of them at the end."""
        if task not in (None, self._complaint):
            raise UserError(
                "the task of a consultation is the patient's opening complaint",
                "run the team without a task, or with record.complaint",
            )
        waiting: asyncio.Queue[BaseChatMessage | None] = asyncio.Queue()

        def listen(source: str, answer: BaseModel) -> None:
            waiting.put_nowait(response_of(answer, source).chat_message)

        holding = asyncio.ensure_future(self._hold(listen))
        holding.add_done_callback(lambda _: waiting.put_nowait(None))
        if cancellation_token is not None:
            cancellation_token.link_future(holding)
        opening = TextMessage(content=self._complaint, source="user")
        messages: list[BaseAgentEvent | BaseChatMessage] = [opening]
        yield opening
        try:
            while (message := await waiting.get()) is not None:
                messages.append(message)
                yield message
            await holding
        finally:
            holding.cancel()
        yield TaskResult(messages=messages, stop_reason="the doctor concluded")
