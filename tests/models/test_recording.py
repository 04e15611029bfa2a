"""A role's calls are written to the journal, however they ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from osler.agents.calls import Caller
from osler.models import Backbone, ChatMessage, ask, open_backbone
from osler.models.completion import without_thinking
from osler.runs.events import Called, ConsultationError, Journal, Role
from tests.models.server import Step, serving

HELLO = [ChatMessage("system", "Be a doctor."), ChatMessage("user", "你好")]


class Verdict(BaseModel):
    diagnosis: str


class Recorded:
    """A caller, and what it wrote down."""

    def __init__(self, backbone: Backbone) -> None:
        self._journal = Journal()
        self.caller = Caller(backbone, Role.DOCTOR, self._journal)

    @property
    def calls(self) -> list[Called]:
        return [event for event in self._journal.events if isinstance(event, Called)]


async def test_successes_failures_and_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prices.yaml").write_text("tiny: {input: 1000000, output: 0}")
    monkeypatch.setenv("OSLER_PRICES", str(tmp_path / "prices.yaml"))
    refused = Step(status=401, message="bad sk-0123456789")
    async with serving(
        Step(text="first"), refused, Step(text=""), Step(refuse_schema=True)
    ) as server:
        backbone = open_backbone(server.spec, retries=0)
        recorded = Recorded(backbone)
        assert await recorded.caller.text(HELLO, None) == "first"
        for _ in range(2):
            with pytest.raises(ConsultationError):
                await recorded.caller.text(HELLO, None)
        assert await recorded.caller.text(HELLO, None, schema=Verdict) == "hello"
        assert (await ask(backbone.client, HELLO)).cost == 11
        await backbone.close()
    calls = recorded.calls
    kinds = [call.failure and call.failure.kind for call in calls]
    assert kinds == [None, "unauthorized", "empty", "refused", None]
    assert ["response_format" in request for request in server.requests] == [False] * 3 + [
        True,
        False,
        False,
    ]
    first = calls[0]
    assert [(one.role, one.content) for one in first.messages] == [
        ("system", "Be a doctor."),
        ("user", "你好"),
    ]
    assert (first.role, first.model, first.answer, first.cost, first.attempts) == (
        "doctor",
        "tiny",
        "first",
        11,
        1,
    )
    assert (first.tokens_in, first.tokens_out, first.tokens_cached, first.source) == (
        11,
        3,
        5,
        "model",
    )
    refusal = calls[1].failure
    assert calls[1].answer == "" and refusal is not None and refusal.status == 401
    assert "bad" in refusal.detail and "sk-" not in refusal.model_dump_json()
    assert Called.model_validate_json(first.model_dump_json()) == first


async def test_cancelled_calls_are_recorded() -> None:
    async with serving(Step(hang=True)) as server:
        backbone = open_backbone(server.spec)
        recorded = Recorded(backbone)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await recorded.caller.text(HELLO, None)
        await backbone.close()
    [call] = recorded.calls
    assert call.failure is not None and call.failure.line == "cancelled: the call was cancelled"


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
    async with serving(step) as server:
        backbone = open_backbone(server.spec, retries=0)
        recorded = Recorded(backbone)
        assert (
            await recorded.caller.text(HELLO, None)
            == (await ask(backbone.client, HELLO)).text
            == "Gout."
        )
        await backbone.close()
    assert [(call.answer, call.thought) for call in recorded.calls] == [("Gout.", "A toe.")]


@pytest.mark.parametrize(
    "step", [Step(text="<think>A toe."), Step(text=None, thought={"reasoning": "A toe."})]
)
async def test_an_answer_that_is_only_thinking_is_empty_and_was_paid_for(step: Step) -> None:
    async with serving(step) as server:
        backbone = open_backbone(server.spec, retries=0)
        recorded = Recorded(backbone)
        with pytest.raises(ConsultationError, match="--answer-tokens"):
            await recorded.caller.text(HELLO, None)
        assert await recorded.caller.text(HELLO, None, may_be_empty=True) == ""
        await backbone.close()
    call = recorded.calls[0]
    assert (call.answer, call.thought, call.tokens_in, call.tokens_out) == ("", "A toe.", 11, 3)
    assert call.failure is not None and call.failure.kind == "empty"


async def test_an_answer_far_beyond_what_was_allowed_is_kept_but_not_read() -> None:
    async with serving(Step(text="word " * 1000)) as server:
        backbone = open_backbone(server.spec, retries=0)
        recorded = Recorded(backbone)
        read = await recorded.caller.text(HELLO, None, max_tokens=10)
        assert (await ask(backbone.client, HELLO, max_tokens=10)).finish == "length"
        await backbone.close()
    [call] = recorded.calls
    assert call.answer == "word " * 1000 and call.unread == 5000 - len(read) and len(read) == 160


def test_a_word_in_angle_brackets_is_no_thinking() -> None:
    for said in ("I wrote <think> here </think>", "x < y", "<thing>"):
        assert without_thinking(said) == (said, "")
