"""Packages import each other in one direction only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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
    "locale": {"*", "-language"},
    "records": {"*", "-language", "-locale"},
    "memory": {"records", "agents", "runs", "eval", "simulator"},
    "models": {"records", "agents", "memory", "runs", "eval", "simulator"},
    "runs": {"agents", "eval", "simulator", "explain", "replay", "play", "view", "commands"},
    "agents": {"eval", "simulator", "explain", "replay", "play", "view", "commands"},
    "simulator": {"explain", "replay", "play", "view", "commands"},
    "explain": {"replay", "play", "view", "commands"},
    "eval": {"simulator", "explain", "replay", "play", "view", "commands"},
}
"""What a package must not import; `*`: any other package, but for those after a minus."""


def package_of(parts: tuple[str, ...]) -> str:
    return parts[0] if (SOURCE / parts[0]).is_dir() else ROOT


def imports() -> Iterator[tuple[Path, str, str]]:
    """Each file with its package and a package of ours that it imports, also within a function."""
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE)
        if path.stem in FRONT and len(path.parts) == 1:
            continue
        own = package_of(path.with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                parts = tuple(name.split("."))
                if parts[0] == "osler" and len(parts) > 1 and not parts[1].startswith("__"):
                    yield path, own, package_of(parts[1:])


FOUND = sorted({(str(path), own, other) for path, own, other in imports() if own != other})


def test_packages_are_not_imported_in_a_circle() -> None:
    needs: dict[str, set[str]] = {}
    for _, own, other in FOUND:
        if ROOT not in (own, other):
            needs.setdefault(own, set()).add(other)
    assert list(TopologicalSorter(needs).static_order())[-1] == "commands"


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    rule = FORBIDDEN[package]
    allowed = {ROOT, *(name[1:] for name in rule if name.startswith("-"))}
    wrong = [
        f"{path} imports {other}"
        for path, own, other in FOUND
        if own == package and (other in rule or ("*" in rule and other not in allowed))
    ]
    assert not wrong


def test_helpers_of_the_root_import_no_package() -> None:
    assert not [path for path, own, other in FOUND if own == ROOT and other != "language"]
