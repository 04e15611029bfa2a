"""How near a run comes to what its model server allows, and what it costs to drive it.

python benchmarks/throughput.py                      all parts
python benchmarks/throughput.py --only cpu           one part: cpu, workers, rules, memory or
                                                     status, each under three minutes on two free
                                                     cores, clients, under ten, or efficiency, a
                                                     quarter of an hour
python benchmarks/throughput.py --only clients --inspect PYTHON
                                                     beside inspect_ai, by a Python that has it: its
                                                     requirements exclude some of ours, so that it
                                                     needs an environment of its own (`python -m
                                                     venv X && X/bin/pip install inspect-ai openai`)

Runs of `osler simulate` in a process of their own are measured, against `loopback.py`, a stand-in
for a model server that answers each request after a fixed time. Machines are noisy: compare what
one run prints, not runs of two days.

efficiency  ideal time / measured time, where ideal is calls x latency / 64 at 64 calls in flight:
            what a driver without any work of its own would take. `bound` is the same with the
            longest consultation as its floor. A batch of some two thousand consultations, and a
            short run of a quarter of them: loading what is read once, and the last consultations,
            with ever fewer calls under way, take as long in both. `steady` is the efficiency of
            what the long one has more: what the middle of a batch has. Beside it one consultation
            at a time, a few of them and extrapolated per call. The CPU time a call is that of the
            whole process here, starting up included.
clients     the share of the ideal rate and the CPU time a call at 200 ms and at 1 s, with raw
            memory: `MODEL@URL`, and `openai:MODEL` through AutoGen's client and OpenAI's SDK.
            Beside them a bare aiohttp loop and inspect_ai, which repeat the prompts of the same
            consultations; inspect_ai writes its log as well. Neither retrieves, checks or remembers
            anything. Shares are of the whole run; CPU times are from the difference of a long and a
            short run.
cpu         CPU time (user and system) a model call, from the difference of a long and a short run,
            so that starting up does not count. At 64 in flight and 200 ms there are 3.1 ms for
            everything a call brings with it.
workers     calls a second at a latency of 20 ms, where asking itself is the bottleneck, in one
            process and in two.
rules       consultations a second without any model.
memory      the largest resident size after 100 and after 5,000 consultations: without a model, and
            with one whose texts differ for every call, four questions at most.
status      `osler runs status` of a run with 20,000 consultations.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from osler.runs.events import Called, Role
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter
from osler.settings.run_settings import RunSettings

AT_ONCE = 64
LATENCY, SHORT, LONG = 0.2, 0.02, 1.0
TURNS = 10
TRIALS = 6
BATCH = 4
"""How many times as many trials the long run for the efficiency has."""
FEW = 4
STORED = 20_000


class Ran(NamedTuple):
    """One run of the command line, measured from outside."""

    told: dict[str, Any]
    cpu: float
    megabytes: float
    seconds: float


def osler(*arguments: str) -> Ran:
    """Run one of Osler's commands."""
    return measured([str(Path(sys.executable).with_name("osler")), *arguments])


def measured(command: list[str]) -> Ran:
    """Run a command that prints one line of JSON."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        out.seek(0)
        told = json.loads(out.read())
    return Ran(
        told, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, time.perf_counter() - began
    )


def simulate(out: Path, *arguments: str) -> Ran:
    """Hold consultations; a failure would make a fast run of a broken one."""
    ran = osler("simulate", "--quiet", "--json", "--out", str(out), *arguments)
    if ran.told["failed"] or ran.told["todo"]:
        raise SystemExit(f"the run {out} is not whole: {ran.told}")
    return ran


@contextmanager
def server(latency: float) -> Iterator[str]:
    """A model server in a process of its own; its spec."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("loopback.py")),
        "--latency",
        str(latency),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"loopback@{process.stdout.readline().strip()}"
        assert process.stdin is not None
        process.stdin.close()


def asking(spec: str, memory: str, trials: int, at_once: int = AT_ONCE) -> list[str]:
    models = ["--backbone", spec, "--patient", spec, "--memory", memory]
    return [*models, "--turns", str(TURNS), "--trials", str(trials), "--concurrency", str(at_once)]


def title(text: str, *columns: str) -> None:
    print(f"\n{text}\n  {'':34}" + "".join(f"{column:>12}" for column in columns), flush=True)


def line(name: str, *values: str) -> None:
    print(f"  {name:34}" + "".join(f"{value:>12}" for value in values), flush=True)


def calls_of(run: Path) -> list[list[Called]]:
    """The calls of every consultation that had to wait for each other.

    A memory thinks beside doctor and patient.
    """
    with RunFile.open(run) as opened:
        return [
            [call for call in one.of(Called) if call.role is not Role.MEMORY]
            for one in opened.transcripts()
        ]


