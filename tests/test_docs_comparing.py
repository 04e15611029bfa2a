"""The Python of docs/comparing.md runs, and shows what the page says it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from osler.records import RecordPool
from tests.eval.held_runs import made_run

PAGE = Path(__file__).parents[1] / "docs" / "comparing.md"


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made_run(
        tmp_path / "runs" / "mine.osler",
        list(RecordPool.open())[:12],
        lambda cell: "correct" if cell.column.memory == "raw" else "undecided",
        memories=("none", "raw"),
    )
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})
    said = capsys.readouterr().out
    assert "rules none" in said and "patients_needed" in said
    assert re.search(r"none +0\.0 +1\.0", said), "both bounds"
