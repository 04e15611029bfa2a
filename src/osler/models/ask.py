"""The one function through which agents ask their model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel

from osler.models.chat import ChatClient, ChatMessage, ChatRequest
from osler.models.completion import Completion, check_usable, unread_length, whole_characters
from osler.models.errors import BackboneError

_ABOUT_SCHEMA = re.compile(r"response[_ ]?format|json[_ ]?schema|structured output|guided|grammar", re.IGNORECASE)


async def ask(
    client: ChatClient,
    messages: Sequence[ChatMessage],
    *,
    schema: type[BaseModel] | None = None,
    max_tokens: int | None = None,
) -> Completion:
    """Ask a model once. The text is not parsed: what small models write needs a forgiving reader.

    Args:
        client: A backbone's client, wrapped or not.
        messages: The prompt. It asks for the form in words, too: a client that takes no JSON schema is sent none, nor
            is a server that has refused one before.
        schema: What the text should look like.
        max_tokens: The longest answer, where it differs from the backbone's and the backbone's spec does not set it.
            What goes far beyond it is cut off.

    Raises:
        BackboneError: The model gave no usable answer.
    """
    base = client.innermost
    prompt = tuple(ChatMessage(role, whole_characters(text)) for role, text in messages)
    allowed = client.max_tokens or max_tokens
    sent = schema if base.takes_schema else None
    try:
        answer = await client.complete(ChatRequest(prompt, allowed, sent))
    except BackboneError as error:
        refused = error.status in {400, 415, 422, 501} and _ABOUT_SCHEMA.search(error.detail)
        if sent is None or not refused:
            raise
        base.takes_schema, earlier = False, error.attempts
    else:
        return _readable(check_usable(answer, client.where), allowed)
    answer = check_usable(await client.complete(ChatRequest(prompt, allowed)), client.where)
    return _readable(answer.model_copy(update={"attempts": earlier + answer.attempts}), allowed)


def _readable(answer: Completion, allowed: int | None) -> Completion:
    unread = unread_length(answer.text, allowed)
    return answer.model_copy(update={"text": answer.text[:-unread], "finish": "length"}) if unread else answer
