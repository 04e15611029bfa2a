"""What passes between an agent and a model, and the interface of everything that answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

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
    """Passes everything on to `inner`; a subclass overrides the one thing it adds."""

    def __init__(self, inner: ChatClient) -> None:
        """Wrap a client."""
        self.inner = inner
        self.model, self.where, self.max_tokens = inner.model, inner.where, inner.max_tokens

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the request on."""
        return await self.inner.complete(request)

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    @property
    def innermost(self) -> ChatClient:
        """The client under all wrappers."""
        return self.inner.innermost


def estimated_tokens(request: ChatRequest) -> int:
    """About how many tokens a prompt has: four Latin characters or one other character make a token.

    An estimate on purpose: an exact count would download tiktoken's data, and be wrong for most models anyway.
    """
    total = 0
    for _, text in request.messages:
        latin = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
        total += 4 + (latin + 3) // 4 + len(text) - latin
    return total
