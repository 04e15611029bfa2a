"""A pool of two small patients, and the table's page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from osler.cli import app
from osler.play.lobby import PlayLobby
from osler.records.pool import RecordPool
from osler.view.play_routes import routes
from tests.conftest import small_record

Played = Callable[..., Result]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_pool(tmp_path: Path) -> Path:
    """Two patients whose ids are their diagnoses."""
    entries = [
        {"category": "symptom", "name": "Rash", "status": "absent", "relevance": "incidental"},
        *small_record()["entries"],
    ]
    burn = {
        "id": "burn",
        "diagnosis": {"name": "Scald burn"},
        "complaint": "Hot water ran over my foot.",
        "treatment": None,
    }
    records = [small_record(entries=entries), small_record(**burn)]
    path = tmp_path / "pool.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def play() -> Played:
    """Sit down at the terminal, with what is typed."""

    def run(typed: str, *args: str | Path) -> Result:
        return CliRunner().invoke(app, ["play", *map(str, args)], input=typed)

    return run


def client_of(lobby: PlayLobby) -> TestClient:
    @asynccontextmanager
    async def until_closed(_: Starlette) -> AsyncIterator[None]:
        yield
        await lobby.close()

    return TestClient(Starlette(routes=routes(lobby), lifespan=until_closed))


@pytest.fixture
def page(small_pool: Path) -> Iterator[TestClient]:
    """The addresses of a table where strangers play."""
    lobby = PlayLobby(
        RecordPool.open(small_pool), backbones=(), key_of=lambda path: f"key of {path.name}"
    )
    with client_of(lobby) as client:
        yield client


def settled(client: TestClient, state: dict[str, Any]) -> dict[str, Any]:
    """Look until it is not the other's turn; a busy machine answers a move before there is a
    reply."""
    while state.get("waiting_for") == "other":
        assignment = state["id"]
        state = client.get(f"/api/play/{assignment}", params={"seen": state["seen"]}).json()
        assert state.get("id") == assignment, state
    return state
