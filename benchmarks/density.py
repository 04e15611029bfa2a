"""How dense the code is: syntax nodes a line, knots, vague names and comments.

    python benchmarks/density.py [ROOT] [--against COMMIT] [--top N]

Lines are counted as `ruff format` leaves them at 100 columns, so that states of the code with
other line lengths can be compared. A knot is a comprehension inside another, or with two
generators. A vague name is one of a list (`one`, `found`, `told`, ...) that stands outside a
comprehension with one generator, where a short name is read at a glance. With `--top`, the
densest files follow. inspect_ai has 3.8 nodes a line, 0.4 knots and 82 comment lines per 1,000.
"""

from __future__ import annotations

import argparse
import ast
import io
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from size import PACKAGE, REPOSITORY, unpack

VAGUE_NAMES = {
    *("one", "ones", "some", "found", "said", "told", "asked", "known", "kept", "held"),
    *("given", "made", "wanted", "shown", "seen", "heard", "taken", "meant"),
}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# These are part of another node and say nothing of their own.
WITHOUT_MEANING = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
FEWEST_LINES = 20
"""A file with fewer lines of code is not listed among the densest."""


@dataclass
class Counts:
    """What was counted in one file, or in several together."""

    files: int = 0
    lines: int = 0
    code_lines: int = 0
    nodes: int = 0
    knots: int = 0
    vague_names: int = 0
    comments: int = 0

    def add(self, other: Counts) -> None:
        """Add the counts of other files."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def nodes_per_line(self) -> float:
        """Syntax nodes per line of code."""
        return self.nodes / max(self.code_lines, 1)

    def __str__(self) -> str:
        """All counts in one line."""
        per_thousand = 1000 / max(self.lines, 1)
        return (
            f"{self.files} files, {self.lines:,} lines, {self.nodes_per_line:.1f} nodes a line,"
            f" {self.knots * per_thousand:.1f} knots and {self.comments * per_thousand:.0f}"
            f" comments per 1,000 lines, {self.vague_names:,} vague names"
        )


def count_file(path: Path) -> Counts:
    """Count one file."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code_lines = {token.start[0] for token in tokens if token.type not in LAYOUT}
    return Counts(
        files=1,
        lines=len(text.splitlines()),
        code_lines=len(code_lines),
        nodes=sum(1 for _ in meaningful_nodes(tree)),
        knots=sum(1 for node in ast.walk(tree) if is_knot(node)),
        vague_names=count_vague_names(tree),
        comments=sum(token.type == tokenize.COMMENT for token in tokens),
    )


def meaningful_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but docstrings and those that are part of another node."""
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    docstrings = {
        statement.value
        for statement in statements
        if isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    }
    for node in ast.walk(tree):
        if node not in docstrings and not isinstance(node, WITHOUT_MEANING):
            yield node


def is_knot(node: ast.AST) -> bool:
    """Whether a node is a comprehension with two generators or another one inside."""
    if not isinstance(node, COMPREHENSIONS):
        return False
    inner = [part for part in ast.walk(node) if isinstance(part, COMPREHENSIONS)]
    return len(inner) > 1 or len(node.generators) > 1


def count_vague_names(tree: ast.AST) -> int:
    """Count vague names outside comprehensions with one generator."""
    in_short_comprehension: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, COMPREHENSIONS) and len(node.generators) == 1:
            in_short_comprehension.update(ast.walk(node))
    count = 0
    for node in ast.walk(tree):
        if node in in_short_comprehension:
            continue
        is_vague_name = isinstance(node, ast.Name) and node.id in VAGUE_NAMES
        is_vague_argument = isinstance(node, ast.arg) and node.arg in VAGUE_NAMES
        count += is_vague_name or is_vague_argument
    return count


def formatted_copy(root: Path, folder: Path) -> Path:
    """Copy the Python files of a state of the package and format them at 100 columns."""
    copy = folder / "formatted"
    shutil.copytree(root, copy)
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"
    # `--isolated`: the repository's own configuration would decide the line length otherwise.
    command = [ruff, "format", "--quiet", "--isolated", "--line-length", "100", str(copy)]
    subprocess.run(command, check=True)
    return copy


def print_counts(root: Path, top: int) -> None:
    """Print the counts of one state of the package, and its densest files."""
    with TemporaryDirectory() as folder:
        copy = formatted_copy(root, Path(folder))
        by_file = {path.relative_to(copy): count_file(path) for path in copy.rglob("*.py")}
    total = Counts()
    for counts in by_file.values():
        total.add(counts)
    print(total)
    listed = [path for path, counts in by_file.items() if counts.code_lines > FEWEST_LINES]
    listed.sort(key=lambda path: by_file[path].nodes_per_line, reverse=True)
    for path in listed[:top]:
        counts = by_file[path]
        print(
            f"  {path!s:45} {counts.lines:4} lines, {counts.nodes_per_line:4.1f} nodes a line,"
            f" {counts.knots:2} knots, {counts.vague_names:3} vague, {counts.comments:3} comments"
        )


def main() -> None:
    """Print the counts, and those of another commit if one is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", type=Path, default=REPOSITORY / PACKAGE)
    parser.add_argument("--against", metavar="COMMIT", help="another commit to count as well")
    parser.add_argument("--top", type=int, default=0, help="how many of the densest files to list")
    options = parser.parse_args()
    print_counts(options.root, options.top)
    if options.against:
        with TemporaryDirectory() as folder:
            print(f"at {options.against}:")
            print_counts(unpack(options.against, Path(folder)), options.top)


if __name__ == "__main__":
    main()
