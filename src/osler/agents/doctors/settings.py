"""What a doctor is made with."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from osler.agents.calls import Caller
from osler.agents.messages import Case
from osler.models import Backbone, ChatMessage
from osler.prompts import Prompt
from osler.runs.events import Journal, Role


@dataclass(frozen=True)
class DoctorSettings:
    """The patient's case, the model, and where its calls are written down."""

    case: Case
    backbone: Backbone
    journal: Journal
    answer_tokens: int = 1000
    """Tokens that one answer of the model may take, its thinking included."""

    async def ask(
        self,
        prompt: str | list[ChatMessage],
        *,
        template: Prompt | None = None,
        schema: type[BaseModel] | None = None,
    ) -> str:
        """The model's answer to a prompt; empty when it said nothing. The call is part of the transcript.

        Args:
            prompt: A text, or messages.
            template: What the prompt was made from, where it is one of Osler's.
            schema: The form of the answer, for servers that can enforce one.

        Raises:
            ConsultationError: The model could not be reached, or refused.
        """
        messages = [ChatMessage("user", prompt)] if isinstance(prompt, str) else prompt
        call = Caller(self.backbone, Role.DOCTOR, self.journal)
        return await call.text([*messages], template, schema=schema, max_tokens=self.answer_tokens, may_be_empty=True)
