"""The doctor that docs/doctors.md shows holds a consultation."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from osler.agents.doctors import doctor_names
from osler.runs.events import Concluded, Ending, Maker
from tests.agents.test_doctors import held
from tests.conftest import REPO

PAGE = (REPO / "docs" / "doctors.md").read_text(encoding="utf-8")


async def test_the_doctor_on_the_page_asks_and_concludes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(code.strip().splitlines()) <= 25
    [name] = set(re.findall(r"\bmy_doctors:\w+", PAGE))
    (tmp_path / "my_doctors.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        done = await held(
            ["Does she have urgency?", "Any fever?", "Bladder cancer", "TURBT"], strategy=name
        )
    finally:
        sys.modules.pop("my_doctors", None)
    assert done.questions == [("Does she have urgency?", Maker.MODEL), ("Any fever?", Maker.MODEL)]
    [concluded] = done.of(Concluded)
    assert (concluded.diagnosis, concluded.treatment, done.ending) == (
        "Bladder cancer",
        "TURBT",
        Ending.CONCLUDED,
    )
    assert "urgency" in done.client.prompts[2], "its memory brought it back"


def test_the_page_names_every_strategy() -> None:
    assert all(f"| `{name}`" in PAGE for name in ("plain", "stepwise", "checklist"))
    assert {"plain", "stepwise", "checklist"} <= set(doctor_names())
