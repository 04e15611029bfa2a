"""The real SmolLM2 through llama.cpp; it is downloaded once."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from osler.errors import UserError
from osler.models import Backbone, BackboneError, ChatMessage, FailureKind, ask, open_backbone
from osler.models.local import LocalClient

pytestmark = pytest.mark.xdist_group("model")  # one process: it loads the model once

HELLO = [ChatMessage("system", "You are a patient."), ChatMessage("user", "Where does it hurt?")]


class Triage(BaseModel):
    urgency: Literal["low", "high"]
    reason: Literal["pain", "fever"] | None


needs_llama = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None,
    reason="xllamacpp is not installed: pip install 'osler[local]'",
)


@pytest.fixture
async def local() -> AsyncIterator[Backbone]:
    backbone = open_backbone("local", max_tokens=12, timeout=60)
    yield backbone
    await backbone.close()


@pytest.mark.model
@needs_llama
async def test_answers_the_same_each_time(local: Backbone) -> None:
    first = await ask(local.client, HELLO)
    second = await ask(local.client, HELLO)
    assert first.text == second.text
    assert local.model == first.model == "SmolLM2-135M-Instruct.Q4_1"
    assert first.tokens_in and first.tokens_out and first.tokens_out <= 12 and second.tokens_cached
    assert (first.attempts, first.cost, first.finish) == (1, None, "length")


@pytest.mark.model
@needs_llama
async def test_a_schema_is_enforced(local: Backbone) -> None:
    answer = await ask(local.client, HELLO, schema=Triage, max_tokens=60)
    assert set(json.loads(answer.text)) == {"urgency", "reason"}
    Triage.model_validate_json(answer.text)


@pytest.mark.model
@needs_llama
async def test_the_loop_runs_on_and_calls_share_one_model(local: Backbone) -> None:
    other = open_backbone("local", max_tokens=8)
    mine, theirs = local.client.innermost, other.client.innermost
    assert (
        isinstance(mine, LocalClient)
        and isinstance(theirs, LocalClient)
        and mine.loaded is theirs.loaded
    )
    calls = asyncio.gather(ask(local.client, HELLO), ask(other.client, HELLO))
    ticks = 0
    while not calls.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks > 3
    assert all(answer.text for answer in await calls)
    await other.close()


@pytest.mark.model
@needs_llama
async def test_time_and_context_are_bounded(local: Backbone) -> None:
    await ask(local.client, HELLO, max_tokens=1)
    hasty = open_backbone("local", max_tokens=4000, timeout=0.3)
    start = time.monotonic()
    with pytest.raises(BackboneError) as late:
        await ask(hasty.client, [ChatMessage("user", "Tell a very long story.")])
    assert late.value.kind is FailureKind.TIMEOUT and time.monotonic() - start < 20
    await hasty.close()
    with pytest.raises(BackboneError) as long:
        await ask(local.client, [ChatMessage("user", "word " * 9000)])
    assert long.value.kind is FailureKind.TOO_LONG and "context" in str(long.value)


@pytest.mark.model
@needs_llama
async def test_a_cancelled_call_frees_the_model(local: Backbone) -> None:
    talkative = open_backbone("local", max_tokens=4000)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await ask(talkative.client, [ChatMessage("user", "Tell a very long story.")])
    await talkative.close()
    start = time.monotonic()
    assert (await ask(local.client, HELLO, max_tokens=2)).text
    assert time.monotonic() - start < 20


@needs_llama
def test_files_that_are_no_model(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        open_backbone(f"local:{tmp_path}/nothing.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(UserError, match="no GGUF"):
        open_backbone(f"local:{tmp_path}/text.gguf")


@needs_llama
async def test_a_broken_model(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    backbone = open_backbone(f"local:{tmp_path}/broken.gguf")
    with pytest.raises(UserError, match="cannot load"):
        await ask(backbone.client, HELLO)


def test_without_xllamacpp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"pip install 'osler\[local\]'"):
        open_backbone("local")
