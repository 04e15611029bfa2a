"""Two short questions that show what a backbone can do."""

from __future__ import annotations

import time
from typing import Literal

from pydantic import BaseModel, ValidationError

from osler.errors import printable
from osler.models.backbone import open_backbone
from osler.models.chat import ChatClient, ChatMessage, ask
from osler.models.errors import BackboneError


class _Colour(BaseModel):
    """An enum that the question does not name, so that following it is no accident."""

    colour: Literal["vermilion", "ultramarine"]


async def check_backbone(spec: str, *, limit: float) -> dict[str, str]:
    """Ask once in plain text and once for a JSON schema, without retries; each may take `limit` seconds.

    Returns:
        What the backbone did, as lines to print with their labels.

    Raises:
        UserError: The spec is wrong, or the model does not answer the first question.
    """
    backbone = open_backbone(spec, timeout=limit, max_tokens=64, retries=0)
    try:
        start = time.monotonic()
        answer = await ask(backbone.client, [ChatMessage("user", "Say hello in one word.")])
        seconds = time.monotonic() - start
        support = await _schema_support(backbone.client)
    finally:
        await backbone.close()
    counts = {"in": answer.tokens_in, "out": answer.tokens_out, "cached": answer.tokens_cached}
    return {
        "backbone": printable(backbone.spec),
        "answers": f"yes: {printable(answer.text)[:80]}",
        "latency": f"{seconds:.2f} s",
        "tokens": ", ".join(f"{'unknown' if count is None else count} {name}" for name, count in counts.items()),
        "JSON schema": support,
    }


async def _schema_support(client: ChatClient) -> str:
    question = ChatMessage("user", "Name a colour, as a JSON object with the key colour.")
    try:
        answer = await ask(client, [question], schema=_Colour)
        if not client.innermost.takes_schema:
            return "not taken; the prompt alone asks for the form"
        _Colour.model_validate_json(answer.text)
    except BackboneError:
        return "no answer when one is asked for"
    except ValidationError:
        return "taken, but the answer does not follow it"
    return "honoured"
