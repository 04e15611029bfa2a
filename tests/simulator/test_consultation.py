"""One consultation through the public parts: rules, scripted models, and what must never be in a
prompt."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from osler.agents.doctors import DoctorSettings, doctor_factory
from osler.agents.messages import Conclusion, Question
from osler.agents.patients.model_patient import ModelPatient
from osler.agents.ram.agent import Ram
from osler.agents.rules.patient import RulesPatient
from osler.memory import MemorySettings, Query, memory_factory
from osler.models import Backbone, BackboneError, FailureKind
from osler.records import Language, PatientRecord, RecordPool
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Ending,
    Journal,
    Recalled,
    Retrieved,
)
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from osler.simulator.clients import Clients
from osler.simulator.consultation import Seats, consult
from osler.simulator.worker import simulate_one
from tests.agents.scripted import Script, ScriptedClient, scripted
from tests.returning import returning
from tests.simulator.model_server import reply_to

POOL = RecordPool.open()


class Held(Clients):
    """Backbones that a test made."""

    def __init__(self, **backbones: Backbone) -> None:
        super().__init__()
        self._backbones = backbones

    def open(self, spec: str, temperature: float = 0.0) -> Backbone:
        return self._backbones[spec]


def ask(question: str) -> str:
    return json.dumps({"differential": [], "action": "ask", "question": question})


END = json.dumps(
    {
        "reasoning": "r",
        "differential": ["Cystitis"],
        "diagnosis": "Bladder cancer",
        "treatment": "TURBT",
    }
)
DONE = json.dumps({"action": "conclude", "question": ""})


async def run(
    record: PatientRecord,
    doctor: Script,
    *,
    memory: str = "raw",
    turns: int = 5,
    patient: Script | None = None,
) -> tuple[Transcript, ScriptedClient]:
    backbone, client = scripted(doctor)
    made = {"doc": backbone}
    if patient is not None:
        made["pat"], _ = scripted(patient)
    settings = RunSettings(turns=turns, patient_backbone="pat" if patient is not None else "rules")
    transcript = await simulate_one(
        record, Cell(record.id, Column.of("doc", PLAIN, memory), 1), settings, Held(**made)
    )
    return transcript, client


BLADDER = POOL.get("bladder-cancer-en")


async def test_a_doctor_asks_and_concludes() -> None:
    script = [ask("Does she have urgency?"), ask("Has she had an ultrasound?"), DONE, END]
    transcript, client = await run(BLADDER, script)
    assert transcript.ending is Ending.CONCLUDED
    assert [event.question for event in transcript.of(Asked)] == [
        "Does she have urgency?",
        "Has she had an ultrasound?",
    ]
    assert transcript.of(Answered)[0].disclosed == ("Urgency",)
    assert transcript.conclusion is not None and transcript.conclusion.diagnosis == "Bladder cancer"
    assert transcript.tokens() and all(call.prompt for call in transcript.of(Called))
    assert (
        Transcript.model_validate_json(transcript.model_dump_json(exclude_none=True)) == transcript
    )
    # What it was told two questions ago it knows through its memory; the last reply it has before
    # it.
    assert "Urgency" not in client.prompts[1] and "urgency" in client.prompts[2]


async def test_a_doctor_that_never_ends_is_asked_for_its_conclusion() -> None:
    def doctor(prompt: str) -> str:
        return (
            END if "may ask" not in prompt else ask(f"Is there pain in place number {len(prompt)}?")
        )

    transcript, _ = await run(BLADDER, doctor, turns=3)
    assert transcript.ending is Ending.TURN_LIMIT and transcript.turns == 3


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("early", [True, False])
async def test_a_conclusion_is_drawn_from_a_recall_that_begins_with_what_treatment_depends_on(
    language: Language, early: bool
) -> None:
    """Also an early one; and nowhere in a prompt is a turn of an earlier visit called by its
    number."""
    allergy = {Language.EN: "She had a severe reaction", Language.ZH: "她2019年用青霉素"}[language]
    fact = {"subject": "-", "relation": "has", "negated": False, "when": "", "basis": "stated"}
    asked = 0

    def spoken(prompt: str) -> str:
        nonlocal asked
        if '"thoughts"' in prompt:
            kind, thing = ("allergy", "hives") if allergy in prompt else ("other", "throat " * 30)
            return json.dumps({"thoughts": [{**fact, "object": thing, "kind": kind}]})
        if '"action"' not in prompt:
            return END
        asked += 1
        return (
            DONE
            if early and asked == 3
            else ask({Language.EN: "Since when?", Language.ZH: "多久了？"}[language])
        )

    backbone, client = scripted(spoken)
    record, cell = returning(language), Cell("x", Column.of("doc", PLAIN, "tim"), 1)
    settings = RunSettings(turns=4, budget=100, visits=True)
    transcript = await simulate_one(record, cell, settings, Held(doc=backbone))
    assert transcript.ending is (Ending.CONCLUDED if early else Ending.TURN_LIMIT)
    recalled, told = transcript.of(Recalled)[-1], transcript.of(Answered)[-1].reply
    asked_last = transcript.of(Asked)[-1].question
    assert (
        recalled.query.startswith(record.complaint)
        and recalled.query.endswith(told)
        and asked_last in recalled.query
    )
    recall = recalled.recall.text
    [conclusion] = [prompt for prompt in client.prompts if '"diagnosis"' in prompt]
    assert "hives" in recall.splitlines()[0] and recall in conclusion
    assert not any(re.search(r"(?:[Tt]urn |第)(?:0|-)", prompt) for prompt in client.prompts)


@pytest.mark.parametrize("memory", ["tim", "summary"])
async def test_a_consultation_with_thoughts_takes_hardly_longer_than_one_with_the_dialogue(
    memory: str,
) -> None:
    """One request a turn for the memory, beside the doctor's and the patient's: never in their
    way."""

    def spoken(prompt: str) -> str:
        if '"thoughts"' in prompt:
            return json.dumps({"thoughts": [], "forget": [], "merge": []})
        if '"points_discussed"' in prompt:
            return json.dumps({"topic": "pain"})
        if "may ask" in prompt:
            return ask(f"Is there pain in place number {len(prompt)}?")
        return END

    backbone, client = scripted(spoken)
    client.delay = 0.2
    settings = RunSettings(turns=4)
    transcript = await simulate_one(
        BLADDER, Cell("x", Column.of("doc", PLAIN, memory), 1), settings, Held(doc=backbone)
    )
    spans = [(call.role.value, call.at - call.seconds, call.at) for call in transcript.of(Called)]
    thoughts = [span for span in spans if span[0] == "memory"]
    doctors = [span for span in spans if span[0] == "doctor"]
    assert len(thoughts) == 4
    thoughts.pop()  # a conclusion waits for what the memory makes of the last turn
    for _, began, ended in thoughts:
        beside = max(
            min(ended, other_end) - max(began, other_begin) for _, other_begin, other_end in doctors
        )
        assert beside > 0.02, (
            "the memory was asked while nobody else was: the doctor had to wait for it"
        )


async def test_a_failing_model_is_a_failure_and_not_a_wrong_answer() -> None:
    def doctor(_: str) -> str:
        raise BackboneError(FailureKind.UNREACHABLE, "the model does not answer", "start it")

    transcript, _ = await run(BLADDER, doctor)
    assert transcript.ending is Ending.BACKBONE_FAILURE and not transcript.ending.is_answer


async def test_raw_drops_the_oldest_turns_when_the_budget_is_small() -> None:
    memory = memory_factory("raw")(MemorySettings(budget=60))
    from osler.memory import Turn

    for number in range(1, 6):
        await memory.remember(
            Turn(
                number=number,
                question="How long have you had it, please?",
                reply="For some weeks now.",
            )
        )
    recall = await memory.recall(Query(""))
    assert recall.dropped and recall.dropped[0] == 1 and recall.exchanges[-1].number == 5
    again = memory_factory("raw")(MemorySettings(budget=60))
    again.state = memory.state
    assert await again.recall(Query("")) == recall


def forbidden(record: PatientRecord) -> list[str]:
    names = list(record.diagnosis.names)
    if record.treatment is not None:
        names += [record.treatment.name]
    if record.exam_order is not None:
        names += [str(record.exam_order)]
    return names


@pytest.mark.parametrize("language", Language)
async def test_no_prompt_holds_the_diagnosis_the_treatment_or_the_order(language: Language) -> None:
    """Every entry of every bundled record is asked for, and every prompt is looked at."""
    for record in POOL.only(languages=[language]):
        seen: list[str] = []

        def patient(prompt: str, seen: list[str] = seen) -> str:
            seen.append(prompt)
            return "I don't know." if "You are" in prompt else "我不知道。"

        backbone, _ = scripted(patient)
        journal, case = Journal(), case_of(record)
        ram, voice = Ram(record, case), ModelPatient(case, record.diagnosis, backbone, journal)
        doctor_backbone, doctor_client = scripted(lambda _: END)
        for entry in record.entries:
            await voice.respond(ram.select(f"{entry.name}?"))
        doctor = doctor_factory("plain")(DoctorSettings(case, doctor_backbone, journal))
        raw = memory_factory("raw")(MemorySettings(language=language))
        await consult(Seats(doctor, ram, RulesPatient(), raw), case, journal, 2)
        for prompt in (*seen, *doctor_client.prompts):
            for name in forbidden(record):
                hit = (
                    name in prompt
                    if language is Language.ZH
                    else re.search(rf"\b{re.escape(name.casefold())}\b", prompt.casefold())
                )
                assert not hit, (record.id, name)


@pytest.mark.parametrize("language", Language)
async def test_no_prompt_of_any_agent_holds_the_source_of_an_entry(language: Language) -> None:
    """Doctor, patient, retrieval and memory are models here; the retrieval model picks from all
    entries."""
    (record,) = POOL.only(languages=[language], limit=1)
    marked = [
        entry.model_copy(update={"source": f"ORIGINAL {entry.report}"}) for entry in record.entries
    ]
    backbone, client = scripted(reply_to)
    settings = RunSettings(turns=6, patient_backbone="m", ram_backbone="m", memory_backbone="m")
    cell = Cell(record.id, Column.of("m", PLAIN, "tim,mode=paper"), 1)
    record = record.model_copy(update={"entries": tuple(marked)})
    transcript = await simulate_one(record, cell, settings, Held(m=backbone))
    assert {call.role for call in transcript.of(Called)} >= {"doctor", "patient", "ram", "memory"}
    assert any(event.entries for event in transcript.of(Retrieved))
    assert client.prompts and not [prompt for prompt in client.prompts if "ORIGINAL" in prompt]


async def test_participants_are_agents_of_autogen() -> None:
    from autogen_agentchat.base import ChatAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken

    case = case_of(BLADDER)
    backbone, _ = scripted([ask("Has she had a fever?")])
    doctor = doctor_factory("plain")(DoctorSettings(case, backbone, Journal()))
    ram, patient = Ram(BLADDER, case), RulesPatient()
    assert all(isinstance(agent, ChatAgent) for agent in (doctor, ram, patient))
    token = CancellationToken()
    question = await doctor.on_messages(
        [TextMessage(content=case.complaint, source="patient")], token
    )
    selection = await ram.on_messages([question.chat_message], token)
    reply = await patient.on_messages([selection.chat_message], token)
    assert reply.chat_message.to_text() == "No, she hasn't had a fever."


async def test_events_tell_the_whole_story_in_order() -> None:
    transcript, _ = await run(
        BLADDER, [ask("Does she have urgency?"), ask("Any fever?"), DONE, END]
    )
    kinds = [event.type for event in transcript.events if not isinstance(event, Called)]
    # A turn is remembered while the next question is answered, so its place among these is free.
    spoken = [kind for kind in kinds if kind != "remembered"]
    a_turn = ["recalled", "asked", "retrieved", "answered"]
    assert spoken == [*a_turn, *a_turn, "recalled", "recalled", "concluded"]
    assert kinds.count("remembered") == 2
    assert [event.turn for event in transcript.of(Recalled)] == [1, 2, 3, 3]
    assert isinstance(transcript.events[-1], Concluded)


def test_question_and_conclusion_are_plain_data() -> None:
    moves: list[Any] = [Question(text="a"), Conclusion(diagnosis="a", treatment="b")]
    assert [type(move).model_validate(move.model_dump()) for move in moves] == moves
