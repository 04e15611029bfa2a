"""Counts the code: lines, files and uses of `re` in `src/osler`, and the lines of rules about language.

    python benchmarks/size.py [ROOT]

Rules about language are the Python and the cue files that read text without a model. Vocabularies (names of illnesses,
drugs and symptoms) are data and are counted apart. Files outside these folders that hold patterns are named, so that
none is missed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

LINES, RULE_LINES = 30_000, 8_000
"""The most lines of Python in `src/osler`, and of rules about language."""

RULES = ("language/**/*.py", "agents/rules/*.py", "agents/ram/[!b]*.py", "agents/gate.py", "agents/disclosure.py")
RULES += ("memory/tim/rules_thoughts.py", "memory/tim/corrections.py", "memory/tim/fact_*.py")
RULES += ("eval/ladder/*.py", "eval/faithfulness/rules.py", "eval/faithfulness/refusal.py")
RULES += ("eval/probes/claims.py", "eval/reply_parser.py")
RULES += ("records/split.py", "records/classify.py")
CUES = ("language/cues/**/*.txt", "eval/words/*_cues.yaml")
VOCABULARY = ("language/lexicon/**/*.yaml", "language/lexicon/**/*.txt", "eval/words/*.yaml")
VOCABULARY += ("agents/rules/knowledge/*.yaml",)
_USE = re.compile(r"\bre\.(?:compile|search|match|fullmatch|sub|subn|split|findall|finditer)\b")
_FEW = 3


def files(root: Path, patterns: Iterable[str]) -> set[Path]:
    """The files that any of the patterns names."""
    return {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}


def lines(paths: Iterable[Path]) -> int:
    """How many lines these files have together."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def uses(paths: Iterable[Path]) -> int:
    """How often these files use a regular expression."""
    return sum(len(_USE.findall(path.read_text(encoding="utf-8"))) for path in paths)


def main() -> None:
    """Print the counts."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "src" / "osler")
    python = set(root.rglob("*.py"))
    rules, cues = files(root, RULES), files(root, CUES)
    words = files(root, VOCABULARY) - cues
    ruled = lines(rules) + lines(cues)
    print(f"Python            {lines(python):>7,} lines in {len(python)} files (at most {LINES:,}); re {uses(python)}")
    print(f"language rules    {ruled:>7,} lines, {lines(cues):,} of them cues (at most {RULE_LINES:,})")
    print(f"vocabularies      {lines(words):>7,} lines in {len(words)} files")
    for path in sorted(python - rules):
        if (count := uses([path])) >= _FEW:
            print(f"patterns elsewhere {count:>3}  {path.relative_to(root)}")


if __name__ == "__main__":
    main()
