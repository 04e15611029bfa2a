"""The Ray engine: the same results as anywhere, on real workers that are really killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web

from osler.errors import UserError
from osler.memory.base import Query, Recall
from osler.memory.none import NoMemory
from osler.runs.events import Called, Ending, Failed
from osler.runs.store import RunFile
from osler.simulator.engines.ray_cluster import import_ray
from tests.conftest import LONGEST_WAIT, REPO, Run
from tests.models.server import Step, completion

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'osler[ray]'"
)
TIMES = re.compile(r'"(?:at|seconds)":[\d.e-]+')
CLUSTER = (
    "import logging, ray, sys\n"
    "ray.init('local', num_cpus=2, include_dashboard=False, object_store_memory=10**8, logging_level=logging.ERROR)\n"
    "print(ray.get_runtime_context().gcs_address, flush=True)\n"
    "sys.stdin.read()\n"
)


class Deadly(NoMemory):
    """Takes its whole process along when a patient comes with a knee, as the one with gout does."""

    name = "deadly"

    async def recall(self, query: Query) -> Recall:
        if "knee" in query.text:
            os._exit(1)
        return await super().recall(query)


@dataclass
class Model:
    """A slow model on loopback that always asks the same."""

    spec: str = ""
    pause: float = 0.0
    requests: int = 0
    answering: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def model() -> AsyncIterator[Model]:
    there = Model()
    there.answering.set()

    async def answer(_: web.Request) -> web.Response:
        there.requests += 1
        await asyncio.sleep(there.pause)
        await there.answering.wait()
        return web.Response(
            body=completion(Step(text="Do you have a fever?")), content_type="application/json"
        )

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    there.spec = f"slow@http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield there
    finally:
        await runner.cleanup()


class Cluster(NamedTuple):
    address: str
    pid: int


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster that runs can join, with a token of its own; Ray would leave one in the user's
    home."""
    with (
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **settings_of_the_cluster(patch)},
        ) as process,
    ):
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, "the cluster did not start"
        yield Cluster(address, process.pid)
        process.communicate()


