"""The one function through which agents ask their model."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pydantic import BaseModel, ConfigDict

from osler.models.errors import BackboneError
from osler.models.prices import cost
from osler.models.schema import response_format

if TYPE_CHECKING:
    from autogen_core.models import ChatCompletionClient, LLMMessage

_WITHOUT_SCHEMA: WeakSet[ChatCompletionClient] = WeakSet()
"""Clients whose server has refused a JSON schema; asking it again would cost a request each time."""

_LONGEST_TOKEN = 16
"""Characters. An answer of more than that for each token it was allowed comes from a server that did not stop."""


def unread(text: str, max_tokens: int | None) -> int:
    """How many characters at the end of an answer are not read, since they go beyond what was asked for.

    Everybody who reads a model's words looks for patterns in them, and hostile words make that take long.
    """
    return 0 if max_tokens is None else max(0, len(text) - _LONGEST_TOKEN * max_tokens)


class Answer(BaseModel):
    """What a model said, and what it cost. Unknown numbers are None, never 0."""

    model_config = ConfigDict(frozen=True)

    text: str
    """Without what goes far beyond the tokens that were allowed."""
    model: str
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    seconds: float
    """From the question to the answer, pauses between attempts included."""
    attempts: int
    cost: float | None
    """In USD, where the price table knows the model."""
    finish: str
    structured: bool
    """Whether the schema was sent along; not whether the text follows it."""


async def ask(
    client: ChatCompletionClient,
    messages: Sequence[LLMMessage],
    *,
    schema: type[BaseModel] | None = None,
    max_tokens: int | None = None,
) -> Answer:
    """Ask a model once. The text is not parsed: what small models write needs a forgiving reader.

    Args:
        client: A backbone's client, wrapped or not.
        messages: The prompt.
        schema: What the text should look like; sent as a JSON schema, unless the server has refused one before.
        max_tokens: The longest answer, where it differs from the backbone's.

    Raises:
        BackboneError: The model gave no usable answer.
    """
    from osler.models.completion import Completion, usable_text
    from osler.models.wrapper import innermost

    base = innermost(client)
    where = getattr(client, "where", "the model")
    options: dict[str, Any] = {} if max_tokens is None else {"max_tokens": max_tokens}
    structured = schema is not None and base not in _WITHOUT_SCHEMA
    earlier = 0
    start = time.monotonic()
    if schema is not None and structured:
        try:
            sent = {**options, "response_format": _format(schema)}
            result = await client.create(messages, extra_create_args=sent)
        except BackboneError as error:
            if not _is_about_schema(error):
                raise
            _WITHOUT_SCHEMA.add(base)
            structured, earlier = False, error.attempts
    if not structured:
        result = await client.create(messages, extra_create_args=options)
    done = Completion.of(result, getattr(client, "model", "unknown"))
    text = usable_text(done, where)
    beyond = unread(text, max_tokens)
    return Answer(
        text=text[: len(text) - beyond],
        model=done.model,
        tokens_in=done.tokens_in,
        tokens_out=done.tokens_out,
        tokens_cached=done.tokens_cached,
        seconds=time.monotonic() - start,
        attempts=earlier + done.attempts,
        cost=cost(done.model, done.tokens_in, done.tokens_out, done.tokens_cached),
        finish="length" if beyond else done.finish_reason,
        structured=structured,
    )


@lru_cache(maxsize=64)
def _format(schema: type[BaseModel]) -> dict[str, Any]:
    """What asks for that schema: making it takes longer than sending it, and a run has few."""
    return response_format(schema)


def _is_about_schema(error: BackboneError) -> bool:
    named = re.search(r"response[_ ]?format|json[_ ]?schema|structured output|guided|grammar", error.detail, re.I)
    return error.status in {400, 415, 422, 501} and named is not None
