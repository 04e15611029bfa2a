"""What the record does not tell: implied, of everyday life, assumed or unknown; and what a patient
is shown whatever is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from osler.agents.doctors.plain import DoctorSettings, PlainDoctor
from osler.agents.messages import Briefing
from osler.eval.measures import measured_in
from osler.language import Language
from osler.records import PatientRecord
from osler.runs.events import Ending, Implied, Journal, Standing, Unrecorded
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.names import Asking
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from osler.simulator.worker import transcript_of
from tests.agents.scripted import scripted
from tests.conftest import small_record
from tests.returning import returning
from tests.simulator.asking import Heard, hear, number

LANGUAGES = pytest.mark.parametrize("language", list(Language))
JOB = {Language.EN: "Ferry pilot on line 7.", Language.ZH: "7路轮渡的驾驶员。"}
QUESTION = {Language.EN: "And what about that?", Language.ZH: "那这个呢？"}


def pilot(language: Language) -> PatientRecord:
    """A record with a person sheet."""
    sheet = {"job": JOB[language], "wish": "…"}
    return PatientRecord.model_validate(small_record(language=language.value, person=sheet))


def answer(*things: dict[str, Any]) -> str:
    """A model's answer to the retrieval module."""
    empty = {"entries": [], "implied": "", "nothing": "", "since": False}
    return json.dumps({"things": [{**empty, **thing} for thing in things]}, ensure_ascii=False)


async def ask(record: PatientRecord, *things: dict[str, Any], reply: str = "Yes.") -> Heard:
    """Ask once, with a model as RAM that finds these things."""
    question = QUESTION[record.language]
    return await hear(record, question, ram=[answer(*things)], patient=[reply])


def transcript_of_talk(heard: Heard, record: PatientRecord) -> Transcript:
    cell = Cell(record.id, Column.of("rules", "plain", "raw"), 1)
    return transcript_of(record, cell, RunSettings(), heard.journal, Ending.CONCLUDED)


@LANGUAGES
async def test_silence_is_marked_apart_from_what_the_record_tells(language: Language) -> None:
    record = pilot(language)
    heard = await ask(
        record,
        {"asked": "asthma", "entries": [number(record, "Asthma")]},
        {"asked": "fever", "nothing": "denied"},
        {"asked": "blood test", "nothing": "not_done"},
        {"asked": "blood group", "nothing": "unknown"},
        {"asked": "pets", "nothing": "person"},
    )
    (retrieved,) = heard.retrieved
    assert [(thing.unrecorded, thing.standing) for thing in retrieved.things] == [
        (None, Standing.TOLD),
        (Unrecorded.DENIED, Standing.ASSUMED),
        (Unrecorded.NOT_DONE, Standing.ASSUMED),
        (Unrecorded.UNKNOWN, Standing.UNKNOWN),
        (Unrecorded.PERSON, Standing.ASSUMED),
    ]
    numbers = measured_in(transcript_of_talk(heard, record), record)
    assert numbers["things_per_turn"] == 5
    assert numbers["things_assumed"] == pytest.approx(0.6)
    assert numbers["things_unknown"] == pytest.approx(0.2)


@LANGUAGES
@pytest.mark.parametrize("implied", list(Implied))
async def test_what_entries_imply_is_answered_without_their_findings(
    language: Language, implied: Implied
) -> None:
    record = pilot(language)
    heard = await ask(
        record,
        {"asked": "…", "entries": [number(record, "Palpation")], "implied": implied.value},
    )
    (thing,) = heard.retrieved[0].things
    assert (thing.implied, thing.implied_by, thing.entries) == (implied, ("Palpation",), ())
    assert thing.standing is Standing.TOLD and heard.retrieved[0].entries == ()
    assert heard.patient is not None and "tenderness" not in heard.patient.prompts[0]


