"""Bad input for every command: none may end in a traceback, pass for good, take long, or leave files behind.

python benchmarks/bad_inputs.py [--only COMMAND] [--list]

Each command is known by one good call. Bad calls are made from it in two ways: an argument is replaced by each bad one
of its kind (a run that is no run, a pool that is damaged, a model that is not there), and every option of the command
is given values that its type does not have. A call runs in a process of its own, forked from this one so that no time
is spent on imports, in a fresh copy of one folder. One line is printed for each call that

  traceback   ended in one, or was killed,
  accepted    exited with 0 although it should have been refused,
  slow        took more than FACTOR times as long as the good call, and more than FLOOR seconds, twice,
  left        was refused and left something in the folder.

It exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from typer.main import get_command

from osler.cli import app, main
from osler.runs.store.connection import checksum

FACTOR, FLOOR, LIMIT = 5.0, 3.0, 60.0
"""How much slower than good input, from how many seconds on, and when a call is killed."""
WAITS = 20.0
"""The floor for a server that does not answer: it is tried again, with pauses."""
MEMORY = 8 * 2**30

GOOD = {
    "simulate": "--case gout-en --backbone rules --patient rules --memory raw --pool pool --turns 2 --quiet --out new",
    "show": "run gout-en --memory raw",
    "play": "--case gout-en --pool pool --patient rules --memory raw --out new",
    "replay": "run gout-en --memory raw --plain",
    "diff": "run gout-en --memory raw --memory none",
    "compare": "run",
    "score": "run",
    "probe": "run --backbone rules",
    "explain": "run",
    "report": "run --out new.html",
    "view": "run --no-browser --port 0",
    "export": "run --out folder",
    "runs list": "runs",
    "runs status": "run",
    "runs failures": "run",
    "runs retry": "run --quiet",
    "runs check": "run",
    "records list": "--pool pool",
    "records show": "gout-en --pool pool",
    "records validate": "pool",
    "records convert": "pool new.jsonl --id gout-en",
    "records schema": "",
    "backbones check": "rules",
    "models pull": "smollm2",
    "models list": "",
    "memory show": "run gout-en --memory raw",
    "rate export": "run --out new.xlsx",
    "rate import": "sheet.xlsx --key sheet.key.json --run run",
}
ENDLESS = {"view", "models pull"}
"""These serve, or go to the network, when all is well: they are measured against the floor alone."""
SAID = {"play": "Any fever?\nquit\n"}

LONG = "n" * 300
ODD = "\u202eeman\u202c\U0001f9ea"


def bad(names: str) -> list[str]:
    """Files of the folder `bad`."""
    return [f"bad/{name}" for name in names.split()]


NO_RUN = ["nowhere", "runs", "/dev/null", "..", "", LONG, ODD]
NO_RUN += bad(
    "empty.osler junk.osler text.osler other.osler half.osler folder.osler loop.osler dangling.osler later.osler"
)
DAMAGED = bad(
    "headless.osler about.osler transcripts.osler records.osler flipped.osler nosettings.osler verdicts.osler"
)
DAMAGED += bad("tables.osler")
"""What is sound in these may be shown: exit 0 is no fault, a traceback is."""
NO_POOL = ["nowhere", "bad", "/dev/null", LONG, ODD]
NO_POOL += bad("none junk.yaml empty.jsonl deep.json deep.yaml bomb.yaml long.jsonl wide.csv junk.xlsx half.xlsx")
NO_POOL += bad("latin.jsonl types.jsonl nul.jsonl loop.osler text.osler list.json")
NO_CASE = ["nobody", "", "gout-en'; DROP TABLE cells; --", LONG, ODD, "../gout-en"]
NO_SPEC = ["elephant", "openai:", "@", "m@", "m@ftp://x/v1", "m@http://", "human@x"]
NO_SPEC += ["local:nowhere.gguf", "local:bad/junk.osler", "local:bad"]
NO_SPEC += ["m@http://127.0.0.1:99999/v1", "m@http://[::1/v1", "m@http://a b/v1", "m@http://\udcff/v1", "", ODD, LONG]
NO_MEMORY = ["elephant", "raw,zzz=1", "none,x=1", "tim,k=0", "tim,k=x", "tim,k=", "tim,k=1,k=2", "tim,groups=3"]
NO_MEMORY += ["tim,embedder=zzz", "tim,mode=zzz"]
NO_MEMORY += ["no.such:Thing", ":", "os:", ":x", ",,,", "sys:exit", "os:getcwd", ".:x", "", ODD, LONG]
NO_SHEET = ["nowhere.xlsx", "bad", "/dev/null", *bad("junk.xlsx half.xlsx empty.jsonl wide.csv text.osler")]
NO_KEY = ["nowhere.json", "bad", "/dev/null", *bad("junk.yaml empty.jsonl deep.json list.json wrong.key.json")]
NO_PLACE = ["bad/folder.osler", "bad/text.osler/new", "/proc/new", f"{LONG}/{LONG}"]
NO_FILE = ["bad", "nowhere/new.x", "/dev/full", *NO_PLACE[1:]]

BY_TOKEN = {
    "run": (NO_RUN, DAMAGED),
    "pool": (NO_POOL, bad("twice.jsonl")),
    "gout-en": (NO_CASE, []),
    "raw": (NO_MEMORY, []),
    "rules": (NO_SPEC, []),
    "sheet.xlsx": (NO_SHEET, []),
    "sheet.key.json": (NO_KEY, []),
    "new": (NO_PLACE, ["bad/loop.osler"]),
    "folder": (NO_PLACE[1:], ["bad/loop.osler", "bad/none"]),
    "new.html": (NO_FILE, ["bad/loop.osler"]),
    "new.xlsx": ([*NO_FILE, "new.doc"], ["bad/loop.osler"]),
    "new.jsonl": ([*NO_FILE, "new.doc"], ["bad/loop.osler"]),
    "runs": ([], ["nowhere", "bad", "bad/text.osler", LONG, ODD]),
    "smollm2": (["", "elephant", LONG, ODD], []),
}
"""For each argument of the good calls: what must be refused in its place, and what need not be but may not break."""

FURTHER = [
    "simulate --pool bad/second.jsonl --out new",
    "simulate --case gout-en --case nobody --out new",
    "simulate --case gout-en --language zh --out new",
    "simulate --language fr",
    "simulate --specialty astrology --out new",
    "simulate --case gout-en --max-cost 1 --backbone m@http://127.0.0.1:{closed}/v1",
    "simulate --case gout-en --engine ray --ray-address 127.0.0.1:{closed} --out new",
    "simulate --case gout-en --engine ray --ray-address nonsense --out new",
    "simulate --case gout-en --turns 4 --out run",
    "simulate --case gout-en --patient m@http://127.0.0.1:{closed}/v1 --out new",
    "simulate --case gout-en --turns 2 --backbone m@http://127.0.0.1:{closed}/v1 --out new",
    "simulate --case gout-en --turns 2 --ram m@http://127.0.0.1:{closed}/v1 --patient elephant --out new",
    "simulate --case gout-en --backbone rules --cache bad --out new",
    "simulate --case gout-en --backbone m@http://127.0.0.1:{closed}/v1 --cache bad/junk.osler --out new",
    "simulate --case gout-en --one-step --memory one-step,x=1 --out new",
    "backbones check m@http://127.0.0.1:{closed}/v1",
    "score run --all --judge m@http://127.0.0.1:{closed}/v1",
    "score run --judge m@http://127.0.0.1:{closed}/v1 --judge m@http://127.0.0.1:{closed}/v1",
    "score run --judge person:li",
    "score run --all",
    "score run --examples",
    "score run --person li",
    "score run --verdicts nowhere.xlsx",
    "score run --verdicts nowhere.xlsx --person li",
    "score run --verdicts bad/junk.osler --person li",
    "score run --verdicts bad/list.json --person li",
    "score run --sheet new.csv",
    "score run --sheet nowhere/new.xlsx",
    "score run --judge elephant",
    "score run --test-prices nowhere.yaml",
    "score run --test-prices bad",
    "score run --test-prices bad/junk.yaml",
    "score run --test-prices bad/deep.yaml",
    "score run --test-prices bad/bomb.yaml",
    "score run --test-prices bad/list.json",
    "probe run --backbone m@http://127.0.0.1:{closed}/v1",
    "probe run --memory elephant",
    "probe run --k 0",
    "probe run --k 1,x",
    "probe run --k 99999999999999999999999999",
    "compare run --judge nobody",
    "compare run --against elephant",
    "compare run nowhere",
    "compare",
    "report run --judge nobody --out new.html",
    "report run --figures bad/text.osler --out new.html",
    "report run --out runs/run.osler --force",
    "replay run",
    "replay run gout-en",
    "replay run gout-en --memory raw --memory none",
    "replay run gout-en --memory raw --verify --fork-at 1",
    "replay run gout-en --memory raw --memory none --fork-at 0",
    "replay run gout-en --memory raw --memory none --fork-at 999",
    "replay run gout-en --memory raw --memory elephant --fork-at 1",
    "replay run gout-en --memory raw --memory raw --backbone m@http://127.0.0.1:{closed}/v1 --fork-at 1",
    "replay run nobody --verify",
    "replay bad/foreign.osler --verify",
    "probe bad/foreign.osler",
    "runs retry bad/foreign.osler",
    "diff run gout-en --memory raw",
    "diff run gout-en --memory raw --memory none --memory raw",
    "diff run gout-en --with nowhere --memory raw",
    "play --case gout --pool pool",
    "play --language fr",
    "play --as nurse",
    "play --patient m@http://127.0.0.1:{closed}/v1 --case gout-en",
    "view --token short",
    "view run --host nowhere.invalid --no-browser",
    "view run --host 203.0.113.1 --no-browser",
    "view run --port {taken} --no-browser",
    "export run --out pool",
    "export run --format pdf --out new",
    "records convert pool new --to pdf",
    "records convert pool new.jsonl --to spbench",
    "records convert pool new.csv",
    "records list --specialty astrology",
    "rate export run --raters 0",
    "rate import sheet.xlsx",
    "rate import sheet.xlsx sheet.xlsx --key sheet.key.json",
    "rate import sheet.xlsx --key sheet.key.json --out bad",
    "nonsense",
    "runs nonsense",
    "records show",
    "show run gout-en extra",
    "--nonsense",
    "simulate --turns",
]
"""Calls that the tables do not make: two options that do not go together, servers, what is not there."""
NOT_REFUSED = {"records list --specialty astrology", "simulate --case gout-en --backbone rules --cache bad --out new"}
NEED_MORE_TIME = ("{closed}", "--engine ray", "203.0.113.1")
STARTED = ("{closed}/v1 --out new",)
"""A run whose server is down has begun: it stays, and goes on when the server is there."""


@dataclass(frozen=True)
class Call:
    """One bad call."""

    command: str
    args: tuple[str, ...]
    must_fail: bool = True
    floor: float = FLOOR
    may_leave: bool = False

    @property
    def line(self) -> str:
        """As one would type it, shortened."""
        return " ".join(ascii(arg)[1:-1][:60] if arg else "''" for arg in ("osler", *self.args))


@dataclass
class Outcome:
    """How a call ended."""

    code: int
    seconds: float
    said: str
    left: set[str] = field(default_factory=set)
    killed: bool = False


def options(command: Any) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every option of a command that takes a value: its name, values that it cannot have, and values it may have."""
    for option in command.params:
        names = [name for name in option.opts if name.startswith("--")]
        if not names or names[0] in ("--help", "--install-completion", "--show-completion"):
            continue
        kind = option.type_descriptor
        if kind.is_choice:
            yield names[0], ["elephant", ""], []
        elif getattr(option, "is_flag", False):
            yield f"{names[0]}=1", [""], []
        elif kind.annotation in (int, list[int]):
            least = getattr(kind.parameter_info, "min", None)
            low = [str(least - 1)] if least is not None else []
            yield names[0], ["x", "1.5", "", "1e3", *low], ["9" * 30, "-1"] if least is None else ["9" * 30]
        elif kind.annotation in (float, list[float]):
            yield names[0], ["x", "", "nan", "-1"], ["inf", "1e400"]
        elif kind.annotation in (Path, list[Path]):
            yield names[0], ["\udcff"], ["", LONG]
        else:
            yield names[0], ["\udcff"], ["", LONG, ODD]


