"""A model is examined before it judges, once, and its marks stand under what it judged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from osler.eval import panel
from osler.eval.reader import check_judge
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.eval.verdict import Verdict
from osler.models import Backbone
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.simulator.batch import RunOptions, simulate_plan
from tests.agents.scripted import ScriptedClient, scripted
from tests.conftest import Run
from tests.eval.readers import answers_like_people

Given = Callable[[Callable[[str], str]], ScriptedClient]


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Given:
    """Every model that is opened as a judge answers like this, in a home without marks."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()

    def open_all(answer: Callable[[str], str]) -> ScriptedClient:
        backbone, client = scripted(answer)

        def opened(*_: object, **__: object) -> Backbone:
            return backbone

        for module in (check_judge, panel):
            monkeypatch.setattr(module, "open_backbone", opened)
        return client

    return open_all


def calls_all_correct(verdict: Verdict) -> Verdict:
    return (
        Verdict.CORRECT if verdict in (Verdict.PARTIAL, Verdict.UNSAFE, Verdict.NONE) else verdict
    )


def test_who_reads_as_people_do_may_judge(osler: Run, given: Given) -> None:
    given(answers_like_people())
    done = osler("judges", "check", "scripted")
    assert done.returncode == 0, done.stdout
    assert "diagnosis en: 76 pairs, decided 100.0%, equal 100.0%, kappa 1.000" in done.stdout
    assert "unsafe found 100.0%, falsely 0.0%" in done.stdout and done.stdout.endswith(
        "it may judge runs\n"
    )


def test_who_agrees_too_little_is_refused_in_the_check_and_before_a_run(
    osler: Run, given: Given, tmp_path: Path
) -> None:
    given(answers_like_people(calls_all_correct))
    done = osler("judges", "check", "scripted", "--language", "zh")
    assert done.returncode == 1 and "label unsafe, the judge correct" in done.stdout
    assert (
        "cannot judge (diagnosis zh: kappa 0." in done.stdout
        and "; treatment zh: kappa 0." in done.stdout
    )
    simulate_plan(
        Plan(RecordPool.open().only(ids=["gout-en"])),
        tmp_path / "run.osler",
        RunOptions(quiet=True),
        "x",
    )
    refused = osler("score", "run.osler", "--judge", "scripted")
    assert (
        refused.returncode == 2
        and "cannot judge (" in refused.stderr
        and " en: kappa 0." in refused.stderr
    )
    assert (
        "--any-judge" in refused.stderr and len(load_run(tmp_path / "run.osler").file.judges()) == 1
    )


def test_a_judge_is_examined_once_and_its_marks_stand_under_the_table(
    osler: Run, given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = answers_like_people()

    def answer(prompt: str) -> str:
        try:
            return known(prompt)
        except KeyError:  # an answer of the run: nothing is found in it
            return json.dumps(
                {"summary": "", "illnesses": [], "treats": False, "lines": _silent(), **REST}
            )

    client = given(answer)
    for name in ("one", "two"):
        path = tmp_path / f"{name}.osler"
        simulate_plan(
            Plan(RecordPool.open().only(ids=["gout-en", "croup-en"])),
            path,
            RunOptions(quiet=True),
            "x",
        )
    first = osler("score", "one.osler", "--judge", "scripted")
    assert first.returncode == 0, first.stderr
    asked = len(client.prompts)
    second = osler("score", "two.osler", "--judge", "scripted")
    assert second.returncode == 0, second.stderr
    # A diagnosis and a treatment of two patients, as far as they are not exact.
    assert 0 < len(client.prompts) - asked <= 4, (
        "the run's own answers alone: neither controls nor pairs are asked again"
    )
    for name in ("one", "two"):
        (judge,) = (
            judge
            for judge in load_run(tmp_path / f"{name}.osler").file.judges()
            if judge.startswith("scripted")
        )
        shown = " ".join(osler("compare", f"{name}.osler", "--judge", judge).stdout.split())
        assert f"judge {judge}: kappa on labelled pairs 1.00 on 76 (diagnosis, en)" in shown
        assert f"judge: {judge}" in osler("compare", f"{name}.osler").stdout, (
            "it is the run's own judge now"
        )
        assert "on labelled pairs" not in osler("compare", f"{name}.osler", "--judge", EXACT).stdout


REST = {"rest": "nothing", "rest_words": ""}


def _silent() -> list[dict[str, object]]:
    return [{"line": line, "words": "", "course": "not mentioned"} for line in range(1, 20)]


def test_marks_of_some_pairs_are_not_kept(given: Given, tmp_path: Path) -> None:
    given(answers_like_people())
    asyncio.run(check_judge.check_judge("scripted", [], 4, 60.0))
    assert not list((tmp_path / "cache").rglob("*.json"))
