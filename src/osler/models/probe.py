"""Two short questions that show what a backbone can do."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ValidationError

from osler.models.ask import ask
from osler.models.backbone import open_backbone
from osler.models.chat import ChatClient, ChatMessage
from osler.models.completion import Completion
from osler.models.errors import BackboneError

HONOURED = "honoured"
IGNORED = "taken, but the answer does not follow it"
REFUSED = "not taken; the prompt alone asks for the form"
FAILED = "no answer when one is asked for"


class _Colour(BaseModel):
    """An enum that the question does not name, so that following it is no accident."""

    colour: Literal["vermilion", "ultramarine"]


@dataclass(frozen=True)
class BackboneCheck:
    """What a backbone did with two questions."""

    spec: str
    answer: Completion
    seconds: float
    """From the first question to its answer."""
    schema: str
    """What became of a JSON schema: one of the constants above."""


async def check_backbone(spec: str, *, limit: float) -> BackboneCheck:
    """Ask once in plain text and once for a JSON schema, without retries; each may take `limit` seconds.

    Raises:
        UserError: The spec is wrong, or the model does not answer the first question.
    """
    backbone = open_backbone(spec, timeout=limit, max_tokens=64, retries=0)
    try:
        start = time.monotonic()
        answer = await ask(backbone.client, [ChatMessage("user", "Say hello in one word.")])
        return BackboneCheck(backbone.spec, answer, time.monotonic() - start, await _schema_support(backbone.client))
    finally:
        await backbone.close()


async def _schema_support(client: ChatClient) -> str:
    question = ChatMessage("user", "Name a colour, as a JSON object with the key colour.")
    try:
        answer = await ask(client, [question], schema=_Colour)
        if not client.innermost.takes_schema:
            return REFUSED
        _Colour.model_validate_json(answer.text)
    except BackboneError:
        return FAILED
    except ValidationError:
        return IGNORED
    return HONOURED
