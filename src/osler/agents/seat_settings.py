"""What a doctor or a patient with a model is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import BaseModel

from osler.agents.calls import Caller
from osler.agents.messages import Case
from osler.models import Backbone, ChatMessage
from osler.prompts import Prompt
from osler.runs.events import Journal, Role
from osler.settings.names import ANSWER_TOKENS
from osler.settings.run_settings import RunSettings


@dataclass(frozen=True)
class SeatSettings:
    """The patient's case, the model, and the journal of its calls."""

    role: ClassVar[Role]
    """Whose model it is."""

    case: Case
    backbone: Backbone
    journal: Journal
    answer_tokens: int = ANSWER_TOKENS
    """Tokens that one answer of the model may take, its thinking included."""
    run: RunSettings = field(default_factory=RunSettings)
    """All settings of its column, those included that packages add."""

    async def ask(
        self,
        prompt: str | list[ChatMessage],
        *,
        template: Prompt | None = None,
        schema: type[BaseModel] | None = None,
    ) -> str:
        """Return the model's answer to a prompt; empty if it said nothing.

        The call is part of the transcript.

        Args:
            prompt: A text, or messages.
            template: What the prompt was made from, if it is one of Osler's.
            schema: The form of the answer, for servers that can enforce one.

        Raises:
            ConsultationError: The model could not be reached, or refused.
        """
        messages = [ChatMessage("user", prompt)] if isinstance(prompt, str) else prompt
        call = Caller(self.backbone, self.role, self.journal)
        return await call.text(
            [*messages], template, schema=schema, max_tokens=self.answer_tokens, may_be_empty=True
        )