def efficiency(folder: Path, trials: int) -> None:
    title(
        f"{AT_ONCE} calls in flight, {LATENCY * 1000:.0f} ms a call",
        *(
            "cases",
            "calls",
            "ideal s",
            "bound s",
            "measured s",
            "efficiency",
            "steady",
            "CPU ms/call",
        ),
    )
    with server(LATENCY) as spec:
        for memory in ("raw", "tim"):
            runs = [folder / f"{memory}-{size}.osler" for size in ("short", "long")]
            short, long = (
                simulate(run, *asking(spec, memory, count))
                for run, count in zip(runs, (trials, BATCH * trials), strict=True)
            )
            for name, run, ran in zip(("a short run", "a batch"), runs, (short, long), strict=True):
                middle = steady(short, long) if ran is long else "-"
                figures = (
                    ran.told["session_seconds"],
                    ran.told["calls"],
                    calls_of(run),
                    ran.cpu,
                    middle,
                )
                told(f"osler, {memory}, {name}", *figures)
        chains = calls_of(folder / "raw-short.osler")
        calls = sum(map(len, chains))
        alone = simulate(folder / "one.osler", *asking(spec, "raw", 1, 1), "--sample", str(FEW))
        each = alone.told["session_seconds"] / alone.told["calls"]
        told(f"one at a time, from {FEW} cases", each * calls, calls, chains)


def steady(short: Ran, long: Ran) -> str:
    """The efficiency of what the long run has more than the short one."""
    calls, seconds = (long.told[name] - short.told[name] for name in ("calls", "session_seconds"))
    return f"{calls * LATENCY / AT_ONCE / seconds:.3f}"


def told(
    name: str,
    seconds: float,
    calls: int,
    chains: list[list[Called]],
    cpu: float | None = None,
    steady: str = "-",
) -> None:
    ideal = calls * LATENCY / AT_ONCE
    bound = max(ideal, max(map(len, chains)) * LATENCY)
    figures = (f"{ideal:.1f}", f"{bound:.1f}", f"{seconds:.1f}", f"{ideal / seconds:.3f}")
    each = "-" if cpu is None else f"{cpu / calls * 1000:.2f}"
    line(name, f"{len(chains):,}", f"{calls:,}", *figures, steady, each)


