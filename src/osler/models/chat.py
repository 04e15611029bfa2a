"""The interface of everything that answers: a request, a client, and a client that wraps another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from pydantic import BaseModel

    from osler.models.completion import Completion


class ChatMessage(NamedTuple):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """What a model is asked."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int | None = None
    """The longest answer; None: as long as the client's own default."""
    schema: type[BaseModel] | None = None
    """The form that the answer is to have, sent as a JSON schema."""

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
        """About how many tokens the prompt has: four Latin characters or one other character make a token.

        An estimate on purpose: an exact count would download tiktoken's data, and be wrong for most models anyway.
        """
        total = 0
        for _, text in self.messages:
            latin = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
            total += 4 + (latin + 3) // 4 + len(text) - latin
        return total


class ChatClient(ABC):
    """Something that answers chat requests: a model, or a wrapper that adds one thing to another client."""

    model: str
    """The name that prices and transcripts know the model by."""
    where: str
    """The model and its address, as messages to the user name it."""
    max_tokens: int | None = None
    """The longest answer, where the backbone's spec sets it: it then holds for every call."""
    takes_schema: bool = True
    """Whether a JSON schema may be sent. Without, the prompt alone asks for the form, as all of Osler's prompts do."""

    @abstractmethod
    async def complete(self, request: ChatRequest) -> Completion:
        """Answer one request.

        Raises:
            BackboneError: There is no usable answer.
        """

    async def close(self) -> None:  # noqa: B027 -- many clients hold nothing open
        """Close what is open."""

    @property
    def innermost(self) -> ChatClient:
        """The client under all wrappers, which is one object however many consultations share it."""
        return self


class ClientWrapper(ChatClient):
    """A client around another one; a subclass adds one thing in `complete`."""

    def __init__(self, inner: ChatClient) -> None:
        """Wrap a client."""
        self.inner = inner
        self.model, self.where, self.max_tokens = inner.model, inner.where, inner.max_tokens

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    @property
    def innermost(self) -> ChatClient:
        """The client under all wrappers."""
        return self.inner.innermost


@lru_cache(maxsize=64)
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """The `response_format` of the OpenAI protocol that asks for this model. Made once: a run has few."""
    form = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
    return {"type": "json_schema", "json_schema": form}


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model as strict servers want it: every property required, and no others.

    That holds for fields with defaults, too; a field that may be left out is written as `X | None`.
    """
    closed: dict[str, Any] = _closed(schema.model_json_schema())
    return closed


def _closed(node: Any, *, names: bool = False) -> Any:
    """The same schema with every object closed. Under `names`, keys are names of fields and not words of the schema."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {key: _closed(value) for key, value in node.items()}
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # a strict server takes nothing beside a reference
    closed = {
        key: value if key in {"enum", "const", "examples"} else _closed(value, names=key in {"properties", "$defs"})
        for key, value in node.items()
        if key not in {"default", "title"}
    }
    if "properties" in closed:
        closed["additionalProperties"] = False
        closed["required"] = list(closed["properties"])
    return closed
