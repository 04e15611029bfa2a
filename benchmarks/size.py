"""Counts the code.

Lines, files and uses of `re` in `src/osler`, and the lines of rules about language.

    python benchmarks/size.py [ROOT] [--against COMMIT]

Rules about language are the Python and the cue files that read text without a model. Vocabularies
(names of illnesses, drugs and symptoms) are data and are counted apart. Files outside these folders
that hold patterns are named, so that none is missed. With `--against`, the same counts of another
commit follow. The lists below also name files that only earlier commits have: what a commit does
not have counts nothing there.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

LINES, RULE_LINES = 30_000, 5_000
"""The most lines of Python in `src/osler`, and of rules about language."""

RULES = (
    "language/**/*.py",
    "agents/rules/*.py",
    "agents/ram/[!b]*.py",
    "agents/gate.py",
    "agents/disclosure.py",
)
RULES += ("memory/core/rules_facts.py", "memory/tim/corrections.py", "memory/tim/fact_*.py")
RULES += (
    "eval/ladder/*.py",
    "eval/probes/claims.py",
    "eval/faithfulness/rules.py",
    "eval/faithfulness/refusal.py",
)
RULES += ("eval/reply_parser.py",)
RULES += ("records/split.py", "records/classify.py")
CUES = ("language/cues/**/*.txt", "eval/words/*_cues.yaml")
VOCABULARY = (
    "language/lexicon/**/*.yaml",
    "language/lexicon/**/*.txt",
    "eval/words/*.yaml",
    "eval/illnesses.yaml",
)
VOCABULARY += ("agents/rules/knowledge/*.yaml",)
_USE = re.compile(r"\bre\.(?:compile|search|match|fullmatch|sub|subn|split|findall|finditer)\b")
_FEW = 3
REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = Path("src", "osler")


def files(root: Path, patterns: Iterable[str]) -> set[Path]:
    """The files that any of the patterns names."""
    return {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}


def lines(paths: Iterable[Path]) -> int:
    """How many lines these files have together."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def uses(paths: Iterable[Path]) -> int:
    """How often these files use a regular expression."""
    return sum(len(_USE.findall(path.read_text(encoding="utf-8"))) for path in paths)


def unpack(commit: str, folder: Path) -> Path:
    """Unpack the package as it was at a commit, and return where it is."""
    command = ["git", "-C", str(REPOSITORY), "archive", commit, "--", PACKAGE.as_posix()]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode:
        sys.exit(f"{commit}: {made.stderr.decode().strip()}\nname a commit that `git log` lists")
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / PACKAGE


def print_counts(root: Path) -> None:
    """Print the counts of one state of the package."""
    python = set(root.rglob("*.py"))
    rules, cues = files(root, RULES), files(root, CUES)
    words = files(root, VOCABULARY) - cues
    ruled = lines(rules) + lines(cues)
    print(
        f"Python            {lines(python):>7,} lines in {len(python)} files (at most {LINES:,});"
        f" re {uses(python)}"
    )
    print(
        f"language rules    {ruled:>7,} lines, {lines(cues):,} of them cues (at most"
        f" {RULE_LINES:,})"
    )
    print(f"vocabularies      {lines(words):>7,} lines in {len(words)} files")
    for path in sorted(python - rules):
        if (count := uses([path])) >= _FEW:
            print(f"patterns elsewhere {count:>3}  {path.relative_to(root)}")


def main() -> None:
    """Print the counts, and those of another commit if one is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", type=Path, default=REPOSITORY / PACKAGE)
    parser.add_argument("--against", metavar="COMMIT", help="another commit to count as well")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        earlier = unpack(options.against, Path(folder)) if options.against else None
        print_counts(options.root)
        if earlier is not None:
            print(f"\nat {options.against}")
            print_counts(earlier)


if __name__ == "__main__":
    main()
