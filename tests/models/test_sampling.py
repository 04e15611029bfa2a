"""Neutral sampling: what requests state, what a server refuses, and what `osler backbones check`
sees."""

from __future__ import annotations

from typing import Any

import pytest

from osler.models import ChatMessage, ask, open_backbone, parse_spec
from osler.models.cache import CachingClient, EarlierAnswers
from osler.models.completion import Completion
from osler.models.sampling_check import check_sampling
from osler.settings.names import Limits
from osler.simulator.limits import RunLimiter
from tests.models.server import Server, Step, serving
from tests.models.test_commands import run
from tests.models.toy_model import ToyModel

HELLO = [ChatMessage("user", "Where does it hurt?")]
NEUTRAL = {
    **{"top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "top_k": -1, "min_p": 0},
    **{"repetition_penalty": 1, "repeat_penalty": 1},
}
NOT_OPENAI = {"top_k", "min_p", "repetition_penalty", "repeat_penalty"}


async def sent_to(server: Server, parameters: str = "") -> dict[str, Any]:
    """The body of one request."""
    backbone = open_backbone(f"{server.spec} {parameters}")
    await ask(backbone.client, HELLO)
    await backbone.close()
    body = server.requests[-1]
    return {
        name: value
        for name, value in body.items()
        if name not in {"model", "messages", "max_tokens"}
    }


async def test_every_request_states_neutral_sampling() -> None:
    async with serving(Step()) as server:
        assert await sent_to(server) == {**NEUTRAL, "temperature": 0.0}


@pytest.mark.parametrize(
    ("parameters", "differs"),
    [
        ("top_p=0.9", {"top_p": 0.9}),
        ("top_k=null min_p=null", {"top_k": None, "min_p": None}),
        ("repetition_penalty=1.1", {"repetition_penalty": 1.1, "repeat_penalty": None}),
        ("repeat_penalty=null", {"repetition_penalty": None, "repeat_penalty": None}),
    ],
)
async def test_parameters_of_the_spec_win(parameters: str, differs: dict[str, Any]) -> None:
    async with serving(Step()) as server:
        sent = await sent_to(server, parameters)
    expected = {**NEUTRAL, "temperature": 0.0, **differs}
    assert sent == {name: value for name, value in expected.items() if value is not None}


async def test_a_server_that_refuses_a_field_gets_the_request_without_once_and_it_is_noted() -> (
    None
):
    async with serving(Step(refuse=("min_p", "top_k"), fingerprint="fp_1")) as server:
        backbone = open_backbone(server.spec)
        first, second = await ask(backbone.client, HELLO), await ask(backbone.client, HELLO)
        await backbone.close()
    assert (first.attempts, second.attempts, len(server.requests)) == (2, 1, 3)
    assert not NOT_OPENAI & server.requests[1].keys() and server.requests[2]["top_p"] == 1
    assert set(first.refused_options) == set(second.refused_options) == NOT_OPENAI
    assert first.fingerprint == "fp_1"


async def test_several_refusals_are_each_remembered() -> None:
    async with serving(Step(refuse=("presence_penalty", "min_p"))) as server:
        backbone = open_backbone(server.spec)
        answer = await ask(backbone.client, HELLO)
        await backbone.close()
    assert answer.attempts == 3 and set(answer.refused_options) == NOT_OPENAI | {"presence_penalty"}


async def test_a_parameter_that_the_user_sets_is_never_left_out() -> None:
    async with serving(Step(refuse=("min_p",))) as server:
        backbone = open_backbone(f"{server.spec} min_p=0.1", retries=0)
        with pytest.raises(Exception, match="min_p"):
            await ask(backbone.client, HELLO)
        await backbone.close()
    assert len(server.requests) == 1


async def seeds_of(
    server: Server, *, trial: int, temperature: float = 0.7, seed: int = 0
) -> list[int | None]:
    """The seeds of the same request, made twice in a consultation."""

    async def store(key: str, answer: Completion) -> None: ...

    backbone, before = open_backbone(server.spec, temperature=temperature), len(server.requests)
    limiter = RunLimiter(Limits())
    client = CachingClient(
        backbone.client,
        backbone.identity,
        trial,
        EarlierAnswers(()),
        store,
        own=limiter,
        run=limiter,
        seed=seed,
    )
    for _ in range(2):
        await ask(client, HELLO)
    await backbone.close()
    return [request.get("seed") for request in server.requests[before:]]


async def test_each_sampling_has_a_seed_of_its_own_that_follows_from_the_run() -> None:
    async with serving(Step()) as server:
        one, again = await seeds_of(server, trial=1), await seeds_of(server, trial=1)
        other, elsewhere = await seeds_of(server, trial=2), await seeds_of(server, trial=1, seed=1)
        greedy = await seeds_of(server, trial=1, temperature=0.0)
    assert one == again and len({*one, *other, *elsewhere}) == 6 and None not in one
    assert greedy == [None, None]


SERVERS = {
    "neutral": (
        ToyModel(),
        "no penalty by default, and a request's own is taken",
        "honoured: 0 gives the same",
    ),
    "penalty": (
        ToyModel(penalty=1.5),
        "this server's default is a penalty; Osler's requests state none, and that is honoured",
        "honoured",
    ),
    "stubborn penalty": (
        ToyModel(penalty=1.5, takes=("temperature",)),
        "takes no penalty from requests, and may have one of its own that cannot be undone",
        "honoured",
    ),
    "no parameters": (
        ToyModel(takes=("temperature",)),
        "no penalty seen; this server takes none from requests (asked for one word 30 times it wrote 30 in a row)",
        "honoured",
    ),
    "own temperature": (ToyModel(takes=("repeat_penalty",)), "cannot be told", "not honoured"),
    "always greedy": (
        ToyModel(takes=("repeat_penalty",), temperature=0),
        "no penalty by default",
        "1 gives 3 answers",
    ),
}


@pytest.mark.parametrize("name", SERVERS)
async def test_the_check_shows_a_penalty_or_a_temperature_that_is_not_ours(name: str) -> None:
    model, repetition, temperature = SERVERS[name]
    async with serving(Step(model=model)) as server:
        found = await check_sampling(parse_spec(server.spec), limit=5.0)
    assert repetition in found["repetition"] and temperature in found["temperature"]


async def test_the_command_shows_the_server_and_its_sampling() -> None:
    props = {
        "default_generation_settings": {"params": {"repeat_penalty": 1.5}},
        "build_info": "b42",
    }
    async with serving(Step(model=ToyModel(penalty=1.5)), says={"/props": props}) as server:
        code, out, err = await run("backbones", "check", server.spec)
        short = await run("backbones", "check", server.spec, "--no-sampling")
    assert (code, err) == (0, "")
    assert "server      llama.cpp b42, defaults repeat_penalty=1.5" in out
    assert "this server's default is a penalty" in out and "temperature honoured" in out
    assert "temperature" not in short[1]
