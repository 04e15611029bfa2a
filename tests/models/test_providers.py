"""Each provider's own client against a stand-in for its server: answers, schemas, usage, faults and
keys."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from autogen_core.models import ModelInfo
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

from osler.errors import UserError
from osler.models import (
    Backbone,
    BackboneError,
    ChatMessage,
    FailureKind,
    ask,
    open_backbone,
    retry,
)
from osler.models.backbone import check_backbone
from tests.agents.scripted import ScriptedClient
from tests.models.server import Server, Step, serving

KEY = "very-secret-0123456789"
HELLO = [
    ChatMessage("system", "Be a doctor."),
    ChatMessage("user", "你好"),
    ChatMessage("assistant", "Hm."),
]
HELLO = [*HELLO, ChatMessage("user", "Where does it hurt?")]
PROVIDERS = {
    "openai": ("openai:gpt-5", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "/v1/chat/completions"),
    "azure": (
        "azure:tiny",
        "AZURE_OPENAI_API_KEY",
        "AZURE_OPENAI_ENDPOINT",
        "",
        "/openai/deployments/tiny/chat/completions",
    ),
    "gemini": (
        "gemini:gemini-9",
        "GEMINI_API_KEY",
        "GEMINI_BASE_URL",
        "/v1beta/openai",
        "/v1beta/openai/chat/completions",
    ),
    "anthropic": (
        "anthropic:claude-9",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "",
        "/v1/messages",
    ),
    "ollama": ("ollama:llama3.2:1b", "OLLAMA_API_KEY", "OLLAMA_HOST", "", "/api/chat"),
}


class Verdict(BaseModel):
    diagnosis: str


class Opener:
    """Opens a provider's backbone at a stand-in server."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spec, self.key, self.address, self.end, self.path = PROVIDERS[name]
        self.name, self._monkeypatch = name, monkeypatch
        monkeypatch.setenv(self.key, KEY)
        monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)

    def __call__(self, server: Server, parameters: str = "", **settings: Any) -> Backbone:
        self._monkeypatch.setenv(self.address, server.root + self.end)
        return open_backbone(
            f"{self.spec} {parameters}", **{"timeout": 5.0, "retries": 2, **settings}
        )


@pytest.fixture(params=PROVIDERS)
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Opener:
    return Opener(request.param, monkeypatch)


async def test_a_chat_with_its_usage_and_its_key(opened: Opener) -> None:
    async with serving(Step()) as server:
        backbone = opened(server, max_tokens=77)
        answer = await ask(backbone.client, HELLO, max_tokens=9)
        again = await asyncio.gather(*(ask(backbone.client, HELLO) for _ in range(5)))
        await backbone.close()
    model = opened.spec.partition(":")[2]
    assert (answer.text, answer.model, answer.attempts) == ("hello", model, 1)
    assert (answer.tokens_in, answer.tokens_out) == (11, 3)
    assert answer.tokens_cached == (None if opened.name in {"anthropic", "ollama"} else 5)
    assert [one.text for one in again] == ["hello"] * 5
    assert set(server.paths) == {opened.path}
    assert {key.removeprefix("Bearer ") for key in server.keys} == {KEY}
    sent = server.requests[0]
    assert "Be a doctor." in str(sent) and sent["messages"][-1]["content"] == "Where does it hurt?"
    assert "name" not in sent["messages"][-1]
    limits = [
        request.get("max_tokens")
        or request.get("max_completion_tokens")
        or request["options"]["num_predict"]
        for request in server.requests
    ]
    assert limits == [9, 77, 77, 77, 77, 77]


async def test_a_schema_is_sent_where_the_client_takes_one_and_asked_for_in_words_where_not(
    opened: Opener,
) -> None:
    async with serving(Step(text='{"diagnosis": "gout"}')) as server:
        backbone = opened(server)
        answer = await ask(backbone.client, HELLO, schema=Verdict)
        await backbone.close()
    assert Verdict.model_validate_json(answer.text).diagnosis == "gout"
    sent = server.requests[0]
    form = sent.get("response_format", {}).get("json_schema", {}).get("schema") or sent.get(
        "format", {}
    )
    assert form.get("required") == (None if opened.name == "anthropic" else ["diagnosis"])


async def test_a_refused_schema_is_not_sent_again(opened: Opener) -> None:
    if opened.name in {"anthropic", "ollama"}:
        pytest.skip("sends no response_format")
    async with serving(Step(refuse_schema=True)) as server:
        backbone = opened(server)
        for _ in range(2):
            await ask(backbone.client, HELLO, schema=Verdict)
        await backbone.close()
    assert ["response_format" in request for request in server.requests] == [True, False, False]


