"""Each cause found by the doctor's own answers; nothing is asked twice, and nothing is paid for by
the run."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from osler.eval.causes import Cause
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.runs import load_run
from osler.models import BackboneError, FailureKind
from osler.prompts import bundled_prompt
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.runs.reply_faults import FaultyReply, PatientReading, ReplyFaults
from osler.runs.scored import StoredExplanation
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.runs.store.explanations import explanations
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from tests.conftest import Run
from tests.explain.worlds import (
    DOCTOR,
    EN,
    JUDGE,
    OWN,
    PATIENT,
    RAM,
    VERIFIER,
    WORLDS,
    Models,
    World,
    explain,
    lose,
)
from tests.simulator.model_server import model_server


def only(path: Path, judge: str = OWN) -> StoredExplanation:
    with RunFile.open(path) as run:
        (found,) = explanations(run, judge).values()
    return found


def steps(found: StoredExplanation) -> list[str]:
    return [step["step"] for step in found.steps]


@WORLDS
def test_memory_is_the_cause_if_the_full_dialogue_is_enough(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(world, right=lambda prompt: world.cough in prompt)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("none",))
    explain(path)
    found = only(path)
    assert (found.cause, found.lost_at) == (Cause.MEMORY, 2), "the film decides"
    assert world.record.entries[0].name in found.missing
    assert steps(found) == ["same", "dialogue"]


@WORLDS
def test_the_doctor_is_asked_with_the_prompts_of_the_run(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = "Speak as a sailor would."
    text = bundled_prompt("doctor_conclude", world.language).text
    own = {f"{world.language}/doctor_conclude": f"{text}\n{mark}"}
    models = Models(world)
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings={"prompts": own})
    models.asked[DOCTOR].clear()
    explain(path)
    assert models.conclusions and all(mark in prompt for prompt in models.asked[DOCTOR])


TOLD_EARLIER = {
    "en": "A film showed consolidation of the right lower lobe.",
    "zh": "拍片说右下肺实变影。",
}


@WORLDS
@pytest.mark.parametrize("enough", [True, False])
def test_memory_is_the_cause_if_it_lost_what_was_told_at_an_earlier_visit(
    world: World, enough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the visits, word for word, do not make the doctor right, and the record's words do,
    nothing was missing."""
    reply, film = TOLD_EARLIER[world.language.value], world.record.entries[1].name
    visit = {"date": "2024-01-02", "exchanges": [{"question": "?", "reply": reply}]}
    past = {"date": "2025-01-02", "earlier": [film], "visits": [visit]}
    models = Models(replace(world, fields={**world.fields, **past}))
    path = lose(
        tmp_path / "run.osler", models, monkeypatch, memories=("none",), settings={"visits": True}
    )
    models.right = lambda prompt: (
        (reply if enough else f"{film}: {world.film}") in prompt.replace("：", ": ")
    )
    explain(path)
    found = only(path)
    assert found.cause == (Cause.MEMORY if enough else Cause.CONCLUSION)
    assert steps(found) == ["same", "dialogue", *(() if enough else ("handed",))]
    if enough:
        assert (found.lost_at, found.missing[0]) == (0, film)


@WORLDS
@pytest.mark.parametrize("tells", [False, True])
def test_the_patient_is_the_cause_unless_it_told_what_it_was_handed(
    world: World, tells: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent, cough, film = (
        "I am not sure.",
        "Yes, and what comes up is rusty.",
        "There is something in the lower lobe.",
    )
    if world.language.value == "zh":
        silent, cough, film = "我说不上来。", "咳，痰是铁锈色的。", "片子上说右下肺有问题。"

    def patient(prompt: str) -> str:
        told = (
            film
            if f'"{world.questions[1]}"' in prompt or f"“{world.questions[1]}”" in prompt
            else cough
        )
        return told if tells else silent

    models = Models(world, lambda prompt: world.film in prompt, patient)
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings={"patient_backbone": PATIENT})
    explain(path)
    found = only(path)
    assert steps(found) == ["same", "handed"], (
        "raw recalls the full dialogue, which is not asked twice"
    )
    if tells:
        assert (found.cause, found.lost_at, found.missing) == (Cause.CONCLUSION, 4, ())
    else:
        assert (found.cause, found.lost_at) == (Cause.PATIENT, 2)
        assert world.record.entries[1].name in found.missing


