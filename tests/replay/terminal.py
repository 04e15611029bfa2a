"""A terminal with somebody at its keys, and the command line in it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_COMMAND = "from osler.cli import main; main()"


def _environment() -> dict[str, str]:
    """This one's, without a size that would be believed before the terminal's own."""
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    return {**kept, "TERM": "xterm-256color"}


class Terminal:
    """Runs one command."""

    def __init__(self, folder: Path, *args: str, columns: int = 110, rows: int = 30) -> None:
        self._ours, self._theirs = pty.openpty()
        self._rows = rows
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self._theirs)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *args],
            cwd=folder,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env=_environment(),
            start_new_session=True,
        )
        self.output = ""

    @property
    def settings(self) -> list[object]:
        """How the terminal is set now."""
        return termios.tcgetattr(self._theirs)

    @property
    def screen(self) -> str:
        """What was drawn last, as text."""
        return _CONTROL.sub("", self.output.split("\x1b[H")[-1])

    def until(self, text: str, seconds: float = 60) -> str:
        """Wait until the newest screen is drawn to its last row and shows a text."""
        end = time.monotonic() + seconds
        while text not in self.screen or self.screen.count("\n") < self._rows - 1:
            assert time.monotonic() < end, f"{text!r} never came:\n{self.screen}"
            self._read()
        return self.screen

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def ended(self) -> int:
        """The exit code, once all of the output is read."""
        while self._process.poll() is None:
            self._read()
        self._read()
        return self._process.returncode

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def _read(self) -> None:
        if select.select([self._ours], [], [], 0.05)[0]:
            self.output += os.read(self._ours, 65536).decode("utf-8", "replace")
