"""Errors and warnings: every error a user can cause says what is wrong and what to do."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Bidi controls: they change the text direction, and so what a line seems to say."""


def unturned(text: str) -> str:
    """Make bidi controls visible, so that they cannot change the text direction."""
    return _TURNING.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def printable(text: str) -> str:
    """Return one line that cannot control a terminal: messages quote files and models."""
    line = unturned(" ".join(text.split()))
    if line.isprintable():
        return line
    return "".join(map(_printable_char, line))


def _printable_char(char: str) -> str:
    # Control characters, and halves of surrogate pairs, which no terminal can print.
    if unicodedata.category(char) in {"Cc", "Cs"}:
        return f"\\x{ord(char):02x}"
    return char


_muted = False
"""Whether warnings are kept back in this process."""


def warn(line: str) -> None:
    """Print a warning on standard error that does not stop the command; each line once."""
    if not _muted:
        _warn_once(printable(line))


def mute_warnings() -> None:
    """Print no warnings in this process, a worker: the one that started it has printed the same."""
    global _muted
    _muted = True


@lru_cache(maxsize=1000)
def _warn_once(line: str) -> None:
    sys.stderr.write(f"warning: {line}\n")


class OslerError(Exception):
    """Base of all errors Osler raises on purpose."""


class UserError(OslerError):
    """Something the user can fix: the command line prints one line and exits with its code."""

    exit_code = 2

    def __init__(self, message: str, remedy: str) -> None:
        """Keep the problem and the remedy separate, so that a page can show them separately."""
        self.message = printable(message)
        self.remedy = printable(remedy)
        super().__init__(f"{self.message}; {self.remedy}")


class StorageError(UserError):
    """A run or cache file cannot be written: the disk is full, gone or read-only. Ends the run."""


class RunStopped(OslerError):
    """Ends a whole run in order, not as a failure: a budget is used up, or an endpoint is down."""

    def __init__(self, kind: str, message: str, signal: int | None = None) -> None:
        """Say which it is, what to tell, and which signal asked for it, if one did."""
        self.kind = kind
        self.message = printable(message)
        self.signal = signal
        super().__init__(self.message)
