"""Where code failed, as text to store in a run or send between workers, without the exception."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from osler.api_keys import scrub
from osler.errors import OslerError, printable
from osler.plugins import plugin_packages

DEBUG = "OSLER_DEBUG"
"""The environment variable behind `--debug`; workers inherit it."""
_LONGEST = 300
"""Characters of a line of a traceback."""
_MOST_LINES = 60
"""Lines of a traceback; of a longer one, the middle is left out."""
_OSLER = Path(__file__).parent
_LIBRARY_PATHS = {
    Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")
}
_LIBRARIES = tuple(sorted(_LIBRARY_PATHS))
"""A folder stands before those within it: `site-packages` lies in that of the standard library."""
_WRITTEN_SECRET = re.compile(
    r"(?i)((?:api_?key|token|secret|password|authorization)\w*[\"']?\s*[=:]\s*[\"'])[^\"']+"
)
"""A secret that stands in a line of code, which a traceback quotes."""


@dataclass(frozen=True)
class CodeFailure:
    """Where code failed."""

    place: str
    """`file:line in function`: the last of your own lines, or of Osler's if none is yours."""
    trace: tuple[str, ...]
    """The lines of the traceback, of your own code on; with `--debug` all of it."""
    is_own: bool
    """Whether code of yours took part, and not Osler alone."""


def debugging() -> bool:
    """Whether whole tracebacks are wanted."""
    return bool(os.environ.get(DEBUG))


def failure_in(error: BaseException) -> CodeFailure | None:
    """Where an exception came from, without a reference to it; None if it was never raised."""
    while isinstance(error, OslerError) and error.__cause__ is not None:
        error = error.__cause__
    steps = _steps(error.__traceback__)
    if not steps:
        return None
    own = [number for number, step in enumerate(steps) if step.is_own]
    last = steps[own[-1]] if own else steps[-1]
    # What comes before your own code is how Osler got there; `--debug` shows that, too.
    first = own[0] if own and not debugging() else 0
    trace = traceback.TracebackException.from_exception(error)
    trace.stack = traceback.StackSummary.from_list([step.summary for step in steps[first:]])
    lines = "".join(trace.format(chain=debugging())).splitlines()
    return CodeFailure(last.place, tuple(map(_safe, _shortened(lines))), bool(own))


def failure_at(function: object) -> CodeFailure | None:
    """Return where a function of yours begins, which did not fail but returned something wrong."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return None
    path = _relative_path(code.co_filename)
    place = f"{path}:{code.co_firstlineno} in {code.co_name}"
    line = f'  File "{path}", line {code.co_firstlineno}, in {code.co_name}'
    return CodeFailure(place, (line,), is_own=True)


def whole_traceback(error: BaseException) -> str:
    """Return the traceback of an exception and its causes, without keys."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    return "\n".join(map(_safe, lines))


@dataclass(frozen=True)
class _Step:
    """One call on the way to where an exception was raised."""

    summary: traceback.FrameSummary
    is_own: bool

    @property
    def place(self) -> str:
        return f"{self.summary.filename}:{self.summary.lineno} in {self.summary.name}"


def _steps(trace: TracebackType | None) -> list[_Step]:
    steps = []
    for frame, number in traceback.walk_tb(trace):
        file = frame.f_code.co_filename
        name = frame.f_code.co_name
        module = str(frame.f_globals.get("__name__", ""))
        # The line is read by the true path, and printed with a shorter path.
        line = traceback.FrameSummary(file, number, name).line
        summary = traceback.FrameSummary(_relative_path(file), number, name, line=line)
        steps.append(_Step(summary, _is_own(file, module)))
    return steps


def _is_own(file: str, module: str) -> bool:
    """Whether a file is neither Osler's nor a library's."""
    path = Path(file)
    if path.is_relative_to(_OSLER) or file.startswith("<frozen"):
        return False
    # A package that registers an extension is yours, wherever it is installed.
    if module.partition(".")[0] in plugin_packages():
        return True
    return not any(path.is_relative_to(folder) for folder in _LIBRARIES)


def _relative_path(file: str) -> str:
    """A path within the working folder, the package or a library: runs are shared with others."""
    path = Path(file)
    for folder in (Path.cwd(), _OSLER.parent, *reversed(_LIBRARIES)):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return file


def _shortened(lines: list[str]) -> list[str]:
    """The first and the last lines of a traceback that is too long, as of a recursion."""
    if len(lines) <= _MOST_LINES:
        return lines
    half = _MOST_LINES // 2
    return [*lines[:half], f"  … {len(lines) - 2 * half} more lines …", *lines[-half:]]


def _safe(line: str) -> str:
    """A line with its indentation, without keys and without what could control a terminal."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    text = _WRITTEN_SECRET.sub(r"\1[key]", scrub(line))
    return indent + printable(text)[:_LONGEST]


def error_line(error: BaseException) -> str:
    """Return an exception in one line, without keys."""
    message = printable(scrub(str(error)))[:_LONGEST]
    if message:
        return f"{type(error).__name__}: {message}"
    return type(error).__name__


def print_failure(heading: str, trace: tuple[str, ...]) -> None:
    """Print a traceback on standard error, below a line that says what failed."""
    lines = [printable(heading), *trace]
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def as_event(failure: CodeFailure | None) -> dict[str, Any]:
    """The fields of a `Failed` event."""
    if failure is None:
        return {}
    return {"place": failure.place, "trace": failure.trace, "own_code": failure.is_own}