@WORLDS
def test_a_reply_that_contradicts_an_entry_has_not_told_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (
        "There is something in the lower lobe."
        if world.language.value == "en"
        else "片子上说右下肺有问题。"
    )
    models = Models(world, lambda prompt: world.film in prompt, lambda _: told)
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings={"patient_backbone": PATIENT})
    film = world.record.entries[1].name
    faulty = (FaultyReply(2, ReplyFaults(contradictions=(f"x ≠ {film}",))),)
    with RunWriter.resume(path) as store:
        reading = PatientReading(drawn=(2,), faulty=faulty)
        store.store_reading(1, "reader#1", reading.model_dump(mode="json"), 1, None)
    explain(path)
    found = only(path)
    assert (found.cause, found.lost_at, found.missing[0]) == (Cause.PATIENT, 2, film)


@WORLDS
@pytest.mark.parametrize("verify", [None, VERIFIER])
def test_retrieval_is_the_cause_if_it_was_asked_for_and_not_brought(
    world: World, verify: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = world.film if verify is None else world.blood
    models = Models(world, lambda prompt: wanted in prompt, verified=(3,))
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings={"ram_backbone": RAM})
    explain(path, verify=verify)
    found = only(path)
    assert found.cause is not None and steps(found) == ["same", "asked"], (
        "nothing was handed to the patient"
    )
    name = world.record.entries[1 if verify is None else 2].name
    assert (found.cause, found.lost_at) == (
        Cause.RETRIEVAL,
        2 if verify is None else 1,
    ) and name in found.missing
    if verify is not None:
        assert models.asked[VERIFIER].total() == 3, "once for each question"


@WORLDS
def test_what_a_question_for_its_category_asked_for_was_asked_for(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = {"en": "What did the scans show?", "zh": "影像检查结果怎么样？"}[world.language]
    asking = replace(world, questions=(world.questions[0], scans, world.questions[2]))
    models = Models(asking, lambda prompt: world.film in prompt)
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings={"ram_backbone": RAM})
    explain(path)
    found = only(path)
    assert (found.cause, found.lost_at) == (Cause.RETRIEVAL, 2)
    assert found.missing[0] == world.record.entries[1].name
    assert "never asked for" not in found.line and "asked for and not brought" in found.line


@WORLDS
def test_inquiry_is_the_cause_if_it_was_never_asked_for(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(world, lambda prompt: world.blood in prompt)
    path = lose(tmp_path / "run.osler", models, monkeypatch)
    explain(path)
    found = only(path)
    assert (found.cause, found.lost_at) == (Cause.INQUIRY, None)
    assert found.missing == (world.record.entries[2].name,)
    assert steps(found) == ["same", "handed", "record"]
    for prompt in models.asked[DOCTOR]:
        assert world.record.diagnosis.name not in prompt


@WORLDS
@pytest.mark.parametrize("verify", [None, VERIFIER])
def test_a_patient_need_not_tell_what_retrieval_brought_unasked(
    world: World, verify: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = "我在听。" if world.language.value == "zh" else "I am listening."
    models = Models(
        world,
        lambda prompt: world.blood in prompt,
        lambda prompt: beside,
        found=(1, 2, 3),
        verified=(3,),
    )
    settings = {"ram_backbone": RAM, "patient_backbone": PATIENT}
    path = lose(tmp_path / "run.osler", models, monkeypatch, settings=settings)
    explain(path, verify=verify)
    found = only(path)
    assert world.record.entries[2].name in found.missing
    if verify is None:
        assert (found.cause, found.lost_at) == (Cause.INQUIRY, None)
    else:
        assert found.cause == Cause.PATIENT, "the verifying model says that it was asked for"


@WORLDS
def test_knowledge_and_conclusion(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(world)
    path = lose(tmp_path / "run.osler", models, monkeypatch)
    explain(path)
    assert (only(path).cause, only(path).lost_at) == (Cause.KNOWLEDGE, 4)
    other = lose(tmp_path / "other.osler", models, monkeypatch)
    models.right = lambda _: True
    explain(other)
    assert (only(other).cause, only(other).lost_at, steps(only(other))) == (
        Cause.CONCLUSION,
        4,
        ["same"],
    )


def test_a_doctor_with_the_whole_record_can_only_lack_knowledge_or_luck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lose(tmp_path / "run.osler", Models(EN), monkeypatch, memories=("one-step",))
    explain(path)
    assert (only(path).cause, steps(only(path))) == (Cause.KNOWLEDGE, ["same"])


def test_judges_that_disagree_are_the_cause_and_nobody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch)
    explain(path)
    assert only(path).cause is not Cause.JUDGE
    asked = models.conclusions
    with RunWriter.resume(path) as store:
        store.store_score(
            1, StoredScore("a person", [StoredVerdict("diagnosis", "correct", "person", "b")])
        )
        store.store_score(
            1, StoredScore("ladder/1", [StoredVerdict("diagnosis", "wrong", "name", "b")])
        )
    explain(path)
    assert only(path).cause == Cause.JUDGE and "a person" in only(path).line
    with RunWriter.resume(path) as store:
        store.store_score(
            1, StoredScore(OWN, [StoredVerdict("diagnosis", "undecided", "none", "b")])
        )
    with RunFile.open(path) as run:
        assert not explanations(run, OWN), (
            "an explanation of another verdict does not hold any more"
        )
    explain(path)
    assert only(path).cause == Cause.JUDGE and models.conclusions == asked


def test_a_model_judge_reads_an_answer_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("raw", "none"))
    name = ModelJudge(models.open(JUDGE)).name
    with pytest.raises(Exception, match="has no verdicts of"):
        explain(path, judge=JUDGE)
    with RunWriter.resume(path) as store:
        for number in (1, 2):
            store.store_score(
                number, StoredScore(name, [StoredVerdict("diagnosis", "wrong", "model", "b")])
            )
    assert explain(path, judge=JUDGE).judge == name
    assert explain(path, judge=JUDGE, trials=2).new == 2
    assert models.asked[JUDGE].total() == 1, (
        "one answer, read once for both consultations and all trials"
    )


def test_explaining_again_asks_nothing_and_the_run_pays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(EN, lambda prompt: EN.blood in prompt)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("none", "raw"))
    with RunFile.open(path) as run:
        before = run.status()
    held = models.conclusions
    first = explain(path)
    assert first.new == 2 and first.cost.calls == models.conclusions - held
    assert first.cost.tokens == 15 * first.cost.calls and first.cost.cost is None, (
        "nobody knows the price"
    )
    again = explain(path)
    assert (again.new, again.before, again.cost) == (0, 2, first.cost)
    more = explain(path, trials=2)
    assert more.new == 2 and more.cost.calls == 2 * first.cost.calls, (
        "the first trial is not asked again"
    )
    with RunFile.open(path) as run:
        assert run.status() == before


