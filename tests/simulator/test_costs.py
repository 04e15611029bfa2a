"""What a column costs: the same whatever runs before it or beside it; what sharing answers saved is
told once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.eval.compare import compare, comparison_tables
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.records import RecordPool
from osler.runs.events import Called
from osler.runs.makers import Usage
from osler.runs.plan import Plan
from osler.runs.store import RunFile
from osler.runs.store.scores import scored_consultations
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, StoppedEarly, simulate_plan
from osler.simulator.clients import ClientSettings
from tests.conftest import Run
from tests.simulator.model_server import ModelServer, model_server

MEMORIES = ("none", "raw")
CASES = ("gerd-en", "gerd-zh")
PRICES = "tiny: {input: 1000, output: 3000, cached: 500}\n"
Charged = dict[tuple[str, str], tuple[int, int, float]]
"""Tokens read and written, and the cost, by record and memory."""


@pytest.fixture(scope="module", autouse=True)
def prices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    table = tmp_path_factory.mktemp("prices") / "prices.yaml"
    table.write_text(PRICES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OSLER_PRICES", str(table))
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server(latency=0.01, counts=True) as running:
        yield running


def simulate(
    server: ModelServer,
    out: Path,
    *,
    memories: tuple[str, ...] = MEMORIES,
    limits: Limits | None = None,
    most: int | None = None,
    cache: Path | None = None,
    concurrency: int = 8,
    workers: int | None = None,
) -> None:
    """The doctor, the patient and RAM have the server's model; `most` limits the tokens
    of each consultation."""
    settings = RunSettings(
        patient_backbone=server.spec, ram_backbone=server.spec, turns=2, max_tokens=most
    )
    plan = Plan(RecordPool.open().only(ids=CASES), (server.spec,), memories, settings=settings)
    options = RunOptions(
        concurrency=concurrency,
        workers=workers,
        quiet=True,
        limits=limits or Limits(),
        clients=ClientSettings(cache=cache),
    )
    simulate_plan(plan, out, options, "bundled")


def charged(out: Path) -> Charged:
    with RunFile.open(out) as run:
        return {
            (one.case, one.column.memory): (
                one.tokens_in or 0,
                one.tokens_out or 0,
                round(one.cost or 0, 9),
            )
            for one in scored_consultations(run, EXACT)
        }


@pytest.fixture(scope="module")
def alone(server: ModelServer, prices: None, tmp_path_factory: pytest.TempPathFactory) -> Charged:
    """Each column in a run of its own, where nothing can be shared between columns."""
    folder, found = tmp_path_factory.mktemp("alone"), Charged()
    for memory in MEMORIES:
        simulate(server, folder / f"{memory}.osler", memories=(memory,), concurrency=1)
        found |= charged(folder / f"{memory}.osler")
    return found


@pytest.mark.parametrize(
    ("memories", "concurrency", "workers"),
    [(MEMORIES, 1, None), (MEMORIES[::-1], 1, None), (MEMORIES, 8, None), (MEMORIES, 8, 2)],
)
def test_a_column_costs_the_same_in_any_order(
    server: ModelServer,
    tmp_path: Path,
    alone: Charged,
    memories: tuple[str, ...],
    concurrency: int,
    workers: int | None,
) -> None:
    simulate(
        server,
        tmp_path / "together.osler",
        memories=memories,
        concurrency=concurrency,
        workers=workers,
    )
    assert charged(tmp_path / "together.osler") == alone


def test_a_column_costs_the_same_in_a_run_that_grows_and_is_resumed(
    server: ModelServer, tmp_path: Path, alone: Charged
) -> None:
    path = tmp_path / "grown.osler"
    with pytest.raises(StoppedEarly):
        simulate(server, path, memories=MEMORIES[:1], limits=Limits(tokens=3000), concurrency=2)
    simulate(server, path, memories=MEMORIES[:1])
    simulate(server, path)
    assert charged(path) == alone


def test_a_column_costs_the_same_when_its_answers_are_in_the_users_cache(
    server: ModelServer, tmp_path: Path, alone: Charged
) -> None:
    cache = tmp_path / "cache.db"
    simulate(server, tmp_path / "first.osler", cache=cache)
    asked = server.requests
    simulate(server, tmp_path / "second.osler", cache=cache)
    assert server.requests == asked
    assert charged(tmp_path / "first.osler") == charged(tmp_path / "second.osler") == alone
    with RunFile.open(tmp_path / "second.osler") as run:
        standing = run.status()
    assert (standing.calls, standing.tokens, standing.cost_known) == (0, 0, 0.0), (
        "nothing was spent"
    )


def test_the_limit_of_a_consultation_does_not_depend_on_the_order(
    server: ModelServer, tmp_path: Path
) -> None:
    most = 1500
    simulate(server, tmp_path / "together.osler", most=most, concurrency=1)
    for memory in MEMORIES:
        simulate(server, tmp_path / f"{memory}.osler", memories=(memory,), most=most, concurrency=1)
    alone = [endings(tmp_path / f"{memory}.osler") for memory in MEMORIES]
    assert endings(tmp_path / "together.osler") == set.union(*alone)
    assert {row[2].partition(" ")[0] for row in set.union(*alone)} == {"token_limit"}, (
        "else nothing is tested"
    )


@pytest.mark.parametrize("tokens", [2500, 4100])
def test_the_limit_of_a_consultation_does_not_depend_on_who_answers_first(
    tmp_path: Path, tokens: int
) -> None:
    """The memory thinks while the next question is asked and answered."""
    found = list[set[tuple[str, str, str]]]()
    for slow in ('"thoughts"', '"action"'):
        with model_server(latency=0.1, counts=True, slow=slow) as server:
            path = tmp_path / f"{len(found)}.osler"
            settings = RunSettings(
                patient_backbone=server.spec,
                ram_backbone=server.spec,
                turns=4,
                max_tokens=tokens,
            )
            records = RecordPool.open().only(ids=["gerd-en"])
            plan = Plan(records, (server.spec,), ("tim",), settings=settings)
            simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
        found.append(endings(path))
    assert found[0] == found[1]


def endings(out: Path) -> set[tuple[str, str, str]]:
    with RunFile.open(out) as run:
        return {
            (one.case, one.column.memory, f"{one.ending} {one.turns} {one.calls}")
            for one in scored_consultations(run, EXACT)
        }


def test_what_sharing_saved_is_told_once_and_the_rest_is_what_was_spent(
    server: ModelServer, tmp_path: Path, osler: Run
) -> None:
    args = [
        "simulate",
        "--backbone",
        server.spec,
        "--patient",
        server.spec,
        "--ram",
        server.spec,
        "--turns",
        "2",
    ]
    args += [part for case in CASES for part in ("--case", case)] + [
        "--memory",
        "none",
        "--memory",
        "raw",
    ]
    done = osler(*args, "--out", "shared", "--quiet")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "runs" / "shared.osler"
    with RunFile.open(path) as run:
        spent = run.status()
        calls = [call for one in run.transcripts() for call in one.of(Called)]
    reused = [call for call in calls if call.source == "run"]
    assert reused and spent.calls == len(calls) - len(reused)
    saved, price = Usage.of(reused).tokens, Usage.of(reused).cost
    assert saved is not None and spent.tokens + saved == Usage.of(calls).tokens
    line = (
        f"{len(reused)} of {len(calls)} calls were given an answer that the model had given before, which saved"
        f" {saved:,} tokens and {price:.4f} USD; every column is charged in full"
    )
    assert line in " ".join(done.stdout.split())
    assert "RAM: reused" not in done.stdout, "that depends on the order"
    main, *others = comparison_tables(compare([load_run(path)]))
    assert line in main.notes and line not in [note for grid in others for note in grid.notes]
    again = json.loads(osler(*args, "--out", "shared", "--json").stdout)
    assert again["saved"] == {"calls": len(reused), "tokens": saved, "cost": pytest.approx(price)}
    assert (again["tokens"], again["calls"]) == (spent.tokens, spent.calls)
