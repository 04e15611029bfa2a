"""Runs that are killed while their server misbehaves, beside one that is left alone.

Are verdicts and tables equal?

python benchmarks/storm.py                     one process, two workers and Ray; forty kills in all
python benchmarks/storm.py --engines one,two   some of them

A stand-in for a model server on loopback refuses, breaks, cuts, garbles or hangs 42 of 100
requests. `osler simulate` holds all 88 bundled patients against it, is killed (the whole process
group) at random moments and started again, and `osler runs retry` repeats what failed until nothing
is left. Then its verdicts and table are compared with those of a run of the same answers without
faults or kills, and the answers that were given more than once are counted.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

sys.path.insert(0, str(Path(__file__).parent))
from loopback import completion

from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.runs.events import Called
from osler.runs.store import RunFile

ENGINES = {
    "one": ("one process", ()),
    "two": ("two workers", ("--workers", "2")),
    "ray": ("Ray", ("--engine", "ray", "--workers", "2")),
}
KILLS = 40
CONCURRENCY = 16
LATENCY = 0.05
TURNS = 5
FAULTS = {"429": 20, "500": 10, "cut": 5, "garbled": 5, "hang": 2}
"""Of 100 requests."""


class Server:
    """Answers by the prompt alone, so that every run gets the same answers.

    Fails as often as told.
    """

    def __init__(self, *, faults: bool, seed: int) -> None:
        self.faults, self._rng = faults, random.Random(seed)
        self.answered: Counter[str] = Counter()
        self.faulty = self.requests = self.in_flight = self.most_in_flight = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, or fail."""
        body: dict[str, Any] = await request.json()
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(LATENCY)
            kind = self._kind() if self.faults else None
            if kind is not None:
                self.faulty += 1
                return await self._fault(request, kind)
            key = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()
            self.answered[key] += 1
            said = completion(body, int(key[:6], 16))
            return web.Response(body=said, content_type="application/json")
        finally:
            self.in_flight -= 1

    def _kind(self) -> str | None:
        drawn = self._rng.uniform(0, 100)
        for kind, share in FAULTS.items():
            if drawn < share:
                return kind
            drawn -= share
        return None

    async def _fault(self, request: web.Request, kind: str) -> web.StreamResponse:
        if kind == "429":
            return web.json_response(
                {"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0"}
            )
        if kind == "500":
            return web.json_response({"error": {"message": "broken"}}, status=500)
        if kind == "garbled":
            return web.Response(body=b"<html>busy</html>", content_type="text/html")
        if kind == "hang":
            await asyncio.sleep(20)
        response = web.StreamResponse(
            headers={"Content-Type": "application/json", "Content-Length": "1000"}
        )
        await response.prepare(request)
        await response.write(b'{"choices": [')
        if request.transport is not None:
            request.transport.close()
        return response


@contextmanager
def serving(*, faults: bool, seed: int = 1) -> Iterator[Server]:
    """A server in a thread of its own."""
    server, ready, loop = (
        Server(faults=faults, seed=seed),
        threading.Event(),
        asyncio.new_event_loop(),
    )
    stop = asyncio.Event()

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", server.handle)
        runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


def osler(*args: str, folder: Path, kill_after: float | None = None) -> tuple[int | None, str]:
    """One command, killed with all its processes after a while.

    Its exit code (None: killed) and what it said.
    """
    command = [sys.executable, "-c", "from osler.cli import main; main()", *args]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=kill_after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
    return process.returncode, out + err


def simulate(
    url: str, folder: Path, how: tuple[str, ...], kill_after: float | None = None
) -> tuple[int | None, str]:
    plan = (
        "--backbone",
        f"storm@{url}",
        "--patient",
        "rules",
        "--memory",
        "tim",
        "--turns",
        str(TURNS),
    )
    rest = ("--concurrency", str(CONCURRENCY), "--timeout", "2", "--out", "run", "--quiet")
    return osler("simulate", *plan, *rest, *how, folder=folder, kill_after=kill_after)


