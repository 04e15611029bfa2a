from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from osler import __version__
from osler.cli import app
from tests.bench.data import scm
from tests.conftest import LONGEST_WAIT, Run


def test_help_and_version(osler_process: Run) -> None:
    done = osler_process("--help")
    assert done.returncode == 0 and "records" in done.stdout
    assert osler_process("--version").stdout == f"osler {__version__}\n"


def commands(group: Any = None, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group of commands, with what is typed to call it."""
    group = group or get_command(app)
    yield names, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *names, name)


def test_every_command_tells_how_it_is_called_also_by_h(osler: Run) -> None:
    called = [names for names, _ in commands()]
    assert len(called) > 20
    for names in called:
        done = osler(*names, "-h")
        assert done.returncode == 0 and "Usage" in done.stdout and "--help" in done.stdout, names


def test_what_is_written_is_named_by_one_option_everywhere() -> None:
    given = {
        " ".join(names): option.opts
        for names, command in commands()
        for option in command.params
        if {"-o", "--out", "--output"} & set(option.opts)
    }
    assert len(given) >= 6 and set(map(tuple, given.values())) == {("--out", "-o")}, given


def test_python_m_osler_is_the_command_line(tmp_path: Path) -> None:
    def run(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "osler", *args]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("--version").stdout == f"osler {__version__}\n"
    assert run("show", "nothing", "x").returncode == 2
    assert (
        run("nonsense").stderr
        == "osler: No such command 'nonsense'. (`osler --help` shows how it is called)\n"
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("osler comp", ["compare"]),
        ("osler records val", ["validate"]),
        ("osler simulate --engi", ["--engine"]),
        ("osler simulate --engine ", ["local", "ray"]),
        ("osler show fir", ["first"]),
    ],
)
def test_the_shell_completes_commands_options_values_and_runs(
    tmp_path: Path, typed: str, offered: list[str]
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "first.osler").touch()
    words = typed.split(" ")
    asked = {
        "_OSLER_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "osler"],
        cwd=tmp_path,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, offered, "")


def test_completion_is_shown_and_installed(tmp_path: Path) -> None:
    def run(option: str, home: Path) -> subprocess.CompletedProcess[str]:
        # The shell is told by the processes above: one that certainly is bash.
        command = f"{sys.executable} -m osler {option}; exit $?"
        env = {**os.environ, "HOME": str(home)}
        return subprocess.run(
            ["bash", "-c", command], env=env, capture_output=True, text=True, check=False
        )

    shown = run("--show-completion", tmp_path)
    assert shown.returncode == 0 and "_OSLER_COMPLETE=complete_bash" in shown.stdout
    assert run("--install-completion", tmp_path).returncode == 0
    script = tmp_path / ".bash_completions" / "osler.sh"
    assert (
        script.read_text() == shown.stdout.rstrip("\n")
        and str(script) in (tmp_path / ".bashrc").read_text()
    )
    (tmp_path / "file").touch()
    failed = run("--install-completion", tmp_path / "file")
    assert (
        failed.returncode == 2
        and failed.stderr.count("\n") == 1
        and "Traceback" not in failed.stderr
    )


def test_help_imports_nothing_heavy() -> None:
    """Help is quick because it loads little: what takes long to load is asked about, and not the
    time."""
    code = (
        "import sys; sys.argv = ['osler', '--help']; from osler.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('pandas', 'numpy', 'pydantic', 'autogen_core', 'openai', 'yaml', 'jieba')\n"
        "print('heavy:', [name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage" in shown.stdout and shown.stdout.splitlines()[-1] == "heavy: []"


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ["records", "show", "nobody"],
            "osler: no record is called 'nobody'; `osler records list` shows the ids",
        ),
        (["records", "list", "--language", "fr"], "osler: there is no language 'fr'; use en or zh"),
        (
            ["simulate", "--case", "gout-en", "--patient", "", "--out", "x"],
            "osler: there is no backbone ''; use rules,",
        ),
        (
            ["simulate", "--case", "gout-en", "--memory-backbone", "", "--out", "x"],
            "osler: there is no backbone ''; use ",
        ),
        (
            ["report", "run", "--figures", ""],
            "osler: --figures has no folder; give one, or leave --figures out",
        ),
        (
            ["records", "validate", "nowhere"],
            "osler: there is no file or folder nowhere; give the path of a folder or a file of records, or `bundled`",
        ),
        (
            ["records", "convert", "bundled", "x.doc"],
            "osler: the ending '.doc' belongs to no format that can be written; name one with --to: ",
        ),
        (
            ["records", "convert", "bundled", "x.csv"],
            "osler: a csv file holds one record and there are several; give a folder (x) with --to csv",
        ),
        (
            ["records", "convert", "bundled", "x", "--to", "spbench"],
            "osler: the format spbench can only be read; use one of ",
        ),
        (
            ["records", "convert", "bundled", "a/b.jsonl"],
            "osler: there is no folder a; create it first",
        ),
        (
            ["records", "show", "\udcff"],
            "osler: the argument '\\udcff' is not UTF-8; give it in UTF-8",
        ),
        (["show", "x", "y", "--trial", "9" * 30], "osler: Invalid value for '--trial'"),
        (["show", "n" * 300, "y"], "osler: there is no run runs/nnn"),
        (["simulate", "--workers", "9" * 30], "osler: --workers is 9"),
        (
            ["play", "--case", "gout-en", "--out", "/dev/null/x"],
            "osler: the run /dev/null/x.osler cannot be written",
        ),
        (["records", "frobnicate"], "osler: No such command 'frobnicate'."),
        (["records", "list", "--limit", "0"], "osler: Invalid value for '--limit'"),
    ],
)
def test_a_user_error_is_one_line_with_the_remedy(osler: Run, args: list[str], line: str) -> None:
    done = osler(*args)
    assert done.returncode == 2
    assert done.stderr.startswith(line), done.stderr
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_ctrl_c_exits_130() -> None:
    code = "import time, osler.records.pool as r, osler.cli as c; r.RecordPool.open = lambda *a, **k: (print('up', flush=True), time.sleep(30)); c.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "records", "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LONGEST_WAIT)
    assert (process.returncode, err) == (130, "osler: stopped\n")


def test_a_closed_pipe_is_no_traceback() -> None:
    code = "from osler.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "records", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_a_terminal_without_chinese_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "osler", "records", "show", "gout-zh"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "") and "\\u75db\\u98ce" in done.stdout


def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "osler", "records", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2 and done.stderr.startswith("osler: No space left on device"), (
        done.stderr
    )
    assert done.stderr.count("\n") == 1


def test_list_show_and_schema(osler: Run) -> None:
    listed = osler("records", "list", "--specialty", "urology", "--language", "zh").stdout
    assert "bladder-cancer-zh" in listed and "-en" not in listed
    page = osler("records", "show", "bladder-cancer-en").stdout
    assert (
        "Opens with" in page and "Urinary ultrasound > Bladder enhanced MRI = CT urography" in page
    )
    assert "★  CT urography" in page and "(7 days ago)" in page
    assert "膀胱癌" in osler("records", "show", "bladder-cancer-zh").stdout
    assert json.loads(osler("records", "show", "bladder-cancer-en", "--json").stdout)["age"] == 84
    assert json.loads(osler("records", "schema").stdout)["title"] == "PatientRecord"


def test_validate_of_the_bundled_pool_tells_counts(osler: Run) -> None:
    done = osler("records", "validate")
    assert done.returncode == 0
    assert "88 records, all sound" in done.stdout
    assert "urology" in done.stdout and "│ all" in done.stdout


def test_convert_to_a_folder_and_back(osler: Run, tmp_path: Path) -> None:
    assert (
        osler("records", "convert", "bundled", "tables", "--to", "csv", "--limit", "3").returncode
        == 0
    )
    assert len(list((tmp_path / "tables").iterdir())) == 3
    again = osler("records", "convert", "bundled", "tables", "--to", "csv")
    assert again.returncode == 2 and "is there already" in again.stderr
    assert (
        osler(
            "records", "convert", "bundled", "tables", "--to", "csv", "--limit", "2", "--force"
        ).returncode
        == 0
    )
    assert len(list((tmp_path / "tables").iterdir())) == 2
    assert osler("records", "convert", "tables", "one.yaml").returncode == 2
    done = osler("records", "convert", "tables", "one.yaml", "--id", "acute-cholecystitis-en")
    assert done.stdout == "1 record(s) written to one.yaml as yaml\n"


def test_a_patient_by_name_is_all_its_records_where_many_are_taken(
    osler: Run, tmp_path: Path
) -> None:
    held = json.loads(
        osler("simulate", "--case", "gout", "--turns", "1", "--json", "--out", "both").stdout
    )
    assert (held["held"], held["done"]) == (2, 2)
    only = osler(
        "simulate", "--case", "gout", "--language", "zh", "--turns", "1", "--json", "--out", "zh"
    )
    assert json.loads(only.stdout)["held"] == 1
    assert osler("show", "zh", "gout").returncode == 0
    asked = osler("show", "both", "gout")
    assert asked.returncode == 2 and "gout-en" in asked.stderr and "gout-zh" in asked.stderr
    assert osler("records", "convert", "bundled", "two.jsonl", "--id", "gout").stdout.startswith(
        "2 record(s)"
    )
    assert (
        "no record is called 'goat'"
        in osler("simulate", "--case", "gout", "--case", "goat", "--out", "x").stderr
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--memories", ",,"), "names no memory"),
        (("--model", "elephant"), "there is no backbone 'elephant'"),
        (("--corrections", "nowhere"), "--corrections are for LoCoMo"),
        (("--judge", "local"), "there is no model"),
    ],
)
def test_a_wrong_bench_is_one_line_and_leaves_nothing(
    osler: Run, tmp_path: Path, args: list[str], said: str
) -> None:
    scm(tmp_path / "data")
    done = osler("bench", "memory", "--data", "data", "--memories", "raw", *args)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_bench_whose_server_is_down_says_how_to_resume(osler: Run, tmp_path: Path) -> None:
    scm(tmp_path / "data")
    model = ("--memories", "tim", "--model", "m@http://127.0.0.1:1/v1")
    done = osler("bench", "memory", "--data", "data", *model)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("osler: "), done.stderr
    assert "re-run the same command to resume" in done.stderr


def test_a_player_is_told_before_the_first_question_that_nothing_could_be_kept(osler: Run) -> None:
    done = osler("play", "--case", "gout-en", "--out", "/proc/new")
    assert (done.returncode, done.stdout) == (
        2,
        "",
    ) and "/proc/new.osler cannot be written" in done.stderr
