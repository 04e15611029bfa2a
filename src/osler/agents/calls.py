"""Calling a model on behalf of a role: every call is written to the journal, and a failure ends the consultation."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from osler.api_keys import scrub
from osler.errors import printable
from osler.models import Backbone, BackboneError, ChatMessage, ChatRequest, Completion, FailureKind, ask
from osler.models.chat import ClientWrapper
from osler.models.completion import AnswerSource, check_usable, unread_length
from osler.prompts import Prompt
from osler.runs.events import Called, ConsultationError, Ending, Intervened, Intervention, Journal, Message, Role


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
            raise ConsultationError(Ending.BACKBONE_FAILURE, error.kind.value, str(error), error.code) from error


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
        told: dict[str, Any] = {}
        try:
            answer = check_usable(await self.inner.complete(request), self.where)
            told = {"answer": answer.text, "unread": unread_length(answer.text, request.max_tokens) or None}
            return answer
        except BackboneError as error:
            answer = error.answer
            told = {"failure": f"{error.kind.value}: {error}", "attempts": error.attempts}
            raise
        except BaseException as error:
            told = {"failure": f"{FailureKind.OTHER.value}: {_failure(error)}"}
            raise
        finally:
            self._write(request, answer, told, time.monotonic() - start)

    def _write(self, request: ChatRequest, answer: Completion | None, told: dict[str, Any], seconds: float) -> None:
        if answer is not None:
            names = ("thought", "tokens_in", "tokens_out", "tokens_cached", "cost", "attempts")
            known = {name: getattr(answer, name) for name in names}
            told = {**known, "source": answer.source.value, **told}
        self.journal.add(
            Called,
            self.role,
            prompt=self.template,
            model=self.model,
            messages=tuple(Message(role=role, content=content) for role, content in request.messages),
            seconds=seconds,
            **told,
        )
        if answer is not None and answer.source is AnswerSource.RUN:
            self.journal.add(Intervened, self.role, kind=Intervention.REUSED, prompt=self.template)


def _failure(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "the call was cancelled"
    return f"{type(error).__name__}: {printable(scrub(str(error)))}"