def settings_of_the_cluster(patch: pytest.MonkeyPatch) -> dict[str, str]:
    """Set for those who join, too."""
    path = os.pathsep.join(filter(None, (str(REPO), os.environ.get("PYTHONPATH"))))
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    settings = {**token, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": path}
    for name, value in settings.items():
        patch.setenv(name, value)
    return settings


def workers(cluster: Cluster) -> list[int]:
    """The Ray workers of a cluster; `ww` because ps may cut its lines at 80 characters."""
    table = subprocess.run(
        ["ps", "-axwwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [
        (int(pid), int(parent), args)
        for pid, parent, args in (line.split(None, 2) for line in table.splitlines())
    ]
    family = {cluster.pid}
    while more := {pid for pid, parent, _ in rows if parent in family} - family:
        family |= more
    return [pid for pid, _, args in rows if pid in family and args.startswith("ray::RayWorker")]


def stored(path: Path) -> list[str]:
    with RunFile.open(path) as run:
        return [
            TIMES.sub('"t":0', transcript.model_dump_json()) for transcript in run.transcripts()
        ]


@needs_ray
@pytest.mark.xdist_group("ray")
def test_a_cluster_that_is_joined_holds_all_but_what_kills_its_workers(
    osler: Run, osler_process: Run, tmp_path: Path, cluster: Cluster
) -> None:
    cases = [part for case in ("croup-en", "stemi-en", "gout-zh") for part in ("--case", case)]
    plan = ("simulate", *cases, "--memory", "raw", "--memory", f"{__name__}:Deadly", "--quiet")
    assert osler(*plan, "--out", "here").returncode == 0
    how = (
        "--engine",
        "ray",
        "--ray-address",
        cluster.address,
        "--workers",
        "2",
        "--concurrency",
        "2",
    )
    done = osler_process(*plan, "--case", "gout-en", *how, "--out", "there", timeout=LONGEST_WAIT)
    assert done.returncode == 0 and done.stderr.splitlines()[-1].startswith("1 failed"), done.stderr
    assert "raylet" not in done.stdout
    here, there = (stored(tmp_path / "runs" / f"{name}.osler") for name in ("here", "there"))
    assert len(here) == 6 and set(here) < set(there) and len(there) == 8
    with RunFile.open(tmp_path / "runs" / "there.osler") as run:
        (deadly,) = (
            transcript for transcript in run.transcripts() if not transcript.ending.is_answer
        )
    (failed,) = deadly.of(Failed)
    assert deadly.header.case == "gout-en" and deadly.ending is Ending.SIMULATOR_ERROR
    assert failed.kind == "worker died" and "3 workers died" in failed.message


@needs_ray
@pytest.mark.xdist_group("ray")
async def test_killed_workers_cost_no_more_than_what_they_were_asking(
    osler_process: Run, tmp_path: Path, cluster: Cluster
) -> None:
    async with model() as server:
        server.pause = 0.4
        plan = (
            "simulate",
            "--backbone",
            server.spec,
            "--limit",
            "6",
            "--turns",
            "8",
            "--patient",
            "rules",
            "--json",
        )
        how = (
            "--engine",
            "ray",
            "--ray-address",
            cluster.address,
            "--workers",
            "2",
            "--concurrency",
            "4",
            "--out",
            "run",
        )
        run = asyncio.create_task(
            asyncio.to_thread(osler_process, *plan, *how, timeout=LONGEST_WAIT)
        )
        while (
            server.requests < 10
        ):  # every consultation under way has an answer or two by then, and none has ended
            assert not run.done(), run.result().stderr
            await asyncio.sleep(0.02)
        server.answering.clear()  # nothing ends while its worker is looked for
        while not (victims := workers(cluster)):
            assert not run.done(), run.result().stderr
            await asyncio.sleep(0.1)
        for (
            victim
        ) in victims:  # one of them may hold nothing yet: Ray starts its workers when it likes
            os.kill(victim, signal.SIGKILL)
        server.answering.set()
        server.pause = 0.0  # nothing more is caught in the middle
        done = await run
        # Ray tells of every death, and not on standard output.
        assert done.returncode == 0 and json.loads(done.stdout)["done"] == 6, (
            done.stdout,
            done.stderr,
        )
    with RunFile.open(tmp_path / "runs" / "run.osler") as kept:
        standing, transcripts = kept.status(), list(kept.transcripts())
    assert (standing.done, standing.failed, standing.todo, len(transcripts)) == (6, 0, 0, 6)
    calls = [call for transcript in transcripts for call in transcript.of(Called)]
    assert standing.calls == len(calls), "every answer is counted once"
    assert len(calls) <= server.requests <= len(calls) + 4, (
        "the workers were asking in four consultations at most"
    )
    again = [
        transcript
        for transcript in transcripts
        if '"source":"earlier"' in transcript.model_dump_json()
    ]
    assert 1 <= len(again) <= 4, "what they held went on from where it was"


@needs_ray
@pytest.mark.xdist_group("ray")
def test_a_wrong_address_is_one_line(osler: Run) -> None:
    began = time.monotonic()
    done = osler(
        "simulate", "--limit", "1", "--engine", "ray", "--ray-address", "127.0.0.1:9", "--quiet"
    )
    assert (
        done.returncode == 2
        and "there is no Ray cluster" in done.stderr
        and "127.0.0.1:9" in done.stderr
    )
    assert (
        len(done.stderr.splitlines()) == 2
        and "new run" in done.stderr.splitlines()[0]
        and time.monotonic() - began < 30
    )


def test_without_ray_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        UserError, match=re.escape("the ray engine needs Ray; pip install 'osler[ray]'")
    ):
        import_ray("anywhere:6379")


@needs_ray
@pytest.mark.xdist_group("ray")
def test_a_memory_of_the_folder_one_works_in_is_found_and_only_json_is_printed(
    tmp_path: Path,
) -> None:
    (tmp_path / "my_memory.py").write_text(
        "print('imported')\n"
        "from osler.memory.none import NoMemory\n"
        "class Mine(NoMemory):\n"
        "    name = 'mine'\n"
        "    def __init__(self, settings):\n"
        "        print('made')\n"
        "        super().__init__(settings)\n"
    )
    args = (
        "--memory",
        "my_memory:Mine",
        "--case",
        "gout",
        "--turns",
        "2",
        "--engine",
        "ray",
        "--workers",
        "1",
    )
    command = [sys.executable, "-P", "-m", "osler", "simulate", *args, "--json"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False
    )
    assert done.returncode == 0 and json.loads(done.stdout)["done"] == 2, (done.stdout, done.stderr)