def calls(commands: dict[str, Any], ports: dict[str, int]) -> Iterator[Call]:
    """All bad calls. What an endless command may take is left out: it would go on."""
    made = (*by_tables(commands), *further(commands, ports))
    return (call for call in made if call.must_fail or call.command not in ENDLESS)


def by_tables(commands: dict[str, Any]) -> Iterator[Call]:
    for name, command in commands.items():
        good = GOOD[name].split()
        for place, token in enumerate(good):
            refused, tolerated = BY_TOKEN.get(token, ([], []))
            for given in (*refused, *tolerated):
                yield Call(name, (*name.split(), *good[:place], given, *good[place + 1 :]), given in refused)
        for option, refused, tolerated in options(command):
            for value in (*refused, *tolerated):
                given = (option, value) if "=" not in option else (option,)
                yield Call(name, (*name.split(), *good, *given), value in refused)


def further(commands: dict[str, Any], ports: dict[str, int]) -> Iterator[Call]:
    for line in FURTHER:
        filled = line.format(**ports).split()
        command = next((name for name in commands if filled[: len(name.split())] == name.split()), "")
        floor = WAITS if any(part in line for part in NEED_MORE_TIME) else FLOOR
        yield Call(command, tuple(filled), line not in NOT_REFUSED, floor, line.endswith(STARTED))


