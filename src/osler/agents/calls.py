"""Calling a model on behalf of a role: every call is written down, and what fails ends the consultation in order."""

from __future__ import annotations

from pydantic import BaseModel

from osler.models import Backbone, BackboneError, ChatMessage, FailureKind, ModelCall, Recording, ask
from osler.models.completion import Source
from osler.prompts import Prompt
from osler.runs.events import Called, ConsultationError, Ending, Intervened, Intervention, Journal, Message, Role


class Caller:
    """One role's way to its model."""

    def __init__(self, backbone: Backbone, role: Role, journal: Journal) -> None:
        """Wrap the shared client for this role of this consultation."""
        self._notes = _Notes(role, journal)
        self._client = Recording(backbone.client, role=role.value, record=self._notes.take)

    async def text(
        self,
        messages: list[ChatMessage],
        template: Prompt | None,
        *,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
        may_be_empty: bool = False,
    ) -> str:
        """The model's answer as text, without what it thought aloud.

        Args:
            messages: The prompt.
            template: What the prompt was made from; None where it is nobody's template.
            schema: The form that is asked for.
            max_tokens: The longest answer, thinking included.
            may_be_empty: Whether an empty answer is an answer; otherwise it is a failure.

        Raises:
            ConsultationError: The model could not be reached or gave nothing to read.
        """
        self._notes.template = template.hash if template else None
        try:
            answer = await ask(self._client, messages, schema=schema, max_tokens=max_tokens)
        except BackboneError as error:
            if may_be_empty and error.kind is FailureKind.EMPTY:
                return ""
            raise ConsultationError(Ending.BACKBONE_FAILURE, error.kind.value, str(error)) from error
        return answer.text


class _Notes:
    """Where a role's calls are written down. It knows no caller: two that hold each other keep a consultation alive."""

    def __init__(self, role: Role, journal: Journal) -> None:
        self._role, self._journal = role, journal
        self.template: str | None = None

    def take(self, call: ModelCall) -> None:
        self._journal.add(
            Called,
            self._role,
            prompt=self.template,
            model=call.model,
            messages=tuple(Message(role=role, content=content) for role, content in call.messages),
            answer=call.text or "",
            thought=call.thought,
            unread=call.unread or None,
            failure=f"{call.error.value}: {call.error_line}" if call.error else None,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            tokens_cached=call.tokens_cached,
            cost=call.cost,
            seconds=call.seconds,
            attempts=call.attempts,
            source=call.source,
        )
        if call.source == Source.RUN:
            self._journal.add(Intervened, self._role, kind=Intervention.REUSED, prompt=self.template)