async def test_faults_that_pass_are_retried_by_our_policy_alone(opened: Opener) -> None:
    script = [Step(status=429, headers={"Retry-After": "0"}), Step(status=500), Step()]
    async with serving(*script) as server:
        backbone = opened(server)
        answer = await ask(backbone.client, HELLO)
        await backbone.close()
    assert (answer.text, answer.attempts, len(server.requests)) == ("hello", 3, 3)


async def test_a_server_that_asks_for_a_pause_is_given_it(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(Step(status=429, headers={"Retry-After": "7"})) as server:
        backbone = opened(server, retries=0)
        with pytest.raises(BackboneError) as caught:
            await ask(backbone.client, HELLO)
        await backbone.close()
    assert (caught.value.kind, caught.value.retry_after) == (FailureKind.RATE_LIMITED, 7.0)


TOO_LONG = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
FAULTS = {
    "wrong key": (
        Step(status=401, message=f"Incorrect API key provided: {KEY}"),
        FailureKind.UNAUTHORIZED,
        1,
    ),
    "unknown model": (Step(status=404, message="no such model"), FailureKind.UNKNOWN_MODEL, 1),
    "context too long": (Step(status=400, message=TOO_LONG), FailureKind.TOO_LONG, 1),
    "500": (Step(status=500, message="boom"), FailureKind.SERVER_ERROR, 3),
    "timeout": (Step(hang=True), FailureKind.TIMEOUT, 3),
    "cut": (Step(cut=True, text="word " * 1000), FailureKind.CUT_OFF, 3),
    "not json": (Step(raw=b"{'choices'"), FailureKind.NOT_JSON, 3),
    "another form": (Step(raw=b'{"colour": "red"}'), FailureKind.NOT_JSON, 3),
    "moved": (
        Step(status=308, headers={"Location": "http://127.0.0.1:9/"}),
        FailureKind.REFUSED,
        1,
    ),
    "empty": (Step(text=""), FailureKind.EMPTY, 1),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_faults_are_sorted_and_show_no_key(opened: Opener, fault: str) -> None:
    step, kind, attempts = FAULTS[fault]
    async with serving(step) as server:
        backbone = opened(server, timeout=0.3 if step.hang else 5.0)
        with pytest.raises(BackboneError) as caught:
            await ask(backbone.client, HELLO)
        await backbone.close()
    error = caught.value
    assert (error.kind, error.attempts) == (kind, attempts), str(error)
    # On a busy machine the time is up before a server that hangs has read every request.
    fewest = 1 if step.hang else attempts
    assert fewest <= len(server.requests) <= attempts
    assert (
        KEY not in str(error)
        and KEY not in error.detail
        and "\n" not in str(error)
        and error.remedy
    )
    assert error.__context__ is None and error.__cause__ is None
    if fault == "wrong key":
        assert f"set {opened.key} to a key" in error.remedy


async def test_nobody_listens(opened: Opener) -> None:
    async with serving(Step()) as server:
        pass
    backbone = opened(server, retries=1)
    with pytest.raises(BackboneError) as caught:
        await ask(backbone.client, HELLO)
    await backbone.close()
    assert (caught.value.kind, caught.value.attempts) == (FailureKind.UNREACHABLE, 2)


async def test_parameters_reach_the_server_and_win_over_the_settings(opened: Opener) -> None:
    async with serving(Step()) as server:
        backbone = opened(server, "top_p=0.9 max_tokens=4000 temperature=0.5", max_tokens=5)
        await ask(backbone.client, HELLO, max_tokens=6)
        await backbone.close()
    sent = server.requests[0]
    sent = {**sent, **sent.get("options", {})}
    assert (sent["top_p"], sent["temperature"]) == (0.9, 0.5)
    assert 4000 in (
        sent.get("max_tokens"),
        sent.get("max_completion_tokens"),
        sent.get("num_predict"),
    )
    assert backbone.spec == f"{opened.spec} top_p=0.9 max_tokens=4000 temperature=0.5"


async def test_an_unknown_parameter_is_refused_before_anything_is_sent(opened: Opener) -> None:
    async with serving(Step()) as server:
        with pytest.raises(UserError, match=r"no parameter 'top_q'; did you mean 'top_p'\?$"):
            opened(server, "top_q=0.9")
    assert server.requests == []


async def test_a_parameter_that_is_null_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(Step()) as server:
        backbone = open_backbone(
            f"{server.spec} temperature=null repetition_penalty=1.1 think=false name=a"
        )
        await ask(backbone.client, HELLO)
        await backbone.close()
    sent = server.requests[0]
    assert "temperature" not in sent
    assert (sent["repetition_penalty"], sent["think"], sent["name"]) == (1.1, False, "a")


@pytest.mark.parametrize(
    "parameter", ["model=other", "stream=true", "max_tokens=0", "max_tokens=x", "temperature=-1"]
)
def test_parameters_that_cannot_be_set(parameter: str) -> None:
    with pytest.raises(UserError) as caught:
        open_backbone(f"tiny@http://127.0.0.1:9/v1 {parameter}")
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["anthropic", "ollama"])
def test_a_missing_package_says_how_to_install_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda package: None if package == name else found(package)
    )
    with pytest.raises(UserError, match=rf"pip install 'osler\[{name}\]'"):
        open_backbone(f"{name}:tiny")


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini"])
def test_a_missing_key_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROVIDERS[name][1], raising=False)
    with pytest.raises(UserError, match=f"set {PROVIDERS[name][1]}"):
        open_backbone(PROVIDERS[name][0])


