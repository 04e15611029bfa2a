"""Code of your own: how its failures are told, and classes given where a name is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from autogen_core.models import ChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient

import osler as package
from osler.agents.doctors import Briefing, Conclusion, DoctorSettings, Question
from osler.errors import UserError
from osler.memory.base import Query, Recall
from osler.memory.none import NoMemory
from osler.plugins import give, load_plugin
from osler.records import RecordPool
from osler.runs.events import Failed
from osler.simulator.build import consultation_team
from tests.conftest import LONGEST_WAIT, Run

MODULE = '''
from osler.memory.none import NoMemory
from osler.agents.doctors import Conclusion
from autogen_ext.models.replay import ReplayChatCompletionClient

def divide(number, api_key="{written}"):
    return number / 0

class Memory(NoMemory):
    name = "failing"

    async def remember(self, turn):
        return divide(turn.number, api_key="hunter2hunter2")

class Once(NoMemory):
    """Fails for one patient."""
    name = "once"

    async def recall(self, query):
        if "knee" in query.text or "膝" in query.text:
            raise RuntimeError("knee")
        return await super().recall(query)

class Unmade(NoMemory):
    def __init__(self, settings):
        self.number = divide(1)

class Doctor:
    def __init__(self, settings):
        pass

    async def respond(self, briefing):
        return divide(1)

class Wordy(Doctor):
    async def respond(self, briefing):
        return "Where does it hurt?"

class Client(ReplayChatCompletionClient):
    def __init__(self):
        super().__init__(["x"])

    async def create(self, *args, **options):
        raise KeyError("sk-abcdefgh12345678 is my key")
'''
BACKBONE = ("--strategy", "failing:Doctor", "--backbone", "failing:Client", "--patient", "rules")


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    (tmp_path / "failing.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def fails(failing: Path, osler: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line, where these classes can be named."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("OSLER_DEBUG", raising=False)
    sys.modules.pop("failing", None)
    return osler


def simulate(run: Run, *args: str, limit: int = 6) -> subprocess.CompletedProcess[str]:
    return run("simulate", "--limit", str(limit), "--turns", "3", "--out", "new", "--quiet", *args)


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
def test_the_first_failure_shows_where_and_equal_ones_stop_the_run(
    fails: Run, workers: tuple[str, ...]
) -> None:
    done = simulate(fails, "--memory", "failing:Memory", "--concurrency", "1", *workers, limit=12)
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert re.match(
        r"osler: your own code failed in acute-\S+ rules failing:Memory trial 1: ", lines[0]
    )
    assert lines[0].endswith("ZeroDivisionError: division by zero (failing.py:7 in divide)")
    assert '  File "failing.py", line 13, in remember' in lines and "    return number / 0" in lines
    assert done.stderr.count("Traceback") == 1 and "osler/simulator" not in done.stderr
    assert "hunter2" not in done.stderr and 'api_key="[key]"' in done.stderr
    assert lines[-1].startswith(
        "osler: the run stopped: your own code failed alike in 3 consultations of rules failing:Memory, and none"
        " succeeded: ZeroDivisionError: division by zero (failing.py:7 in divide); "
    )
    assert lines[-1].endswith(
        "mend it, then `osler runs retry new` runs what failed and what is left"
    )
    told = fails("runs", "failures", "new").stdout
    assert "ZeroDivisionError: division by zero (failing.py:7 in divide)" in told
    status = json.loads(fails("runs", "status", "new", "--json").stdout)
    assert status["failed"] in (3, 4) and status["todo"] == 12 - status["failed"]


def test_a_mended_class_is_run_again(fails: Run, failing: Path) -> None:
    assert simulate(fails, "--memory", "failing:Memory").returncode == 2
    (failing / "failing.py").write_text(
        MODULE.replace("number / 0", "__import__('osler.memory.base').memory.base.Change()")
    )
    sys.modules.pop("failing")
    told = json.loads(fails("runs", "retry", "new", "--json").stdout)
    assert (told["held"], told["done"], told["failed"]) == (6, 6, 0)


def test_other_failures_do_not_stop_a_run(fails: Run) -> None:
    done = fails(
        *(
            "simulate",
            "--case",
            "gout",
            "--case",
            "croup",
            "--trials",
            "2",
            "--turns",
            "2",
            "--out",
            "new",
            "--quiet",
        ),
        *("--memory", "failing:Once", "--concurrency", "1"),
    )
    assert done.returncode == 0 and done.stderr.count("osler: your own code failed in") == 1, (
        done.stderr
    )
    assert "RuntimeError: knee (failing.py:" in done.stderr
    assert json.loads(fails("runs", "status", "new", "--json").stdout)["failed"] == 4


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            BACKBONE,
            "the doctor failing:Doctor failed: ZeroDivisionError: division by zero (failing.py:7 in divide)",
        ),
        (
            ("--strategy", "failing:Wordy", *BACKBONE[2:]),
            "the doctor failing:Wordy failed: it answered with a str; give a Question or a Conclusion (failing.py:3",
        ),
        (BACKBONE[2:], "the backbone failing:Client failed: KeyError: '[key] is my key'"),
    ],
)
def test_a_doctor_and_a_backbone_that_fail_are_told_alike(
    fails: Run, args: tuple[str, ...], line: str
) -> None:
    done = simulate(fails, *args)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].count(line) == 1, done.stderr
    assert line in done.stderr.splitlines()[0] and '  File "failing.py", line ' in done.stderr
    assert "sk-abc" not in done.stderr
    assert line in fails("runs", "failures", "new").stdout.replace("\n", " ")


def test_a_class_that_cannot_be_made_says_where(fails: Run) -> None:
    done = simulate(fails, "--memory", "failing:Unmade")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert (
        "cannot be made: ZeroDivisionError: division by zero (failing.py:7 in divide)"
        in done.stderr
    )


@pytest.mark.parametrize("before", [True, False])
def test_debug_shows_the_whole_traceback(
    fails: Run, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    monkeypatch.setenv("OSLER_DEBUG", "")  # put back after the test
    command = ["simulate", "--memory", "failing:Unmade", "--limit", "1", "--out", "new"]
    done = fails("--debug", *command) if before else fails(*command, "--debug")
    assert done.returncode == 2 and "Traceback (most recent call last)" in done.stderr
    assert "in divide" in done.stderr and "plugins.py" in done.stderr and "batch.py" in done.stderr
    done = fails(
        "--debug", *("failing:Memory" if word == "failing:Unmade" else word for word in command)
    )
    assert "in hold" in done.stderr and "in divide" in done.stderr


def test_a_fault_is_stored_with_its_place(fails: Run, tmp_path: Path) -> None:
    simulate(fails, "--memory", "failing:Memory", limit=1)
    [transcript] = package.load_run(tmp_path / "runs" / "new.osler").transcripts()
    [failed] = transcript.of(Failed)
    assert failed.place == "failing.py:7 in divide" and failed.own_code
    assert failed.message == "ZeroDivisionError: division by zero"
    assert (
        failed.trace[0] == "Traceback (most recent call last):"
        and failed.trace[-1] == failed.message
    )


class Mine(NoMemory):
    """Notes which turns it heard."""

    name = "mine"

    async def recall(self, query: Query) -> Recall:
        return Recall(text="Fever since Monday.")


class Brief:
    def __init__(self, settings: DoctorSettings) -> None:
        self.ask = settings.ask

    async def respond(self, briefing: Briefing) -> Question | Conclusion:
        said = await self.ask("What now?")
        return Conclusion(diagnosis=said, treatment="Rest")


def client() -> ChatCompletionClient:
    return ReplayChatCompletionClient(["Gout"] * 100)


def test_classes_and_functions_are_taken_where_a_name_is(tmp_path: Path) -> None:
    options: dict[str, Any] = {"patient": "rules", "cases": ["gout-en"], "turns": 2, "quiet": True}
    given: dict[str, Any] = {
        "memories": [Mine, "raw"],
        "strategies": [Brief],
        "backbones": [client],
    }
    run = package.simulate(**given, **options, out=tmp_path / "run")
    scores = run.scores()
    assert set(scores["memory"]) == {f"{__name__}:Mine", "raw"}
    assert set(scores["strategy"]) == {f"{__name__}:Brief"} and set(scores["backbone"]) == {
        f"{__name__}:client"
    }
    assert list(scores["diagnosis"]) == ["Gout", "Gout"]
    again = package.simulate(**given, **options, out=tmp_path / "run")
    assert list(again.scores()["number"]) == list(scores["number"])


def test_a_client_that_is_open_is_taken_and_left_open(tmp_path: Path) -> None:
    class Noted(ReplayChatCompletionClient):
        closed = False

        async def close(self) -> None:
            self.closed = True

    mine = Noted(["Gout"] * 100)
    options: dict[str, Any] = {
        "patient": "rules",
        "cases": ["gout-en"],
        "quiet": True,
        "strategies": [Brief],
    }
    run = package.simulate(backbones=[mine], **options, out=tmp_path / "run")
    assert list(run.scores()["diagnosis"]) == ["Gout"] and not mine.closed


def test_classes_inside_a_function_work_in_this_process_and_are_refused_for_workers(
    tmp_path: Path,
) -> None:
    class Inner(NoMemory):
        name = "inner"

    options: dict[str, Any] = {"cases": ["gout-en"], "turns": 1, "quiet": True, "memories": [Inner]}
    run = package.simulate(**options, out=tmp_path / "run")
    [name] = run.scores()["memory"]
    assert name == f"{__name__}:{Inner.__qualname__}" and "<locals>" in name
    more: dict[str, Any]
    for more in ({"workers": 2}, {"engine": "ray"}):
        with pytest.raises(
            UserError, match=r"workers cannot import the memory .*Inner.*; move it to the top level"
        ):
            package.simulate(**options, **more, out=tmp_path / "other")
    assert not (tmp_path / "other.osler").exists()


def test_workers_import_a_class_from_where_the_script_does(failing: Path) -> None:
    folder = failing / "elsewhere"
    folder.mkdir()
    (failing / "failing.py").rename(folder / "good.py")
    script = (
        "import osler, good\n"
        "if __name__ == '__main__':\n"
        "    run = osler.simulate(cases=['croup'], memories=[good.Once], workers=2, turns=1, out='run', quiet=True)\n"
        "    print(list(run.scores()['ending']), set(run.scores()['memory']))\n"
    )
    (folder / "script.py").write_text(script)
    command = [sys.executable, str(folder / "script.py")]
    done = subprocess.run(
        command, cwd=failing, capture_output=True, text=True, timeout=LONGEST_WAIT
    )
    assert done.stdout == "['turn_limit', 'turn_limit'] {'good:Once'}\n", done.stderr


def test_a_class_of_a_script_is_told_apart_in_another_process(failing: Path, osler: Run) -> None:
    script = (
        "import osler\nfrom osler.memory.none import NoMemory\n"
        "class Here(NoMemory):\n    name = 'here'\n"
        "osler.simulate(cases=['gout-en'], memories=[Here], turns=1, out='run', quiet=True)\n"
    )
    (failing / "script.py").write_text(script)
    environment = {**os.environ, "PYTHONSAFEPATH": ""}
    for _ in range(2):  # the second resumes
        subprocess.run(
            [sys.executable, "script.py"],
            cwd=failing,
            check=True,
            env=environment,
            timeout=LONGEST_WAIT,
        )
    assert "__main__:Here" in osler("compare", "run").stdout.replace("\n", "")
    done = osler("verify", "run")
    assert done.stderr == (
        "osler: the memory '__main__:Here' was given in Python, from a script or notebook;"
        " give the class again in Python, or move it to a module and name that\n"
    )


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            {"memories": [Mine(None)]},  # type: ignore[arg-type]
            "give the class, or a function with a name: each consultation makes a memory of",
        ),
        ({"memories": Mine}, "give a list of texts"),
        ({"memories": [dict]}, "the memory 'builtins:dict' cannot be made|which is no Memory"),
        ({"backbones": [object()], "patient": "rules"}, "the backbone 'builtins:object'"),
        (
            {"memories": [lambda settings: Mine(settings), lambda settings: Mine(settings)]},
            "two different things are",
        ),
    ],
)
def test_what_is_no_class_of_that_kind_is_one_clear_line(
    tmp_path: Path, options: dict[str, Any], line: str
) -> None:
    with pytest.raises(UserError, match=line) as caught:
        package.simulate(
            **{"cases": ["gout-en"], "turns": 1, "quiet": True, "out": tmp_path / "a", **options}
        )
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_a_name_that_is_refused_still_loads_what_it_loaded_before() -> None:
    def make_memory() -> type[NoMemory]:
        class Same(NoMemory):
            pass

        return Same

    first, second = make_memory(), make_memory()
    name = give(first)
    with pytest.raises(UserError, match="two different things are"):
        package.simulate(cases=["gout-en"], memories=[first, second], quiet=True)
    assert load_plugin("memory", "osler.memories", name, ()) is first


def test_a_team_takes_classes_too() -> None:
    team = consultation_team(RecordPool.open().get("gout-en"), memory=Mine, turns=1)
    assert team is not None
    store = package.MemoryStore(memory=Mine)
    assert store is not None
