"""Embedders by name: a server, the rows that are kept, an encoder on disk; and what they do when
one of these fails."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from osler.api_keys import ServerKey
from osler.errors import UserError
from osler.memory.embedders import Embedder, HashEmbedder, open_embedder
from osler.memory.embedders.endpoint import BATCH, EndpointEmbedder
from osler.memory.embedders.sentence import SentenceEmbedder

KEY = "do-not-show-this-4711"
GIVEN = ServerKey("OSLER_KEY_127_0_0_1", KEY, is_safe=True)


# A server, and the rows that are kept


@dataclass
class Server:
    """An embeddings server on loopback: what it was asked, and what it is to do first."""

    url: str = ""
    inputs: list[list[str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    faults: list[web.Response] = field(default_factory=list)


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(text.count("a"))]


@asynccontextmanager
async def serving(*faults: web.Response, shuffled: bool = False) -> AsyncIterator[Server]:
    server = Server(faults=list(faults))

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        server.inputs.append(body["input"])
        server.keys.append(request.headers["Authorization"])
        if server.faults:
            return server.faults.pop(0)
        data = [
            {"object": "embedding", "index": index, "embedding": vector(text)}
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        rows = data[::-1] if shuffled else data
        return web.json_response(
            {"object": "list", "model": body["model"], "data": rows, "usage": usage}
        )

    app = web.Application()
    app.router.add_post("/v1/embeddings", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


def fault(status: int, message: str = "no", **headers: str) -> web.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"error": {"message": message}}, status=status, headers=named)


def embedded(number: str) -> web.Response:
    body = '{"data": [{"index": 0, "embedding": [1.0, NUMBER]}]}'.replace("NUMBER", number)
    return web.Response(text=body, content_type="application/json")


@dataclass
class Pauses:
    """Remembers the pauses instead of making them."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def test_texts_go_out_in_batches_and_come_back_in_order_with_unit_length() -> None:
    texts = ["a" * number for number in range(BATCH * 2 + 3)]
    async with serving(shuffled=True) as server:
        embedder = EndpointEmbedder("tiny", server.url, GIVEN)
        rows = await embedder.embed(texts)
        query = await embedder.embed_query("aaa")
    assert [len(batch) for batch in server.inputs] == [BATCH, BATCH, 3, 1]
    assert all(text for batch in server.inputs for text in batch)
    assert set(server.keys) == {f"Bearer {KEY}"}
    expected = np.array([vector(text or " ") for text in texts])
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert np.allclose(query, rows[3])
    assert rows.dtype == np.float32


async def test_passing_faults_are_waited_out_as_the_server_asks() -> None:
    pauses = Pauses()
    async with serving(fault(429, Retry_After="7"), fault(503), fault(500)) as server:
        rows = await EndpointEmbedder("tiny", server.url, GIVEN, sleep=pauses).embed(["a"])
    assert rows.shape == (1, 3) and len(server.inputs) == 4
    assert pauses.seconds[0] == 7
    assert 0 <= pauses.seconds[1] <= 1 and 0 <= pauses.seconds[2] <= 2


@pytest.mark.parametrize(
    ("answer", "attempts", "says"),
    [
        (lambda: fault(401, f"bad key {KEY}"), 1, "OSLER_KEY_127_0_0_1"),
        (lambda: fault(404, f"Bearer {KEY} knows no such model"), 1, "check the model's name"),
        (lambda: fault(429, "You exceeded your current quota"), 1, "billing"),
        (lambda: fault(400, f"cannot read {KEY}"), 1, "HTTP 400"),
        (lambda: fault(500, f"crash with {KEY}"), 3, "try again later"),
        (lambda: web.Response(text="<html>hello</html>", content_type="text/html"), 3, "/v1"),
        (lambda: web.Response(body=b"{", content_type="application/json"), 3, "/v1"),
        (lambda: web.json_response({"data": []}), 1, "/v1"),
        (lambda: web.json_response({"data": [{"index": 0}]}), 1, "/v1"),
        (lambda: web.json_response({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}), 1, "/v1"),
        (lambda: web.json_response({"data": [{"index": 4, "embedding": [1.0, 0.0]}]}), 1, "/v1"),
        (lambda: web.json_response({"data": [{"index": 0, "embedding": ["x"]}]}), 1, "/v1"),
        (lambda: web.json_response([1]), 1, "/v1"),
        *(
            (lambda number=number: embedded(number), 1, "/v1")
            for number in ("9" * 400, "1e400", "-1e400", "NaN", "1e39", "1e30", "null")
        ),
        (lambda: embedded("[" * 100_000), 3, "/v1"),
        (lambda: embedded("9" * 5_000), 3, "/v1"),
        (
            lambda: fault(500, Retry_After="Mon, 01 Jan 2024 00:00:00 +" + "9" * 20),
            3,
            "try again later",
        ),
    ],
)
async def test_failures_say_what_to_do_and_never_show_the_key(
    answer: Callable[[], web.Response], attempts: int, says: str
) -> None:
    async with serving(*(answer() for _ in range(attempts))) as server:
        embedder = EndpointEmbedder("tiny", server.url, GIVEN, retries=2, sleep=Pauses())
        with pytest.raises(UserError) as caught:
            await embedder.embed(["a"])
    assert says in str(caught.value) and KEY not in str(caught.value)
    assert "tiny" in caught.value.message
    assert len(server.inputs) == attempts
    link: BaseException | None = caught.value
    while link is not None:
        assert KEY not in repr(link)
        link = link.__context__


