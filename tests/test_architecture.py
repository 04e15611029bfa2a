"""Packages import each other in one direction only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "osler"
ROOT = "(root)"
"""Helpers beside the packages; they may be imported by all, and import none but `language`."""
FRONT = {"__init__", "__main__", "cli"}
"""Modules of the root that stand above all packages."""
FORBIDDEN = {
    "language": {"*"},
    "tables": {"*"},
    "locale": {"*", "-language"},
    "records": {"*", "-language", "-locale"},
    "settings": {"memory", "models", "prompts", "agents", "runs", "eval", "simulator", "commands"},
    "memory": {"records", "agents", "runs", "eval", "simulator"},
    "models": {"records", "agents", "memory", "runs", "eval", "simulator"},
    "runs": {"agents", "eval", "simulator", "explain", "replay", "play", "view", "commands"},
    "agents": {"eval", "simulator", "explain", "replay", "play", "view", "commands"},
    "simulator": {"explain", "replay", "play", "view", "commands"},
    "explain": {"replay", "play", "view", "commands"},
    "validate": {"bench", "explain", "replay", "play", "view", "commands"},
    "eval": {"simulator", "explain", "replay", "play", "view", "commands"},
}
"""What a package must not import; `*`: any other package, but for those after a minus."""


def package_of(parts: tuple[str, ...]) -> str:
    return parts[0] if (SOURCE / parts[0]).is_dir() else ROOT


@cache
def imports() -> tuple[tuple[Path, tuple[str, ...]], ...]:
    """Each file with the parts of a name of ours that it imports, also within a function."""
    return tuple(read_imports())


def read_imports() -> Iterator[tuple[Path, tuple[str, ...]]]:
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE)
        if path.stem in FRONT and len(path.parts) == 1:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                parts = tuple(name.split("."))
                if parts[0] == "osler" and len(parts) > 1 and not parts[1].startswith("__"):
                    yield path, parts[1:]


@cache
def package_imports() -> list[tuple[str, str, str]]:
    """Each file with its package and another package that it imports."""
    found = set()
    for path, parts in imports():
        own, other = package_of(path.with_suffix("").parts), package_of(parts)
        if own != other:
            found.add((str(path), own, other))
    return sorted(found)


def test_packages_are_not_imported_in_a_circle() -> None:
    needs: dict[str, set[str]] = {}
    for _, own, other in package_imports():
        if ROOT not in (own, other):
            needs.setdefault(own, set()).add(other)
    assert list(TopologicalSorter(needs).static_order())[-1] == "commands"


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    rule = FORBIDDEN[package]
    allowed = {ROOT, *(name[1:] for name in rule if name.startswith("-"))}
    wrong = [
        f"{path} imports {other}"
        for path, own, other in package_imports()
        if own == package and (other in rule or ("*" in rule and other not in allowed))
    ]
    assert not wrong


def test_the_bench_is_imported_by_its_commands_alone() -> None:
    assert {own for _, own, other in package_imports() if other == "bench"} == {"commands"}


def test_the_validation_is_imported_by_its_command_alone() -> None:
    assert {own for _, own, other in package_imports() if other == "validate"} == {"commands"}


def test_the_core_of_memories_imports_none_of_them() -> None:
    own = {("memory", "base"), ("memory", "core"), ("memory", "embedders")}
    wrong = {
        f"{path} imports {'.'.join(parts)}"
        for path, parts in imports()
        if path.parts[:2] in own | {("memory", "base.py")}
        and parts[0] == "memory"
        and parts[:2] not in own
    }
    assert not wrong


def test_only_memories_that_think_import_tim() -> None:
    rooms = {path.parts[1] for path, parts in imports() if parts[:2] == ("memory", "tim")}
    assert rooms == {"tim", "graph", "perlt"}


def test_no_consultation_imports_the_store_of_memories() -> None:
    users = {path for path, parts in imports() if parts[:2] == ("memory", "store")}
    outside = {path for path in users if path.parts[:2] != ("memory", "store")}
    # AutoGen's memory is a front of the store, and the bench measures memories without a consultation.
    assert {path for path in outside if path.parts[0] != "bench"} == {Path("memory/autogen.py")}
    front = {path for path, parts in imports() if parts[:2] == ("memory", "autogen")}
    assert not front


def test_helpers_of_the_root_import_no_package() -> None:
    assert not [
        path for path, own, other in package_imports() if own == ROOT and other != "language"
    ]


TURN_EVENTS = {"Asked", "Answered", "Retrieved", "Recalled", "Remembered", "Visited", "Intervened"}
"""What a turn consists of: only `runs/turns.py` gathers these."""
EVENT_READERS = {
    "simulator/worker.py": "puts the events of a journal into a transcript",
    "simulator/experience/teach.py": "adds the events of learning to a transcript",
    "replay/rerun.py": "plays recorded events back in their order",
    "replay/verify.py": "compares every event with that of a re-run",
    "eval/probes/run.py": "feeds a memory with recorded events in their order",
    "play/session.py": "has the events of a consultation under way gathered into turns",
    "view/consultation_data.py": "shows the prompt of one call, by the number of its event",
}
"""Files outside `runs/` that may go over events, each with what for."""


def event_reads(source: str) -> set[str]:
    """What a file reads of events: `events` of a transcript or journal, or a turn's events by kind."""
    reads = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr == "events":
            if not (isinstance(node.value, ast.Attribute) and node.value.attr == "runs"):
                reads.add("events")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kinds = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
            if node.func.attr == "of" and kinds & TURN_EVENTS:
                reads |= kinds & TURN_EVENTS
    return reads


