"""Recording keeps every call, however it ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from osler.models import BackboneError, ChatMessage, FailureKind, ModelCall, Recording, ask, open_backbone
from osler.models.completion import without_thinking
from tests.models.server import Step, serving


class Verdict(BaseModel):
    diagnosis: str


async def test_successes_failures_and_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.yaml").write_text("tiny: {input: 1000000, output: 0}")
    monkeypatch.setenv("OSLER_PRICES", str(tmp_path / "prices.yaml"))
    calls: list[ModelCall] = []
    messages = [ChatMessage("system", "Be a doctor."), ChatMessage("user", "你好")]
    script = [
        Step(text="first"),
        Step(status=401, message="bad sk-0123456789"),
        Step(text=""),
        Step(refuse_schema=True),
    ]
    async with serving(*script) as server:
        backbone = open_backbone(server.spec, retries=0)
        client = Recording(backbone.client, role="doctor", record=calls.append)
        answer = await ask(client, messages)
        for _ in range(2):
            with pytest.raises(BackboneError):
                await ask(client, messages)
        last = await ask(client, messages, schema=Verdict)
        await client.close()
        assert (await ask(backbone.client, messages)).text == "hello", "the shared client stays open"
        await backbone.close()
    assert answer.cost == 11 and last.attempts == 2
    assert [call.error for call in calls] == [
        None,
        FailureKind.UNAUTHORIZED,
        FailureKind.EMPTY,
        FailureKind.REFUSED,
        None,
    ]
    assert [call.structured for call in calls] == [False, False, False, True, False]
    first = calls[0]
    assert first.messages == (("system", "Be a doctor."), ("user", "你好"))
    assert (first.role, first.model, first.text, first.cost, first.attempts) == ("doctor", "tiny", "first", 11, 1)
    assert calls[1].text is None and calls[1].error_line and "sk-" not in calls[1].error_line
    assert ModelCall.model_validate_json(first.model_dump_json()) == first


async def test_cancelled_calls_are_recorded() -> None:
    calls: list[ModelCall] = []
    async with serving(Step(hang=True)) as server:
        backbone = open_backbone(server.spec)
        client = Recording(backbone.client, role="patient", record=calls.append)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await ask(client, [ChatMessage("user", "hello")])
        await backbone.close()
    assert [(call.error, call.error_line) for call in calls] == [(FailureKind.OTHER, "the call was cancelled")]


@pytest.mark.parametrize(
    "step",
    [
        Step(text="Gout.", thought={"reasoning_content": "A toe."}),
        Step(text="Gout.", thought={"reasoning": "A toe."}),
        Step(text="<think>\nA toe.\n</think>\n\nGout."),
        Step(text="<think>A toe.</think>Gout.", thought={"reasoning_content": "A toe."}),
        Step(text="A toe.</think>Gout."),
    ],
)
async def test_what_a_model_thinks_aloud_is_kept_apart_from_what_it_says(step: Step) -> None:
    calls: list[ModelCall] = []
    async with serving(step) as server:
        backbone = open_backbone(server.spec, retries=0)
        recorded = await ask(Recording(backbone.client, role="judge", record=calls.append), [])
        assert recorded.text == (await ask(backbone.client, [])).text == "Gout."
        await backbone.close()
    assert [(call.text, call.thought) for call in calls] == [("Gout.", "A toe.")]


@pytest.mark.parametrize("step", [Step(text="<think>A toe."), Step(text=None, thought={"reasoning": "A toe."})])
async def test_an_answer_that_is_only_thinking_is_empty_and_was_paid_for(step: Step) -> None:
    calls: list[ModelCall] = []
    async with serving(step) as server:
        backbone = open_backbone(server.spec, retries=0)
        with pytest.raises(BackboneError, match="--answer-tokens") as caught:
            await ask(Recording(backbone.client, role="judge", record=calls.append), [])
        await backbone.close()
    assert caught.value.kind is FailureKind.EMPTY
    [call] = calls
    assert (call.text, call.thought, call.tokens_in, call.tokens_out) == (None, "A toe.", 11, 3)


def test_a_word_in_angle_brackets_is_no_thinking() -> None:
    for said in ("I wrote <think> here </think>", "x < y", "<thing>"):
        assert without_thinking(said) == (said, "")
