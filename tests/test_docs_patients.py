"""The patient and the prompts that docs/patients.md shows work as they stand there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.agents.patients import patient_names
from osler.runs.events import Answered, Called, Role
from tests.conftest import REPO
from tests.simulator.model_server import model_server

PAGE = (REPO / "docs" / "patients.md").read_text(encoding="utf-8")
POOL, PATIENT, PROMPTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_patient_on_the_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [name] = set(re.findall(r"\bmy_patients:\w+", PAGE))
    (tmp_path / "my_patients.py").write_text(PATIENT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("my_patients", None)  # another test has one of that name
    try:
        with model_server() as server:
            run = osler.simulate(
                cases=["gout-en"], patient=server.spec, patient_agent=name, ram="rules", turns=1,
                judges=["none"], out=tmp_path / "run", quiet=True,
            )  # fmt: skip
    finally:
        sys.modules.pop("my_patients", None)
    [transcript] = run.transcripts()
    [reply] = transcript.of(Answered)
    assert reply.reply == "A patient with a cough."
    [call] = [call for call in transcript.of(Called) if call.role is Role.PATIENT]
    prompt = call.messages[0].content
    assert "Joint pain" in prompt and "Warfarin" not in prompt and "Anticoagulant" not in prompt


def test_the_prompts_on_the_page_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(PROMPTS, "patients.md", "exec"), names)
    replies: list[str] = []
    for transcript in names["run"].transcripts():
        replies += [event.reply for event in transcript.of(Answered)]
    assert "No idea, sorry." in replies and "Don't know." not in replies


def test_the_pool_on_the_page_is_read() -> None:
    exec(compile(POOL, "patients.md", "exec"), {})


def test_the_page_names_every_patient() -> None:
    assert all(f"| `{name}`" in PAGE for name in patient_names()[:4])
