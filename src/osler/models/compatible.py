"""`MODEL@URL`: models behind an OpenAI-compatible server, such as vLLM, SGLang and llama.cpp.

Straight over HTTP: a run asks millions of times, and the SDKs take many times as long for a call as this does.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from osler.api_keys import key_for
from osler.errors import UserError
from osler.models.chat import ChatClient, ChatRequest
from osler.models.completion import Completion, check_usable
from osler.models.errors import not_json
from osler.models.http_endpoint import HttpEndpoint
from osler.models.json_schema import response_format
from osler.models.spec import Spec

_NOT_SET_BY_USERS = frozenset({"model", "messages", "stream", "n", "response_format", "tools", "tool_choice"})


class CompatibleClient(ChatClient):
    """One model at one server."""

    def __init__(self, model: str, where: str, endpoint: HttpEndpoint, options: Mapping[str, Any]) -> None:
        """Take the server, and what every request holds besides its messages."""
        self.model, self.where = model, where
        self._endpoint = endpoint
        self._options = {"model": model, **options}

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request."""
        body = {
            **self._options,
            "messages": [{"role": role, "content": content} for role, content in request.messages],
        }
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if request.schema is not None:
            body["response_format"] = response_format(request.schema)
        return check_usable(self._completion(await self._endpoint.post(body)), self.where)

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    def _completion(self, body: Any) -> Completion:
        """The answer in a response's body."""
        with suppress(LookupError, TypeError, AttributeError):
            choice = body["choices"][0]
            message, usage = choice["message"], body.get("usage")
            text = message.get("content")
            thought = message.get("reasoning_content") or message.get("reasoning")
            if text is None or isinstance(text, str):
                return Completion.from_text(
                    text or "",
                    model=self.model,
                    finish=choice.get("finish_reason"),
                    usage=usage,
                    thought=thought if isinstance(thought, str) else None,
                )
        raise not_json(self.where)


def open_compatible(spec: Spec, options: Mapping[str, Any], timeout: float) -> CompatibleClient:
    """The client of a `MODEL@URL`.

    Raises:
        UserError: Its key is not usable or would be sent over plain http, or a parameter is not for users to set.
    """
    assert spec.base_url is not None
    if taken := sorted(options.keys() & _NOT_SET_BY_USERS):
        raise UserError(f"the parameter {taken[0]} is set by Osler itself", "leave it out of the backbone")
    where = f"{spec.model} at {spec.base_url}"
    endpoint = HttpEndpoint(f"{spec.base_url}/chat/completions", key_for(spec.base_url), where=where, timeout=timeout)
    return CompatibleClient(spec.model, where, endpoint, options)
