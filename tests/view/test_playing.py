"""Who plays on the page chooses among what its owner named: a name from a browser opens, loads and
asks nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from osler.cli import app
from osler.view.access import Access
from osler.view.app import application
from osler.view.run_list import RunList

MODULE = "a_module_of_the_tests"
OWN_MEMORY = f"{MODULE}:Own"


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Something that could be imported: a memory of the owner's."""
    (tmp_path / f"{MODULE}.py").write_text(
        "from osler.memory.none import NoMemory\nclass Own(NoMemory): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop(MODULE, None)


def asked_for(asked: dict[str, Any], **named: tuple[str, ...]) -> tuple[int, str]:
    shelf = RunList(())
    guarded = Access(application(shelf, **named), "a-token", {"testserver"})
    with TestClient(guarded, "http://testserver/a-token/") as page:
        answer = page.post("api/play", json={"case": "gout-en", "memory": "none", **asked})
        return answer.status_code, answer.json().get("error", "")


@pytest.mark.parametrize(
    "asked",
    [
        {"as": "doctor", "memory": OWN_MEMORY},
        {"as": "doctor", "memory": "tim,embedder=st:/etc"},
        {"as": "doctor", "memory": "tim,embedder=m@http://127.0.0.1:9/v1"},
        {"as": "doctor", "patient": "local:/etc/passwd"},
        {"as": "doctor", "patient": "m@http://127.0.0.1:9/v1"},
        {"as": "patient", "doctor": "openai:gpt-4o"},
    ],
)
def test_what_the_owner_did_not_name_is_refused_and_not_even_looked_at(
    asked: dict[str, Any],
) -> None:
    status, line = asked_for(asked)
    assert status == 400 and "\n" not in line
    assert "choose one of" in line and "`osler view" in line
    assert MODULE not in sys.modules


def test_what_the_owner_named_can_be_played_with() -> None:
    assert asked_for({"as": "doctor", "memory": OWN_MEMORY}, memories=(OWN_MEMORY,)) == (200, "")
    model = "m@http://127.0.0.1:9/v1"
    assert asked_for({"as": "doctor", "patient": model}, backbones=(model,)) == (200, "")
    for memory in ("none", "raw", "tim"):
        assert asked_for({"as": "doctor", "memory": memory}) == (200, "")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--memory", f"{MODULE}:Nothing"], f"the memory '{MODULE}:Nothing' cannot be loaded"),
        (["--backbone", "gpt"], "there is no backbone 'gpt'"),
    ],
)
def test_a_wrong_name_is_said_when_the_page_starts(args: list[str], line: str) -> None:
    done = CliRunner().invoke(app, ["view", "--no-browser", *args])
    assert done.exit_code != 0 and line in str(done.exception)