def clients(folder: Path, trials: int, inspect: str | None) -> None:
    for latency in (LATENCY, LONG):
        title(
            f"{AT_ONCE} calls in flight, {latency * 1000:.0f} ms a call, raw",
            "calls",
            "of ideal",
            "CPU ms/call",
        )
        with server(latency) as spec:
            url = spec.partition("@")[2]
            os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
            prompts: list[Path] = []
            for name in (spec, "openai:loopback"):
                runs = [
                    folder / f"{name[:6]}-{latency}-{count}.osler" for count in (1, 1 + trials // 2)
                ]
                counts = (1, 1 + trials // 2)
                short, long = (
                    simulate(run, *asking(name, "raw", count))
                    for run, count in zip(runs, counts, strict=True)
                )
                compared(f"osler, {name.partition('@')[0]}", latency, short, long)
                prompts = prompts or [prompts_of(run) for run in runs]
            short, long = (bare(url, calls) for calls in prompts)
            compared("a bare aiohttp loop", latency, short, long)
            if inspect is not None:
                short, long = (replayed(inspect, url, calls) for calls in prompts)
                compared("inspect_ai, openai/loopback", latency, short, long)


def compared(name: str, latency: float, short: Ran, long: Ran) -> None:
    calls = long.told["calls"]
    share = calls * latency / AT_ONCE / long.told["session_seconds"]
    each = (long.cpu - short.cpu) / (calls - short.told["calls"]) * 1000
    line(name, f"{calls:,}", f"{share:.3f}", f"{each:.2f}")


def prompts_of(run: Path) -> Path:
    """A file with the prompts of every consultation, for who repeats them."""
    out = run.with_suffix(".json")
    chains = [
        [[message.model_dump() for message in call.messages] for call in calls]
        for calls in calls_of(run)
    ]
    out.write_text(json.dumps(chains))
    return out


def replayed(python: str, url: str, prompts: Path) -> Ran:
    script = str(Path(__file__).with_name("inspect_prompts.py"))
    return measured([python, script, url, str(prompts), str(AT_ONCE)])


def bare(url: str, prompts: Path) -> Ran:
    """The same prompts, asked by a loop that does nothing else."""
    script = str(Path(__file__).with_name("bare_loop.py"))
    return measured([sys.executable, script, url, str(prompts), str(AT_ONCE)])


def cpu(folder: Path, trials: int) -> None:
    title(
        f"CPU a model call, {AT_ONCE} in flight, {SHORT * 1000:.0f} ms a call", "calls", "ms/call"
    )
    with server(SHORT) as spec:
        for memory in ("raw", "tim"):
            short = simulate(folder / f"short-{memory}.osler", *asking(spec, memory, 1))
            long = simulate(folder / f"long-{memory}.osler", *asking(spec, memory, 1 + trials // 2))
            calls = long.told["calls"] - short.told["calls"]
            line(f"osler, {memory}", f"{calls:,}", f"{(long.cpu - short.cpu) / calls * 1000:.2f}")


def workers(folder: Path, trials: int) -> None:
    title(
        f"{AT_ONCE} in flight, {SHORT * 1000:.0f} ms a call, raw",
        "calls",
        "seconds",
        "calls/s",
        "of one",
    )
    one = 0.0
    with server(SHORT) as spec:
        for count in (1, 2):
            run = folder / f"workers-{count}.osler"
            ran = simulate(run, *asking(spec, "raw", trials), "--workers", str(count))
            seconds, calls = ran.told["session_seconds"], ran.told["calls"]
            one = one or calls / seconds
            name = f"--workers {count}"
            line(
                name,
                f"{calls:,}",
                f"{seconds:.1f}",
                f"{calls / seconds:.0f}",
                f"{calls / seconds / one:.2f}",
            )


def rules(folder: Path, trials: int) -> None:
    title("without a model", "cases", "seconds", "cases/s")
    for memory in ("raw", "tim"):
        ran = simulate(
            folder / f"rules-{memory}.osler", "--memory", memory, "--trials", str(trials)
        )
        done, seconds = ran.told["held"], ran.told["session_seconds"]
        line(f"osler, {memory}", f"{done:,}", f"{seconds:.1f}", f"{done / seconds:.1f}")


def memory(folder: Path, _: int) -> None:
    title("largest resident size", "cases", "MB")
    growth(folder / "rules", "without a model", [])
    with server(0.0) as spec:
        models = [
            "--backbone",
            spec,
            "--patient",
            spec,
            "--turns",
            "4",
            "--concurrency",
            str(AT_ONCE),
        ]
        growth(folder / "models", "texts that never come twice", models)


def growth(run: Path, name: str, models: list[str]) -> None:
    sizes = []
    for trials in (2, 100):
        ran = simulate(
            run.with_suffix(f".{trials}.osler"), "--sample", "50", "--trials", str(trials), *models
        )
        sizes.append(ran.megabytes)
        line(f"raw, {name}", f"{ran.told['held']:,}", f"{ran.megabytes:.0f}")
    line("growth", "", f"{sizes[1] - sizes[0]:.0f}")


def status(folder: Path, _: int) -> None:
    simulate(folder / "seed.osler", "--sample", "50")
    began = time.perf_counter()
    size = stored(folder / "seed.osler", folder / "stored.osler")
    seconds = min(
        osler("runs", "status", str(folder / "stored.osler"), "--json").seconds for _ in range(3)
    )
    title("a run with many consultations", "cases", "MB", "written s", "status s")
    written = time.perf_counter() - began - seconds
    line(
        "osler runs status", f"{STORED:,}", f"{size / 1e6:.0f}", f"{written:.0f}", f"{seconds:.2f}"
    )


def stored(seed: Path, out: Path) -> int:
    """A run of many finished consultations, each with the transcript of one that was held.

    Its size.
    """
    with RunFile.open(seed) as known:
        about = known.about()
        transcripts = {one.header.case: one for one in known.transcripts()}
        records = [known.record(case) for case in transcripts]
    with RunWriter.create_or_resume(out, about) as run:
        settings = RunSettings.from_json(about["settings"])
        planned = run.extend(Plan(records, trials=STORED // len(records), settings=settings))
        run.begin({})
        for number in planned.todo:
            run.finish(number, transcripts[run.cell(number).case])
    return out.stat().st_size


PARTS: dict[str, Callable[[Path, int], None]] = {
    "efficiency": efficiency,
    "cpu": cpu,
    "workers": workers,
    "rules": rules,
    "memory": memory,
    "status": status,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", choices=[*PARTS, "clients"], action="append", help="one part (repeatable)"
    )
    parser.add_argument(
        "--inspect", metavar="PYTHON", help="a Python with inspect_ai, for the part clients"
    )
    parser.add_argument(
        "--trials", type=int, default=TRIALS, help="consultations of each bundled patient"
    )
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    parts = PARTS | {"clients": partial(clients, inspect=options.inspect)}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.only or parts:
            parts[part](Path(folder), options.trials)


if __name__ == "__main__":
    main()
