"""Earlier visits: what the memory hears before the last one, and what nobody tells again there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import osler as package
from osler.agents.messages import Briefing
from osler.agents.prompt_slots import briefing_slots
from osler.errors import UserError
from osler.eval.course import Course
from osler.eval.faithfulness import replies_of
from osler.eval.faithfulness.exact import exact_faults
from osler.eval.faithfulness.patient_judge import request
from osler.eval.runs import Run as LoadedRun
from osler.language import Language, Speaker
from osler.records import PatientRecord
from osler.runs.events import Ending, Event, Remembered, Visited
from osler.runs.plan import Cell, Column
from osler.runs.store import search_index
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from osler.simulator.worker import transcript_of
from osler.view.app import application
from osler.view.run_list import RunList
from tests.conftest import Run
from tests.returning import returning
from tests.simulator.asking import hear, things

LANGUAGES = pytest.mark.parametrize("language", list(Language))
ALLERGY = {Language.EN: "Are you allergic to penicillin?", Language.ZH: "您对青霉素过敏吗？"}
SCAN = {Language.EN: "What did the neck ultrasound show?", Language.ZH: "颈部超声结果怎么样？"}
NOTES = {Language.EN: "notes", Language.ZH: "病历"}


def play(record: PatientRecord, out: Path, **options: Any) -> LoadedRun:
    given: dict[str, Any] = {"visits": True, "memories": ["raw"], "turns": 3, **options}
    return package.simulate(pool=[record], out=out, quiet=True, **given)


def only(run: LoadedRun) -> Transcript:
    (transcript,) = run.transcripts()
    return transcript


def told(transcript: Transcript) -> list[tuple[object, ...]]:
    """What happened, without the seconds it took."""

    def plain(event: Event) -> tuple[object, ...]:
        return (event.type, event.turn, event.model_dump(exclude={"at", "seconds"}))

    return [plain(event) for event in transcript.events]


@LANGUAGES
def test_the_memory_hears_the_visits_in_order_with_the_clock(
    language: Language, tmp_path: Path
) -> None:
    record = returning(language)
    transcript = only(play(record, tmp_path / "run.osler"))
    past = transcript.of(Visited)
    exchanges = [exchange for visit in record.visits for exchange in visit.exchanges]
    ends = [
        event for event in past if event.told.question not in {one.question for one in exchanges}
    ]
    assert [event.told.question for event in past if event not in ends] == [
        one.question for one in exchanges
    ]
    assert [event.turn for event in past] == [-5, -4, -3, -2, -1, 0]
    assert [event.visit for event in past] == [1, 1, 1, 2, 2, 2]
    assert [str(event.told.at) for event in (past[0], past[-1])] == [
        "2021-03-09 09:00:00",
        "2023-11-20 09:02:00",
    ]
    assert past[0].told.results == record.visits[0].exchanges[0].results
    (end,) = ends
    assert (
        record.visits[0].treatment in end.told.results
        and record.visits[0].outcome in end.told.results
    )
    assert [event.told.speaker for event in past] == [None] * 3 + [Speaker.DAUGHTER] * 3
    heard = [event.of for event in transcript.of(Remembered)]
    assert heard == sorted(heard) and heard[:7] == [-5, -4, -3, -2, -1, 0, 1]
    assert str(transcript.exchanges[1].at) == "2025-06-12 09:01:00"
    assert transcript.turns == 3, "only the last visit counts"


@LANGUAGES
async def test_what_was_told_earlier_is_not_told_again(language: Language) -> None:
    record = returning(language)
    for visits in (True, False):
        heard = await hear(record, ALLERGY[language], SCAN[language], reports=True, visits=visits)
        assert [found.entries[0].name for found in heard.retrieved] == list(record.earlier), (
            "it is asked for"
        )
        replies = [answer.reply for answer in heard.answered]
        assert all((NOTES[language] in reply) is visits for reply in replies), replies
        assert all(("2019" in reply) is not visits for reply in replies[:1])
        assert [bool(answer.disclosed) for answer in heard.answered] == [not visits] * 2
        assert ("8 mm" in heard.retrieved[1].results) is not visits


@LANGUAGES
async def test_a_model_as_patient_is_not_shown_what_was_told_earlier(language: Language) -> None:
    record = returning(language)
    heard = await hear(record, ALLERGY[language], patient=["…", "…"], visits=True)
    assert heard.patient is not None
    prompt = heard.patient.prompts[0]
    assert NOTES[language] in prompt
    assert not any(text in prompt for text in ("2019", "Anaphylaxis", "休克", "Penicillin allergy"))


@LANGUAGES
async def test_of_what_is_told_in_part_the_rest_was_told_earlier(language: Language) -> None:
    record = returning(language)
    earlier, now = (
        next(
            place
            for place, one in enumerate(record.entries, 1)
            if (one.name in record.earlier) is wanted
        )
        for wanted in (True, False)
    )
    question, rest = {
        Language.EN: (
            "Anything I should know of?",
            "The rest of what is asked: the doctor was told",
        ),
        Language.ZH: ("有什么我该知道的吗？", "医生问的其余内容：以前就诊时已经告诉过医生"),
    }[language]
    for numbers in ([earlier], [now, earlier]):
        heard = await hear(
            record,
            question,
            ram=[things(("what matters", numbers, ""))],
            patient=["…", "…"],
            visits=True,
        )
        assert heard.patient is not None
        prompt = heard.patient.prompts[0]
        assert (rest in prompt) is (len(numbers) > 1) and NOTES[language] in prompt


CONFIRMED = {Language.EN: "Yes, that's right", Language.ZH: "对，就是"}
NOT_SO = {Language.EN: "No, that's not so", Language.ZH: "不是这样"}
STATED = {
    Language.EN: [
        ("My notes say you had anaphylaxis after penicillin, is that right?", CONFIRMED),
        ("I know about your penicillin allergy. Do you have any allergies?", CONFIRMED),
        ("I have here that you have no penicillin allergy, correct?", NOT_SO),
        ("My notes say you are allergic to ibuprofen, is that right?", NOT_SO),
        ("Are you allergic to penicillin, and what happened when you had it?", NOTES),
        ("Tell me about your penicillin allergy.", NOTES),
        ("Penicillin allergy?", NOTES),
        ("You take amlodipine 10 mg, right?", CONFIRMED),
        ("Are you still taking amlodipine 10 mg?", CONFIRMED),
        ("Are you still taking amlodipine 5 mg?", NOT_SO),
        ("Do you take amlodipine?", NOTES),
    ],
    Language.ZH: [
        ("病历上写您用青霉素后过敏性休克，对吗？", CONFIRMED),
        ("我记得您对青霉素过敏。还对什么过敏吗？", CONFIRMED),
        ("我这儿记的是您没有青霉素过敏，是吧？", NOT_SO),
        ("我这儿记着您对布洛芬过敏，对吧？", NOT_SO),
        ("您对青霉素过敏吗，当时怎么样？", NOTES),
        ("请说说青霉素过敏的情况。", NOTES),
        ("青霉素过敏？", NOTES),
        ("我这儿记的是您吃氨氯地平10毫克，对吗？", CONFIRMED),
        ("氨氯地平10毫克还在吃吗？", CONFIRMED),
        ("氨氯地平5毫克还在吃吗？", NOT_SO),
        ("您吃氨氯地平吗？", NOTES),
    ],
}


@LANGUAGES
async def test_what_the_doctor_states_is_confirmed_or_denied(language: Language) -> None:
    for question, expected in STATED[language]:
        heard = await hear(returning(language), question, visits=True)
        (answer,) = heard.answered
        assert expected[language] in answer.reply, (question, answer.reply)
        others = {CONFIRMED[language], NOT_SO[language]} - {expected[language]}
        assert not any(other in answer.reply for other in others), (question, answer.reply)
        assert "2019" not in answer.reply and not answer.disclosed


@LANGUAGES
async def test_what_is_in_the_notes_is_told_when_it_is_asked_for_again(language: Language) -> None:
    allergy, medicine = STATED[language][4][0], STATED[language][-1][0]
    heard = await hear(
        returning(language), allergy, medicine, allergy, medicine, medicine, visits=True
    )
    first, other, again, medicine_again, third = (answer.reply for answer in heard.answered)
    assert NOTES[language] in first and NOTES[language] in other
    assert "2019" not in first and "2019" in again and NOTES[language] not in again
    for reply in (medicine_again, third):
        assert "10" in reply and NOTES[language] not in reply
    retrieved = heard.retrieved
    assert retrieved[0].told_again == () and len(retrieved[2].told_again) == 1
    assert retrieved[1].past and not retrieved[3].past
    assert retrieved[3].past_again == retrieved[1].past == retrieved[4].past_again


@LANGUAGES
async def test_what_was_only_said_at_a_visit_is_known_there_and_only_with_visits(
    language: Language,
) -> None:
    record, question = returning(language), STATED[language][-1][0]
    (now,) = (await hear(record, question, visits=True)).retrieved
    told = [one for one in record.past if one.number in now.past]
    assert now.entries == () and [one.date.year for one in told] == [2021, 2023]
    (alone,) = (await hear(record, question)).retrieved
    assert alone.past == ()
    cough = {Language.EN: "Do you have a cough?", Language.ZH: "您咳嗽吗？"}[language]
    (today,) = (await hear(record, cough, visits=True)).retrieved
    assert today.past == (), "how the patient feels today was not told at a visit"


@LANGUAGES
async def test_a_model_as_patient_is_shown_what_the_doctor_states(language: Language) -> None:
    stated, leak = (
        STATED[language][0][0],
        {Language.EN: "Yes, in 2019.", Language.ZH: "对，是2019年。"}[language],
    )
    kept = {Language.EN: "Yes, that is right.", Language.ZH: "对，是这样。"}[language]
    heard = await hear(returning(language), stated, patient=[leak, kept], visits=True)
    assert heard.patient is not None
    prompt = heard.patient.prompts[0]
    assert all(text in prompt for text in ("2019", NOTES[language], "2025-06-12"))
    assert heard.kinds == ["refused"] and heard.answered[0].reply == kept, (
        "a detail that nobody stated is refused"
    )


@LANGUAGES
async def test_a_model_finds_what_was_said_at_a_visit_in_other_words(language: Language) -> None:
    record = returning(language)
    question = {
        Language.EN: "Is it right that the tablet against high pressure was doubled?",
        Language.ZH: "降压药是加了一倍，对吗？",
    }[language]
    asked, number = "blood pressure tablets", len(record.entries) + len(record.past)
    heard = await hear(
        record, question, ram=[things((asked, [number], ""))], patient=["…", "…"], visits=True
    )
    assert heard.ram is not None and heard.patient is not None
    last = record.visits[1].exchanges[-1]
    assert last.reply in heard.ram.prompts[0] and "2023-11-20" in heard.ram.prompts[0]
    (found,) = heard.retrieved
    assert (
        found.past == (len(record.past),)
        and found.things[0].unrecorded is None
        and not heard.kinds[:-3]
    )
    daughter = {Language.EN: "The daughter: ", Language.ZH: "患者的女儿："}[language]
    assert f"{daughter}{last.reply}" in heard.patient.prompts[0], (
        "who said it then is not who speaks now"
    )
    plain = await hear(record, question, ram=[things((asked, [], "denied"))])
    assert plain.ram is not None and last.reply not in plain.ram.prompts[0]


@LANGUAGES
async def test_digits_that_a_visit_told_stand_somewhere(language: Language) -> None:
    record, settings = returning(language), RunSettings(visits=True)
    heard = await hear(record, STATED[language][-1][0], visits=True)
    cell = Cell(record.id, Column.of("rules", "plain", "raw"), 1)
    transcript = transcript_of(record, cell, settings, heard.journal, Ending.CONCLUDED)
    (given,) = replies_of(Course.of(transcript, record), record)
    said = {Language.EN: "Yes, 10 mg of it.", Language.ZH: "对，吃10毫克。"}[language]
    assert exact_faults(said, given.context).is_none
    assert exact_faults(said, replace(given.context, told_earlier=())).unknown_digits == ("10",)
    assert record.visits[1].exchanges[-1].reply in request(said, given.context)


@LANGUAGES
async def test_the_doctor_knows_the_dates_and_only_with_visits(language: Language) -> None:
    record = returning(language)
    shown = {}
    for visits in (True, False):
        case = case_of(record, visits=visits)
        shown[visits] = str(
            briefing_slots(Briefing(case=case, turn=1, turns_left=1, reply="x"))["speaker"]
        )
    assert all(date in shown[True] for date in ("2025-06-12", "2021-03-09", "2023-11-20"))
    assert shown[True].startswith(shown[False]) and "20" not in shown[False]


@LANGUAGES
def test_memories_differ_in_what_they_have_of_the_visits(
    language: Language, tmp_path: Path, osler: Run
) -> None:
    options = {"memories": ["none", "raw", "tim"], "budget": 150, "filler": 20}
    run = play(returning(language), tmp_path / "run.osler", **options)
    rows = json.loads(osler("probe", run.path, "--json").stdout)["rows"]
    found = {row["memory"]: row["key_facts"]["shares"]["after the visits"] for row in rows}
    assert found["none"]["recalled"]["value"] == found["raw"]["recalled"]["value"] == 0.0
    assert found["tim"]["recalled"]["value"] > 0
    shown = osler("probe", run.path).stdout
    assert "key facts at the end: recalled" in shown and "key facts at the end: right" not in shown


@LANGUAGES
def test_a_replay_verifies_and_shows_the_visits(
    language: Language, tmp_path: Path, osler: Run
) -> None:
    record = returning(language)
    run = play(record, tmp_path / "run.osler", memories=["raw", "tim"], filler=4)
    assert "no difference" in osler("verify", run.path).stdout
    page = osler("show", run.path, record.id, "--memory", "tim", "--details").stdout
    assert "2021-03-09" in page and record.visits[1].exchanges[0].reply[:12] in page
    assert "2021-03-09" in osler("replay", run.path, record.id, "--memory", "raw").stdout
    forked = osler("fork", run.path, record.id, "--memory", "raw", "--memory", "tim", "--at", "1")
    assert forked.returncode == 0, forked.stderr
    again = osler("verify", tmp_path / "run.forks.osler")
    assert "no difference" in again.stdout, again.stdout + again.stderr


@LANGUAGES
def test_filler_is_drawn_by_the_seed_and_spread_over_the_gaps(
    language: Language, tmp_path: Path
) -> None:
    def small_talk(name: str, **options: Any) -> list[Visited]:
        transcript = only(
            play(returning(language), tmp_path / f"{name}.osler", memories=["none"], **options)
        )
        past = transcript.of(Visited)
        times = [event.told.at for event in past]
        assert times == sorted(times, key=str) and len(set(times)) == len(times)
        return [event for event in past if event.filler]

    first, second, other = (
        small_talk("a", filler=7),
        small_talk("b", filler=7),
        small_talk("c", filler=7, seed=1),
    )
    assert [event.told for event in first] == [event.told for event in second]
    assert [event.told.question for event in first] != [event.told.question for event in other]
    assert [event.visit for event in first] == [1] * 3 + [2] * 4
    assert len({event.told.question for event in first}) == 7


@LANGUAGES
@pytest.mark.parametrize("memory", ["raw", "tim"])
def test_without_visits_nothing_changes(language: Language, memory: str, tmp_path: Path) -> None:
    with_visits = returning(language)
    without = returning(language, date=None, visits=None, earlier=None, key_facts=None)
    one = play(with_visits, tmp_path / "one.osler", visits=False, memories=[memory])
    two = play(without, tmp_path / "two.osler", visits=False, memories=[memory])
    assert told(only(one)) == told(only(two))
    assert one.about["settings"] == two.about["settings"]
    assert one.about["settings"]["visits"] is False


def test_only_records_with_visits_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = returning(Language.EN, id="plain", date=None, visits=None, earlier=None, key_facts=None)
    run = package.simulate(
        pool=[plain, returning(Language.EN)], out=tmp_path / "a.osler", visits=True, quiet=True
    )
    assert [transcript.header.case for transcript in run.transcripts()] == ["throat-en"]
    assert "1 record(s) without earlier visits are left out" in capsys.readouterr().err
    assert run.about["settings"]["visits"] is True
    with pytest.raises(UserError, match="no record has earlier visits"):
        play(plain, tmp_path / "b.osler")
    with pytest.raises(UserError, match="add --visits"):
        play(plain, tmp_path / "c.osler", visits=False, filler=3)


def test_the_command_line_has_both_options(tmp_path: Path, osler: Run) -> None:
    ran = osler(
        "simulate",
        "--visits",
        "--filler",
        "3",
        "--case",
        "gout",
        "--turns",
        "2",
        "--out",
        "r",
        "--quiet",
    )
    assert ran.returncode == 0, ran.stderr
    assert osler("runs", "status", "r").stdout.count("filler 3") == 1
    assert "after earlier visits, 3 turn(s) of small talk" in " ".join(
        osler("compare", "r").stdout.split()
    )
    limited = osler("simulate", "--visits", "--limit", "2", "--turns", "1", "--out", "s", "--json")
    assert '"done": 2' in limited.stdout, "the limit counts records with visits"


@LANGUAGES
def test_rows_search_and_page_have_the_visits(language: Language, tmp_path: Path) -> None:
    record = returning(language)
    run = play(record, tmp_path / "run.osler", filler=1)
    turns = run.turns()
    assert list(turns["turn"]) == [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3]
    assert turns["visit"].notna().sum() == 7
    assert turns["reply"][0] == record.visits[0].exchanges[0].reply
    assert (run.events()["type"] == "visited").sum() == 7
    assert record.visits[0].exchanges[1].reply in search_index.spoken(only(run))
    with TestClient(application(RunList([run.path]))) as client:
        key = client.get("/api/runs").json()["runs"][0]["key"]
        page = client.get(f"/api/runs/{key}/rows/1").json()
    assert [
        (one["visit"], one["date"], one["speaker"]) for one in page["visits"] if not one["filler"]
    ] == [
        (1, "2021-03-09", "patient"),
        (2, "2023-11-20", "daughter"),
    ]
    assert [len(one["turns"]) for one in page["visits"]] == [3, 3, 1], (
        "small talk comes after the last visit"
    )
