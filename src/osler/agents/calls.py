"""Calling a model on behalf of a role.

Every call is written to the journal, and a failure ends the consultation.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from osler.api_keys import scrub
from osler.errors import printable
from osler.models import (
    Backbone,
    BackboneError,
    ChatMessage,
    ChatRequest,
    Completion,
    FailureKind,
    ask,
)
from osler.models.chat import ClientWrapper
from osler.models.completion import AnswerSource, check_usable, unread_length
from osler.prompts import Prompt
from osler.runs.events import (
    Called,
    CallFailure,
    ConsultationError,
    Ending,
    Intervened,
    Intervention,
    Journal,
    Message,
    Role,
)


class Caller:
    """Calls one role's model."""

    def __init__(self, backbone: Backbone, role: Role, journal: Journal) -> None:
        """Wrap the shared client for this role of this consultation."""
        self._client = _RecordingClient(backbone.client, role, journal)

    async def text(
        self,
        messages: list[ChatMessage],
        template: Prompt | None,
        *,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
        may_be_empty: bool = False,
    ) -> str:
        """Return the model's answer as text, without its thinking.

        Args:
            messages: The prompt.
            template: What the prompt was made from, or None if it is not a template.
            schema: The form that is asked for.
            max_tokens: The longest answer, thinking included.
            may_be_empty: Whether an empty answer is an answer; otherwise it is a failure.

        Raises:
            ConsultationError: The model could not be reached or gave nothing to read.
        """
        self._client.template = template.hash if template else None
        try:
            return (await ask(self._client, messages, schema=schema, max_tokens=max_tokens)).text
        except BackboneError as error:
            if may_be_empty and error.kind is FailureKind.EMPTY:
                return ""
            raise ConsultationError(
                Ending.BACKBONE_FAILURE,
                error.kind.value,
                str(error),
                error.code,
                role=self._client.role,
            ) from error


@dataclass(eq=False)
class _RecordingClient(ClientWrapper):
    """Writes each call to the journal after it has ended, however it ended."""

    role: Role
    journal: Journal
    template: str | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the call on and write it down."""
        start = time.monotonic()
        answer: Completion | None = None
        outcome: dict[str, Any] = {}
        try:
            answer = check_usable(await self.inner.complete(request), self.where)
            unread = unread_length(answer.text, request.max_tokens)
            outcome = {"answer": answer.text, "unread": unread or None}
            return answer
        except BackboneError as error:
            answer = error.answer
            outcome = {"failure": _backbone_failure(error), "attempts": error.attempts}
            raise
        # Also a cancelled call, which is no `Exception`, may have cost something.
        except BaseException as error:
            outcome = {"failure": _failure(error)}
            raise
        finally:
            self._write(request, answer, outcome, time.monotonic() - start)

    def _write(
        self,
        request: ChatRequest,
        answer: Completion | None,
        outcome: dict[str, Any],
        seconds: float,
    ) -> None:
        if answer is not None:
            names = ("thought", "tokens_in", "tokens_out", "tokens_cached", "cost", "attempts")
            fields = {name: getattr(answer, name) for name in names}
            # The outcome comes last: the attempts of a failure are those that count.
            outcome = {**fields, "source": answer.source.value, **outcome}
        messages = tuple(Message(role=role, content=content) for role, content in request.messages)
        self.journal.add(
            Called,
            self.role,
            prompt=self.template,
            model=self.model,
            messages=messages,
            seconds=seconds,
            **outcome,
        )
        if answer is not None and answer.source is AnswerSource.RUN:
            self.journal.add(Intervened, self.role, kind=Intervention.REUSED, prompt=self.template)


def _backbone_failure(error: BackboneError) -> CallFailure:
    return CallFailure(
        kind=error.kind.value,
        message=error.message,
        remedy=error.remedy,
        status=error.status,
        detail=error.detail,
    )


def _failure(error: BaseException) -> CallFailure:
    """What a call ended with that is not the model's failure."""
    if isinstance(error, asyncio.CancelledError):
        return CallFailure(kind=CallFailure.CANCELLED, message="the call was cancelled")
    message = printable(scrub(str(error)))
    if isinstance(error, ConsultationError):
        return CallFailure(kind=CallFailure.LIMIT, message=message)
    return CallFailure(kind=FailureKind.OTHER.value, message=message, error=type(error).__name__)