def verdicts(folder: Path) -> list[Any]:
    """All that tables are made from, without times and costs."""
    run = load_run(folder / "runs" / "run.osler")
    try:
        keep = (
            "record",
            "memory",
            "trial",
            "state",
            "diagnosis",
            "treatment",
            "turns",
            "repeats",
            "diagnosis_verdict",
        )
        keep = (*keep, "treatment_verdict", "diagnosis_rank", "names_diagnosis", "unknown_digits")
        scores = run.scores()[list(keep)].astype(object)
        # Two missing numbers are not equal, two missing values are.
        rows: list[list[Any]] = scores.where(scores.notna(), None).to_numpy().tolist()
        return rows
    finally:
        run.close()


def table(folder: Path) -> str:
    """The comparison as it is printed, without what depends on time."""
    lines = osler("compare", "run", "--format", "csv", folder=folder)[1].splitlines()
    return "\n".join(
        line
        for line in lines
        if not any(word in line for word in ("second", "token", "call", "storm@"))
    )


def storm(name: str, how: tuple[str, ...], kills: int, whole: Path, seed: int) -> dict[str, Any]:
    """One engine: kill, resume, retry, compare."""
    rng = random.Random(seed)
    first, last = (8.0, 14.0) if "ray" in how else (2.5, 7.0)
    with tempfile.TemporaryDirectory() as there, serving(faults=True, seed=seed) as server:
        folder, done, lost = Path(there), 0, 0
        began = time.monotonic()
        while done < kills:
            code, said = simulate(server.url, folder, how, rng.uniform(first, last))
            if code is None:
                done += 1
            elif "Traceback" in said:
                print(said)
            else:
                lost += code not in (0, 2)
                if not left(folder):
                    break
        rounds = 0
        while left(folder) and rounds < 60:
            rounds += 1
            simulate(server.url, folder, how)
            osler(
                "runs",
                "retry",
                "run",
                "--timeout",
                "2",
                "--concurrency",
                "16",
                "--quiet",
                *how,
                folder=folder,
            )
        with RunFile.open(folder / "runs" / "run.osler") as run:
            standing, unscored = run.status(), len(run.unscored(EXACT))
            received = [
                call
                for transcript in run.transcripts()
                for call in transcript.of(Called)
                if call.failure is None
            ]
        checked = osler("runs", "check", "run", folder=folder)
        answered = server.answered.total()
        return {
            "engine": name,
            "kills": done,
            "requests": server.requests,
            "faulty": f"{server.faulty / server.requests:.0%}",
            "done": standing.done,
            "failed": standing.failed,
            "to do": standing.todo,
            "unscored": unscored,
            "answers given": answered,
            "answers used": len(received),
            "paid twice": answered - len(received),
            "most in flight": server.most_in_flight,
            "verdicts equal": verdicts(folder) == verdicts(whole),
            "table equal": table(folder) == table(whole),
            "file sound": checked[0] == 0,
            "seconds": round(time.monotonic() - began),
        }


def left(folder: Path) -> bool:
    path = folder / "runs" / "run.osler"
    if not path.exists():
        return True
    with RunFile.open(path) as run:
        standing = run.status()
    return bool(standing.todo or standing.failed or not standing.total)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engines", default="one,two,ray", help="some of one, two, ray")
    parser.add_argument("--kills", type=int, default=KILLS, help="over all engines together")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    engines = given.engines.split(",")
    with tempfile.TemporaryDirectory() as there:
        whole = Path(there)
        with serving(faults=False) as server:
            code, said = simulate(server.url, whole, ())
        if code:
            print(said)
            return 1
        sound = True
        for place, engine in enumerate(engines):
            name, how = ENGINES[engine]
            kills = given.kills // len(engines) + (place < given.kills % len(engines))
            found = storm(name, how, kills, whole, given.seed + place)
            print("  ".join(f"{key}: {value}" for key, value in found.items()), flush=True)
            sound &= bool(found["verdicts equal"] and found["table equal"] and found["file sound"])
            sound &= found["done"] == 88 and not found["unscored"]
    print("all equal to the undisturbed run" if sound else "NOT equal to the undisturbed run")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
