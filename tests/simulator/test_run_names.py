"""A run without a name gets a fresh one, says it, and is resumed by it; `latest` is the run that
was started last."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import osler as package
from osler.errors import UserError
from osler.runs.store import RunWriter, run_name, run_path
from tests.conftest import LONGEST_WAIT, Run
from tests.simulator.model_server import model_server

SMALL = ("simulate", "--case", "gout-en", "--turns", "1")
NAME = r"\d{4}-\d\d-\d\d-\d{3}"


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / "runs").glob("*.osler"))


def test_two_different_commands_without_a_name_are_two_runs(osler: Run, tmp_path: Path) -> None:
    first = osler(*SMALL, "--quiet")
    second = osler(*SMALL, "--quiet", "--budget", "300")
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    one, two = names(tmp_path)
    assert re.fullmatch(NAME, one) and re.fullmatch(NAME, two)
    assert first.stderr == f"osler: new run {one}; --out {one} resumes it\n"
    assert second.stderr == f"osler: new run {two}; --out {two} resumes it\n"


def test_the_printed_name_resumes_the_run(osler: Run, tmp_path: Path) -> None:
    assert osler(*SMALL, "--quiet").returncode == 0
    [name] = names(tmp_path)
    again = osler(*SMALL, "--out", name, "--json")
    told = json.loads(again.stdout)
    assert (told["there"], told["held"], told["run"]) == (1, 0, f"runs/{name}.osler")
    assert again.stderr == "" and names(tmp_path) == [name]


def test_json_names_the_run_and_nothing_else_is_printed(osler: Run, tmp_path: Path) -> None:
    done = osler(*SMALL, "--json")
    assert (
        done.stderr == "" and json.loads(done.stdout)["run"] == f"runs/{names(tmp_path)[0]}.osler"
    )


def test_latest_is_the_run_that_was_started_or_resumed_last(osler: Run, tmp_path: Path) -> None:
    assert osler("show", "latest", "gout-en").stderr.startswith(
        "osler: there is no run in runs yet; "
    )
    assert "there is no run in runs yet" in osler(*SMALL, "--out", "latest").stderr and not names(
        tmp_path
    )
    for name in ("zebra", "aardvark"):
        assert osler(*SMALL, "--quiet", "--out", name).returncode == 0
        _a_second_later(tmp_path / "runs" / f"{name}.osler", 60 if name == "zebra" else 30)
    assert "runs/aardvark.osler" in osler("runs", "status", "latest").stdout
    assert osler(*SMALL, "--quiet", "--out", "zebra").returncode == 0
    assert "runs/zebra.osler" in osler("runs", "status", "latest").stdout
    assert osler("score", "aardvark", "--again").returncode == 0, (
        "this writes to it, and does not start it"
    )
    assert "runs/zebra.osler" in osler("runs", "status", "latest").stdout
    assert (
        osler(
            "fork", "latest", "gout-en", "--memory", "raw", "--memory", "tim", "--at", "1"
        ).returncode
        == 0
    )
    assert "runs/zebra.osler" in osler("runs", "status", "latest").stdout, (
        "forks are beside their run"
    )
    assert (
        json.loads(osler(*SMALL, "--out", "latest", "--json").stdout)["run"] == "runs/zebra.osler"
    )


def _a_second_later(path: Path, seconds: int) -> None:
    """Move a run into the past, since its sessions are known by the second."""
    with RunWriter.resume(path) as run, run._transaction() as file:
        file.execute(
            "UPDATE sessions SET began = strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', ?)",
            (f"-{seconds} seconds",),
        )


def test_a_run_that_was_called_latest_before_is_one_of_them(osler: Run, tmp_path: Path) -> None:
    assert osler(*SMALL, "--quiet", "--out", "runs/latest.osler").returncode == 0
    assert "runs/latest.osler" in osler("runs", "status", "latest").stdout
    _a_second_later(tmp_path / "runs" / "latest.osler", 60)
    assert osler(*SMALL, "--quiet").returncode == 0
    assert "runs/latest.osler" not in osler("runs", "status", "latest").stdout
    assert "runs/latest.osler" in osler("runs", "status", "runs/latest.osler").stdout


def test_a_folder_without_runs_has_no_latest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "junk.osler").write_text("no run")
    with pytest.raises(UserError, match="there is no run in runs yet"):
        run_path("latest")


def test_a_name_and_its_file_stand_for_each_other() -> None:
    for name in ("mine", "a/b", "some.osler"):
        assert run_path(run_name(run_path(name))) == run_path(name)
    assert run_name(Path("runs/mine.osler")) == "mine"
    assert run_name(Path("runs/latest.osler")) == "runs/latest.osler"


def test_runs_that_start_at_once_get_names_of_their_own(tmp_path: Path) -> None:
    code = (
        "import sys; from osler.runs.store import RunWriter\n"
        "sys.stdin.readline()\n"
        "for _ in range(8):\n"
        "    with RunWriter.create({'settings': {}}) as run: print(run.path.stem)\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    told = [process.communicate("go\n", timeout=LONGEST_WAIT)[0].split() for process in started]
    given = [name for some in told for name in some]
    assert len(given) == len(set(given)) == 32 and sorted(given) == names(tmp_path)


def test_python_gets_a_fresh_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = package.simulate(cases=["gout-en"], turns=1, quiet=True)
    second = package.simulate(cases=["gout-en"], turns=1, seed=1, quiet=True)
    assert first.path != second.path and re.fullmatch(NAME, first.path.stem)
    again = package.simulate(cases=["gout-en"], turns=1, quiet=True, out=first.path.stem)
    assert again.path == first.path
    assert package.load_run("latest").path == first.path


@pytest.mark.parametrize("named", [True, False])
def test_who_stops_a_run_is_told_its_name(tmp_path: Path, named: bool) -> None:
    with model_server(latency=0.2) as server:
        command = [
            "simulate",
            "--backbone",
            server.spec,
            "--limit",
            "8",
            "--json",
            *(("--out", "x") if named else ()),
        ]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "osler", *command],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not server.requests:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=LONGEST_WAIT)
    [name] = names(tmp_path)
    how = (
        "re-run the same command to resume"
        if named
        else f"re-run the same command with --out {name} to resume"
    )
    assert process.returncode == 130 and err.endswith(f"; {how}\n"), err


def test_a_limit_says_how_to_resume(osler: Run, tmp_path: Path) -> None:
    with model_server() as server:
        args = (
            "--backbone",
            server.spec,
            "--run-tokens",
            "1",
            "--case",
            "gout",
            "--turns",
            "2",
            "--json",
        )
        done = osler("simulate", *args, "--concurrency", "1")
    [name] = names(tmp_path)
    assert done.returncode == 2 and done.stderr.endswith(
        f"--out {name} and a larger limit to resume\n"
    ), done.stderr
