"""Who judges a run where nobody is named: the patient's model, if it can judge."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from osler.errors import UserError
from osler.eval import panel
from osler.eval.scoring import EXACT
from osler.runs.store import RunFile
from osler.simulator.judge_choice import chosen_judges, named_judges
from tests.agents.scripted import scripted
from tests.conftest import Run
from tests.eval.readers import answers_like_people
from tests.simulator.model_server import model_server

PLAN = (
    "simulate",
    "--case",
    "gout-en",
    "--memory",
    "raw",
    "--turns",
    "2",
    "--out",
    "run",
    "--quiet",
)
NOTHING_FOUND = json.dumps(
    {
        "summary": "",
        "illnesses": [],
        "treats": False,
        "lines": [
            {"line": number, "words": "", "course": "not mentioned"} for number in range(1, 20)
        ],
        "rest": "nothing",
        "rest_words": "",
    }
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes of an examination is kept for the user: here, for the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def judges_of(path: Path) -> list[str]:
    with RunFile.open(path) as run:
        return list(run.judges())


def asked_to_judge(prompts: Iterable[str]) -> list[str]:
    return [prompt for prompt in prompts if "<answer>" in prompt]


def test_the_patients_model_is_examined_and_a_run_goes_on_without_one_that_cannot_judge(
    osler: Run, tmp_path: Path
) -> None:
    with model_server() as server:
        done = osler(*PLAN, "--backbone", server.spec)
        first = asked_to_judge(server.prompts)
        again = osler(*PLAN, "--backbone", server.spec)
        assert asked_to_judge(server.prompts) == first, (
            "a model that was refused is not examined again"
        )
    assert done.returncode == again.returncode == 0, done.stderr
    assert first and done.stderr.count("nobody judges this run") == 1
    assert judges_of(tmp_path / "runs/run.osler") == [EXACT] and "undecided" in done.stdout


def test_none_leaves_what_is_not_exact_open_and_asks_nobody(osler: Run, tmp_path: Path) -> None:
    with model_server() as server:
        done = osler(*PLAN, "--backbone", server.spec, "--judge", "none")
        assert not asked_to_judge(server.prompts)
    assert done.returncode == 0 and "judges this run" not in done.stderr, done.stderr
    assert judges_of(tmp_path / "runs/run.osler") == [EXACT]


def test_the_patients_model_judges_if_it_can_and_a_resumed_run_keeps_it(
    osler: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = answers_like_people()

    def answer(prompt: str) -> str:
        try:
            return known(prompt)
        except KeyError:  # an answer of the run, in which nothing is found
            return NOTHING_FOUND

    reader, client = scripted(answer)
    monkeypatch.setattr(panel, "open_backbone", lambda *_, **__: reader)
    with model_server() as server:
        done = osler(*PLAN, "--backbone", server.spec, "--judge-replies", "0")
        assert done.returncode == 0, done.stderr
        (name,) = (judge for judge in judges_of(tmp_path / "runs/run.osler") if judge != EXACT)
        assert f"judge {name}: kappa on labelled pairs" in " ".join(done.stdout.split())
        assert "judge tokens (mean)" in done.stdout and "undecided (total)" not in done.stdout
        asked = len(client.prompts)
        assert osler(*PLAN, "--backbone", server.spec, "--judge-replies", "0").returncode == 0
    assert len(client.prompts) == asked, "neither examined nor asked again"
    with RunFile.open(tmp_path / "runs/run.osler") as run:
        assert run.own_judge() == name
        assert chosen_judges(run, (), "rules") == ((reader.spec,), False)


@pytest.mark.parametrize(
    ("named", "patient", "chosen"),
    [
        ((), "rules", ((), False)),
        ((), "human", ((), False)),
        ((), "local", ((), False)),
        ((), "m@http://127.0.0.1:1/v1", (("m@http://127.0.0.1:1/v1",), False)),
        (("none",), "m@http://127.0.0.1:1/v1", ((), True)),
        (("a", "b"), "rules", (("a", "b"), True)),
    ],
)
def test_who_is_chosen(
    osler: Run,
    tmp_path: Path,
    named: tuple[str, ...],
    patient: str,
    chosen: tuple[tuple[str, ...], bool],
) -> None:
    assert osler(*PLAN).returncode == 0
    with RunFile.open(tmp_path / "runs/run.osler") as run:
        assert chosen_judges(run, named, patient) == chosen


def test_none_beside_a_judge_is_refused() -> None:
    with pytest.raises(UserError, match="--judge none leaves answers open"):
        named_judges(["none", "m@http://127.0.0.1:1/v1"])
