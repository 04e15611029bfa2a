"""What servers say of themselves: each kind in its own way, and never a key."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from osler.models import parse_spec
from osler.models.servers import describe_server, describe_servers
from tests.models.server import Step, serving

KEY = "sk-very-secret-0123456789"
TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
HASH = hashlib.sha256(TEMPLATE.encode()).hexdigest()[:8]
SAYS: dict[str, tuple[dict[str, Any], str]] = {
    "vLLM": (
        {
            "/v1/models": {
                "data": [
                    {
                        "id": "tiny",
                        "owned_by": "vllm",
                        "root": "Qwen/Qwen2.5-1.5B",
                        "max_model_len": 4096,
                    }
                ]
            },
            "/version": {"version": "0.9.1"},
        },
        "vLLM 0.9.1, Qwen/Qwen2.5-1.5B, context 4096",
    ),
    "llama.cpp": (
        {
            "/props": {
                "default_generation_settings": {
                    "n_ctx": 2048,
                    "params": {"repeat_penalty": 1.10000002, "top_p": 1.0, "seed": 7, "lora": []},
                },
                "build_info": "b6000-abc",
                "model_path": "/home/someone/models/tiny.gguf",
                "chat_template": TEMPLATE,
            },
            "/v1/models": {
                "data": [{"id": "/home/someone/models/tiny.gguf", "owned_by": "llamacpp"}]
            },
        },
        f"llama.cpp b6000-abc, tiny.gguf, context 2048, template {HASH}, defaults repeat_penalty=1.1",
    ),
    "SGLang": (
        {
            "/v1/models": {
                "data": [
                    {"id": "tiny", "owned_by": "sglang", "root": "tiny", "max_model_len": 8192}
                ]
            },
            "/get_server_info": {"version": "0.5.1", "api_key": KEY},
            "/get_model_info": {
                "model_path": "/models/tiny",
                "preferred_sampling_params": {"repetition_penalty": 1.05, "secret": KEY},
            },
        },
        "SGLang 0.5.1, tiny, context 8192, defaults repetition_penalty=1.05",
    ),
    "Ollama": (
        {
            "/api/version": {"version": "0.12.6"},
            "/api/show": {
                "parameters": 'repeat_penalty                 1.1\nstop                           "<|im_end|>"',
                "template": TEMPLATE,
                "details": {"parameter_size": "1.5B", "quantization_level": "Q4_K_M"},
            },
        },
        f"Ollama 0.12.6, 1.5B Q4_K_M, template {HASH}, defaults repeat_penalty=1.1",
    ),
    "nothing": ({}, "says nothing of itself"),
    "nonsense": (
        {
            "/v1/models": {
                "data": [7, {"id": ["x"], "owned_by": {}, "root": 5, "max_model_len": "many"}]
            },
            "/props": {
                "default_generation_settings": [],
                "build_info": {"a": 1},
                "chat_template": 9,
            },
            "/version": ["0.1"],
        },
        "llama.cpp",
    ),
}


@pytest.mark.parametrize("kind", SAYS)
async def test_each_kind_of_server_is_described(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSLER_KEY_127_0_0_1", KEY)
    told, line = SAYS[kind]
    async with serving(Step(), says=told) as server:
        found = await describe_server(parse_spec(server.spec))
    assert str(found) == line
    assert found.address == server.url and server.requests == [], "no model is asked for it"
    assert "secret" not in found.model_dump_json() and "someone" not in found.model_dump_json()
    assert set(server.keys) <= {f"Bearer {KEY}"}, "the server may want its key"


async def test_ollama_by_its_own_protocol_and_backbones_without_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(Step(), says=SAYS["Ollama"][0]) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.root)
        found = await describe_servers(["ollama:tiny", "openai:gpt-5", "local"])
    assert [str(one) for one in found.values()] == [SAYS["Ollama"][1]]


async def test_nobody_listens() -> None:
    async with serving(Step()) as server:
        pass
    assert not (await describe_server(parse_spec(server.spec))).says_something
