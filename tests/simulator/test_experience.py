"""Experience across patients: streams in order, lessons from earlier cases, and who must not get
them."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import osler as package
from osler.agents.messages import Briefing, Conclusion
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.findings import known_from
from osler.agents.rules.knowledge import knowledge
from osler.errors import UserError
from osler.eval.runs import Run, load_run
from osler.models import Backbone, BackboneError, FailureKind
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Called, JoinedStream, Learned, LessonsRecalled, Maker, Role
from osler.runs.lessons import EXPERIENCE, Lesson, LessonFit, LessonRecall, Stage
from osler.runs.plan import Cell, Column, Plan
from osler.runs.transcript import Transcript
from osler.settings.names import Feedback
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.build import case_of
from osler.simulator.experience.nearness import NEAR_DUPLICATE, Fingerprint
from osler.simulator.experience.recall import Experience
from osler.simulator.worker import simulate_one
from tests.agents.scripted import ScriptedClient, scripted
from tests.conftest import Run as Command
from tests.models.server import Step
from tests.simulator.model_server import model_server

POOL = RecordPool.open()
FEW = (
    "gout-en",
    "gout-zh",
    "croup-en",
    "pneumonia-zh",
    "septic-arthritis-en",
    "septic-arthritis-zh",
)
FORK = multiprocessing.get_context("fork")
LESSON = "Ask whether the joint was injured."


def few(*ids: str) -> list[PatientRecord]:
    return [POOL.get(name) for name in ids or FEW]


def nearly_a_copy(record: PatientRecord, name: str) -> PatientRecord:
    """The same patient under another name, with another age, and with a fifth of the entries
    missing."""
    kept = tuple(entry for place, entry in enumerate(record.entries) if place % 5)
    data = record.model_dump(
        exclude={"exam_order", "treatment", "date", "earlier", "visits", "key_facts"}
    )
    return PatientRecord.model_validate(
        data | {"id": name, "patient": name, "age": "71 years", "entries": kept}
    )


def simulated(tmp_path: Path, records: Sequence[PatientRecord], **options: Any) -> Run:
    options = {"experience": ["none", "truth"], "turns": 6, "quiet": True, **options}
    return package.simulate(pool=records, out=tmp_path / "run.osler", **options)


def joined(transcript: Transcript) -> JoinedStream:
    (event,) = transcript.of(JoinedStream)
    return event


def recalled(transcript: Transcript) -> set[str]:
    return {
        one.lesson.case for event in transcript.of(LessonsRecalled) for one in event.recall.lessons
    }


def comparable(path: Path) -> dict[Cell, list[str]]:
    """All that happened, without times, without where an answer came from, and in no order within a
    turn."""
    left_out = {"at", "seconds", "source", "attempts"}
    with load_run(path) as run:
        return {
            one.header.cell: sorted(event.model_dump_json(exclude=left_out) for event in one.events)
            for one in run.transcripts()
        }


def test_every_column_sees_its_cases_in_the_same_seeded_order(tmp_path: Path) -> None:
    def orders(seed: int) -> dict[str, list[str]]:
        found: dict[str, dict[int, str]] = {}
        with simulated(tmp_path / str(seed), few(), seed=seed) as run:
            for one in run.transcripts():
                place = joined(one)
                assert place.stage is Stage.LEARNING
                found.setdefault(one.header.variants[EXPERIENCE], {})[place.position] = (
                    one.header.case
                )
        return {name: [cases[place] for place in range(len(FEW))] for name, cases in found.items()}

    first = orders(0)
    assert first["none"] == first["truth"] != list(FEW)
    assert orders(1)["none"] != first["none"]


def test_a_case_has_the_lessons_of_all_before_it_and_of_none_after_it(tmp_path: Path) -> None:
    with simulated(tmp_path, few("croup-en", "gout-en", "migraine-en", "pneumonia-zh")) as run:
        for one in run.transcripts():
            place, learned = joined(one), one.of(Learned)
            if one.header.variants[EXPERIENCE] == "none":
                assert not place.lessons and not learned and not recalled(one)
            else:
                assert (
                    place.lessons == place.position
                )  # all four are different patients, with a lesson each
                assert [lesson.case for event in learned for lesson in event.lessons] == [
                    one.header.case
                ]


def test_a_lesson_reaches_neither_its_own_patient_nor_a_twin_nor_a_near_copy(
    tmp_path: Path,
) -> None:
    copies = [
        nearly_a_copy(POOL.get(f"gout-{language}"), f"copy-{language}") for language in ("en", "zh")
    ]
    records = [*few(), *few("acute-cholecystitis-en", "diabetic-ketoacidosis-zh"), *copies]
    gout = {"gout-en", "gout-zh", "copy-en", "copy-zh"}
    joints = {"septic-arthritis-en", "septic-arthritis-zh"}
    with simulated(
        tmp_path, records, experience=["verdict", "truth"], retention=10, turns=None
    ) as run:
        transcripts = list(run.transcripts())
        scores = run.scores()
    for one in transcripts:
        place = joined(one)
        forbidden = next(
            (some for some in (gout, joints) if one.header.case in some), {one.header.case}
        )
        assert not recalled(one) & forbidden
        assert {near.case for near in place.kept_away} <= forbidden
        assert place.nearest is None or place.nearest < NEAR_DUPLICATE
        if place.stage is Stage.AGAIN:  # the lessons of all cases are there by then, its own too
            assert {near.case for near in place.kept_away} == forbidden
    assert any(map(recalled, transcripts))
    assert scores["lessons_nearest"].max() < NEAR_DUPLICATE


def test_two_languages_of_a_patient_are_near_without_a_look_at_their_names() -> None:
    prints = [Fingerprint.of(record) for record in POOL]
    for one, other in combinations(prints, 2):
        assert (one.nearness(other) >= NEAR_DUPLICATE) == (one.patient == other.patient), (
            one.patient,
            other.patient,
        )


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
def test_the_doctor_is_told_the_verdict_or_the_truth_and_nothing_else(
    tmp_path: Path, case: str
) -> None:
    record = POOL.get(case)
    with simulated(tmp_path, [record], experience=["verdict", "truth"]) as run:
        told = {one.header.variants[EXPERIENCE]: one.of(Learned)[0] for one in run.transcripts()}
    assert record.treatment is not None
    assert (
        record.diagnosis.name in told["truth"].told and record.treatment.name in told["truth"].told
    )
    assert record.diagnosis.name not in told["verdict"].told
    assert told["verdict"].lessons[0].diagnosis == ""
    assert told["truth"].lessons[0].diagnosis == record.diagnosis.name
    assert told["truth"].maker is Maker.RULES


def concluding(case: str, *lessons: LessonFit) -> Conclusion:
    """What the rules doctor concludes from the opening words and lessons."""
    told = case_of(POOL.get(case))
    recall = LessonRecall(text="…", lessons=lessons)
    said = asyncio.run(
        RulesDoctor(told).respond(
            Briefing(case=told, turn=1, turns_left=0, reply=told.complaint, lessons=recall)
        )
    )
    assert isinstance(said, Conclusion)
    return said


def lesson_about(case: str, **known: Any) -> LessonFit:
    told = case_of(POOL.get(case))
    findings = known_from(Briefing(case=told, turn=1, turns_left=0, reply=told.complaint)).findings
    lesson = Lesson(
        case="other", language=told.language, when="…", text="…", findings=findings, **known
    )
    return LessonFit(lesson=lesson, fit=1.0, nearness=0.1)


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
def test_the_rules_doctor_drops_what_was_wrong_in_a_like_case_and_prefers_what_was_right(
    case: str,
) -> None:
    conditions, language = knowledge().conditions, POOL.get(case).language
    ids = {condition.name[language]: name for name, condition in conditions.items()}
    alone = concluding(case)
    wrong = lesson_about(case, given=ids[alone.diagnosis], given_was=False)
    assert concluding(case, *[wrong] * 5).diagnosis != alone.diagnosis
    second = alone.differential[0]
    right = lesson_about(case, given=ids[second], given_was=True)
    assert concluding(case, *[right] * 5).diagnosis == second
    unknown = lesson_about(case, given=ids[alone.diagnosis])
    assert concluding(case, *[unknown] * 5) == alone


@pytest.mark.parametrize("case", ["pneumonia-en", "pneumonia-zh"])
def test_the_rules_doctor_learns_an_illness_that_it_does_not_know(case: str) -> None:
    alone = concluding(case)
    learned = lesson_about(
        case, diagnosis="Legionellosis", treatment="Levofloxacin", given_was=False
    )
    told = concluding(case, learned)
    assert (told.diagnosis, told.treatment) == ("Legionellosis", "Levofloxacin")
    assert told.steps == (("Levofloxacin",),), "the plan of another illness is not what it gives"
    assert told.differential[0] == alone.diagnosis
    unlike = learned.lesson.model_copy(
        update={"findings": dict.fromkeys(learned.lesson.findings, False)}
    )
    assert (
        concluding(case, learned.model_copy(update={"lesson": unlike})).diagnosis == alone.diagnosis
    )


MOVE = json.dumps({"differential": [], "action": "conclude", "question": ""})
END = json.dumps({"differential": [], "diagnosis": "Gout", "treatment": "Rest", "reasoning": "r"})


def doctor(lessons: str | Exception) -> tuple[Backbone, ScriptedClient]:
    """A model that asks once and concludes, and then says this when it looks back."""

    def ask(question: str) -> str:
        return json.dumps({"differential": [], "action": "ask", "question": question})

    zh = "疼吗？"
    return scripted([ask(f"Does it hurt? {zh}"), MOVE, END, lessons])


class Always:
    """Opens one backbone whatever is named."""

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone

    def open(self, spec: str) -> Backbone:
        return self._backbone


def held(
    backbone: Backbone, case: str, experience: Experience | None, feedback: str = "truth"
) -> Transcript:
    record = POOL.get(case)
    cell = Cell(case, Column("m", "plain", "raw", ((EXPERIENCE, feedback),)), 1)
    return asyncio.run(
        simulate_one(record, cell, RunSettings(turns=3), Always(backbone), experience=experience)
    )


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
def test_a_model_looks_back_and_a_later_prompt_has_its_lessons(case: str) -> None:
    record = POOL.get(case)
    lessons = json.dumps(
        {"lessons": [{"when": record.complaint, "lesson": LESSON}, {"when": "x", "lesson": ""}]}
    )
    backbone, client = doctor(lessons)
    first = held(backbone, case, Experience(Feedback.TRUTH, Stage.LEARNING, 0))
    (learned,) = first.of(Learned)
    assert [lesson.text for lesson in learned.lessons] == [LESSON] and learned.maker is Maker.MODEL
    assert first.events[-1] is learned
    assert record.diagnosis.name in client.prompts[-1] and "Does it hurt?" in client.prompts[-1]
    assert [call.role for call in first.of(Called)] == [*[Role.DOCTOR] * 3, Role.EXPERIENCE]
    backbone, client = doctor("")
    later = held(
        backbone, case, Experience(Feedback.TRUTH, Stage.TRANSFER, 1, learned.lessons, {case: 0.2})
    )
    assert all(LESSON in prompt for prompt in client.prompts) and len(client.prompts) == 3
    assert not later.of(Learned)


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
def test_without_lessons_the_prompts_are_the_same_as_without_experience(case: str) -> None:
    prompts = []
    for experience in (
        None,
        Experience(Feedback.NONE, Stage.LEARNING, 3),
        Experience(Feedback.TRUTH, Stage.AGAIN, 0),
    ):
        backbone, client = doctor("")
        held(backbone, case, experience)
        prompts.append(client.prompts)
    assert prompts[0] == prompts[1] == prompts[2]


@pytest.mark.parametrize(
    "answer",
    ["I learned a lot.", '{"lessons": []}', BackboneError(FailureKind.REFUSED, "no", "none")],
)
def test_a_model_that_gives_no_lesson_costs_the_lesson_and_not_the_consultation(
    answer: str | Exception,
) -> None:
    backbone, _ = doctor(answer)
    transcript = held(
        backbone, "gout-en", Experience(Feedback.VERDICT, Stage.LEARNING, 0), "verdict"
    )
    (learned,) = transcript.of(Learned)
    assert not learned.lessons and learned.failure and transcript.ending.is_answer


@pytest.mark.parametrize("judge", [None, "judge"])
def test_the_verdict_that_a_doctor_is_told_is_a_readers(judge: str | None) -> None:
    """Without a reader it is told that its answer, which is exactly nothing of the record, was not
    judged."""
    form = {
        "summary": "s",
        "illnesses": [{"words": "Gout", "standing": "present", "relation": "different"}],
    }
    plan = {"summary": "s", "treats": False, "lines": [], "rest": "nothing", "rest_words": ""}
    lines = [{"line": number, "words": "", "course": "not mentioned"} for number in range(1, 20)]
    read = [json.dumps(form), json.dumps({**plan, "lines": lines})] if judge else []
    said = [
        json.dumps({"differential": [], "action": "ask", "question": "Does it hurt?"}),
        MOVE,
        END,
        *read,
    ]
    backbone, client = scripted([*said, json.dumps({"lessons": [{"when": "x", "lesson": LESSON}]})])
    record, cell = (
        POOL.get("croup-en"),
        Cell("croup-en", Column("m", "plain", "raw", ((EXPERIENCE, "verdict"),)), 1),
    )
    settings, experience = (
        RunSettings(turns=3, feedback_judge=judge),
        Experience(Feedback.VERDICT, Stage.LEARNING, 0),
    )
    transcript = asyncio.run(
        simulate_one(record, cell, settings, Always(backbone), experience=experience)
    )
    (learned,) = transcript.of(Learned)
    assert learned.lessons and not learned.failure
    assert ("wrong" in learned.told.casefold()) is (judge is not None), learned.told
    assert learned.told in client.prompts[-1]


def test_lessons_of_a_model_are_recalled_by_what_is_known_of_the_patient() -> None:
    about = {"language": "en", "case": "other"}
    fitting = Lesson(when="a painful knee, cannot walk", text=LESSON, **about)
    other = Lesson(when="children with a barking cough", text="Listen for stridor.", **about)
    foreign = Lesson(
        when="大脚趾肿痛", text="问痛风史。", case="third", language=POOL.get("gout-zh").language
    )
    backbone, client = doctor("")
    held(
        backbone,
        "gout-en",
        Experience(Feedback.TRUTH, Stage.AGAIN, 3, (other, foreign, fitting), {}),
    )
    assert LESSON in client.prompts[0]
    assert "stridor" not in client.prompts[0] and "痛风史" not in client.prompts[0]


def test_transfer_and_retention_teach_nothing_and_are_rows_of_their_own(
    tmp_path: Path, osler: Command
) -> None:
    records = few(
        "croup-en", "gout-en", "migraine-en", "pneumonia-zh", "appendicitis-zh", "cellulitis-en"
    )
    with simulated(tmp_path, records, transfer=2, retention=1) as run:
        scores, transcripts = run.scores(), list(run.transcripts())
        frame = run.compare()
    truth = [one for one in transcripts if one.header.variants[EXPERIENCE] == "truth"]
    learning = [one for one in truth if one.of(Learned)]
    assert {joined(one).stage for one in learning} == {Stage.LEARNING} and len(learning) == 4
    assert {joined(one).lessons for one in truth if joined(one).stage is Stage.TRANSFER} == {4}
    (again,) = (one for one in truth if joined(one).stage is Stage.AGAIN)
    assert joined(again).lessons == 3
    assert again.header.case == next(one.header.case for one in truth if joined(one).position == 0)
    assert scores["stage"].value_counts().to_dict() == {"learning": 8, "transfer": 4, "again": 2}
    assert "rules raw experience=truth stage=again" in set(frame["against"]) | set(frame["column"])
    told = osler("compare", tmp_path / "run.osler", "--format", "markdown").stdout
    for line in (
        "experience: diagnosis right %",
        "transfer:",
        "retention: the same",
        "nearest patient of a lesson",
    ):
        assert line in told
    found = json.loads(osler("compare", tmp_path / "run.osler", "--format", "json").stdout)[
        "experience"
    ]
    assert [one["column"]["variants"] for one in found["columns"]] == [
        {EXPERIENCE: "none"},
        {EXPERIENCE: "truth"},
    ]
    assert osler("verify", tmp_path / "run.osler").returncode == 0
    shown = osler(
        "show", tmp_path / "run.osler", "gout-en", "--variant", "experience=truth", "--details"
    )
    assert "Learned" in shown.stdout or "Lessons from earlier patients" in shown.stdout


def run_stream(path: Path, spec: str, workers: int | None = None, **more: Any) -> None:
    settings = RunSettings(turns=2, transfer=1, retention=1, **more)
    experience = (Feedback.NONE, Feedback.TRUTH)
    plan = Plan(few(*FEW[:5]), backbones=(spec,), settings=settings, experience=experience)
    simulate_plan(plan, path, RunOptions(quiet=True, workers=workers, concurrency=4), "bundled")


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    with model_server(latency=0.01) as server:
        whole, killed = tmp_path / "whole.osler", tmp_path / "killed.osler"
        run_stream(whole, server.spec)
        for after in (12, 15):
            start = server.requests
            process = FORK.Process(target=run_stream, args=(killed, server.spec))
            process.start()
            while server.requests < start + after:
                assert process.is_alive(), "it ended too early"
                time.sleep(0.005)
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        run_stream(killed, server.spec)
        assert comparable(killed) == comparable(whole)
        with load_run(whole) as run:
            assert any(recalled(one) for one in run.transcripts())


def test_several_processes_give_the_same_streams_as_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one.osler", tmp_path / "two.osler"
    run_stream(one, "rules")
    run_stream(two, "rules", workers=2)
    assert comparable(one) == comparable(two)


def test_a_case_that_failed_teaches_nothing_and_does_not_stop_the_stream(tmp_path: Path) -> None:
    with model_server(lambda number: Step(status=400) if number == 1 else None) as server:
        run_stream(tmp_path / "run.osler", server.spec)
    with load_run(tmp_path / "run.osler") as run:
        failed = [one for one in run.transcripts() if not one.ending.is_answer]
        assert len(failed) == 1 and not failed[0].of(Learned)
        assert run.file.status().todo == 0


def test_a_stream_is_not_resumed_with_other_cases(tmp_path: Path) -> None:
    records = few("croup-en", "gout-en", "migraine-en", "pneumonia-zh", "appendicitis-zh")
    with pytest.raises(UserError, match="stopped"):
        simulated(tmp_path, records[:4], run_seconds=0.1, concurrency=1)
    for others in (records, records[:3]):
        with pytest.raises(UserError, match="other cases"):
            simulated(tmp_path, others)
    with simulated(
        tmp_path, records[:4], experience=["none", "truth", "verdict"]
    ) as run:  # a new column is welcome
        assert (run.file.status().done, run.file.status().todo) == (12, 0)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"experience": ["luck"]}, "experience is 'luck'; give one of none, verdict, truth"),
        ({"experience": None, "transfer": 1}, "parts of a stream"),
        ({"experience": ["truth"], "transfer": 6}, "no case to learn from"),
    ],
)
def test_what_cannot_be_a_stream_is_refused(
    tmp_path: Path, options: dict[str, Any], line: str
) -> None:
    with pytest.raises(UserError, match=line):
        simulated(tmp_path, few(), **options)
    assert not (tmp_path / "run.osler").exists()
