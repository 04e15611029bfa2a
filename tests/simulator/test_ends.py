"""How a command ends: its exit code, what it leaves behind, and what stands on standard output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import invalidate_caches
from multiprocessing import get_context
from pathlib import Path

import pytest

from osler.errors import UserError
from osler.runs.store import RunFile, RunWriter
from tests.conftest import LONGEST_WAIT, Run
from tests.models.server import Step
from tests.simulator.model_server import model_server

LOUD = """
import os
print("printed while it is imported")
os.write(1, b"written past Python\\n")
from osler.memory.none import NoMemory

class Loud(NoMemory):
    name = "loud"

    async def remember(self, turn):
        print("printed while it remembers")
        return await super().remember(turn)

class Wrong:
    def __init__(self):
        pass

class Partial:
    def __init__(self, settings):
        pass
"""


@pytest.fixture
def loud(tmp_path: Path) -> str:
    """A memory that lies in the folder we work in, and prints."""
    (tmp_path / "my_memory.py").write_text(LOUD)
    (tmp_path / "queue.py").write_text(
        "raise RuntimeError('the library has a module of this name')\n"
    )
    return "my_memory:Loud"


def command(*args: str) -> list[str]:
    """As it is installed: the folder one works in is not on the module path."""
    return [sys.executable, "-P", "-m", "osler", *args]


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*args),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_WAIT,
    )


def started(folder: Path, *args: str) -> subprocess.Popen[str]:
    """As the shell starts it: a group of processes that a Ctrl-C goes to."""
    return subprocess.Popen(
        command(*args),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


def test_a_run_in_which_all_failed_exits_1_and_one_in_which_some_did_exits_0(
    osler: Run, tmp_path: Path
) -> None:
    refused = Step(status=400, message="no")
    plan = (
        "simulate",
        "--limit",
        "2",
        "--turns",
        "2",
        "--patient",
        "rules",
        "--json",
        "--out",
        "new",
    )
    with model_server(lambda _: refused) as server:
        done = osler(*plan, "--backbone", server.spec)
        assert done.returncode == 1 and json.loads(done.stdout)["failed"] == 2
        assert done.stderr.startswith("osler: every consultation failed: `osler runs failures new`")
        assert done.stderr.count("\n") == 1
        again = osler(*plan, "--backbone", server.spec)
        assert again.returncode == 1 and json.loads(again.stdout)["held"] == 0
        assert osler("runs", "retry", "latest", "--json").returncode == 1
        assert (
            osler(*plan[:-1], "some", "--backbone", server.spec, "--backbone", "rules").returncode
            == 0
        )


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_a_run_in_order_and_its_code_says_which(
    tmp_path: Path, name: str, code: int
) -> None:
    with model_server(latency=0.2) as server:
        process = started(
            tmp_path, "simulate", "--backbone", server.spec, "--limit", "40", "--json"
        )
        while not server.requests:
            time.sleep(0.02)
        os.kill(process.pid, getattr(signal, name))
        out, err = process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == code, err
    assert json.loads(out)["stopped_by"] == "interrupted"
    assert err.startswith("osler: the run stopped: it was interrupted") and err.count("\n") == 1


def workers_of(pid: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"engines.process" in (entry / "cmdline").read_bytes():
                yield int(entry.name)
        except (OSError, ValueError, IndexError):
            continue


def test_ctrl_c_while_workers_start_fails_no_consultation(tmp_path: Path) -> None:
    process = started(tmp_path, "simulate", "--limit", "20", "--workers", "2", "--json")
    while not list(workers_of(process.pid)):
        time.sleep(0.01)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    out, err = process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert json.loads(out)["failed"] == 0


@pytest.mark.parametrize("how", [(), ("--workers", "2")])
def test_json_stands_alone_on_standard_output(
    tmp_path: Path, loud: str, osler: Run, how: tuple[str, ...]
) -> None:
    args = ("--memory", loud, "--case", "gout", "--turns", "2", "--json", *how)
    done = run(tmp_path, "simulate", *args)
    assert done.returncode == 0 and json.loads(done.stdout)["done"] == 2, done.stderr
    assert "printed while it is imported" in done.stderr and "written past Python" in done.stderr
    if not how:
        assert json.loads(run(tmp_path, "runs", "retry", "latest", "--json").stdout)["held"] == 0
        assert json.loads(run(tmp_path, "probe", "latest", "--json").stdout)["rows"]
        assert json.loads(osler("runs", "status", "latest", "--json").stdout)["done"] == 2
        assert json.loads(osler("records", "show", "gout-en", "--json").stdout)["id"] == "gout-en"
        assert json.loads(osler("compare", "latest", "--format", "json").stdout)


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("raw,zzz=1", "the memory raw has no option 'zzz'; it has no options at all: write raw"),
        ("none,x=1", "the memory none has no option 'x'"),
        (
            "tim,zzz=1",
            "options are mode, k, groups, probes, inferences, facts, embedder, integrate",
        ),
        ("tim,k=1,k=2", "each of them once"),
        ("my_memory:Wrong", "cannot be made: TypeError"),
        ("my_memory:Partial", "gives a Partial, which is no Memory"),
        ("my_memory:Nobody", "cannot be loaded"),
        ("queue:Queue", "gives a Queue, which is no Memory"),
        ("sys:exit", "cannot be made"),
        (":Class", "cannot be loaded"),
        ("broken:Class", "cannot be loaded: SyntaxError"),
        ("leaving:Class", "cannot be loaded: SystemExit"),
    ],
)
def test_a_memory_that_cannot_be_made_is_one_line_and_leaves_nothing(
    osler: Run, tmp_path: Path, loud: str, monkeypatch: pytest.MonkeyPatch, memory: str, said: str
) -> None:
    (tmp_path / "broken.py").write_text("def\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = files(tmp_path)
    done = osler("simulate", "--memory", memory, "--limit", "1")
    for name in ("my_memory", "broken", "leaving"):  # the next test has others of these names
        sys.modules.pop(name, None)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2 and last.startswith("osler: the memory") and said in last, (
        done.stderr
    )
    assert "Traceback" not in done.stderr and files(tmp_path) == before


def test_verify_names_a_memory_that_it_cannot_import(
    tmp_path: Path, loud: str, osler: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queue.py").unlink()
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert (
        osler(
            "simulate", "--memory", loud, "--case", "gout-en", "--turns", "2", "--quiet"
        ).returncode
        == 0
    )
    assert osler("verify", "latest").returncode == 0
    (tmp_path / "my_memory.py").unlink()
    sys.modules.pop("my_memory")
    invalidate_caches()
    done = osler("verify", "latest")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "osler: the memory 'my_memory:Loud' cannot be loaded: No module named 'my_memory'"
    )
    assert done.stderr.count("\n") == 1


def test_a_run_can_have_the_name_of_a_folder(osler: Run, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    assert (
        osler(
            "simulate", "--case", "gout-en", "--turns", "1", "--out", "first", "--quiet"
        ).returncode
        == 0
    )
    assert files(tmp_path) == {"first", "runs", "runs/first.osler"}
    assert osler("show", "first", "gout").returncode == 0
    for name in (".", "..", "/"):
        refused = osler("simulate", "--case", "gout-en", "--out", name)
        assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert files(tmp_path) == {"first", "runs", "runs/first.osler"}


@pytest.mark.parametrize(
    "args",
    [
        ("--case", "gout-en", "--case", "nobody"),
        ("--pool", "pool.jsonl"),
        ("--limit", "1", "--engine", "ray", "--ray-address", "127.0.0.1:1"),
        ("--limit", "1", "--backbone", "local:nowhere.gguf"),
        ("--limit", "1", "--max-cost", "1", "--backbone", "m@http://127.0.0.1:1/v1"),
        ("--limit", "1", "--backbone", "m@http://127.0.0.1:1/v1", "--cache", "pool.jsonl"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(
    osler: Run, tmp_path: Path, args: tuple[str, ...]
) -> None:
    good = osler("records", "show", "gout-en", "--json").stdout
    (tmp_path / "pool.jsonl").write_text(json.dumps(json.loads(good)) + '\n{"id": "broken"}\n')
    before = files(tmp_path)
    done = osler("simulate", *args, "--quiet", "--out", "new/folder/run")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert files(tmp_path) == before


def test_a_refused_command_leaves_a_run_as_it_was(osler: Run, tmp_path: Path) -> None:
    assert (
        osler("simulate", "--case", "gout-en", "--turns", "1", "--quiet", "--out", "new").returncode
        == 0
    )
    before, body = files(tmp_path), (tmp_path / "runs" / "new.osler").read_bytes()
    assert before == {"runs", "runs/new.osler"}
    assert (
        "other settings"
        in osler("simulate", "--case", "gout-en", "--turns", "2", "--out", "new").stderr
    )
    assert (files(tmp_path), (tmp_path / "runs" / "new.osler").read_bytes()) == (before, body)
    with RunFile.open(tmp_path / "runs" / "new.osler") as known, pytest.raises(UserError):
        RunWriter.create_or_resume(known.path, {**known.about(), "version": "0"})
    assert files(tmp_path) == before


def _count(path: Path, times: int) -> None:
    """Add to a number in a file, which goes wrong as soon as two do it at once."""
    number = path.with_name("number")
    for _ in range(times):
        while True:
            try:
                run = RunWriter.create_or_resume(path, {"settings": {"seed": 1}})
                break
            except UserError:
                time.sleep(0.001)
        with run:
            read = int(number.read_text())
            time.sleep(0.002)
            number.write_text(str(read + 1))


def test_writers_keep_each_other_out_although_the_lock_is_removed(tmp_path: Path) -> None:
    path, context = tmp_path / "run.osler", get_context("fork")
    (tmp_path / "number").write_text("0")
    counting = [context.Process(target=_count, args=(path, 20)) for _ in range(4)]
    for process in counting:
        process.start()
    for process in counting:
        process.join()
    assert (tmp_path / "number").read_text() == "80"
    assert files(tmp_path) == {"number", "run.osler"}
