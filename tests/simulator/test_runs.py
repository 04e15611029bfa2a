"""Runs that survive: what is asked for is held exactly once, nothing is lost, and nothing is paid
for twice."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from osler.errors import UserError
from osler.eval.scoring import EXACT
from osler.models import retry
from osler.models.rate_limit import Rates
from osler.records import RecordPool
from osler.runs.events import Answered, Asked, Called, Ending
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter, plan_writer
from osler.runs.store.scores import scored_consultations
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, StoppedEarly, retry_run, simulate_plan
from osler.simulator.clients import ClientSettings
from tests.conftest import Run
from tests.models.server import Step
from tests.simulator.model_server import REPLY, model_server
from tests.stored_runs import rewriting

SHORT = RunSettings(turns=2)
SCORES = ("case", "trial", "ending", "diagnosis", "treatment", "turns", "repeats")


def hold(out: Path, how: RunOptions | None = None, *, limit: int = 4, **plan: Any) -> None:
    plan.setdefault("settings", SHORT)
    simulate_plan(
        Plan(RecordPool.open().only(limit=limit), **plan),
        out,
        how or RunOptions(quiet=True),
        "bundled",
    )


def quiet(**how: Any) -> RunOptions:
    return RunOptions(quiet=True, **how)


def scores(path: Path) -> list[tuple[Any, ...]]:
    with RunFile.open(path) as run:
        return sorted(
            (one.column.memory, *(getattr(one, name) for name in SCORES))
            for one in scored_consultations(run, EXACT)
        )


def test_a_run_killed_five_times_is_the_run_that_was_not(tmp_path: Path) -> None:
    """Eighty consultations; the process is killed at random moments and started again."""
    plan: dict[str, Any] = {"memories": ("none", "raw"), "limit": 10, "trials": 4}
    hold(tmp_path / "whole.osler", **plan)
    rng, context = random.Random(5), multiprocessing.get_context("fork")
    killed = 0
    for _ in range(40):
        process = context.Process(target=hold, args=(tmp_path / "cut.osler",), kwargs=plan)
        process.start()
        process.join(rng.uniform(0.05, 0.3) if killed < 5 else 120)
        if process.is_alive() and process.pid:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            killed += 1
        elif killed >= 5:
            break
    assert killed == 5, "the run was over before it could be killed often enough"
    assert process.exitcode == 0
    assert len(scores(tmp_path / "whole.osler")) == 80
    assert scores(tmp_path / "cut.osler") == scores(tmp_path / "whole.osler")
    with RunFile.open(tmp_path / "cut.osler") as run:
        standing = run.status()
        assert (standing.done, standing.todo, standing.failed) == (80, 0, 0)
        assert sum(1 for _ in run.transcripts()) == 80
    with sqlite3.connect(tmp_path / "cut.osler") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def faults(seed: int) -> Any:
    """A fifth refused, a tenth with a fault, a twentieth cut, a twentieth garbage, a fiftieth that
    hangs."""
    rng = random.Random(seed)
    kinds = {
        20: [Step(status=429), Step(status=429, headers={"Retry-After": "0"})],
        10: [Step(status=500), Step(status=503)],
        5: [Step(cut=True)],
        7: [Step(raw=b"<html>busy</html>")] * 5 + [Step(hang=True)] * 2,
    }

    def misbehave(_: int) -> Step | None:
        drawn = rng.uniform(0, 100)
        for share, steps in kinds.items():
            if drawn < share:
                return rng.choice(steps)
            drawn -= share
        return None

    return misbehave


def test_faults_of_a_server_cost_no_consultation_and_repeat_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        retry, "FIRST_PAUSE", 0.05
    )  # six tries of the unluckiest would take half a minute
    path = tmp_path / "run.osler"
    how = quiet(
        concurrency=64, clients=ClientSettings(timeout=2.0, retries=6, rates=Rates(at_once=64))
    )
    with model_server(faults(7)) as server:
        hold(path, how, limit=20, trials=3, backbones=(server.spec,))
    with RunFile.open(path) as run:
        standing = run.status()
        transcripts = list(run.transcripts())
    assert standing.todo == 0 and standing.done + standing.failed == 60 == len(transcripts)
    assert standing.failed == sum(not transcript.ending.is_answer for transcript in transcripts)
    assert standing.done > 55, "most faults pass; trying again has to help"
    assert (
        sum(call.attempts > 1 for transcript in transcripts for call in transcript.of(Called)) > 30
    )
    for transcript in transcripts:
        asked = [event.turn for event in transcript.of(Asked)]
        assert asked == [event.turn for event in transcript.of(Answered)] == sorted(set(asked))
    assert standing.calls == sum(server.prompts.values()) - server_lost(transcripts, server.prompts)


def server_lost(transcripts: list[Any], prompts: Counter[str]) -> int:
    """Answers that the server gave and nobody received, because the call had timed out or was
    cut."""
    received = Counter(
        call.messages[-1].content
        for transcript in transcripts
        for call in transcript.of(Called)
        if not call.failure
    )
    return sum((prompts - received).values())


def test_answers_are_not_paid_for_twice_after_a_kill(tmp_path: Path) -> None:
    path, context = tmp_path / "run.osler", multiprocessing.get_context("fork")
    plan: dict[str, Any] = {"limit": 6, "settings": RunSettings(turns=6)}
    with model_server(latency=0.1) as server:
        plan["backbones"] = (server.spec,)
        process = context.Process(target=hold, args=(path,), kwargs=plan)
        process.start()
        while server.requests < 25:
            time.sleep(0.02)
        before = server.requests
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        hold(path, **plan)
    with RunFile.open(path) as run:
        transcripts = list(run.transcripts())
        calls = [call for transcript in transcripts for call in transcript.of(Called)]
        assert run.status().calls == len(calls)
        assert any(
            ending == "interrupted"
            for number in range(1, 7)
            for ending, _, _ in run.attempts(number)
        )
    assert len(transcripts) == 6
    earlier = [call for call in calls if call.source == "earlier"]
    assert len(earlier) > 10
    assert server.requests <= len(calls) + 12, "only what was under way may be asked again"
    assert before < len(calls)


@pytest.mark.parametrize("claimed", [2**63, 2**63 - 1, 10**300])
def test_a_server_that_claims_more_tokens_than_there_are_costs_no_answer(
    tmp_path: Path, claimed: int
) -> None:
    path, usage = tmp_path / "run.osler", {"prompt_tokens": claimed, "completion_tokens": claimed}
    cached = quiet(clients=ClientSettings(cache=tmp_path / "cache"))
    with model_server(
        lambda number: Step(text=REPLY, usage=usage) if number % 3 else None
    ) as server:
        hold(
            path,
            cached,
            limit=2,
            backbones=(server.spec,),
            settings=RunSettings(turns=2, max_tokens=10**6),
        )
        asked = server.requests
        again = tmp_path / "again.osler"
        hold(again, cached, limit=2, backbones=(server.spec,), settings=RunSettings(turns=2))
    assert server.requests == asked
    for one in (path, again):
        with RunFile.open(one) as run:
            standing = run.status()
            calls = [call for transcript in run.transcripts() for call in transcript.of(Called)]
        assert (standing.done, standing.failed) == (2, 0)
        assert {call.tokens_in for call in calls} == {None, 11}


def test_a_run_whose_kept_answers_hold_such_a_number_goes_on(tmp_path: Path) -> None:
    """As a version that did not look at the number kept it: in the answers, in what was paid, and
    in the cache."""
    path, settings = tmp_path / "run.osler", RunSettings(turns=4)
    how = quiet(limits=Limits(tokens=40), clients=ClientSettings(cache=tmp_path / "cache"))
    with model_server() as server:
        with pytest.raises(StoppedEarly):
            hold(path, how, limit=3, backbones=(server.spec,), settings=settings)
        for name in (path, tmp_path / "cache"):
            with sqlite3.connect(name) as file:
                for token in (
                    "prompt_tokens",
                    "completion_tokens",
                    "tokens_in",
                    "tokens_out",
                    "tokens_cached",
                ):
                    change = "UPDATE answers SET body = json_set(body, ?, json(?))"
                    place = (
                        f"$.{'usage.' if 'prompt' in token or 'completion' in token else ''}{token}"
                    )
                    file.execute(change, (place, str(2**70)))
        with rewriting(path) as file:
            assert file.execute("SELECT count(*) FROM answers").fetchone()[0] > 0
            file.execute("UPDATE answers SET checksum = row_checksum(cell, key, body)")
            file.execute("UPDATE cells SET tokens = ?", (2**63 - 1,))
        hold(path, quiet(), limit=3, backbones=(server.spec,), settings=settings)
        hold(
            tmp_path / "second.osler",
            replace(how, limits=Limits()),
            limit=3,
            backbones=(server.spec,),
        )
    with RunFile.open(path) as run:
        assert (run.status().done, run.status().failed) == (3, 0)
        assert all(
            call.source for transcript in run.transcripts() for call in transcript.of(Called)
        )


@pytest.mark.timeout(100)
def test_a_plan_that_nobody_can_hold_is_refused_before_anything_is_written(
    tmp_path: Path, osler: Run
) -> None:
    done = osler(
        "simulate",
        "--trials",
        "1000000000",
        "--memory",
        "raw",
        "--memory",
        "none",
        "--out",
        "large",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "osler: the plan has more than 1,000,000 consultations (2 columns × 1,000,000,000 trials of each record),"
        " which is the most that a run holds; give fewer --trials, or fewer records with --limit"
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_plan_of_too_many_records_is_refused_as_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_writer, "LARGEST_PLAN", 100)
    with pytest.raises(UserError, match="the plan has more than"):
        hold(tmp_path / "many.osler", limit=20, trials=10)
    assert not (tmp_path / "many.osler").exists()


@pytest.mark.timeout(100)
def test_more_places_than_consultations_cost_nothing(tmp_path: Path) -> None:
    hold(tmp_path / "run.osler", quiet(concurrency=10**9), limit=2)
    assert len(scores(tmp_path / "run.osler")) == 2


def test_a_plan_grows_and_a_changed_setting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    hold(path, limit=2)
    hold(path, limit=3, memories=("raw", "none"), trials=2)
    assert len(scores(path)) == 12
    with pytest.raises(UserError, match=r"other settings \(seed: 0 → 7\)"):
        hold(path, settings=RunSettings(turns=2, seed=7))
    record = (
        RecordPool.open().get("croup-en").model_copy(update={"complaint": "Another complaint."})
    )
    simulate_plan(Plan([RecordPool.open().get("croup-en")], settings=SHORT), path, quiet(), "x")
    with pytest.raises(UserError, match="'croup-en' is not what it was"):
        simulate_plan(Plan([record], settings=SHORT), path, quiet(), "x")


def test_the_second_writer_is_refused_and_readers_are_not(
    tmp_path: Path, osler: Run, osler_process: Run
) -> None:
    path = tmp_path / "runs" / "mine.osler"
    hold(path, limit=1)
    with RunFile.open(path) as known:
        told = known.about()
    with RunWriter.create_or_resume(path, told):
        done = osler_process("simulate", "--limit", "2", "--turns", "2", "--out", "mine")
        assert done.returncode == 2 and "another process is writing to the run" in done.stderr
        assert done.stderr.count("\n") == 1
        assert "1 done" in osler("runs", "status", "mine").stdout
    assert osler("simulate", "--limit", "2", "--turns", "2", "--out", "mine").returncode == 0


def test_who_looks_while_a_run_is_begun_finds_none_or_a_whole_one(tmp_path: Path) -> None:
    paths = [tmp_path / f"run{number}.osler" for number in range(20)]
    seen: list[Any] = []

    def look() -> None:
        for path in paths:
            while not path.exists():
                pass
            try:
                with RunFile.open(path) as run:
                    seen.append(run.about())
            except UserError as error:
                seen.append(error)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    for path in paths:
        with RunWriter.create_or_resume(path, {"settings": {"seed": 1}}):
            pass
    watcher.join()
    assert seen == [{"settings": {"seed": 1}}] * len(paths)


def test_failures_are_told_and_tried_again_without_asking_what_was_answered(tmp_path: Path) -> None:
    path, broken = tmp_path / "run.osler", threading.Event()
    broken.set()
    step = Step(status=400, message="not this one")
    with model_server(
        lambda number: step if broken.is_set() and number % 5 == 0 else None
    ) as server:
        hold(path, quiet(concurrency=1), limit=5, backbones=(server.spec,))
        with RunFile.open(path) as run:
            first = run.status()
        assert first.failed > 0
        broken.clear()
        asked = server.requests
        retry_run(path, quiet())
        with RunFile.open(path) as run:
            second, transcripts = run.status(), list(run.transcripts())
    assert (second.done, second.failed, second.todo) == (5, 0, 0)
    assert second.attempts == first.attempts + first.failed
    earlier = sum(
        call.source == "earlier" for transcript in transcripts for call in transcript.of(Called)
    )
    again = sum(len(transcript.of(Called)) for transcript in transcripts) - first.calls
    assert earlier > 0 and server.requests - asked == again


@pytest.mark.parametrize(
    ("limits", "word"),
    [(Limits(tokens=100), "tokens are used"), (Limits(seconds=0.5), "seconds are used")],
)
def test_a_run_that_reaches_its_budget_stops_and_goes_on_with_a_larger_one(
    tmp_path: Path, limits: Limits, word: str
) -> None:
    path = tmp_path / "run.osler"
    with model_server(latency=0.05) as server:
        with pytest.raises(StoppedEarly, match=word) as stopped:
            hold(path, quiet(concurrency=2, limits=limits), limit=8, backbones=(server.spec,))
        assert "with a larger limit" in str(stopped.value)
        with RunFile.open(path) as run:
            half = run.status()
        assert half.todo > 0 and half.failed == 0
        if limits.tokens:
            assert half.tokens <= limits.tokens + 2 * 14, "only what was under way may come on top"
        hold(path, limit=8, backbones=(server.spec,))
    with RunFile.open(path) as run:
        calls = [call for transcript in run.transcripts() for call in transcript.of(Called)]
        assert run.status().done == 8 and run.status().calls == len(calls) == server.requests


def test_a_consultation_ends_at_its_own_limit(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    with model_server() as server:
        settings = RunSettings(turns=6, max_tokens=40)
        hold(path, limit=2, backbones=(server.spec,), settings=settings)
    with RunFile.open(path) as run:
        assert [transcript.ending for transcript in run.transcripts()] == [Ending.TOKEN_LIMIT] * 2
    with model_server(latency=0.4) as server:
        settings = RunSettings(turns=6, max_seconds=0.3)
        hold(tmp_path / "slow.osler", limit=2, backbones=(server.spec,), settings=settings)
    with RunFile.open(tmp_path / "slow.osler") as run:
        assert [transcript.ending for transcript in run.transcripts()] == [Ending.TIME_LIMIT] * 2


def test_a_limit_in_money_needs_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server() as server:
        with pytest.raises(UserError, match="no price of tiny is known"):
            hold(tmp_path / "a.osler", quiet(limits=Limits(cost=1)), backbones=(server.spec,))
        table = tmp_path / "prices.yaml"
        table.write_text("tiny: {input: 10000, output: 10000}")
        monkeypatch.setenv("OSLER_PRICES", str(table))
        with pytest.raises(StoppedEarly, match="USD are used"):
            hold(
                tmp_path / "a.osler",
                quiet(concurrency=1, limits=Limits(cost=1)),
                backbones=(server.spec,),
            )
    with RunFile.open(tmp_path / "a.osler") as run:
        spent = run.status().cost
        assert run.status().done == 2, "a third does not fit into the limit"
        assert spent is not None and 0.8 < spent <= 1


@pytest.mark.parametrize(
    "step", [Step(status=401), Step(status=404), Step(status=500), Step(raw=b"<html>")]
)
def test_an_endpoint_that_is_down_stops_the_run_and_fails_no_cell(
    tmp_path: Path, step: Step
) -> None:
    path = tmp_path / "run.osler"
    with model_server(lambda _: step) as server:
        with pytest.raises(StoppedEarly, match="to resume"):
            hold(path, quiet(clients=ClientSettings(retries=0)), limit=40, backbones=(server.spec,))
        with RunFile.open(path) as run:
            standing = run.status()
        assert standing.failed <= 8 and standing.todo >= 32
        assert server.requests < 40, "nobody goes on asking a server that is down"


def test_the_same_request_is_answered_from_the_cache_when_asked_for(tmp_path: Path) -> None:
    how = quiet(clients=ClientSettings(cache=tmp_path / "cache.db"))
    with model_server() as server:
        hold(tmp_path / "a.osler", how, limit=3, backbones=(server.spec,))
        asked = server.requests
        hold(tmp_path / "b.osler", how, limit=3, backbones=(server.spec,))
        assert server.requests == asked
        hold(tmp_path / "c.osler", how, limit=3, backbones=(server.spec,), trials=2)
        assert asked < server.requests <= 2 * asked, "another trial is another answer"
    assert scores(tmp_path / "a.osler") == scores(tmp_path / "b.osler")
    with RunFile.open(tmp_path / "b.osler") as run:
        calls = [call for transcript in run.transcripts() for call in transcript.of(Called)]
        assert {call.source for call in calls} == {"cache"} and run.status().calls == 0


def test_a_folder_that_cannot_be_written_to_is_a_clear_line(tmp_path: Path, osler: Run) -> None:
    done = osler("simulate", "--limit", "1", "--out", "/proc/run.osler")
    assert (
        done.returncode == 2 and "cannot be written" in done.stderr and done.stderr.count("\n") == 1
    )
    (tmp_path / "other.osler").write_bytes(b"not a database" * 100)
    done = osler("simulate", "--limit", "1", "--out", "other.osler")
    assert done.returncode == 2 and "is not a run" in done.stderr
    assert "is not a run" in osler("runs", "status", "other.osler").stderr


def test_workers_give_what_one_process_gives_and_one_that_dies_loses_nothing(
    tmp_path: Path,
) -> None:
    with model_server(latency=0.1) as server:
        plan: dict[str, Any] = {
            "limit": 6,
            "backbones": (server.spec,),
            "settings": RunSettings(turns=5),
        }
        hold(tmp_path / "one.osler", **plan)
        server.requests, path = 0, tmp_path / "died.osler"

        def kill_one() -> None:
            while server.requests < 8:
                time.sleep(0.05)
            found = [
                int(entry.name)
                for entry in Path("/proc").iterdir()
                if entry.name.isdigit()
                and b"engines.process" in _cmdline(entry)
                and _parent(entry) == os.getpid()
            ]
            os.kill(found[0], signal.SIGKILL)

        thread = threading.Thread(target=kill_one)
        thread.start()
        hold(path, quiet(workers=2, concurrency=4), **plan)
        thread.join()
        assert scores(path) == scores(tmp_path / "one.osler")
        with RunFile.open(path) as run:
            standing = run.status()
            calls = [call for transcript in run.transcripts() for call in transcript.of(Called)]
        assert (standing.done, standing.failed, standing.todo) == (6, 0, 0)
        assert standing.attempts > 6
        assert server.requests <= len(calls) + 4, (
            "what was answered before the death is not asked again"
        )


def _cmdline(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_runs_are_listed_with_how_far_they_are(tmp_path: Path, osler: Run) -> None:
    hold(tmp_path / "runs" / "a.osler", limit=2)
    (tmp_path / "runs" / "b.osler").write_text("")
    listed = osler("runs", "list").stdout
    assert "a" in listed and "2" in listed and "is not a run" in listed
    status = osler("runs", "status", "a").stdout
    assert "2 done, 0 failed, 0 to do of 2" in status and "turns 2" in status
    assert osler("runs", "failures", "a").stdout.strip() == "nothing failed"
    assert "no runs in" in osler("runs", "list", "nowhere").stdout


def test_a_memory_from_elsewhere_that_breaks_costs_its_own_consultations_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaking.py").write_text(
        "from osler.memory.none import NoMemory\n"
        "class Breaking(NoMemory):\n"
        "    async def remember(self, turn):\n"
        "        raise ValueError('no room in my head')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "run.osler"
    hold(path, limit=2, memories=("raw", "breaking:Breaking"))
    with RunFile.open(path) as run:
        endings = Counter(transcript.ending for transcript in run.transcripts())
        assert endings == {Ending.TURN_LIMIT: 2, Ending.SIMULATOR_ERROR: 2}
        failures = [one.failure for one in scored_consultations(run, EXACT) if one.is_failed]
    assert len(failures) == 2
    for failure in failures:
        assert failure is not None and failure.kind == "ValueError"
        assert failure.message == "ValueError: no room in my head"
        assert "breaking.py:4 in remember" in (failure.place or "")