@LANGUAGES
async def test_the_patient_tells_of_their_own_life(language: Language) -> None:
    record = pilot(language)
    first_of_sheet = len(record.entries) + 1
    heard = await ask(
        record, {"asked": "job", "entries": [first_of_sheet]}, reply=f"{JOB[language]}"
    )
    (thing,) = heard.retrieved[0].things
    assert thing.person == ("job",) and thing.standing is Standing.TOLD
    assert heard.ram is not None and f"{first_of_sheet}. [" in heard.ram.prompts[0]
    assert heard.patient is not None and JOB[language] in heard.patient.prompts[0]
    assert not heard.kinds, "a number of the sheet is no reason to refuse a reply"
    prompts = [briefing.model_dump_json() for briefing in heard.doctor.briefings[:1]]
    assert JOB[language] not in "".join(prompts), "the doctor has to ask for it"


@LANGUAGES
async def test_without_a_model_the_sheet_answers_questions_for_its_category(
    language: Language,
) -> None:
    asked = {Language.EN: "What do you do for work?", Language.ZH: "您做什么工作？"}
    heard = await hear(pilot(language), asked[language])
    assert JOB[language] in heard.answered[0].reply
    assert heard.retrieved[0].things[0].person == ("job",)


@LANGUAGES
async def test_the_patient_sees_all_that_was_said(language: Language) -> None:
    record = pilot(language)
    replies = ["One.", "Two.", "Three."] if language is Language.EN else ["一。", "二。", "三。"]
    questions = [f"{QUESTION[language]} {word}" for word in ("a", "b", "c")]
    heard = await hear(record, *questions, patient=replies)
    assert heard.patient is not None
    first, second, third = heard.patient.prompts
    assert replies[0] not in first and replies[0] in second
    assert third.index(questions[0]) < third.index(replies[0]) < third.index(replies[1])
    # What was said before stands before what is new, so that a server can reuse the prompt.
    shared = second[: second.index(questions[1])]
    assert third.startswith(shared.rsplit("\n\n", 1)[0])


@LANGUAGES
async def test_what_has_changed_since_an_earlier_visit_is_answered(language: Language) -> None:
    record = returning(language)
    question = {Language.EN: "Anything new with that since?", Language.ZH: "后来有变化吗？"}
    allergy = 1 + [entry.name for entry in record.entries].index(record.earlier[0])
    thing = {"asked": "…", "entries": [allergy], "since": True}
    heard = await hear(
        record, question[language], ram=[answer(thing)], patient=["No.", "没有。"], visits=True
    )
    assert heard.patient is not None and heard.ram is not None
    assert "2019" in heard.patient.prompts[0], "it is shown what was told, to compare with"
    assert '"since"' in heard.ram.prompts[0]
    told = await hear(
        record, question[language], ram=[answer({**thing, "since": False})], patient=["No."]
    )
    assert told.ram is not None
    rule = heard.ram.prompts[0].count('"since"')
    assert told.ram.prompts[0].count('"since"') < rule, "without visits there is nothing since"


@LANGUAGES
async def test_a_doctor_is_told_how_much_to_ask_in_a_turn(language: Language) -> None:
    prompts = {}
    for ask_how in Asking:
        case = case_of(pilot(language))
        backbone, client = scripted(['{"action": "conclude", "differential": [], "question": ""}'])
        run = RunSettings(ask=ask_how)
        doctor = PlainDoctor(DoctorSettings(case, backbone, Journal(), run=run))
        await doctor.respond(Briefing(case=case, turn=1, turns_left=3, reply=case.complaint))
        prompts[ask_how] = client.prompts[0]
    assert prompts[Asking.ONE] != prompts[Asking.MANY]
    ending = prompts[Asking.ONE].rsplit("\n", 1)[-1]
    assert "3" in ending, "what changes with every turn stands last"
    assert prompts[Asking.MANY].endswith(ending)


def test_a_turn_takes_twice_the_rounds_of_a_good_consultation() -> None:
    record = PatientRecord.model_validate(small_record(expected_rounds=7))
    assert RunSettings().turn_limit(record) == 14
