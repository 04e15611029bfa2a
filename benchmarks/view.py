"""How fast the page is on a run of 20,000 consultations.

Every answer over HTTP, from a server of its own.

python benchmarks/view.py [--consultations 20000] [--keep FILE]

The run is made of real transcripts of the rules doctor in both languages, repeated under further
names of backbones, and of trials. Times are medians of several requests of a client that keeps its
connection, as a browser does; the slowest is beside them. `scan` reads every transcript once
without an index, which is what a search would take without one: machines are noisy, so compare with
it rather than with another day. Bounds: 1 s for the first page (list of runs and table), 300 ms for
any filter, 500 MB for the server. `finish` is what the search index adds to keeping one.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import httpx

from osler.eval.scoring import score
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter, StoredScore, search_index
from osler.runs.store.connection import connect_for_writing
from osler.runs.store.run_table import COLUMNS
from osler.simulator.batch import RunOptions, simulate_plan

FIRST_PAGE, FILTER, MEMORY = 1.0, 0.3, 500.0
MEMORIES = ("none", "raw", "tim")
BACKBONES = (
    "rules",
    "small@http://127.0.0.1:1/v1",
    "large@http://127.0.0.1:1/v1",
    "other@http://127.0.0.1:1/v1",
)


def build(folder: Path, wanted: int) -> tuple[Path, float, float]:
    """A run of that many consultations.

    The milliseconds that keeping one took, and those that its index took.
    """
    seed, big = folder / "seed.osler", folder / "big.osler"
    records = list(RecordPool.open())
    simulate_plan(
        Plan(records, memories=MEMORIES), seed, RunOptions(quiet=True, workers=2), "benchmark"
    )
    with RunFile.open(seed) as source, RunWriter.create_or_resume(big, source.about()) as store:
        held = {(one.header.case, one.header.memory): one for one in source.transcripts()}
        trials = -(-wanted // (len(records) * len(MEMORIES) * len(BACKBONES)))
        plan = Plan(records, BACKBONES, MEMORIES, trials=trials, settings=source.settings)
        todo = store.extend(plan).todo[:wanted]
        store.begin({})
        kept = 0.0
        scores: dict[tuple[str, str], StoredScore] = {}
        for number in todo:
            cell = store.cell(number)
            source_of = (cell.case, cell.column.memory)
            transcript, record = held[source_of], store.record(cell.case)
            if source_of not in scores:
                scores[source_of] = score(transcript, record)
            began = time.perf_counter()
            store.finish(number, transcript)
            kept += time.perf_counter() - began
            store.store_score(number, scores[source_of])
    with tempfile.TemporaryDirectory() as other:  # the same consultations into an index alone
        file = connect_for_writing(Path(other) / "index")
        file.execute(search_index.TABLE)
        began = time.perf_counter()
        for number, transcript in enumerate(list(held.values())):
            with file:
                search_index.keep(file, number, transcript)
        indexed = (time.perf_counter() - began) / len(held)
        file.close()
    return big, 1e3 * kept / len(todo), 1e3 * indexed


def scan(path: Path, sought: str) -> float:
    """Seconds to look for a text in every transcript."""
    began = time.perf_counter()
    with RunFile.open(path) as file:
        found = sum(
            sought in zlib.decompress(body).decode()
            for (body,) in file.ask("SELECT body FROM transcripts")
        )
    assert found
    return time.perf_counter() - began


def resident(pid: int, line: str) -> float:
    """Megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"{line}:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def timed(ask: Callable[[], httpx.Response], times: int = 5) -> tuple[float, float, httpx.Response]:
    """The median and the slowest of a few requests."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        response = ask()
        spent.append(time.perf_counter() - began)
    response.raise_for_status()
    return statistics.median(spent), max(spent), response


def questions() -> dict[str, str]:
    """Every kind of filter, and every column to sort by."""
    rows = "api/runs/k0/rows"
    asked = {"table": rows, "last page": f"{rows}?offset=19900"}
    asked |= {f"sort {name}": f"{rows}?sort={name}&desc=1" for name in COLUMNS}
    for one in (
        "memory=tim",
        "memory=raw&memory=tim",
        "backbone=rules",
        "language=zh",
        "specialty=cardiology",
    ):
        asked[one] = f"{rows}?{one}"
    for one in (
        "diagnosis=correct",
        "treatment=wrong",
        "ending=turn_limit",
        "patient=pneu",
        "diagnosis=nothing",
    ):
        asked[one] = f"{rows}?{one}"
    for one in ("fever", "chest pai", "the", "a", "an", "发热", "有", "胸 痛", "nothinglikethis"):
        asked[f"search {one}"] = f"{rows}?search={one}"
        asked[f"search {one}, sorted, 500"] = f"{rows}?search={one}&sort=seconds&limit=500"
    asked["all together"] = (
        f"{rows}?search=pain&memory=tim&language=en&diagnosis=wrong&patient=a&sort=tokens&desc=1"
    )
    return asked


def page(path: Path) -> bool:
    """Print every answer's time; whether all bounds hold."""
    command = [
        sys.executable,
        "-c",
        "from osler.cli import main; main()",
        "view",
        str(path),
        "--no-browser",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            client = httpx.Client(base_url=address, timeout=60)
            began = time.perf_counter()
            client.get("api/runs").raise_for_status()
            client.get("api/runs/k0/rows").raise_for_status()
            first = time.perf_counter() - began
            whole = scan(path, "fever")
            print(
                f"scan of all transcripts: {whole:.2f} s\nfirst page: {first:.3f} s"
                f" ({whole / first:.0f}x a scan)"
            )
            worst = 0.0
            asked = (
                {"list of runs": "api/runs"}
                | questions()
                | {"consultation": "api/runs/k0/rows/777"}
            )
            for name, question in asked.items():
                median, slowest, response = timed(lambda question=question: client.get(question))  # type: ignore[misc]
                total = response.json().get("total", "")
                worst = max(worst, median)
                ratio = f"{whole / median:6.0f}x"
                print(
                    f"{name:36} {1e3 * median:7.1f} ms, slowest {1e3 * slowest:7.1f} ms {ratio}"
                    f" {total:>8}"
                )
            top = resident(server.pid, "VmHWM")
            print(
                f"slowest median: {1e3 * worst:.0f} ms; the server's memory: {top:.0f} MB at most"
            )
            return first < FIRST_PAGE and worst < FILTER and top < MEMORY
        finally:
            server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--consultations", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="keep the run here, and use it when it is there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.keep and given.keep.exists():
            path = given.keep
        else:
            path, kept, indexed = build(Path(folder), given.consultations)
            print(f"finish: {kept:.2f} ms a consultation, of which the index is {indexed:.2f} ms")
            if given.keep:
                path = path.rename(given.keep)
        with RunFile.open(path) as file:
            print(f"{file.status().done:,} consultations, {path.stat().st_size / 2**20:.0f} MB")
        if not page(path):
            raise SystemExit("a bound does not hold")


if __name__ == "__main__":
    main()
