"""A key goes to the server it was set for, and nowhere else; what a server has to be given is
named."""

from __future__ import annotations

import pytest

from osler.api_keys import scrub, settings_for_workers
from osler.errors import UserError
from osler.memory.embedders import open_embedder
from osler.models import BackboneError, ChatMessage, ask, open_backbone
from tests.memory import test_embedders as embeddings
from tests.models.server import Server, Step, serving

OPENAI, OWN = "openai-key-0123456789", "own-key-9876543210"
HELLO = [ChatMessage("user", "Where does it hurt?")]


@pytest.fixture(autouse=True)
def _only_the_key_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


async def keys_sent(server: Server, spec: str | None = None) -> list[str]:
    backbone = open_backbone(spec or server.spec)
    try:
        await ask(backbone.client, HELLO)
    finally:
        await backbone.close()
    return server.keys


async def test_the_key_of_openai_goes_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(Step()) as server:
        assert await keys_sent(server) == ["Bearer none"]
    async with embeddings.serving() as texts:
        await open_embedder(f"tiny@{texts.url}").embed(["a"])
        assert texts.keys == ["Bearer none"]


async def test_a_server_is_given_the_key_of_its_own_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OSLER_KEY_127_0_0_1", OWN)
    monkeypatch.setenv("OSLER_KEY_LOCALHOST", "of-another-server")
    async with serving(Step()) as server:
        assert await keys_sent(server) == [f"Bearer {OWN}"]
        port = server.url.split(":")[2].split("/")[0]
        monkeypatch.setenv(f"OSLER_KEY_127_0_0_1_{port}", "of-this-port-alone")
        assert (await keys_sent(server))[1:] == ["Bearer of-this-port-alone"]
    async with embeddings.serving() as texts:
        await open_embedder(f"tiny@{texts.url}").embed(["a"])
        assert texts.keys == [f"Bearer {OWN}"]


async def test_where_openai_is_said_to_be_its_key_goes_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(Step()) as server, serving(Step()) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/")
        assert await keys_sent(server, "openai:tiny") == [f"Bearer {OPENAI}"]
        assert await keys_sent(server) == [f"Bearer {OPENAI}"] * 2
        assert await keys_sent(other) == ["Bearer none"], "the same host, but another port"


@pytest.mark.parametrize(
    ("spec", "base_url", "variable"),
    [
        ("m@http://models.example/v1", "", "OSLER_KEY_MODELS_EXAMPLE"),
        ("m@http://models.example:8000/v1", "", "OSLER_KEY_MODELS_EXAMPLE_8000"),
        ("m@http://模型.example/v1", "", "OSLER_KEY_XN__XGS754B_EXAMPLE"),
        ("m@http://api.openai.com/v1", "", "OPENAI_API_KEY"),
        ("openai:m", "http://models.example/v1", "OPENAI_API_KEY"),
    ],
)
def test_no_key_goes_over_plain_http(
    spec: str, base_url: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    monkeypatch.setenv(variable, OWN)
    for opened in (open_backbone, open_embedder):
        with pytest.raises(UserError, match=f"{variable} .*plain http.*; use https") as caught:
            opened(spec)
        assert OWN not in str(caught.value)


@pytest.mark.parametrize("sent", [False, True])
async def test_a_server_that_wants_a_key_names_the_variable(
    sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sent:
        monkeypatch.setenv("OSLER_KEY_127_0_0_1", OWN)
    says = "does not accept the key" if sent else "wants a key"
    async with serving(Step(status=401, message=f"not {OWN}")) as server:
        with pytest.raises(BackboneError) as caught:
            await keys_sent(server)
    async with embeddings.serving(embeddings.fault(401, f"not {OWN}")) as texts:
        with pytest.raises(UserError) as refused:
            await open_embedder(f"tiny@{texts.url}").embed(["a"])
    for error in (caught.value, refused.value):
        assert says in error.message and "set OSLER_KEY_127_0_0_1 to a key" in error.remedy
        assert "OPENAI" not in str(error) and (OWN not in str(error) or not sent)


async def test_a_redirect_carries_nothing_to_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OSLER_KEY_127_0_0_1", OWN)
    async with embeddings.serving() as elsewhere, serving(Step()) as other:
        moved = embeddings.fault(307, Location=f"{elsewhere.url}/embeddings")
        async with embeddings.serving(moved) as texts:
            with pytest.raises(UserError, match="has moved to another address"):
                await open_embedder(f"tiny@{texts.url}").embed(["a"])
        async with serving(
            Step(status=307, headers={"Location": f"{other.url}/chat/completions"})
        ) as server:
            with pytest.raises(BackboneError, match="has moved to another address"):
                await keys_sent(server)
    assert elsewhere.keys == [] and other.keys == []


def test_every_key_is_blotted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSLER_KEY_MODELS_EXAMPLE", OWN)
    monkeypatch.setenv("OSLER_KEY_MODELS_EXAMPLE_80", f"{OWN}-and-more")
    assert scrub(f"{OPENAI}, {OWN} and {OWN}-and-more") == "[key], [key] and [key]"


def test_workers_elsewhere_are_given_every_key_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OSLER_KEY_MODELS_EXAMPLE", OWN)
    monkeypatch.setenv("SOMETHING_ELSE", "private")
    given = settings_for_workers()
    assert given["OSLER_KEY_MODELS_EXAMPLE"] == OWN and given["OPENAI_API_KEY"] == OPENAI
    assert "SOMETHING_ELSE" not in given and "private" not in given.values()


@pytest.mark.parametrize(
    "spec", ["m@https://me:hunter2@models.example/v1", "m@https://models.example/v1?key=hunter2"]
)
def test_an_address_that_holds_a_secret_says_where_the_key_belongs(spec: str) -> None:
    for opened in (open_backbone, open_embedder):
        with pytest.raises(UserError, match="OSLER_KEY_MODELS_EXAMPLE") as caught:
            opened(spec)
        assert "hunter2" not in str(caught.value)
