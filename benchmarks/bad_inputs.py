"""Bad input for every command: no traceback, no success, no long wait, no files left behind.

python benchmarks/bad_inputs.py [--only COMMAND] [--list]

Each command is known by one good call. Bad calls are made from it in two ways: an argument is
replaced by each bad one of its kind (a run that is no run, a pool that is damaged, a model that is
not there), and every option of the command is given values that its type does not have. A call runs
in a process of its own, forked from this one so that no time is spent on imports, in a fresh copy
of one folder. One line is printed for each call that

  traceback   ended in one, or was killed,
  accepted    exited with 0 although it should have been refused,
  unclear     was refused with another exit code than 2, or without a last line `osler: ...`,
  slow        took more than FACTOR times as long as the good call and FLOOR seconds, twice,
  left        was refused and left something in the folder.

It exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import yaml
from bad_input_files import furnish
from typer.main import get_command

from osler.cli import app, main

FACTOR, FLOOR, LIMIT = 5.0, 3.0, 60.0
"""How much slower than good input, from how many seconds on, and when a call is killed."""
WAITS = 20.0
"""The floor for a server that does not answer: it is tried again, with pauses."""
MEMORY = 8 * 2**30

LONG = "n" * 300
ODD = "\u202eeman\u202c\U0001f9ea"
BYTE = "\udcff"
"""A byte that is no UTF-8, as Python has it in an argument."""
TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
GOOD: dict[str, str] = TABLE["good"]

ENDLESS = {"view", "models pull", "judges check"}
"""These serve, or go to the network, when all is well: they are measured against the floor
alone."""
STDIN = {"play": "Any fever?\nquit\n"}

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
    output: str
    left: set[str] = field(default_factory=set)
    killed: bool = False


def options(command: Any) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every option of a command that takes a value.

    Its name, values that it cannot have, and values it may have.
    """
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
            yield (
                names[0],
                ["x", "1.5", "", "1e3", *low],
                ["9" * 30, "-1"] if least is None else ["9" * 30],
            )
        elif kind.annotation in (float, list[float]):
            yield names[0], ["x", "", "nan", "-1"], ["inf", "1e400"]
        elif kind.annotation in (Path, list[Path]):
            yield names[0], [BYTE], ["", LONG]
        else:
            yield names[0], [BYTE], ["", LONG, ODD]


def calls(commands: dict[str, Any], ports: dict[str, int]) -> Iterator[Call]:
    """All bad calls. What an endless command may take is left out: it would go on."""
    for call in (*by_tables(commands), *further(commands, ports)):
        if call.must_fail or call.command not in ENDLESS:
            yield call


def filled(text: str) -> str:
    """Put in what the table of calls cannot hold."""
    return text.replace("{long}", LONG).replace("{odd}", ODD).replace("{byte}", BYTE)


def by_tables(commands: dict[str, Any]) -> Iterator[Call]:
    for name, command in commands.items():
        good = GOOD[name].split()
        for place, token in enumerate(good):
            for kind, values in TABLE["arguments"].get(token, {}).items():
                for bad in map(filled, values):
                    args = (*name.split(), *good[:place], bad, *good[place + 1 :])
                    is_refused = kind == "refused" and " ".join(args) not in TABLE["not_refused"]
                    yield Call(name, args, is_refused)
        for option, refused, tolerated in options(command):
            for value in (*refused, *tolerated):
                words = (option, value) if "=" not in option else (option,)
                yield Call(name, (*name.split(), *good, *words), value in refused)


def further(commands: dict[str, Any], ports: dict[str, int]) -> Iterator[Call]:
    for line in TABLE["further"]:
        args = line.format(**ports).split()
        names = [name for name in commands if args[: len(name.split())] == name.split()]
        yield Call(
            names[0] if names else "",
            tuple(args),
            must_fail=line not in TABLE["not_refused"],
            floor=WAITS if any(part in line for part in NEED_MORE_TIME) else FLOOR,
            may_leave=line.endswith(STARTED),
        )


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


def attempt(args: tuple[str, ...], template: Path, stdin: str) -> Outcome:
    """Make a call in a process of its own, in a fresh copy of the folder."""
    with tempfile.TemporaryDirectory(prefix="osler-bad-") as place:
        folder = Path(place) / "work"
        stdout_file = Path(place) / "stdout"
        shutil.copytree(template, folder, symlinks=True)
        (Path(place) / "stdin").write_text(stdin)
        before = listing(folder)
        began = time.monotonic()
        child = os.fork()
        if not child:
            in_child(args, folder, stdout_file)
        code, killed = waited(child)
        seconds = time.monotonic() - began
        output = stdout_file.read_text("utf-8", "replace") if stdout_file.exists() else ""
        return Outcome(code, seconds, output, listing(folder) - before, killed)


