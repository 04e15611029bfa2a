"""The `ChatClient` interface, and `ask`, which agents use to call it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from osler.models.completion import Completion, check_usable, unread_length, whole_characters
from osler.models.errors import BackboneError

_ABOUT_SCHEMA = re.compile(
    r"response[_ ]?format|json[_ ]?schema|structured output|guided|grammar", re.IGNORECASE
)


class ChatMessage(NamedTuple):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """A request to a model."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int | None = None
    """Maximum tokens of the answer; None means the client's own default."""
    schema: type[BaseModel] | None = None
    """The form that the answer is to have, sent as a JSON schema."""
    seed: int | None = None
    """For the sampling of this answer, at servers that take one with each request."""

    def body(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The request in the OpenAI protocol, with the options of every request."""
        messages = [{"role": role, "content": content} for role, content in self.messages]
        body = {**options, "messages": messages}
        if self.max_tokens is not None:
            body["max_tokens"] = self.max_tokens
        if self.schema is not None:
            body["response_format"] = response_format(self.schema)
        return body

    def estimated_tokens(self) -> int:
        """Estimate the tokens of the prompt: four Latin characters or another one make a token.

        An exact count would download tiktoken's data, and be wrong for most models anyway.
        """
        total = 0
        for _, text in self.messages:
            latin = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
            # Each message has about four tokens around it: its role and its marks.
            total += 4 + (latin + 3) // 4 + len(text) - latin
        return total


class ChatClient(ABC):
    """What answers chat requests: a model, or a wrapper that adds one thing to another client."""

    model: str
    """The name that prices and transcripts know the model by."""
    where: str
    """The model and its address, as messages to the user name it."""
    max_tokens: int | None = None
    """Maximum tokens, if the backbone's spec sets it: it then applies to every call."""
    takes_schema: bool = True
    """Whether a JSON schema may be sent.

    Without, the prompt alone asks for the form, as all of Osler's prompts do."""

    @abstractmethod
    async def complete(self, request: ChatRequest) -> Completion:
        """Answer one request; raises BackboneError if there is no usable answer."""

    async def close(self) -> None:  # noqa: B027 -- many clients hold nothing open
        """Close what is open."""

    @property
    def innermost(self) -> ChatClient:
        """The client under all wrappers, one object however many consultations share it."""
        return self


@dataclass(eq=False)
class ClientWrapper(ChatClient):
    """A client around another one; a subclass adds one thing in `complete`."""

    inner: ChatClient

    def __post_init__(self) -> None:
        """Take over what the inner client is called and allows."""
        self.model = self.inner.model
        self.where = self.inner.where
        self.max_tokens = self.inner.max_tokens

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    @property
    def innermost(self) -> ChatClient:
        """The client under all wrappers."""
        return self.inner.innermost


async def ask(
    client: ChatClient,
    messages: Sequence[ChatMessage],
    *,
    schema: type[BaseModel] | None = None,
    max_tokens: int | None = None,
) -> Completion:
    """Send one request to a model.

    The text is not parsed: what small models write needs a forgiving reader.

    Args:
        client: A backbone's client, wrapped or not.
        messages: The prompt. It asks for the form in words, too: a client that takes no JSON schema
            is sent none, nor is a server that has refused one before.
        schema: What the text should look like.
        max_tokens: The longest answer, where it differs from the backbone's and the backbone's spec
            does not set it. What goes far beyond it is cut off.

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
        base.takes_schema = False
        earlier_attempts = error.attempts
    else:
        return _cut(check_usable(answer, client.where), allowed)
    # Asked again outside of the `except`: a second failure is no consequence of the first.
    answer = check_usable(await client.complete(ChatRequest(prompt, allowed)), client.where)
    attempts = earlier_attempts + answer.attempts
    return _cut(answer.model_copy(update={"attempts": attempts}), allowed)


def _cut(answer: Completion, max_tokens: int | None) -> Completion:
    """The answer without what goes far beyond the length that was asked for."""
    unread = unread_length(answer.text, max_tokens)
    if not unread:
        return answer
    return answer.model_copy(update={"text": answer.text[:-unread], "finish": "length"})


@lru_cache(maxsize=64)
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """The `response_format` of the OpenAI protocol that asks for this model."""
    form = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
    return {"type": "json_schema", "json_schema": form}


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model as strict servers want it: every property required, and no others.

    That holds for fields with defaults, too; a field that may be left out is written as `X | None`.
    """
    closed: dict[str, Any] = _closed(schema.model_json_schema())
    return closed


def _closed(node: Any, *, names: bool = False) -> Any:
    """The schema with all objects closed; under `names` keys are fields, not words of a schema."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {key: _closed(value) for key, value in node.items()}
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # a strict server takes nothing beside a reference
    closed = {}
    for key, value in node.items():
        if key in {"enum", "const", "examples"}:
            closed[key] = value  # data, in which a key such as `title` means itself
        elif key not in {"default", "title"}:
            closed[key] = _closed(value, names=key in {"properties", "$defs"})
    if "properties" in closed:
        closed["additionalProperties"] = False
        closed["required"] = list(closed["properties"])
    return closed