def test_a_limit_stops_and_the_next_command_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("none", "raw", "tim"))
    held = models.asked[DOCTOR].copy()
    first = explain(path, concurrency=1, limits=Limits(tokens=75))
    assert first.stopped is not None and first.new == 1 and first.cost.calls == 5
    second = explain(path, concurrency=1)
    assert second.stopped is None and (second.new, second.before) == (2, 1)
    asked = models.asked[DOCTOR] - held
    assert asked.total() == second.cost.calls, (
        "what was answered before the stop is not asked again"
    )


def test_a_failed_call_costs_one_explanation_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("none", "raw"))
    models.error = BackboneError(FailureKind.REFUSED, "the model refused")
    failed = explain(path)
    assert failed.new == 0 and sum(failed.failures.values()) == 2 and failed.stopped is None
    models.error = None
    assert explain(path).new == 2


def test_an_endpoint_that_is_down_stops_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch)
    models.error = BackboneError(FailureKind.UNREACHABLE, "nobody answers")
    done = osler("explain", path)
    assert done.returncode == 2 and "nobody answers" in done.stderr and done.stderr.count("\n") == 1
    models.error = None
    assert osler("explain", path).returncode == 0


def test_trials_show_how_far_the_causes_are_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    models = Models(EN)
    path = lose(tmp_path / "run.osler", models, monkeypatch)
    count = iter(range(1000))
    models.right = lambda _: next(count) % 3 == 0
    assert osler("explain", path, "--trials", "3").returncode == 0
    assert not any(step["right"] for step in only(path).steps), "one of three is not most"
    told = json.loads(osler("explain", path, "--trials", "3", "--json").stdout)
    assert any("disagreed in 3 of 3 steps" in line for line in told["causes"]["noise"])
    assert any("right in 0 of 1" in line for line in told["causes"]["noise"])


def test_a_run_that_was_never_explained_has_no_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    path = lose(tmp_path / "run.osler", Models(EN), monkeypatch)
    with load_run(path) as run:
        assert run.scores()["cause"].isna().all()
    assert "why consultations were lost" not in osler("compare", path).stdout
    assert json.loads(osler("compare", path, "--format", "json").stdout)["causes"] is None


