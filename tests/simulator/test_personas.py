"""Personas and biases: what they do to facts, to prompts and to columns."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import osler
from osler.agents.doctors.plain import DoctorSettings, PlainDoctor
from osler.agents.messages import Briefing
from osler.agents.persona import HABITS, HISTORY, Guard, grid_of
from osler.errors import UserError
from osler.eval.compare import compare
from osler.eval.course import Course
from osler.eval.faithfulness.replies import replies_of
from osler.eval.measures import measured_in
from osler.eval.runs import load_run
from osler.language import Language
from osler.records import PatientRecord, RecordPool
from osler.records.schema import Status
from osler.runs.events import Ending, Journal, Retrieved, Telling
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.personas import BIASES, PersonaFactors, persona_text
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of, seat
from osler.simulator.consultation import Seats, consult
from osler.simulator.worker import transcript_of
from tests.agents.scripted import ScriptedClient, scripted
from tests.conftest import small_record
from tests.simulator.asking import Asking, number

POOL = RecordPool.open()
GOUT = {language: POOL.get(f"gout-{language}") for language in Language}
LANGUAGES = pytest.mark.parametrize("language", list(Language))


def habit_of(record: PatientRecord) -> str:
    """The entry about habits of the patient with gout."""
    (entry,) = (entry for entry in record.entries if entry.category in HABITS)
    return entry.name


class Clients:
    """One scripted model for the patient and one for RAM, by their specs."""

    def __init__(self, patient: list[str], ram: list[str]) -> None:
        self.scripts = {"patient": scripted(patient), "ram": scripted(ram)}

    def open(self, spec: str) -> Any:
        return self.scripts[spec][0]

    def prompts(self, spec: str) -> list[str]:
        client: ScriptedClient = self.scripts[spec][1]
        return client.prompts


async def talk(record: PatientRecord, times: int, **settings: Any) -> tuple[Clients, Transcript]:
    """Ask for the habit a number of times, of a patient with a model."""
    entry = number(record, habit_of(record))
    thing = {"asked": "…", "entries": [entry], "implied": "", "nothing": ""}
    clients = Clients(["Hm."] * 9, [json.dumps({"things": [thing]})] * 9)
    own = RunSettings(patient_backbone="patient", ram_backbone="ram", **settings)
    column, journal = Column.of("rules", "plain", "raw"), Journal()
    seats = seat(record, column, 1, own, journal, clients)
    asking = Asking(["?"] * times)
    seats = Seats(asking, seats.ram, seats.patient, seats.memory)
    await consult(seats, case_of(record), journal, times)
    transcript = transcript_of(
        record, Cell(record.id, column, 1), RunSettings(), journal, Ending.CONCLUDED
    )
    return clients, transcript


@LANGUAGES
async def test_a_denied_habit_is_told_at_the_third_ask(language: Language) -> None:
    record = GOUT[language]
    name = habit_of(record)
    clients, transcript = await talk(record, 3, persona="honesty=denies")
    tellings = [event.tellings.get(name) for event in transcript.of(Retrieved)]
    assert tellings == [Telling.DENIED, Telling.PLAYED_DOWN, None]
    report = record.entry(name).report
    denied, played_down, plain = clients.prompts("patient")[:3]
    assert report not in denied and report in played_down and report in plain
    assert name not in denied, "the entry's name would say too much"
    assert measured_in(transcript, record)["guarded_got"] == 1
    course = Course.of(transcript, record)
    assert [entry.name for entry in course.exchanges[0].entries] == [name], "it was asked for"
    given = [reply.context.entries for reply in replies_of(course, record)]
    assert [len(entries) for entries in given] == [0, 1, 1], "a denial contradicts nothing given"
    _, once = await talk(record, 1, persona="honesty=denies")
    assert measured_in(once, record)["guarded_got"] == 0
    _, honest = await talk(record, 1)
    assert measured_in(honest, record)["guarded_got"] is None


@LANGUAGES
async def test_a_reply_with_the_numbers_of_what_is_denied_is_refused(language: Language) -> None:
    record = PatientRecord.model_validate(
        small_record(
            language=language.value,
            entries=[{"category": "social_history", "name": "Wine", "report": "77 glasses."}],
            treatment=None,
            exam_order=None,
        )
    )
    thing = {"asked": "…", "entries": [1], "implied": "", "nothing": ""}
    said = {Language.EN: ["I drink 77.", "No."], Language.ZH: ["喝77杯。", "没有。"]}[language]
    clients = Clients(said, [json.dumps({"things": [thing]})])
    own = RunSettings(patient_backbone="patient", ram_backbone="ram", persona="honesty=denies")
    journal = Journal()
    seats = seat(record, Column.of("rules", "plain", "raw"), 1, own, journal, clients)
    seats = Seats(Asking(["?"]), seats.ram, seats.patient, seats.memory)
    await consult(seats, case_of(record), journal, 1)
    assert [event.type for event in journal.events].count("intervened") == 1


@given(seed=st.integers(0, 2**62), record=st.sampled_from(list(POOL)))
def test_the_grid_follows_from_the_seed_and_acts_on_history_and_habits(
    seed: int, record: PatientRecord
) -> None:
    vague = grid_of(record, PersonaFactors.of("recall=vague,honesty=plays_down"), seed)
    poor = grid_of(record, PersonaFactors.of("recall=poor,honesty=denies"), seed)
    assert vague == grid_of(record, PersonaFactors.of("recall=vague,honesty=plays_down"), seed)
    assert vague.keys() <= poor.keys(), "who remembers less hides no less"
    for name, telling in poor.items():
        entry = record.entry(name)
        assert entry.status is Status.PRESENT
        is_habit = entry.category in HABITS
        assert is_habit == (telling is Telling.DENIED)
        assert is_habit or entry.category in HISTORY
    assert not grid_of(record, PersonaFactors.of("personality=distrustful,confusion=much"), seed)


@given(seed=st.integers(0, 2**62), asks=st.integers(1, 6))
def test_asking_again_never_tells_less(seed: int, asks: int) -> None:
    openness = [Telling.DENIED, Telling.PLAYED_DOWN, Telling.PLAIN]
    memory = [Telling.FORGOTTEN, Telling.BLURRED, Telling.PLAIN]
    record = GOUT[Language.EN]
    guard = Guard(record, PersonaFactors.of("recall=poor,honesty=denies"), seed)
    names = [entry.name for entry in record.entries]
    course: list[dict[str, Telling]] = []
    for _ in range(asks):
        course.append(guard.tellings_of(names))
        guard.note_asked(names)
    for before, after in pairwise(course):
        for name in names:
            earlier, later = before.get(name, Telling.PLAIN), after.get(name, Telling.PLAIN)
            scale = openness if earlier in openness and earlier is not Telling.PLAIN else memory
            assert scale.index(later) >= scale.index(earlier)


@LANGUAGES
def test_every_factor_and_bias_has_its_words(language: Language) -> None:
    from osler.prompts import phrases

    personas, biases = phrases("personas", language), phrases("biases", language)
    for name, field in PersonaFactors.model_fields.items():
        for value in type(field.default):
            assert f"{name}_{value}" in personas
    for side, names in BIASES.items():
        for name in names:
            assert biases[f"{side}_{name}"]


@LANGUAGES
async def test_the_prompts_say_who_the_patient_is(language: Language) -> None:
    from osler.prompts import phrases

    clients, _ = await talk(
        GOUT[language], 1, persona="personality=distrustful,language=A", bias="patient:mistrust"
    )
    (prompt,) = clients.prompts("patient")
    lines = phrases("personas", language)
    assert lines["personality_distrustful"] in prompt and lines["language_A"] in prompt
    assert phrases("biases", language)["patient_mistrust"] in prompt
    own = phrases("patient_lines", language)[GOUT[language].persona]
    assert own not in prompt


@LANGUAGES
async def test_a_biased_doctor_is_told_so_in_every_prompt(language: Language) -> None:
    from osler.prompts import phrases

    case = case_of(GOUT[language])
    answers = ['{"action": "ask", "differential": [], "question": "?"}', '{"diagnosis": "x"}'] * 2
    backbone, client = scripted(answers)
    run = RunSettings(bias="doctor:confirmation")
    doctor = PlainDoctor(DoctorSettings(case, backbone, Journal(), run=run))
    briefing = Briefing(case=case, turn=1, turns_left=3, reply=case.complaint)
    await doctor.respond(briefing)
    await doctor.respond(briefing.model_copy(update={"turns_left": 0}))
    words = phrases("biases", language)["doctor_confirmation"]
    assert all(words in prompt for prompt in client.prompts[:2])


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"persona": "mood=bad"}, "a persona has no factor 'mood'"),
        ({"persona": "recall=low"}, "the persona's recall is 'low'; give one of full, vague, poor"),
        ({"bias": "doctor:envy"}, "there is no bias 'envy' of the doctor"),
        ({"bias": "confirmation"}, "'confirmation' is no bias"),
        ({"persona": "recall=poor"}, "the patient `rules` cannot be recall=poor"),
        ({"persona": "personality=pleasing"}, "rules know only the personalities plain, anxious"),
        ({"bias": "patient:mistrust"}, "the patient `rules` has no biases"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    options: dict[str, str], line: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as refused:
        osler.simulate(limit=1, out=tmp_path / "no.osler", quiet=True, **options)
    assert line in str(refused.value)
    assert not (tmp_path / "no.osler").exists()


def test_a_persona_has_one_name() -> None:
    text = "recall=vague, personality=distrustful"
    assert persona_text(text) == "personality=distrustful,recall=vague"
    assert persona_text("language=B") == "personality=plain" and persona_text("") == ""


def test_personas_are_columns_and_tables_divide_by_them(tmp_path: Path) -> None:
    path = tmp_path / "who.osler"
    run = osler.simulate(
        cases=["gout-en", "gout-zh", "croup-en"],
        persona=["personality=impatient", "personality=verbose"],
        memories=["raw"],
        out=path,
        quiet=True,
    )
    variants = {dict(one.column.variants)["persona"] for one in run.consultations()}
    assert variants == {"personality=impatient", "personality=verbose"}
    replies = run.turns().groupby("variants")["reply"].apply(" ".join)
    assert replies.nunique() == 2
    groups = compare([load_run(path)], by="persona").groups
    assert groups is not None and set(groups) == variants
    with pytest.raises(UserError, match="language, specialty, persona"):
        compare([load_run(path)], by="weather")