def leaves(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """The commands that do something, by what is typed to call them."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, *names, name)
        else:
            yield " ".join((*names, name)), command


def in_this_process(*args: str) -> int:
    """Make a call here: what it loads is loaded for all that follow."""
    sys.argv = ["osler", *args]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            main()
    except SystemExit as end:
        return int(end.code or 0)


def attempt(args: tuple[str, ...], template: Path, said: str) -> Outcome:
    """Make a call in a process of its own, in a fresh copy of the folder."""
    with tempfile.TemporaryDirectory(prefix="osler-bad-") as place:
        folder, heard = Path(place) / "work", Path(place) / "heard"
        shutil.copytree(template, folder, symlinks=True)
        (Path(place) / "said").write_text(said)
        before = listing(folder)
        began = time.monotonic()
        child = os.fork()
        if not child:
            in_child(args, folder, heard)
        code, killed = waited(child)
        seconds = time.monotonic() - began
        told = heard.read_text("utf-8", "replace") if heard.exists() else ""
        return Outcome(code, seconds, told, listing(folder) - before, killed)


def in_child(args: tuple[str, ...], folder: Path, heard: Path) -> None:
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(folder)
        os.environ.update(HOME=str(folder / "home"), OPENAI_API_KEY="")
        os.dup2(os.open(heard, os.O_WRONLY | os.O_CREAT, 0o600), 1)
        os.dup2(1, 2)
        os.dup2(os.open(folder.parent / "said", os.O_RDONLY), 0)
        sys.argv = ["osler", *args]
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def waited(child: int) -> tuple[int, bool]:
    """The exit code of a child, which is killed with all it started when its time is over."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), False
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), True


