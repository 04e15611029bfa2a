"""`simulate --judge`: conclusions are read as consultations end, and no consultation is lost to a
judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.errors import UserError
from osler.eval import panel
from osler.eval.judge import Kind, Opinion
from osler.eval.scoring import EXACT
from osler.eval.verdict import Verdict
from osler.models import BackboneError, FailureKind
from osler.records import PatientRecord
from osler.runs.store import RunFile
from tests.agents.scripted import scripted
from tests.conftest import Run
from tests.eval.readers import answers_like_people

HERE = "tests.simulator.test_live_judge"
CASES = ("--case", "gout-en", "--case", "croup-en", "--case", "gerd-zh")


class Harsh:
    """Calls everything wrong, and remembers what it was asked."""

    name = "harsh/1"
    asked: tuple[tuple[str, Kind, str], ...] = ()
    left: int | None = None
    """Answers that it still gives before it is gone."""

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Say so."""
        if Harsh.left is not None:
            if Harsh.left == 0:
                raise BackboneError(FailureKind.OTHER, "the judge is gone", "wake it up")
            Harsh.left -= 1
        Harsh.asked += ((record.id, kind, answer),)
        return Opinion(Verdict.WRONG, "it says so", 7, rung="mine")


class Faulty(Harsh):
    """Has a fault."""

    name = "faulty/1"

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Divide by nothing."""
        return Opinion(Verdict.WRONG, str(1 / 0))


@pytest.fixture(autouse=True)
def _fresh() -> None:
    Harsh.asked, Harsh.left = (), None


def verdicts(path: Path, judge: str) -> list[tuple[str, str]]:
    with RunFile.open(path) as run:
        found = run.ask(
            "SELECT verdict, rung FROM verdicts WHERE judge = ? ORDER BY cell, kind", (judge,)
        )
    return [(verdict, rung) for verdict, rung in found]


def test_a_run_is_judged_as_it_goes_and_its_table_shows_the_judge(
    osler: Run, tmp_path: Path
) -> None:
    plan = ("simulate", *CASES, "--memory", "raw", "--trials", "2", "--out", "run")
    done = osler(*plan, "--judge", f"{HERE}:Harsh", "--quiet")
    assert done.returncode == 0, done.stderr
    assert len(Harsh.asked) == len(set(Harsh.asked)) <= 6, "the same answer is read once"
    stored = verdicts(tmp_path / "runs/run.osler", "harsh/1")
    assert len(stored) == 12 and set(stored) <= {("wrong", "judge"), ("correct", "exact")}
    exact = sum(rung == "exact" for _, rung in stored) / 2
    assert len(Harsh.asked) == 6 - exact
    right = [line for line in done.stdout.splitlines() if "right %" in line]
    assert len(right) == 2 and "undecided" not in done.stdout
    compared = json.loads(osler("compare", "run", "--format", "json").stdout)
    assert compared["judge"] == "harsh/1", "the run's own judge is the default"
    assert (
        json.loads(osler("compare", "run", "--judge", EXACT, "--format", "json").stdout)["judge"]
        == EXACT
    )
    asked = Harsh.asked
    again = osler(*plan, "--judge", f"{HERE}:Harsh", "--quiet")
    assert again.returncode == 0 and Harsh.asked == asked
    more = osler(*plan[:-4], "--trials", "3", "--out", "run", "--judge", f"{HERE}:Harsh", "--quiet")
    assert more.returncode == 0 and Harsh.asked == asked, (
        "what was read in an earlier session is not read again"
    )
    assert len(verdicts(tmp_path / "runs/run.osler", "harsh/1")) == 18


def test_a_judge_that_dies_costs_no_consultation_and_is_asked_for_the_rest_later(
    osler: Run, tmp_path: Path
) -> None:
    plan = ("simulate", *CASES, "--memory", "none", "--memory", "raw", "--out", "run", "--quiet")
    Harsh.left = 2
    done = osler(*plan, "--judge", f"{HERE}:Harsh")
    assert (
        done.returncode == 0
        and "not all are judged" in done.stderr
        and "the judge is gone" in done.stderr
    )
    path = tmp_path / "runs/run.osler"
    with RunFile.open(path) as run:
        assert run.status().done == 6 and EXACT in run.judges()
    Harsh.left, first = None, Harsh.asked
    assert len(first) == 2
    assert osler(*plan, "--judge", f"{HERE}:Harsh").returncode == 0
    assert Harsh.asked[:2] == first and len(set(Harsh.asked)) == len(Harsh.asked), (
        "nothing is read twice"
    )
    assert len(verdicts(path, "harsh/1")) == 12


def test_a_judge_with_a_fault_of_its_own_costs_no_consultation_and_says_where(
    osler: Run, tmp_path: Path
) -> None:
    done = osler("simulate", *CASES, "--out", "run", "--quiet", "--judge", f"{HERE}:Faulty")
    assert (
        done.returncode == 0
        and "ZeroDivisionError" in done.stderr
        and "test_live_judge.py:" in done.stderr
    )
    with RunFile.open(tmp_path / "runs/run.osler") as run:
        assert run.status().done == 3


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("x@", "needs http"),
        ("nowhere:Judge", "nowhere"),
        ("person:li", "is a person"),
        ("human", "no backbone 'human'"),
    ],
)
def test_a_judge_that_cannot_be_opened_leaves_no_run(
    osler: Run, tmp_path: Path, judge: str, said: str
) -> None:
    done = osler("simulate", *CASES, "--judge", judge, "--quiet", "--out", "run")
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )
    assert not (tmp_path / "runs/run.osler").exists()


def test_a_model_is_examined_before_the_first_consultation(
    osler: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    backbone, client = scripted(answers_like_people(lambda verdict: Verdict.CORRECT))
    monkeypatch.setattr(panel, "open_backbone", lambda *_, **__: backbone)
    done = osler("simulate", *CASES, "--judge", "scripted", "--quiet", "--out", "run")
    assert (
        done.returncode == 2
        and "cannot judge" in done.stderr
        and "osler score --any-judge" in done.stderr
    )
    assert client.prompts and not (tmp_path / "runs/run.osler").exists()


def test_python_takes_judges_too(tmp_path: Path) -> None:
    import osler

    run = osler.simulate(
        cases=["gout-en"], memories=["raw"], judges=[f"{HERE}:Harsh"], out=tmp_path / "run.osler"
    )
    assert set(run.scores("harsh/1")["diagnosis_verdict"]) <= {"wrong", "correct"}
    with pytest.raises(UserError):
        osler.simulate(cases=["gout-en"], judges=["nowhere:Judge"], out=tmp_path / "other.osler")