async def test_a_server_that_is_not_there() -> None:
    pauses = Pauses()
    embedder = EndpointEmbedder("tiny", "http://127.0.0.1:9/v1", GIVEN, retries=2, sleep=pauses)
    with pytest.raises(UserError, match=r"cannot be reached .*; check that the server runs"):
        await embedder.embed_query("a")
    assert len(pauses.seconds) == 2


async def test_only_new_texts_are_asked_for_and_each_once() -> None:
    async with serving() as server:
        embedder = EndpointEmbedder("tiny", server.url, GIVEN)
        first = await embedder.embed(["a", "bb", "a"])
        second = await embedder.embed(["bb", "ccc", "a"])
        third = await embedder.embed(["a", "bb"])
        await embedder.embed_query("a")
        query = await embedder.embed_query("a")
    assert server.inputs == [["a", "bb"], ["ccc"], ["a"]]
    assert np.array_equal(first[[1, 0]], second[[0, 2]]) and np.array_equal(first[0], first[2])
    assert np.array_equal(third, first[:2]) and np.array_equal(query, first[0])


async def test_the_longest_unused_row_is_forgotten_first() -> None:
    async with serving() as server:
        embedder = EndpointEmbedder("tiny", server.url, GIVEN, most=2)
        rows = await embedder.embed(
            ["a", "bb", "ccc"]
        )  # more than it may keep, and still all of them
        await embedder.embed(["bb"])
        await embedder.embed(["dddd"])
        await embedder.embed(["bb"])
        await embedder.embed(["ccc"])
    assert rows.shape == (3, 3)
    assert server.inputs == [["a", "bb", "ccc"], ["dddd"], ["ccc"]]


async def test_a_row_that_was_changed_does_not_change_the_cache() -> None:
    async with serving() as server:
        embedder = EndpointEmbedder("tiny", server.url, GIVEN)
        for _ in range(2):
            rows, query = await embedder.embed(["a"]), await embedder.embed_query("a")
            assert np.array_equal(rows[0], query) and rows[0].any()
            rows[:] = 0
            query[:] = 0


# An encoder on disk

INSTALLED = importlib.util.find_spec("sentence_transformers") is not None


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UserError, match=r"pip install 'osler\[st\]'"):
        open_embedder("st:some-model")


@pytest.mark.skipif(not INSTALLED, reason="sentence-transformers is not installed")
@pytest.mark.filterwarnings("ignore")
async def test_a_small_encoder_on_disk(tmp_path: Path) -> None:
    tokenizers, package = import_module("tokenizers"), import_module("sentence_transformers")
    vocabulary = {
        word: place for place, word in enumerate(["[UNK]", "cough", "fever", "dry", "high"])
    }
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(vocabulary), 8)).astype(np.float32)
    static = import_module("sentence_transformers.models").StaticEmbedding(
        tokenizer, embedding_weights=weights
    )
    package.SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "tiny"))

    embedder = open_embedder(f"st:{tmp_path / 'tiny'}")
    texts = ["dry cough", "high fever"]
    rows = await embedder.embed(texts)
    assert rows.shape == (2, 8) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.argmax(rows @ await embedder.embed_query("fever")) == 1
    assert (await embedder.embed([])).shape == (0, 8)
    with pytest.raises(UserError, match="cannot be loaded"):
        SentenceEmbedder(str(tmp_path / "nothing"))


# By name


@pytest.mark.parametrize(
    ("spec", "name"), [("hash", "hash:4096"), ("hash:384", "hash:384"), (" hash:64 ", "hash:64")]
)
async def test_hash_embedders_by_name(spec: str, name: str) -> None:
    embedder = open_embedder(spec)
    assert isinstance(embedder, HashEmbedder) and isinstance(embedder, Embedder)
    assert embedder.name == name
    assert (await embedder.embed(["a"])).shape == (1, embedder.dimensions)


async def test_endpoints_by_name_take_the_key_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as server:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        keyless = open_embedder(f"bge:small@{server.url}")
        await keyless.embed(["a"])
        await keyless.embed(["a"])
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
        await open_embedder("openai:text-embedding-3-small").embed(["a"])
    assert isinstance(keyless, Embedder)
    assert keyless.name == f"bge:small@{server.url}"
    assert server.keys == ["Bearer none", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("", "hash:DIMENSIONS"),
        ("word2vec", "st:NAME_OR_PATH"),
        ("st:", "openai:MODEL"),
        ("hash:", "hash:384"),
        ("hash:many", "hash:384"),
        ("hash:0", "from 16 to 65536"),
        ("hash:999999999", "from 16 to 65536"),
        ("hashing", "there is no embedder"),
        ("openai:", "there is no embedder"),
        ("openai:small", "set OPENAI_API_KEY"),
        ("@http://127.0.0.1:1/v1", "names no model"),
        ("tiny@http://", "no usable host"),
        ("tiny@http://127.0.0.1:99999/v1", "cannot be read"),
        ("tiny@http://me:secret-word@127.0.0.1/v1", "OSLER_KEY_127_0_0_1"),
        ("tiny@http://127.0.0.1/v1?key=secret-word", "OSLER_KEY_127_0_0_1"),
        ("openai:sk-secret-word-4711", "environment variable"),
    ],
)
def test_other_names_say_what_can_be_used(
    spec: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError) as caught:
        open_embedder(spec)
    assert says in str(caught.value)
    assert "secret-word" not in str(caught.value)