def test_only_the_fold_in_runs_gathers_events_into_turns() -> None:
    readers = {}
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE)
        if path.parts[0] != "runs" and (reads := event_reads(file.read_text("utf-8"))):
            readers[path.as_posix()] = reads
    assert readers.keys() - EVENT_READERS == set(), "read `Transcript.turn_views` instead"
    assert EVENT_READERS.keys() - readers.keys() == set(), "no longer needed"


def test_the_check_of_folds_sees_one() -> None:
    assert event_reads("for event in transcript.events: pass") == {"events"}
    assert event_reads("replies = {e.turn: e for e in transcript.of(Answered)}") == {"Answered"}
    assert not event_reads("failed = transcript.of(Failed)")


SQL = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE|DROP|ALTER|PRAGMA|BEGIN)\s+\S"
    r"|\b(?:FROM|JOIN)\s+(?:cells|records|results|verdicts|measures|attempts|sessions|said)\b"
)
SQL_ROOMS = ("runs/store/", "memory/store/")
SQL_FILES = {
    "models/cache.py": "keeps answers of models in a file of its own",
    "view/responses.py": "tells an unreadable file by the error of SQLite",
}
"""Files outside these rooms that know SQLite, each with what for."""


def sql_in(source: str) -> list[str]:
    """The statements of a file, and its import of SQLite."""
    statements = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(name.name == "sqlite3" for name in node.names):
            statements.append("import sqlite3")
        elif isinstance(node, ast.Constant) and SQL.search(str(node.value)):
            statements.append(str(node.value))
    return statements


def test_sql_is_written_in_the_stores_alone() -> None:
    files = {
        path.as_posix(): statements
        for path in (file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
        if not path.as_posix().startswith(SQL_ROOMS)
        and (statements := sql_in((SOURCE / path).read_text("utf-8")))
    }
    assert files.keys() == SQL_FILES.keys(), files


def test_the_check_of_sql_sees_a_statement() -> None:
    assert sql_in('run.ask("SELECT number FROM cells")')
    assert sql_in('run.ask(f"SELECT {columns}" " FROM cells")') and sql_in("import sqlite3")
    assert not sql_in('"""Read what a run has of cells."""')