def listing(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*"))
    return {str(path) for path in found if path.parts[0] != "home" and "__pycache__" not in path.parts}


def furnish(folder: Path) -> None:
    """One run, one pool, one sheet with its key, and all that is bad."""
    os.chdir(folder)
    (folder / "home").mkdir()
    assert in_this_process("records", "convert", "bundled", "pool", "--to", "yaml", "--id", "gout", "--id", "gerd") == 0
    plan = ("--pool", "pool", "--memory", "raw", "--memory", "none", "--memory", "tim", "--turns", "3", "--quiet")
    assert in_this_process("simulate", *plan, "--out", "run") == 0
    assert in_this_process("rate", "export", "run", "--out", "sheet.xlsx", "--per-cell", "2") == 0
    rate(folder / "sheet.xlsx")
    spoiled = folder / "bad"
    spoiled.mkdir()
    for name in ("none", "folder.osler"):
        (spoiled / name).mkdir()
    (spoiled / "loop.osler").symlink_to("loop.osler")
    (spoiled / "dangling.osler").symlink_to("nothing.osler")
    junk = bytes(range(256)) * 64
    one = json.dumps(json.loads(record_json("gout-en")))
    files: dict[str, bytes | str] = {
        "empty.osler": b"",
        "junk.osler": junk,
        "text.osler": "This is no run.\n" * 50,
        "half.osler": (folder / "runs/run.osler").read_bytes()[: (folder / "runs/run.osler").stat().st_size // 2],
        "junk.yaml": junk,
        "junk.xlsx": junk,
        "half.xlsx": (folder / "sheet.xlsx").read_bytes()[:2000],
        "empty.jsonl": b"",
        "deep.json": "[" * 100_000,
        "deep.yaml": "[" * 50_000,
        "bomb.yaml": "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)),
        "long.jsonl": '{"id": "' + "x" * 20_000_000 + '"}\n',
        "wide.csv": "," * 400_000 + "\n" + "a," * 400_000 + "\n",
        "latin.jsonl": '{"id": "caf\xe9"}\n'.encode("latin-1"),
        "types.jsonl": '{"id": 7, "language": [], "age": {}, "entries": "none"}\n[]\n7\nnull\n',
        "twice.jsonl": f"{one}\n{one}\n",
        "second.jsonl": f'{one}\n{{"id": "broken"}}\n',
        "nul.jsonl": b"\0" * 5000 + b"\n",
        "list.json": "[1, 2, 3]",
        "wrong.key.json": (folder / "sheet.key.json").read_text().replace('"seed": 0', '"seed": 1'),
    }
    for name, body in files.items():
        (spoiled / name).write_bytes(body if isinstance(body, bytes) else body.encode())
    damage(folder / "runs/run.osler", spoiled)


def rate(sheet: Path) -> None:
    """Give every item of a sheet the best values."""
    from openpyxl import load_workbook

    book = load_workbook(sheet)
    page = book.worksheets[1]
    for row in range(2, page.max_row + 1):
        for column in (6, 7, 8):
            page.cell(row, column).value = 1
    book.save(sheet)


def record_json(name: str) -> str:
    from osler.records import RecordPool

    return RecordPool.open().get(name).model_dump_json(exclude_none=True)


def damage(run: Path, folder: Path) -> None:
    """Copies of a run, each spoiled in its own way."""
    changes = {
        "later": "PRAGMA user_version = 999",
        "headless": "DELETE FROM about",
        "about": "UPDATE about SET value = '['",
        "nosettings": "DELETE FROM about WHERE name = 'settings'",
        "transcripts": "UPDATE transcripts SET body = x'00112233'",
        "records": "UPDATE records SET body = x'789c0300'",
        "verdicts": "UPDATE verdicts SET verdict = 'elephant', rung = 7, because = x'00'",
        "tables": "DROP TABLE results",
        "foreign": "UPDATE cells SET memory = 'no_such_module:Memory' WHERE memory = 'raw'",
    }
    for name, change in changes.items():
        shutil.copy(run, folder / f"{name}.osler")
        with sqlite3.connect(folder / f"{name}.osler") as file:
            file.execute(change)
        file.close()
    whole = bytearray(run.read_bytes())
    for place in range(5000, len(whole), 4999):
        whole[place] ^= 0x55
    (folder / "flipped.osler").write_bytes(whole)
    with sqlite3.connect(folder / "other.osler") as file:
        file.execute("CREATE TABLE x (y)")
    file.close()
    with sqlite3.connect(folder / "foreign.osler") as file:
        for cell, body in file.execute("SELECT cell, body FROM transcripts").fetchall():
            told = zlib.decompress(body).replace(b'"memory":"raw"', b'"memory":"no_such_module:Memory"')
            changed = zlib.compress(told)
            row = (changed, checksum(changed), cell)
            file.execute("UPDATE transcripts SET body = ?, checksum = ? WHERE cell = ?", row)
    file.close()


def faults(call: Call, outcome: Outcome, good: float) -> list[str]:
    found = []
    if "Traceback (most recent call last)" in outcome.said or (outcome.code < 0 and not outcome.killed):
        found.append("traceback")
    if call.must_fail and outcome.code == 0 and not outcome.killed:
        found.append("accepted")
    if outcome.killed or outcome.seconds > max(call.floor, FACTOR * good):
        found.append("slow")
    if outcome.code == 2 and outcome.left and not call.may_leave:
        found.append("left")
    return found


def good_times(commands: dict[str, Any], folder: Path) -> dict[str, float]:
    """Seconds of each command on good input: the best of two."""
    times = {}
    for name in commands:
        if name in ENDLESS:
            times[name] = 0.0
            continue
        made = [attempt((*name.split(), *GOOD[name].split()), folder, SAID.get(name, "")) for _ in range(2)]
        for one in made:
            assert one.code == 0, f"the good call of {name} failed: {one.said[-500:]}"
        times[name] = min(one.seconds for one in made)
    return times


def prepared(folder: Path) -> dict[str, Any]:
    """The commands; everything that they import is loaded, so that a fork has it at once."""
    furnish(folder)
    commands = dict(leaves(get_command(app)))
    if unknown := commands.keys() - GOOD.keys():
        sys.exit(f"no good call is known of {', '.join(sorted(unknown))}: add it to GOOD")
    with tempfile.TemporaryDirectory() as place:
        copy = shutil.copytree(folder, Path(place) / "warm", symlinks=True)
        os.chdir(copy)
        for name in commands.keys() - ENDLESS - {"play"}:
            in_this_process(*name.split(), *GOOD[name].split())
        import osler.models.compatible
        import osler.play.terminal
        import osler.view.server  # noqa: F401
    os.chdir(folder)
    gc.freeze()
    return commands


def check(only: str | None, *, listed: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="osler-bad-") as place:
        folder = Path(place)
        commands = prepared(folder)
        with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as closing:
            ports = {"taken": taken.getsockname()[1], "closed": closing.getsockname()[1]}
            closing.close()
            made = [one for one in calls(commands, ports) if only in (None, one.command)]
            if listed:
                print("\n".join(one.line for one in made))
                return 0
            times = good_times({name: commands[name] for name in commands if only in (None, name)}, folder)
            counts: Counter[str] = Counter()
            for call in made:
                counts.update(tried(call, folder, times.get(call.command, 0.0)))
        os.chdir("/")
    told = ", ".join(f"{counts[kind]} {kind}" for kind in ("traceback", "accepted", "slow", "left"))
    print(f"{len(made)} bad inputs over {len({one.command for one in made})} commands: {told}")
    return 1 if counts else 0


def tried(call: Call, folder: Path, good: float) -> list[str]:
    """Make a bad call, print what is wrong with how it ended; slow is who is slow twice."""
    outcome = attempt(call.args, folder, SAID.get(call.command, ""))
    found = faults(call, outcome, good)
    if found == ["slow"] and not outcome.killed:
        outcome = attempt(call.args, folder, SAID.get(call.command, ""))
        found = faults(call, outcome, good)
    if found:
        last = outcome.said.strip().splitlines()[-1:] or [""]
        left = f" left {sorted(outcome.left)[:4]}" if "left" in found else ""
        times = f"{outcome.seconds:.1f} s ({good:.1f} s)"
        print(f"{'+'.join(found):18} exit {outcome.code:3} {times} {call.line}{left} | {last[0][:160]}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one command, such as `runs status`")
    parser.add_argument("--list", action="store_true", help="only print the calls")
    given = parser.parse_args()
    sys.exit(check(given.only, listed=given.list))
