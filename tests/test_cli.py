from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from osler import __version__
from tests.conftest import Run


def test_help_and_version(osler_process: Run) -> None:
    done = osler_process("--help")
    assert done.returncode == 0 and "records" in done.stdout
    assert osler_process("--version").stdout == f"osler {__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, osler.cli; print([m for m in ('pandas','numpy','pydantic','autogen_core','openai','rich','yaml') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_help_is_quick() -> None:
    """About 0.3 s on an idle machine; here against the interpreter's own start, which noise slows alike."""

    def best(*command: str) -> float:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            times.append(time.perf_counter() - began)
        return min(times)

    bare = best(sys.executable, "-c", "import argparse, json, inspect")
    assert (
        best(sys.executable, "-c", "import sys; sys.argv=['osler','--help']; from osler.cli import main; main()")
        < 12 * bare
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["records", "show", "nobody"], "osler: no record is called 'nobody'; `osler records list` shows the ids"),
        (["records", "list", "--language", "fr"], "osler: there is no language 'fr'; use en or zh"),
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
        (["records", "convert", "bundled", "a/b.jsonl"], "osler: there is no folder a; create it first"),
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
    code = "import time, osler.commands.records as r, osler.cli as c; r.open_pool = lambda *a, **k: (print('up', flush=True), time.sleep(30)); c.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "records", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, "osler: stopped\n")


def test_a_closed_pipe_is_no_traceback() -> None:
    code = "from osler.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "records", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_list_show_and_schema(osler: Run) -> None:
    listed = osler("records", "list", "--specialty", "urology", "--language", "zh").stdout
    assert "bladder-cancer-zh" in listed and "-en" not in listed
    page = osler("records", "show", "bladder-cancer-en").stdout
    assert "Opens with" in page and "Urinary ultrasound > Bladder enhanced MRI = CT urography" in page
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
    assert osler("records", "convert", "bundled", "tables", "--to", "csv", "--limit", "3").returncode == 0
    assert len(list((tmp_path / "tables").iterdir())) == 3
    again = osler("records", "convert", "bundled", "tables", "--to", "csv")
    assert again.returncode == 2 and "is there already" in again.stderr
    assert osler("records", "convert", "bundled", "tables", "--to", "csv", "--limit", "2", "--force").returncode == 0
    assert len(list((tmp_path / "tables").iterdir())) == 2
    assert osler("records", "convert", "tables", "one.yaml").returncode == 2
    done = osler("records", "convert", "tables", "one.yaml", "--id", "acute-cholecystitis-en")
    assert done.stdout == "1 record(s) written to one.yaml as yaml\n"
