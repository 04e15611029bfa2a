"""What goes over the wire: messages, tools, formats and options out; texts, calls and thoughts back; and which way."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import FunctionTool
from pydantic import BaseModel

from osler.models import parse_spec
from osler.models.compatible import Compatible, open_compatible
from osler.models.line import request_key
from tests.models.server import Server, Step, serving

HELLO: list[LLMMessage] = [UserMessage(content="Where does it hurt?", source="doctor")]


def opened(spec: str) -> Compatible:
    return open_compatible(parse_spec(spec), temperature=0.0, max_tokens=32, seed=None, timeout=5.0)


def saying(**message: Any) -> Step:
    choice = {"finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    return Step(raw=json.dumps({"choices": [choice], "usage": usage}).encode())


async def arrived(server: Server, count: int) -> None:
    for _ in range(2000):
        if len(server.requests) >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{len(server.requests)} of {count} requests came")


def pulse(wrist: str) -> str:
    return f"80 at the {wrist} wrist"


async def test_tools_are_offered_called_and_answered() -> None:
    tool = FunctionTool(pulse, description="Takes the pulse.")
    call = {"id": "a1", "type": "function", "function": {"name": "pulse", "arguments": '{"wrist": "left"}'}}
    async with serving(saying(content="Let me see.", tool_calls=[call]), Step()) as server:
        client = opened(server.spec)
        result = await client.create(HELLO, tools=[tool], tool_choice=tool)
        assert result.content == [FunctionCall(id="a1", name="pulse", arguments='{"wrist": "left"}')]
        assert (result.finish_reason, result.thought) == ("function_calls", "Let me see.")
        done = FunctionExecutionResult(content="80", name="pulse", call_id="a1", is_error=False)
        asked = AssistantMessage(content=result.content, source="doctor", thought=result.thought)
        await client.create([*HELLO, asked, FunctionExecutionResultMessage(content=[done])])
        await client.close()
    first, second = server.requests
    assert first["tools"][0]["function"]["name"] == "pulse"
    assert first["tool_choice"] == {"type": "function", "function": {"name": "pulse"}}
    assert second["messages"][1:] == [
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a1", "content": "80"},
    ]
    assert "tools" not in second


async def test_a_choice_among_no_such_tool_is_our_mistake() -> None:
    offered, meant = FunctionTool(pulse, description=""), FunctionTool(pulse, description="", name="other")
    async with serving(Step()) as server:
        client = opened(server.spec)
        with pytest.raises(ValueError, match="other"):
            await client.create(HELLO, tools=[offered], tool_choice=meant)
    assert server.requests == []


async def test_system_messages_become_one() -> None:
    told: list[LLMMessage] = [SystemMessage(content="You are a doctor."), SystemMessage(content="You ask little.")]
    async with serving(Step()) as server:
        client = opened(server.spec)
        await client.create([*told, *HELLO])
        with pytest.raises(ValueError, match="system messages"):
            await client.create([*told, *HELLO, *told])
        await client.close()
    [request] = server.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][0]["content"] == "You are a doctor.\nYou ask little."


class Verdict(BaseModel):
    diagnosis: str


async def test_formats_and_what_only_one_server_knows() -> None:
    async with serving(Step()) as server:
        client = opened(server.spec)
        await client.create(HELLO, json_output=True)
        await client.create(HELLO, json_output=Verdict)
        await client.create(HELLO, extra_create_args={"extra_body": {"top_k": 5}})
        await client.close()
    plain, shaped, special = server.requests
    assert plain["response_format"] == {"type": "json_object"}
    assert shaped["response_format"]["json_schema"]["name"] == "Verdict"
    assert special["top_k"] == 5 and "extra_body" not in special


async def test_thoughts_and_usage_are_kept() -> None:
    async with serving(saying(content="你好", reasoning_content="A greeting fits.")) as server:
        client = opened(server.spec)
        results = [await client.create(HELLO) for _ in range(2)]
        await client.close()
    assert [(result.content, result.thought) for result in results] == [("你好", "A greeting fits.")] * 2
    usage = client.total_usage()
    assert (usage.prompt_tokens, usage.completion_tokens) == (14, 4)


async def test_a_token_cancels_a_call() -> None:
    token = CancellationToken()
    async with serving(Step(hang=True)) as server:
        client = opened(server.spec)
        asked = asyncio.create_task(client.create(HELLO, cancellation_token=token))
        await arrived(server, 1)
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await client.close()


async def test_the_environments_proxy_is_used_but_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with serving(Step(text="by proxy")) as proxy, serving(Step(text="straight")) as near:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        far, own = opened("tiny@http://model.invalid/v1"), opened(near.spec)
        said = [(await client.create(HELLO)).content for client in (far, own)]
        for client in (far, own):
            await client.close()
    assert said == ["by proxy", "straight"]


async def test_more_calls_at_once_than_a_library_would_allow() -> None:
    async with serving(Step(hang=True)) as server:
        client = opened(server.spec)
        asked = [asyncio.create_task(client.create(HELLO)) for _ in range(150)]
        await arrived(server, len(asked))
        assert len(server.requests) == 150
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await client.close()


async def test_half_a_character_is_replaced_and_a_whole_one_kept() -> None:
    """A model that is cut off within a character; no run file and no page could hold the half."""
    async with serving(saying(content="It hurts \ud83d here \ud83d\ude00 疼")) as server:
        client = opened(server.spec)
        result = await client.create(HELLO)
        await client.close()
        assert result.content == "It hurts \ufffd here \U0001f600 疼"


async def test_half_a_character_in_a_prompt_is_refused_before_it_is_sent_and_has_a_key_of_its_own() -> None:
    half: list[LLMMessage] = [UserMessage(content="It hurts \ud83d", source="doctor")]
    other: list[LLMMessage] = [UserMessage(content="It hurts \ud83e", source="doctor")]
    async with serving() as server:
        client = opened(server.spec)
        with pytest.raises(UnicodeError):
            await client.create(half)
        await client.close()
        assert not server.requests
    assert len({request_key("m", 1, messages, {}) for messages in (half, other, HELLO)}) == 3


def test_the_key_of_a_request_hangs_on_all_that_decides_its_answer_and_on_no_order() -> None:
    options = {"max_tokens": 32, "temperature": 0.5}
    key = request_key("m", 1, HELLO, options)
    assert key == request_key("m", 1, list(HELLO), dict(reversed(options.items())))
    others = [("n", 1, HELLO), ("m", 2, HELLO), ("m", 1, HELLO * 2)]
    assert key not in {request_key("m", 1, HELLO, {}), *(request_key(*other, options) for other in others)}
