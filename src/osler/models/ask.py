"""The one function through which agents ask their model."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from osler.models.chat import ChatClient, ChatMessage, ChatRequest
from osler.models.completion import check_usable, unread_length, whole_characters
from osler.models.errors import BackboneError
from osler.models.prices import cost


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
    client: ChatClient,
    messages: Sequence[ChatMessage],
    *,
    schema: type[BaseModel] | None = None,
    max_tokens: int | None = None,
) -> Answer:
    """Ask a model once. The text is not parsed: what small models write needs a forgiving reader.

    Args:
        client: A backbone's client, wrapped or not.
        messages: The prompt. It asks for the form in words, too: a client that takes no JSON schema is sent none, nor
            is a server that has refused one before.
        schema: What the text should look like.
        max_tokens: The longest answer, where it differs from the backbone's and the backbone's spec does not set it.

    Raises:
        BackboneError: The model gave no usable answer.
    """
    start = time.monotonic()
    base = client.innermost
    prompt = tuple(ChatMessage(role, whole_characters(text)) for role, text in messages)
    allowed = client.max_tokens or max_tokens
    sent = schema if base.takes_schema else None
    earlier, done = 0, None
    try:
        done = await client.complete(ChatRequest(prompt, allowed, sent))
    except BackboneError as error:
        if sent is None or not _is_about_schema(error):
            raise
        base.takes_schema, sent, earlier = False, None, error.attempts
    if done is None:
        done = await client.complete(ChatRequest(prompt, allowed))
    text = check_usable(done, client.where).content
    unread = unread_length(text, allowed)
    return Answer(
        text=text[: len(text) - unread],
        model=done.model,
        tokens_in=done.tokens_in,
        tokens_out=done.tokens_out,
        tokens_cached=done.tokens_cached,
        seconds=time.monotonic() - start,
        attempts=earlier + done.attempts,
        cost=cost(done.model, done.tokens_in, done.tokens_out, done.tokens_cached),
        finish="length" if unread else done.finish_reason,
        structured=sent is not None,
    )


def _is_about_schema(error: BackboneError) -> bool:
    named = re.search(r"response[_ ]?format|json[_ ]?schema|structured output|guided|grammar", error.detail, re.I)
    return error.status in {400, 415, 422, 501} and named is not None