def test_causes_are_in_scores_compare_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    models = Models(EN, right=lambda prompt: EN.cough in prompt)
    path = lose(tmp_path / "run.osler", models, monkeypatch, memories=("raw", "none"))
    explain(path)
    with load_run(path) as run:
        rows = run.scores().set_index("memory")
    assert rows.loc["none", "cause"] == "memory" and rows.loc["none", "lost_at"] == 2
    assert "Cough" in str(rows.loc["none", "missing"]) and rows["cause"].isna()["raw"]
    page = osler("compare", path).stdout
    assert "why consultations were lost" in page and "wins from the full dialogue" in " ".join(
        page.split()
    )
    told: dict[str, Any] = json.loads(osler("compare", path, "--format", "json").stdout)["causes"]
    (pair,) = told["differences"]
    assert (pair["cause"], pair["only_first"], pair["only_second"], pair["test"]) == (
        "memory",
        1,
        0,
        "mcnemar_exact",
    )
    none = told["columns"][1]
    assert (none["lost"], none["explained"], none["causes"]["memory"]["count"]) == (1, 1, 1)


def test_causes_are_paired_only_where_both_columns_know_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    models = Models(EN)
    one, two = (
        lose(tmp_path / f"{name}.osler", models, monkeypatch, trials=2) for name in ("one", "two")
    )

    def causes() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(osler("compare", one, two, "--format", "json").stdout)[
            "causes"
        ]
        return found

    explain(one)
    told, page = causes(), " ".join(osler("compare", one, two).stdout.split())
    assert not told["differences"] and "causes, paired" not in page
    (line,) = told["unpaired"]
    assert line.startswith("two ") and "`osler explain`" in line and line in page
    models.right = lambda _: True
    explain(two, limit=1)
    told = causes()
    assert not told["unpaired"]
    assert {(pair["cause"], pair["n"], pair["left_out"]) for pair in told["differences"]} == {
        ("knowledge", 1, 1),
        ("conclusion", 1, 1),
    }, "the second trial of the second run is not explained"


def test_undecided_endings_are_listed_with_their_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, osler: Run
) -> None:
    path = lose(tmp_path / "run.osler", Models(EN), monkeypatch, memories=("raw", "none"))
    remedy = f"`osler score {path} --judge SPEC` decides them, then explain again with --judge"
    assert remedy not in " ".join(osler("explain", path).stdout.split())
    with RunWriter.resume(path) as store:
        for number in (1, 2):
            store.store_score(
                number, StoredScore(OWN, [StoredVerdict("diagnosis", "undecided", "none", "b")])
            )
    assert " ".join(osler("explain", path).stdout.split()).count(remedy) == 1


def test_the_rules_doctor_is_explained_without_any_model(tmp_path: Path, osler: Run) -> None:
    cases = [
        part
        for case in ("lung-cancer-en", "lung-cancer-zh", "croup-en", "graves-disease-zh")
        for part in ("--case", case)
    ]
    held = osler(
        "simulate",
        *cases,
        "--memory",
        "tim",
        "--budget",
        "60",
        "--turns",
        "4",
        "--out",
        "r",
        "--quiet",
    )
    assert held.returncode == 0, held.stderr
    told = json.loads(osler("explain", "r", "--json").stdout)
    (column,) = told["causes"]["columns"]
    assert column["lost"] == column["explained"] == len(told["consultations"]) > 2
    assert sum(cause["count"] for cause in column["causes"].values()) == column["explained"]
    assert told["cost"]["calls"] == 0 and not told["failures"]
    causes = {one["consultation"]: one["cause"] for one in told["consultations"]}
    assert causes["lung-cancer-en"] == "memory", "the scan of turn 2 did not fit into the recall"
    assert causes["graves-disease-zh"] == "inquiry", "no thyroid test was asked for"
    assert osler("report", "r").returncode == 0
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Why consultations were lost" in report and "lost: memory, turn" in report


def test_killed_and_resumed(tmp_path: Path) -> None:
    with model_server(latency=0.02) as server:
        path = tmp_path / "run.osler"
        records = RecordPool.open().only(ids=["gout-en", "gerd-en", "gout-zh", "gerd-zh"])
        plan = Plan(records, (server.spec,), ("none", "raw"), settings=RunSettings(turns=3))
        simulate_plan(plan, path, RunOptions(quiet=True, judges=(OWN,)), "bundled")
        held = server.requests
        process = multiprocessing.get_context("fork").Process(
            target=explain, args=(path,), kwargs={"concurrency": 2}
        )
        process.start()
        while server.requests < held + 8:
            assert process.is_alive(), "it ended too early"
            time.sleep(0.005)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        done = explain(path, concurrency=2)
        assert done.new + done.before == 8 and not done.failures
        assert server.requests - held - done.cost.calls <= 2, (
            "only what was in flight is asked again"
        )
