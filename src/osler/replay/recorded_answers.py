"""What models said in a consultation, said again: to each role in its order, and no sooner than it came then."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque

from osler.models import Backbone, ChatClient, ChatRequest, Completion
from osler.models.completion import AnswerSource
from osler.replay.event_order import Order
from osler.replay.recorded_failures import CANCELLED, over, raised_again
from osler.runs.events import Called, ConsultationError, Role
from osler.runs.transcript import Transcript


class RecordedAnswers:
    """All answers of one consultation."""

    def __init__(self, recorded: Transcript, order: Order) -> None:
        """Sort the answers by role."""
        self._recorded, self._order = recorded, order
        self._waiting: dict[Role, deque[Called]] = defaultdict(deque)
        for call in recorded.of(Called):
            self._waiting[call.role].append(call)

    def of(self, role: Role) -> RoleAnswers:
        """The answers of one role, as something that opens backbones."""
        return RoleAnswers(self, role)

    def model(self, role: Role) -> str:
        """The name of the model behind a role."""
        return self._waiting[role][0].model if self._waiting[role] else "unknown"

    async def next(self, role: Role) -> Completion:
        """The next answer to that role.

        Raises:
            Exception: What the call failed with, or, when there is no answer left, what the consultation ended with.
        """
        if not self._waiting[role]:
            raise over(self._recorded, f"answer to the {role.value}")
        call = self._waiting[role].popleft()
        if call.failure is not None:
            raise await self._failure(call, call.failure)
        await self._order.before(call)
        answer = Completion.from_text(call.answer, model=call.model, finish="stop", usage=None, thought=call.thought)
        return answer.model_copy(update={"source": AnswerSource(call.source)})

    async def _failure(self, call: Called, line: str) -> Exception:
        """What a call failed with, once it did."""
        error = raised_again(line, self._recorded)
        if isinstance(error, ConsultationError) and not line.endswith(CANCELLED):
            return error  # a limit was reached, so nobody was asked and nothing was waited for
        await self._order.before(call)
        await asyncio.sleep(0)  # whatever cancelled it then has the next word
        return error


class RoleAnswers:
    """Opens any backbone as the record of what it said to one role."""

    def __init__(self, answers: RecordedAnswers, role: Role) -> None:
        """Know whose answers these are."""
        self._answers, self._role = answers, role

    def open(self, spec: str) -> Backbone:
        """The record of that backbone."""
        client = _Recorded(self._answers, self._role)
        return Backbone(spec, client.model, client, spec)


class _Recorded(ChatClient):
    def __init__(self, answers: RecordedAnswers, role: Role) -> None:
        self._answers, self._role = answers, role
        self.model = self.where = answers.model(role)

    async def complete(self, request: ChatRequest) -> Completion:
        """The next recorded answer, whatever the messages are; whether they are the same is looked at later."""
        return await self._answers.next(self._role)
