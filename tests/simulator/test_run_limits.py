"""A run with a limit: what it begins it finishes, it does not spend more, and it says what is
left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.eval.scoring import EXACT
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.runs.store import RunFile
from osler.runs.store.reader import RunStatus
from osler.runs.store.scores import scored_consultations
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, StoppedEarly, simulate_plan
from tests.models.server import Step
from tests.simulator.model_server import ModelServer, model_server

PATIENTS = 20
CALL = 14
"""Tokens of one call to the server."""
EACH = 7 * CALL
"""Of a consultation: six questions and a conclusion."""


@pytest.fixture(autouse=True)
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token costs 0.0001 USD, a consultation 0.0098."""
    (tmp_path / "prices.yaml").write_text("tiny: {input: 100, output: 100}\n")
    monkeypatch.setenv("OSLER_PRICES", str(tmp_path / "prices.yaml"))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(latency=0.02) as running:
        yield running


def simulate(
    server: ModelServer,
    out: Path,
    limits: Limits,
    *,
    concurrency: int = 8,
    workers: int | None = None,
    memories: tuple[str, ...] = ("raw",),
    patients: int = PATIENTS,
) -> RunStatus:
    records = RecordPool.open().only(limit=patients)
    plan = Plan(records, (server.spec,), memories, settings=RunSettings(turns=6))
    options = RunOptions(concurrency=concurrency, workers=workers, limits=limits, quiet=True)
    simulate_plan(plan, out, options, "bundled")
    with RunFile.open(out) as run:
        return run.status()


def stopped(
    server: ModelServer,
    out: Path,
    limits: Limits,
    *,
    concurrency: int = 8,
    workers: int | None = None,
) -> tuple[RunStatus, str]:
    """The run as its limit left it, and what was said."""
    with pytest.raises(StoppedEarly) as said:
        simulate(server, out, limits, concurrency=concurrency, workers=workers)
    with RunFile.open(out) as run:
        return run.status(), str(said.value)


TOKENS = 10 * EACH + 5 * CALL
"""A limit that ten consultations fit into, and not eleven."""


@pytest.mark.parametrize(
    ("limits", "concurrency", "workers"),
    [
        (Limits(tokens=TOKENS), 8, None),
        (Limits(cost=TOKENS / 10_000), 16, None),
        (Limits(tokens=TOKENS), 8, 2),
    ],
)
def test_a_run_finishes_what_it_began_before_it_begins_more(
    server: ModelServer, tmp_path: Path, limits: Limits, concurrency: int, workers: int | None
) -> None:
    path = tmp_path / "run.osler"
    standing, said = stopped(server, path, limits, concurrency=concurrency, workers=workers)
    assert standing.done >= 8 and standing.begun <= 1, said
    assert standing.tokens <= TOKENS
    left = PATIENTS - standing.done
    assert f"{standing.done} of 20 have ended, {left} consultation(s) are left" in said
    assert "with a larger limit (about " in said


def test_the_proposed_limit_is_enough_for_the_rest(server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    _, said = stopped(server, path, Limits(tokens=5 * EACH))
    proposed = re.search(r"about ([\d,]+) tokens in all", said)
    assert proposed is not None, said
    enough = int(proposed[1].replace(",", ""))
    assert PATIENTS * EACH <= enough <= 1.25 * PATIENTS * EACH
    assert simulate(server, path, Limits(tokens=enough)).done == PATIENTS


def test_a_run_with_room_for_all_holds_them_side_by_side(
    server: ModelServer, tmp_path: Path
) -> None:
    standing = simulate(server, tmp_path / "run.osler", Limits(tokens=3 * PATIENTS * EACH))
    assert standing.done == PATIENTS and server.most_under_way >= 4


def test_a_limit_below_one_consultation_begins_one_and_resumes_it_first(
    server: ModelServer, tmp_path: Path
) -> None:
    path = tmp_path / "run.osler"
    standing, said = stopped(server, path, Limits(tokens=3 * CALL))
    assert (standing.done, standing.begun, standing.tokens) == (0, 1, 3 * CALL)
    assert "20 consultation(s) are left, 1 of them begun, with their answers kept" in said
    asked = server.requests
    standing, _ = stopped(server, path, Limits(tokens=EACH))
    assert (standing.done, standing.begun, standing.tokens) == (1, 0, EACH)
    assert server.requests - asked == 4, "what was answered is not asked for again"


def test_answers_of_no_use_are_spent_for_a_resumed_run_too(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    with model_server(lambda number: Step(text="") if number % 3 == 0 else None) as server:
        for _ in range(2):
            standing, _ = stopped(server, path, Limits(tokens=2 * EACH), concurrency=1)
            assert (standing.calls, standing.tokens) == (server.requests, CALL * server.requests)
    assert standing.tokens <= 2 * EACH


def test_columns_that_use_more_are_not_begun_in_vain(server: ModelServer, tmp_path: Path) -> None:
    """A memory that thinks once a turn takes nearly twice as much as one that does not."""
    limit = 8 * EACH + 8 * 2 * EACH
    with pytest.raises(StoppedEarly):
        simulate(
            server,
            tmp_path / "run.osler",
            Limits(tokens=limit // 2),
            memories=("raw", "tim"),
            patients=PATIENTS // 2,
        )
    with RunFile.open(tmp_path / "run.osler") as run:
        standing = run.status()
    assert standing.done >= 5 and standing.begun <= 1 and standing.tokens <= limit // 2


def test_no_consultation_begins_that_cannot_end_in_time(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    with model_server(latency=0.3) as server:
        before = simulate(server, path, Limits(), patients=2)
        with RunFile.open(path) as run:
            durations = [one.seconds for one in scored_consultations(run, EXACT)]
        asked = server.requests
        standing, said = stopped(server, path, Limits(seconds=before.seconds + min(durations) / 2))
        assert server.requests == asked, said
    assert (standing.done, standing.begun, standing.todo) == (2, 0, PATIENTS - 2)
    assert "seconds are used, and one more consultation takes about" in said
