"""What a kill, a Ctrl-C, a full disk or a dying worker may cost: the requests in flight, and never
more."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import sqlite3
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from osler.errors import UserError
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.records import RecordPool
from osler.runs.events import Called
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter
from osler.settings.run_settings import RunSettings
from osler.simulator import batch
from osler.simulator.batch import RunOptions, StoppedEarly, simulate_plan
from osler.simulator.engines.messages import StopMessage
from osler.simulator.engines.process import pack, read_message
from tests.eval.held_runs import score_rows
from tests.simulator.model_server import ModelServer, model_server

FORK = multiprocessing.get_context("fork")
CONCURRENCY = 4
ENGINES = [pytest.param(None, id="one process"), pytest.param(2, id="two workers")]


def hold(out: Path, workers: int | None = None, **plan: Any) -> None:
    records = RecordPool.open().only(limit=plan.pop("limit", 6))
    plan.setdefault("settings", RunSettings(turns=6))
    simulate_plan(
        Plan(records, **plan),
        out,
        RunOptions(quiet=True, workers=workers, concurrency=CONCURRENCY),
        "bundled",
    )


def begin(
    out: Path, server: ModelServer, after: int, **plan: Any
) -> multiprocessing.process.BaseProcess:
    """Start a run in a process of its own, and come back when its models were asked so often."""
    process = FORK.Process(target=hold, args=(out,), kwargs={"backbones": (server.spec,), **plan})
    process.start()
    while server.requests < after:
        assert process.is_alive(), "it ended too early"
        time.sleep(0.01)
    return process


def calls(path: Path) -> int:
    with RunFile.open(path) as run:
        found = [call for transcript in run.transcripts() for call in transcript.of(Called)]
        assert run.status().calls == len(found)
        return len(found)


def test_a_kill_costs_no_more_than_the_requests_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    plan: dict[str, Any] = {"workers": 2, "memories": ("tim",), "limit": 4}
    with model_server(latency=0.02) as server:
        for after in (12, 24):
            process = begin(path, server, after, **plan)
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            time.sleep(0.1)  # workers end when their queue is gone
        hold(path, backbones=(server.spec,), **plan)
        most = 2 * CONCURRENCY  # a memory's model is asked beside the doctor's
        assert server.requests - calls(path) <= 2 * most


@pytest.mark.parametrize("workers", ENGINES)
def test_ctrl_c_waits_for_the_answers_in_flight_and_loses_none(
    tmp_path: Path, workers: int | None
) -> None:
    path = tmp_path / "run.osler"
    with model_server(latency=0.2) as server:
        process = begin(path, server, 6, workers=workers, memories=("tim",), limit=3)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join()
        with RunFile.open(path) as run:
            half = run.status()
        assert half.todo and half.calls == server.requests, (
            "every answer that was asked for is kept"
        )
        hold(path, workers=workers, backbones=(server.spec,), memories=("tim",), limit=3)
        assert server.requests == calls(path)


def test_a_second_ctrl_c_ends_at_once_and_says_what_it_costs(tmp_path: Path) -> None:
    path, pid = tmp_path / "run.osler", os.getpid()
    with model_server(latency=30.0) as server:

        def interrupt() -> None:
            for _ in range(2):
                while not server.requests:
                    time.sleep(0.02)
                time.sleep(0.3)
                os.kill(pid, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(
            StoppedEarly,
            match=r"interrupted.*6 consultation.*asked for again; re-run the same command",
        ):
            hold(path, backbones=(server.spec,))
        thread.join()
    with RunFile.open(path) as run:
        assert (run.status().todo, run.status().failed) == (6, 0)


@pytest.mark.parametrize("workers", ENGINES)
def test_a_full_disk_stops_the_run_and_costs_the_requests_in_flight(
    tmp_path: Path, workers: int | None
) -> None:
    """A limit on the size of files stands for the disk: the same error comes from the same
    place."""
    path, (receiver, sender) = tmp_path / "run.osler", FORK.Pipe(duplex=False)

    def full(url: str) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
        try:
            hold(path, workers=workers, backbones=(url,), limit=12)
        except UserError as error:
            sender.send(str(error))
        else:
            sender.send("it went on")

    with model_server(latency=0.01) as server:
        process = FORK.Process(target=full, args=(server.spec,))
        process.start()
        said = receiver.recv()
        process.join()
        assert "cannot be written" in said and "free disk space" in said, said
        hold(path, workers=workers, backbones=(server.spec,), limit=12)
        assert server.requests - calls(path) <= CONCURRENCY


def test_an_answer_is_written_before_its_consultation_goes_on(tmp_path: Path) -> None:
    """The next request of a consultation comes only when the answer before it can be read from the
    file."""
    path = tmp_path / "run.osler"
    unwritten: list[int] = []

    def look(number: int) -> None:
        if number > 1:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
                (written,) = file.execute("SELECT sum(calls) FROM cells").fetchone()
            if written != number - 1:
                unwritten.append(number)

    with model_server(look) as server:
        how = RunOptions(quiet=True, concurrency=1)
        plan = Plan(
            RecordPool.open().only(limit=2), backbones=(server.spec,), settings=RunSettings(turns=3)
        )
        simulate_plan(plan, path, how, "bundled")
    assert server.requests == 8 and not unwritten


async def test_a_torn_frame_is_the_end_of_a_worker_and_no_more() -> None:
    message = StopMessage("kind", "x" * 100)
    whole = pack(message)
    for sent in (
        whole[:-1],
        whole[:3],
        b"",
        whole[:4] + b"{" * 200,
        struct.pack(">I", 2**31) + whole,
    ):
        reader = asyncio.StreamReader()
        reader.feed_data(sent)
        reader.feed_eof()
        assert await read_message(reader) is None
    reader = asyncio.StreamReader()
    reader.feed_data(whole + whole)
    assert await read_message(reader) == await read_message(reader) == message


def test_workers_that_are_stopped_killed_and_woken_cost_no_consultation(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    with model_server(latency=0.02) as server:
        process = begin(path, server, 8, workers=2, limit=8)
        assert process.pid is not None
        for _ in range(
            2
        ):  # three deaths without an answer between them would give a consultation up
            for worker in (
                Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            ):
                for one in (signal.SIGSTOP, signal.SIGKILL, signal.SIGCONT):
                    with suppress(ProcessLookupError):
                        os.kill(int(worker), one)
                    time.sleep(0.02)
            asked = server.requests
            while server.requests < asked + 10 and process.is_alive():
                time.sleep(0.01)
        process.join()
        assert process.exitcode == 0
    with RunFile.open(path) as run:
        standing = run.status()
    assert (standing.done, standing.failed, standing.todo) == (8, 0, 0)


def verdicts(path: Path) -> list[Any]:
    run = load_run(path)
    try:
        return [
            (row["record"], row["diagnosis_verdict"], row["treatment_verdict"], row["turns"])
            for row in score_rows(run)
        ]
    finally:
        run.close()


def test_resuming_scores_what_has_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(tmp_path / "whole.osler", limit=2)

    def breaks(*_: object) -> None:
        raise RuntimeError("the judge is out")

    path = tmp_path / "run.osler"
    with monkeypatch.context() as patch:
        patch.setattr(batch, "score", breaks)
        hold(path, limit=2)
    with RunFile.open(path) as run:
        assert run.status().done == 2 and len(run.unscored(EXACT)) == 2, (
            "scoring that fails costs no consultation"
        )
    hold(path, limit=2)
    with RunFile.open(path) as run:
        assert not run.unscored(EXACT)
    assert verdicts(path) == verdicts(tmp_path / "whole.osler")


def test_a_consultation_and_its_score_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    """After a kill at any moment nothing that has ended is without a verdict."""
    path = tmp_path / "run.osler"
    for _ in range(6):
        process = FORK.Process(
            target=hold, args=(path,), kwargs={"limit": 88, "settings": RunSettings(turns=2)}
        )
        process.start()
        process.join(0.4)
        if process.is_alive() and process.pid:
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        if path.exists():
            with RunFile.open(path) as run:
                assert run.unscored(EXACT) == []


def test_a_run_that_is_open_twice_keeps_its_score(tmp_path: Path) -> None:
    hold(tmp_path / "run.osler", limit=1)
    with RunFile.open(tmp_path / "run.osler") as known:
        told = known.about()
        with RunWriter.create_or_resume(tmp_path / "run.osler", told) as store:
            assert store.unscored(EXACT) == []
