"""Two short questions that show what a backbone can do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ValidationError

from osler.models.ask import Answer, ask
from osler.models.backbone import open_backbone
from osler.models.chat import ChatMessage
from osler.models.errors import BackboneError


class SchemaSupport(StrEnum):
    """What became of a JSON schema."""

    HONOURED = "honoured"
    IGNORED = "taken, but the answer does not follow it"
    REFUSED = "not taken; the prompt alone asks for the form"
    FAILED = "no answer when one is asked for"


class _Colour(BaseModel):
    """An enum that the question does not name, so that following it is no accident."""

    colour: Literal["vermilion", "ultramarine"]


@dataclass(frozen=True)
class Probe:
    """What a backbone did with two questions."""

    spec: str
    answer: Answer
    schema: SchemaSupport


async def probe(spec: str, *, limit: float) -> Probe:
    """Ask once in plain text and once for a JSON schema, without retries; each may take `limit` seconds.

    Raises:
        UserError: The spec is wrong, or the model does not answer the first question.
    """
    backbone = open_backbone(spec, timeout=limit, max_tokens=64, retries=0)
    try:
        answer = await ask(backbone.client, [ChatMessage("user", "Say hello in one word.")])
        question = ChatMessage("user", "Name a colour, as a JSON object with the key colour.")
        try:
            support = _support(await ask(backbone.client, [question], schema=_Colour))
        except BackboneError:
            support = SchemaSupport.FAILED
    finally:
        await backbone.close()
    return Probe(backbone.spec, answer, support)


def _support(answer: Answer) -> SchemaSupport:
    if not answer.structured:
        return SchemaSupport.REFUSED
    try:
        _Colour.model_validate_json(answer.text)
    except ValidationError:
        return SchemaSupport.IGNORED
    return SchemaSupport.HONOURED