def in_child(args: tuple[str, ...], folder: Path, stdout_file: Path) -> None:
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(folder)
        os.environ.update(HOME=str(folder / "home"), OPENAI_API_KEY="")
        os.dup2(os.open(stdout_file, os.O_WRONLY | os.O_CREAT, 0o600), 1)
        os.dup2(1, 2)
        os.dup2(os.open(folder.parent / "stdin", os.O_RDONLY), 0)
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
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), False
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), True


def listing(folder: Path) -> set[str]:
    paths = set()
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if parts[0] != "home" and "__pycache__" not in parts:
            paths.add(str(path.relative_to(folder)))
    return paths


def faults(call: Call, outcome: Outcome, good: float) -> list[str]:
    kinds = []
    crashed = outcome.code < 0 and not outcome.killed
    if "Traceback (most recent call last)" in outcome.output or crashed:
        kinds.append("traceback")
    if call.must_fail and outcome.code == 0 and not outcome.killed:
        kinds.append("accepted")
    last = outcome.output.strip().rpartition("\n")[2]
    is_clear = outcome.code == 2 and last.startswith("osler: ")
    if call.must_fail and not kinds and not outcome.killed and not is_clear:
        kinds.append("unclear")
    if outcome.killed or outcome.seconds > max(call.floor, FACTOR * good):
        kinds.append("slow")
    if outcome.code == 2 and outcome.left and not call.may_leave:
        kinds.append("left")
    return kinds


def good_times(commands: dict[str, Any], folder: Path) -> dict[str, float]:
    """Seconds of each command on good input: the best of two."""
    times = {}
    for name in commands:
        if name in ENDLESS:
            times[name] = 0.0
            continue
        seconds = []
        for _ in range(2):
            args = (*name.split(), *GOOD[name].split())
            outcome = attempt(args, folder, STDIN.get(name, ""))
            assert outcome.code == 0, f"the good call of {name} failed: {outcome.output[-500:]}"
            seconds.append(outcome.seconds)
        times[name] = min(seconds)
    return times


def prepared(folder: Path) -> dict[str, Any]:
    """The commands; everything that they import is loaded, so that a fork has it at once."""
    furnish(folder, in_this_process)
    commands = dict(leaves(get_command(app)))
    if unknown := commands.keys() - GOOD.keys():
        sys.exit(
            f"no good call is known of {', '.join(sorted(unknown))}: add it to bad_inputs.yaml"
        )
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
        with (
            socket.create_server(("127.0.0.1", 0)) as taken,
            socket.create_server(("127.0.0.1", 0)) as closing,
        ):
            ports = {"taken": taken.getsockname()[1], "closed": closing.getsockname()[1]}
            closing.close()
            bad_calls = [call for call in calls(commands, ports) if only in (None, call.command)]
            if listed:
                print("\n".join(call.line for call in bad_calls))
                return 0
            measured = {name: commands[name] for name in commands if only in (None, name)}
            times = good_times(measured, folder)
            counts: Counter[str] = Counter()
            for call in bad_calls:
                counts.update(report_faults(call, folder, times.get(call.command, 0.0)))
        os.chdir("/")
    kinds = ("traceback", "accepted", "unclear", "slow", "left")
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    names = {call.command for call in bad_calls}
    print(f"{len(bad_calls)} bad inputs over {len(names)} commands: {summary}")
    return 1 if counts else 0


def report_faults(call: Call, folder: Path, good: float) -> list[str]:
    """Make a bad call, print what is wrong with how it ended; slow is who is slow twice."""
    outcome = attempt(call.args, folder, STDIN.get(call.command, ""))
    kinds = faults(call, outcome, good)
    if kinds == ["slow"] and not outcome.killed:
        outcome = attempt(call.args, folder, STDIN.get(call.command, ""))
        kinds = faults(call, outcome, good)
    if kinds:
        last = outcome.output.strip().splitlines()[-1:] or [""]
        left = f" left {sorted(outcome.left)[:4]}" if "left" in kinds else ""
        times = f"{outcome.seconds:.1f} s ({good:.1f} s)"
        print(
            f"{'+'.join(kinds):18} exit {outcome.code:3} {times} {call.line}{left} |"
            f" {last[0][:160]}",
            flush=True,
        )
    return kinds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="one command, such as `runs status`")
    parser.add_argument("--list", action="store_true", help="only print the calls")
    arguments = parser.parse_args()
    sys.exit(check(arguments.only, listed=arguments.list))
