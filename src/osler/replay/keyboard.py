"""Single keys of a terminal, which is left as it was found, whatever happens."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from types import FrameType
from typing import Any

_NAMES = {
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"\r": "enter",
    b"\n": "enter",
    b"\x1b": "escape",
}
_LEAVING = (signal.SIGTERM, signal.SIGHUP)


class Keys:
    """Reads keys as they are pressed. Ctrl-C still interrupts; Ctrl-Z does nothing, as the screen would stay behind."""

    def __enter__(self) -> Keys:
        """Take the terminal; a signal that ends the process is turned into an orderly way out."""
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._handlers: dict[int, Any] = {name: signal.signal(name, _leave) for name in _LEAVING}
        tty.setcbreak(self._file)
        now = termios.tcgetattr(self._file)
        now[6][termios.VSUSP] = b"\x00"
        termios.tcsetattr(self._file, termios.TCSANOW, now)
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        for name, handler in self._handlers.items():
            signal.signal(name, handler)

    def read(self, seconds: float) -> list[str]:
        """The keys pressed within a time; `q` when nobody is there any more."""
        ready, _, _ = select.select([self._file], [], [], seconds)
        if not ready:
            return []
        try:
            pressed = os.read(self._file, 64)
        except OSError:
            pressed = b""
        return _keys(pressed) if pressed else ["q"]


def _keys(pressed: bytes) -> list[str]:
    keys: list[str] = []
    while pressed:
        known = next((code for code in _NAMES if pressed.startswith(code)), None)
        if known == b"\x1b" and len(pressed) > 1:
            return keys  # a key that means nothing here
        if known is None:
            keys.append(chr(pressed[0]) if pressed[0] < 128 else "")
        else:
            keys.append(_NAMES[known])
        pressed = pressed[len(known or b" ") :]
    return keys


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
