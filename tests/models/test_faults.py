"""Every fault of a server: the right kind, one clear line, no key, bounded time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from osler.models import (
    BackboneError,
    ChatClient,
    ChatMessage,
    FailureKind,
    ask,
    open_backbone,
    parse_spec,
)
from osler.models.compatible import open_compatible
from osler.models.errors import seconds_to_wait
from osler.models.rate_limit import EndpointClient, InFlight, RateLimiter
from osler.models.retry import RetryPolicy
from tests.models.server import Server, Step, completion, counting_sleep, serving

KEY = "sk-very-secret-0123456789"
HELLO = [ChatMessage("user", "Where does it hurt?")]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSLER_KEY_127_0_0_1", KEY)
    monkeypatch.delenv("OSLER_PRICES", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


async def _soon(seconds: float) -> None:
    await asyncio.sleep(seconds / 1000)


class Verdict(BaseModel):
    diagnosis: str
    certain: bool = False


@asynccontextmanager
async def client_of(
    server: Server, *, retries: int = 4, limit: float = 5.0, sleeps: list[float] | None = None
) -> AsyncIterator[ChatClient]:
    spec = parse_spec(server.spec)
    remote = open_compatible(spec, {"temperature": 0.0, "max_tokens": 32, "seed": 7}, limit)
    noted = [] if sleeps is None else sleeps
    policy = RetryPolicy(server.spec, retries=retries, sleep=counting_sleep(noted))
    # A limiter waits as the server asks, for everybody; here by a clock that runs a thousand times
    # as fast.
    limiter = RateLimiter(clock=lambda: time.monotonic() * 1000, sleep=_soon)
    client = EndpointClient(remote, limiter, InFlight(), policy)
    try:
        yield client
    finally:
        await client.close()


SERVER_ERROR = FailureKind.SERVER_ERROR
MANY = b"9" * 5_000
"""Digits: more than Python reads as one number."""

FAULTS = {
    "401": (
        Step(status=401, message=f"Incorrect API key provided: {KEY}"),
        FailureKind.UNAUTHORIZED,
        1,
    ),
    "403": (Step(status=403), FailureKind.UNAUTHORIZED, 1),
    "404": (Step(status=404, message="model `tiny` not found"), FailureKind.UNKNOWN_MODEL, 1),
    "400": (
        Step(status=400, message=f"Authorization: Bearer {KEY} is odd"),
        FailureKind.REFUSED,
        1,
    ),
    "308": (
        Step(status=308, headers={"Location": "https://elsewhere.invalid/"}),
        FailureKind.REFUSED,
        1,
    ),
    "429": (Step(status=429, headers={"Retry-After": "1"}), FailureKind.RATE_LIMITED, 3),
    "quota": (Step(status=429, message="You exceeded your current quota"), FailureKind.QUOTA, 1),
    "500": (
        Step(status=500, message="Traceback (most recent call last):\n  boom"),
        FailureKind.SERVER_ERROR,
        3,
    ),
    "hang": (Step(hang=True), FailureKind.TIMEOUT, 3),
    "cut": (Step(cut=True, text="word " * 1000), FailureKind.CUT_OFF, 3),
    "html": (
        Step(raw=b"<html>hello</html>", headers={"Content-Type": "text/html"}),
        FailureKind.NOT_JSON,
        3,
    ),
    "not json": (Step(raw=b"{'choices'"), FailureKind.NOT_JSON, 3),
    "no choices": (Step(raw=b'{"choices": []}'), FailureKind.NOT_JSON, 3),
    "a list": (Step(raw=b"[1]"), FailureKind.NOT_JSON, 3),
    "empty": (Step(text="  "), FailureKind.EMPTY, 1),
    "null": (Step(text=None), FailureKind.EMPTY, 1),
    "filtered": (Step(text=None, finish="content_filter"), FailureKind.REFUSED, 1),
    "oversize": (Step(text="x" * 200_000), FailureKind.OVERSIZE, 1),
    "endless": (Step(raw=b"x" * 5_000_000), FailureKind.OVERSIZE, 1),
    "a number that cannot be read": (
        Step(raw=b'{"choices": ' + MANY + b"}"),
        FailureKind.NOT_JSON,
        3,
    ),
    "nested": (Step(raw=b'{"choices":' + b"[" * 1_000_000), FailureKind.NOT_JSON, 3),
    "500 with a number that cannot be read": (
        Step(status=500, raw=b'{"error": ' + MANY + b"}"),
        SERVER_ERROR,
        3,
    ),
    **{
        f"500 nested {depth} deep": (
            Step(status=500, raw=b'{"error":' * depth + b"1" + b"}" * depth),
            SERVER_ERROR,
            3,
        )
        for depth in (500, 900, 920, 930, 940, 950, 960, 970, 980, 990, 100_000)
    },
}


@pytest.mark.parametrize("name", FAULTS)
async def test_fault(name: str) -> None:
    step, kind, attempts = FAULTS[name]
    async with (
        serving(step) as server,
        client_of(server, retries=2, limit=0.3 if step.hang else 5.0) as client,
    ):
        start = time.monotonic()
        with pytest.raises(BackboneError) as caught:
            await ask(client, HELLO)
        assert time.monotonic() - start < 10
    error = caught.value
    line = str(error)
    assert (error.kind, error.attempts, len(server.requests)) == (kind, attempts, attempts)
    assert "\n" not in line and "; " in line and error.remedy and len(line) < 700
    assert "secret" not in line and "secret" not in error.detail
    assert error.__context__ is None and error.__cause__ is None


async def test_a_key_is_not_carried_to_where_a_server_points() -> None:
    async with serving(Step()) as elsewhere:
        away = {"Location": f"{elsewhere.url}/chat/completions"}
        async with (
            serving(Step(status=307, headers=away)) as server,
            client_of(server, retries=0) as client,
        ):
            with pytest.raises(BackboneError) as caught:
                await ask(client, HELLO)
        assert "another address" in str(caught.value) and elsewhere.requests == []


async def test_nobody_listens() -> None:
    async with serving(Step()) as server:
        pass
    async with client_of(server, retries=1) as client:
        with pytest.raises(BackboneError) as caught:
            await ask(client, HELLO)
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert caught.value.attempts == 2


async def test_success_says_what_is_known() -> None:
    async with serving(Step()) as server, client_of(server) as client:
        answer = await ask(client, HELLO, max_tokens=9)
    assert (answer.text, answer.model, answer.finish) == ("hello", "tiny", "stop")
    assert (answer.tokens_in, answer.tokens_out, answer.tokens_cached) == (11, 3, 5)
    assert (answer.attempts, answer.cost) == (1, None)
    request = server.requests[0]
    assert (request["model"], request["max_tokens"], request["temperature"], request["seed"]) == (
        "tiny",
        9,
        0.0,
        7,
    )
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": None}])
async def test_unknown_tokens_are_none(usage: dict[str, Any] | None) -> None:
    async with serving(Step(usage=usage)) as server, client_of(server) as client:
        answer = await ask(client, HELLO)
    assert (answer.tokens_in, answer.tokens_out, answer.tokens_cached) == (None, None, None)


@pytest.mark.parametrize(
    "claimed", [2**63, 2**63 - 1, 10**400, -1, True, 1.5, float("inf"), float("nan"), [1], {}, "x"]
)
async def test_a_number_that_no_call_can_have_is_unknown(claimed: Any) -> None:
    details = {"cached_tokens": claimed}
    usage = {
        "prompt_tokens": claimed,
        "completion_tokens": claimed,
        "prompt_tokens_details": details,
    }
    async with serving(Step(usage=usage)) as server, client_of(server) as client:
        answer = await ask(client, HELLO)
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.tokens_cached) == (
        "hello",
        None,
        None,
        None,
    )


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"NaN", b"Infinity", b"true", b"null"])
async def test_an_answer_is_read_whatever_its_other_numbers_are(number: bytes) -> None:
    raw = (
        completion(Step())
        .replace(b'"created": 1', b'"created": ' + number)
        .replace(b": 11", b": " + number)
    )
    raw = raw.replace(
        b'"index": 0', b'"index": ' + number + b', "logprobs": {"content": [' + number + b"]}"
    )
    async with serving(Step(raw=raw)) as server, client_of(server, retries=0) as client:
        answer = await ask(client, HELLO)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("hello", None, 3)


@pytest.mark.parametrize("finish", [7, 1e300, [], {"a": 1}, None, True, "x" * 1000])
async def test_a_finish_reason_that_is_none_is_unknown(finish: Any) -> None:
    async with serving(Step(finish=finish)) as server, client_of(server) as client:
        assert (await ask(client, HELLO)).finish == "unknown"


async def test_faults_that_pass_are_retried_and_counted() -> None:
    sleeps: list[float] = []
    script = [Step(status=500), Step(cut=True), Step(status=503), Step()]
    async with serving(*script) as server, client_of(server, sleeps=sleeps) as client:
        answer = await ask(client, HELLO)
    assert (answer.text, answer.attempts) == ("hello", 4)
    assert [pause <= limit for pause, limit in zip(sleeps, (0.5, 1.0, 2.0), strict=True)] == [
        True
    ] * 3
    assert sleeps == [random.Random(f"retry {server.spec}").uniform(0, 0.5), *sleeps[1:]]


@pytest.mark.parametrize(
    ("header", "pause"), [("7", 7.0), ("0.5", 0.5), ("900", 60.0), ("-3", 0.0)]
)
async def test_retry_after_is_respected(header: str, pause: float) -> None:
    sleeps: list[float] = []
    limited = Step(status=429, headers={"Retry-After": header})
    async with serving(limited, Step()) as server, client_of(server, sleeps=sleeps) as client:
        answer = await ask(client, HELLO)
    assert sleeps == [pause]
    assert answer.attempts == 2


def test_a_retry_after_that_is_no_number_is_none() -> None:
    date = "Mon, 01 Jan 2024 00:00:00 GMT"
    assert [seconds_to_wait(header) for header in (None, "soon", "nan", "", date)] == [None] * 5
    assert [seconds_to_wait(header) for header in ("1e400", "9" * 5000, "-1e400")] == [
        float("inf"),
        float("inf"),
        0.0,
    ]


async def test_schema_is_sent_and_a_refusal_remembered() -> None:
    async with serving(Step(refuse_schema=True)) as server, client_of(server) as client:
        first = await ask(client, HELLO, schema=Verdict)
        second = await ask(client, HELLO, schema=Verdict)
    assert [("response_format" in request) for request in server.requests] == [True, False, False]
    assert (first.attempts, second.attempts) == (2, 1)
    async with serving(Step()) as server, client_of(server) as client:
        await ask(client, HELLO, schema=Verdict)
    sent = server.requests[0]["response_format"]["json_schema"]
    assert sent["schema"]["additionalProperties"] is False
    assert set(sent["schema"]["required"]) == {"diagnosis", "certain"}


async def test_another_refusal_is_not_about_the_schema() -> None:
    async with (
        serving(Step(status=400, message="prompt too long")) as server,
        client_of(server) as client,
    ):
        with pytest.raises(BackboneError) as caught:
            await ask(client, HELLO, schema=Verdict)
    assert caught.value.kind is FailureKind.REFUSED
    assert len(server.requests) == 1


async def test_without_a_key_a_placeholder_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OSLER_KEY_127_0_0_1")
    async with serving(Step()) as server:
        backbone = open_backbone(server.spec)
        await ask(backbone.client, HELLO)
        await backbone.close()
    assert server.keys == ["Bearer none"]
    assert (backbone.spec, backbone.model) == (server.spec, "tiny")


async def test_many_calls_at_once_keep_their_numbers_apart() -> None:
    script = [
        Step(text=str(n), usage={"prompt_tokens": n, "completion_tokens": 1}) for n in range(1, 21)
    ]
    async with serving(*script, Step()) as server, client_of(server) as client:
        answers = await asyncio.gather(*(ask(client, HELLO) for _ in range(20)))
    assert all(answer.text == str(answer.tokens_in) for answer in answers)
    assert sorted(int(answer.text) for answer in answers) == list(range(1, 21))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (
            400,
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the"
            " messages, 1000 in the completion). Please reduce the length of the messages or completion.",
        ),
        (
            400,
            "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        ),
        (500, "Context size has been exceeded."),
        (400, "The input (61709 tokens) is longer than the model's context length (40960 tokens)."),
        (400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."),
        (
            422,
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 inputs tokens",
        ),
        (413, "no"),
    ],
)
async def test_a_prompt_that_does_not_fit_is_told_from_other_refusals(
    status: int, said: str
) -> None:
    """In the words of vLLM and OpenAI, llama.cpp, SGLang and TGI."""
    async with serving(Step(status=status, message=said)) as server, client_of(server) as client:
        with pytest.raises(BackboneError, match="--budget or --answer-tokens") as caught:
            await ask(client, HELLO)
    assert caught.value.kind is FailureKind.TOO_LONG and len(server.requests) == 1, (
        "it does not fit a second time"
    )