async def test_azure_without_a_key_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    with pytest.raises(UserError, match="set AZURE_OPENAI_ENDPOINT"):
        open_backbone("azure:tiny")
    async with serving(Step()) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.root)
        monkeypatch.setitem(sys.modules, "azure.identity.aio", None)
        with pytest.raises(UserError, match=r"set AZURE_OPENAI_API_KEY.*osler\[azure\]"):
            open_backbone("azure:tiny")
        identity = ModuleType("azure.identity.aio")
        identity.__dict__["DefaultAzureCredential"] = SimpleNamespace

        def provider(_: object, scope: str) -> Any:
            return lambda: f"token for {scope}"

        identity.__dict__["get_bearer_token_provider"] = provider
        monkeypatch.setitem(sys.modules, "azure.identity.aio", identity)
        backbone = open_backbone("azure:tiny")
        await ask(backbone.client, HELLO)
        await backbone.close()
    assert server.keys == ["Bearer token for https://cognitiveservices.azure.com/.default"]


async def test_ollama_needs_no_key_and_a_host_may_be_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    async with serving(Step()) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.root.removeprefix("http://"))
        found = await check_backbone("ollama:tiny", limit=5.0)
    assert found["answers"] == "yes: hello" and "does not follow it" in found["JSON schema"]
    assert server.keys == ["", ""]


async def test_no_proxy_stands_before_this_machine(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(Step()) as server:
        backbone = opened(server, retries=0)
        assert (await ask(backbone.client, HELLO)).text == "hello"
        await backbone.close()


# Backbones from elsewhere


def replaying(says: str = "fine", model: str = "mine") -> ReplayChatCompletionClient:
    info = ModelInfo(
        vision=False, function_calling=False, json_output=False, family="x", structured_output=False
    )
    return ReplayChatCompletionClient([says, says], model_info=info)


def ours(says: str) -> ScriptedClient:
    return ScriptedClient([says])


def broken(**_: Any) -> object:
    raise RuntimeError("no licence")


class Raising(ReplayChatCompletionClient):
    def __init__(self) -> None:
        super().__init__(["never"])

    async def create(self, *_: Any, **__: Any) -> Any:
        raise KeyError("somebody else's mistake")


HERE = "tests.models.test_providers"


async def test_an_autogen_client_from_elsewhere_answers() -> None:
    backbone = open_backbone(f"{HERE}:replaying says=good model=m-1")
    answer = await ask(backbone.client, HELLO, schema=Verdict)
    assert (answer.text, answer.model) == ("good", "m-1")
    assert backbone.spec == f"{HERE}:replaying says=good model=m-1"
    assert (await ask(open_backbone(f"{HERE}:ours says=yes").client, HELLO)).text == "yes"


async def test_a_registered_name_is_a_backbone(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(name="elsewhere", module="elsewhere.clients", load=lambda: replaying)
    monkeypatch.setattr(
        "osler.plugins.entry_points", lambda group: [point] if group == "osler.backbones" else []
    )
    assert (await ask(open_backbone("elsewhere says=here").client, HELLO)).text == "here"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("no.such.module:Class", "cannot be loaded"),
        (f"{HERE}:nothing", "cannot be loaded"),
        (f"{HERE}:HELLO", "is not a class or function"),
        (f"{HERE}:broken", "no licence"),
        (f"{HERE}:replaying wrong=1", "check its parameters"),
        (f"{HERE}:Verdict diagnosis=gout", "no ChatCompletionClient"),
    ],
)
def test_what_is_no_backbone_is_told_in_one_line(spec: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        open_backbone(spec)
    assert "\n" not in str(caught.value) and caught.value.remedy


async def test_a_failure_of_somebody_elses_client_is_a_backbone_failure() -> None:
    with pytest.raises(BackboneError) as caught:
        await ask(open_backbone(f"{HERE}:Raising", retries=0).client, HELLO)
    assert caught.value.kind is FailureKind.OTHER
