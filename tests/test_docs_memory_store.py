"""Every block of docs/memory_store.md runs, in its order, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import REPO

PAGE = (REPO / "docs" / "memory_store.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told, names = [], dict[str, object]()
    for block in BLOCKS:
        exec(compile(block, "memory_store.md", "exec"), names)
        told.append(capsys.readouterr().out)
    quickstart, alice, chinese, recalled, two, times = told
    assert "basketball" in quickstart.splitlines()[0]
    assert "('UPDATE', 'I like to play tennis on weekends')" in alice and "{'results': []}" in alice
    assert "青霉素" in chinese
    assert "basketball" in recalled
    assert two.strip() == "Melanie"
    now, *before = times.splitlines()
    assert now == "['does not have cough']"
    assert len(before) == 1 and before[0].startswith("cough until 20")
