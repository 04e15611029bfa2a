"""What every test shares: where things are, and a small sound record to break."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

from osler.cli import main

# What is merged is judged by the same examples every time; runs at a desk go on looking for new
# ones. No time decides: the first Chinese example loads a dictionary.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None)
settings.load_profile("repeatable" if os.environ.get("CI") else "searching")

REPO = Path(__file__).parent.parent
SHARED = REPO.parent / "shared" / "data"

LONGEST_WAIT = 800
"""Seconds to wait for a process, which may take ten times as long on a loaded machine; less than
pytest's timeout."""

needs_shared_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason="other people's data is not here"
)

MEMORY_DISK = Path("/dev/shm")
ROOM_FOR_TESTS = 4 * 10**9

# Run files wait for the disk at every step, and no test cuts the power: where there is room in
# memory, the folders of tests are there.
if MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free > ROOM_FOR_TESTS:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def osler(tmp_path: Path) -> Run:
    """Run the command line in an empty folder, in this process: starting one takes longer than most
    commands."""

    def run(*args: str | Path, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return run_here(cwd, *map(str, args))

    return run


def run_here(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, in this process."""
    out, err = StringIO(), StringIO()
    command = ["osler", *args]
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", command)
        patch.setattr(sys, "stdin", StringIO())  # nobody is there to type
        code = _exit_code(main)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def _exit_code(program: Callable[[], NoReturn]) -> int:
    """What the interpreter would end with."""
    try:
        program()
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        traceback.print_exc()
        return 1


@pytest.fixture
def osler_process(tmp_path: Path) -> Run:
    """Run the command line in a process of its own, in an empty folder: for what only a process can
    show."""

    def run(
        *args: str | Path, cwd: Path = tmp_path, timeout: float = LONGEST_WAIT
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from osler.cli import main; main()", *map(str, args)]
        return subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False
        )

    return run


def small_record(**changes: Any) -> dict[str, Any]:
    """The fields of a sound record, with some of them changed; None removes one."""
    record: dict[str, Any] = {
        "id": "sprain",
        "language": "en",
        "age": 30,
        "sex": "female",
        "complaint": "I twisted my ankle.",
        "diagnosis": {"name": "Ankle sprain", "icd10": "S93.4"},
        "treatment": {
            "name": "Rest and a bandage",
            "unsafe": [{"name": "Aspirin", "because": "x", "entry": "Asthma"}],
        },
        "exam_order": "Palpation > X-ray",
        "entries": [
            {"category": "symptom", "name": "Ankle pain", "report": "Pain at the outer ankle."},
            {
                "category": "sign",
                "name": "Palpation",
                "report": "No bony tenderness.",
                "status": "normal",
            },
            {
                "category": "examination",
                "name": "Radiograph",
                "aliases": ["X-ray"],
                "status": "not_done",
            },
            {"category": "medical_history", "name": "Asthma", "report": "Since childhood."},
        ],
    }
    record.update(changes)
    return {key: value for key, value in record.items() if value is not None}
