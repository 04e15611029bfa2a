"""The OpenAI protocol in both directions: what is sent for messages and tools, and what an answer's body holds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import FunctionExecutionResultMessage, LLMMessage, SystemMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic_core import PydanticSerializationError, from_json, to_json

from osler.models.completion import Completion
from osler.models.errors import not_json
from osler.models.schema import response_format
from osler.models.wrapper import JsonOutput, ToolChoice, plain

OPTIONS = frozenset(
    {
        *("max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop", "response_format"),
        *("frequency_penalty", "presence_penalty", "logit_bias", "parallel_tool_calls", "reasoning_effort"),
        *("verbosity", "user", "metadata", "service_tier", "prompt_cache_key", "extra_body"),
    }
)
"""What a call may set. Options that this client would send and then ignore in the answer are not among them."""

_LONGEST_NUMBER = 100
"""Digits."""


def written(value: Any, *, errors: str = "strict") -> bytes:
    """As JSON, by pydantic's writer: Python's own takes five times as long, and every call is written twice.

    What that one refuses, such as half a character, is left to Python's.
    """
    try:
        return to_json(value)
    except PydanticSerializationError:
        return json.dumps(value, ensure_ascii=False).encode(errors=errors)


def read(body: bytes) -> Any:
    """From JSON, by pydantic's reader, for the same reason; what it refuses is left to Python's.

    A number of thousands of digits, which neither reads, is null: nothing that is needed of an answer is one.

    Raises:
        ValueError: The body is no JSON.
        RecursionError: It is nested without end.
    """
    try:
        return from_json(body, cache_strings="keys")
    except ValueError:
        return json.loads(body, parse_int=_whole)


def request_body(
    defaults: Mapping[str, Any],
    messages: Sequence[LLMMessage],
    *,
    tools: Sequence[Tool | ToolSchema] = (),
    tool_choice: ToolChoice = "auto",
    json_output: JsonOutput = None,
    options: Mapping[str, Any] = {},
) -> bytes:
    """The body of a request.

    Raises:
        ValueError: An option, a message or a tool that cannot be sent: a mistake of the caller.
        UnicodeError: A text with half a character in it.
    """
    if unknown := options.keys() - OPTIONS:
        raise ValueError(f"Extra create args are invalid: {sorted(unknown)}")
    body = {**defaults, **options, "messages": _messages(messages)}
    body |= body.pop("extra_body", {})  # what one server understands beyond the protocol
    if json_output is not None:
        body["response_format"] = _format(json_output)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        body["tool_choice"] = _choice(tool_choice, body["tools"])
    return written(body)


def completion_of(body: Any, *, model: str, where: str) -> Completion:
    """The answer in a response's body.

    Raises:
        BackboneError: The body is no chat completion.
    """
    try:
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage")
        text, calls = message.get("content"), message.get("tool_calls")
        finish = choice.get("finish_reason")
        thought = message.get("reasoning_content") or message.get("reasoning")
        called = [_call(call) for call in calls or ()]
    except (LookupError, TypeError, AttributeError, RecursionError):
        raise not_json(where) from None
    if not (text is None or isinstance(text, str)):
        raise not_json(where)
    thought = thought if isinstance(thought, str) else None
    if not called:
        return Completion.from_text(text or "", model=model, finish=finish, usage=usage, thought=thought)
    return Completion.from_text(
        called, model=model, finish="tool_calls", usage=usage, thought=text if text else thought
    )


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _messages(messages: Sequence[LLMMessage]) -> list[dict[str, Any]]:
    """As the protocol writes them; system messages are joined, since many chat templates take only one."""
    written: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, SystemMessage) and written and written[-1]["role"] == "system":
            written[-1]["content"] += "\n" + message.content
        elif isinstance(message, SystemMessage) and any(one["role"] == "system" for one in written):
            raise ValueError("system messages must follow each other: many chat templates take only one")
        elif isinstance(message, FunctionExecutionResultMessage):
            written += [
                {"role": "tool", "tool_call_id": result.call_id, "content": result.content}
                for result in message.content
            ]
        else:
            written.append(_message(message))
    return written


def _message(message: LLMMessage) -> dict[str, Any]:
    role, text = plain(message)
    content = message.content
    if role == "assistant" and not isinstance(content, str):
        functions = [
            {"name": call.name, "arguments": call.arguments} for call in content if isinstance(call, FunctionCall)
        ]
        ids = [call.id for call in content if isinstance(call, FunctionCall)]
        calls = [
            {"id": id, "type": "function", "function": function} for id, function in zip(ids, functions, strict=True)
        ]
        return {"role": role, "content": getattr(message, "thought", None), "tool_calls": calls}
    if not isinstance(content, str) and not all(isinstance(part, str) for part in content):
        raise ValueError("a message holds an image, and these models read text")
    return {"role": role, "content": text}


def _format(json_output: bool | type[Any]) -> dict[str, Any]:
    if isinstance(json_output, bool):
        return {"type": "json_object" if json_output else "text"}
    return response_format(json_output)


def _tool(tool: Tool | ToolSchema) -> dict[str, Any]:
    told: Mapping[str, Any] = tool.schema if isinstance(tool, Tool) else tool
    function = {
        "name": told["name"],
        "description": told.get("description", ""),
        "parameters": told.get("parameters", {}),
        "strict": told.get("strict", False),
    }
    return {"type": "function", "function": function}


def _choice(choice: ToolChoice, tools: list[dict[str, Any]]) -> Any:
    if isinstance(choice, str):
        return choice
    if choice.name not in {tool["function"]["name"] for tool in tools}:
        raise ValueError(f"tool_choice names {choice.name!r}, which is not among the tools")
    return {"type": "function", "function": {"name": choice.name}}


def _call(call: dict[str, Any]) -> FunctionCall:
    function = call["function"]
    arguments = function["arguments"]
    return FunctionCall(
        id=str(call.get("id", "")),
        name=re.sub(r"[^a-zA-Z0-9_-]", "_", function["name"])[:64],
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
    )
