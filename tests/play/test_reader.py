"""The terminal speaks the reader's language, and breaks lines between words."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from osler.cli import app
from osler.records import RecordPool

WIDTH = 40
ENGLISH, CHINESE = "You are the doctor.", "您是医生。"


def opened(*args: str, **variables: str) -> str:
    unset = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}
    done = CliRunner().invoke(
        app, ["play", "--memory", "none", *args], input="quit\n", env={**unset, **variables}
    )
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("variables", "first"),
    [
        ({"LANG": "C.UTF-8"}, ENGLISH),
        ({}, ENGLISH),
        ({"LANG": "de_DE.UTF-8"}, ENGLISH),
        ({"LANG": "zh_CN.UTF-8"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, ENGLISH),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_TW"}, CHINESE),
    ],
)
def test_the_patient_speaks_the_readers_language(variables: dict[str, str], first: str) -> None:
    assert {opened("--seed", str(seed), **variables) for seed in range(2)} == {first}


def test_a_language_or_a_case_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    assert opened("--language", "zh", LANG="C.UTF-8") == CHINESE
    assert opened("--case", "gout-zh", LANG="C.UTF-8") == CHINESE
    assert opened("--case", "gout-en", LANG="zh_CN.UTF-8") == ENGLISH
    made = CliRunner().invoke(
        app, ["records", "convert", "bundled", "pool.jsonl", "--id", "gout-zh"]
    )
    assert made.exit_code == 0
    assert opened("--pool", "pool.jsonl", LANG="C.UTF-8") == CHINESE, "there is no other"


def at_a_narrow_terminal(case: str, typed: str) -> list[str]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    command = [sys.executable, "-c", "from osler.cli import main; main()", "play", "--case", case]
    variables = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**variables, "TERM": "dumb"}
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other side is closed
            pass
        assert process.wait(240) == 0, shown
    os.close(ours)
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", shown.decode()).replace("\r", "").splitlines()


def test_english_lines_break_between_words() -> None:
    lines = at_a_narrow_terminal("pneumonia-en", "?\nquit\n")
    assert max(map(cell_len, lines)) <= WIDTH
    complaint = RecordPool.open().get("pneumonia-en").complaint
    assert len(complaint) > 2 * WIDTH and complaint in " ".join(map(str.strip, lines))


def test_chinese_lines_are_wrapped() -> None:
    record = RecordPool.open().get("pneumonia-zh")
    lines = at_a_narrow_terminal("pneumonia-zh", "quit\n")
    assert max(map(cell_len, lines)) <= WIDTH
    assert record.complaint in "".join(map(str.strip, lines))
