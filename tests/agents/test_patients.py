"""Patients with a model besides Osler's own: those after the literature, and those of one's own."""

from __future__ import annotations

import inspect
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from osler import plugins
from osler.agents import patients
from osler.agents.messages import Enquiry, Exchange, Selection
from osler.agents.patients import PatientSettings, patient_factory, patient_names
from osler.agents.patients.patientsim import PatientSimPatient
from osler.agents.ram.agent import Ram
from osler.errors import UserError
from osler.eval.verbatim import has_name
from osler.plugins import give
from osler.prompts import phrases
from osler.records import Language, PatientRecord, RecordPool
from osler.records.schema import RESULTS, Status
from osler.runs.events import (
    Called,
    ConsultationError,
    Ending,
    Intervened,
    Intervention,
    Journal,
    Maker,
    Role,
)
from osler.settings.names import ResultsFrom
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from tests.agents.scripted import Script, ScriptedClient, scripted

POOL = RecordPool.open()
NAMED = ("agentclinic", "craftmd", "patientsim")
GOUT = {language: POOL.get(f"gout-{language.value}") for language in Language}
SAYS = {Language.EN: "It hurts a lot.", Language.ZH: "疼得厉害。"}
ABOUT_TESTS = {Language.EN: "What did the blood tests show?", Language.ZH: "抽血化验结果怎么样？"}
BEFORE = Exchange(question="Where does it hurt?", reply="In my big toe, doctor.")


def settings_of(
    record: PatientRecord, script: Script, **settings: object
) -> tuple[PatientSettings, ScriptedClient]:
    backbone, client = scripted(script)
    run = RunSettings(**settings)
    made = PatientSettings(case_of(record), backbone, Journal(), run=run).with_record(record)
    return made, client


async def selected(record: PatientRecord, question: str, results: ResultsFrom) -> Selection:
    ram = Ram(record, case_of(record), reports=results is ResultsFrom.REPORT)
    return await ram.respond(Enquiry(text=question, conversation=(BEFORE,)))


async def prompt_of(
    name: str,
    record: PatientRecord,
    question: str = "?",
    results: ResultsFrom = ResultsFrom.PATIENT,
) -> str:
    settings, client = settings_of(record, [SAYS[record.language]], results=results)
    reply = await patient_factory(name)(settings).respond(await selected(record, question, results))
    assert (reply.text, reply.maker) == (SAYS[record.language], Maker.MODEL)
    [prompt] = client.prompts
    return prompt


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", NAMED)
async def test_the_prompt_holds_the_case_whatever_is_asked(name: str, language: Language) -> None:
    record = GOUT[language]
    prompt = await prompt_of(name, record)
    history = [entry for entry in record.entries if entry.category not in RESULTS]
    assert history and all(entry.name in prompt for entry in history)
    assert record.person is not None
    texts = (record.complaint, BEFORE.question, BEFORE.reply, *record.person.lines.values())
    assert all(text in prompt for text in texts)
    assert prompt.index(history[0].name) < prompt.index(BEFORE.question), "what changes comes last"


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("record", list(POOL), ids=lambda record: record.id)
async def test_no_prompt_holds_diagnosis_or_treatment(name: str, record: PatientRecord) -> None:
    prompt = await prompt_of(name, record)
    named = "\n".join((record.complaint, *(entry.name for entry in record.entries)))
    if record.person is not None:
        named += "\n".join(record.person.lines.values())
    secret = [text for text in record.diagnosis.names if not has_name(named, text)]
    assert not [text for text in secret if has_name(prompt, text)]
    assert record.treatment is None or record.treatment.name not in prompt


@pytest.mark.parametrize("language", Language)
async def test_what_each_is_shown_of_results(language: Language) -> None:
    record, question = GOUT[language], ABOUT_TESTS[language]
    reports = [
        entry.report
        for entry in record.entries
        if entry.category in RESULTS and entry.status is Status.PRESENT and len(entry.report) > 9
    ]
    asked_for = (await selected(record, question, ResultsFrom.PATIENT)).entries
    found = [entry.report for entry in asked_for if entry.report in reports]
    assert found and len(found) < len(reports)
    for name in NAMED:
        unasked = await prompt_of(name, record)
        asked = await prompt_of(name, record, question)
        handed_over = await prompt_of(name, record, question, ResultsFrom.REPORT)
        if name == "craftmd":
            assert all(text in unasked for text in reports)
            assert all(asked.count(text) == 1 for text in found), "none is shown twice"
        else:
            assert not [text for text in reports if text in unasked]
            assert [text for text in reports if text in asked] == found
        assert not [text for text in reports if text in handed_over]
        assert phrases("notes", language)["handed_over"] in handed_over


@pytest.mark.parametrize("language", Language)
async def test_the_axes_of_patientsim_are_said_in_its_prompt(language: Language) -> None:
    line = phrases("patient_axes", language)
    prompt = await prompt_of("patientsim", GOUT[language])
    for axis, values in PatientSimPatient.AXES.items():
        shown = [value for value in values if line[f"{axis}_{value}"] in prompt]
        assert shown == [PatientSimPatient.DEFAULTS[axis]]
    settings, client = settings_of(GOUT[language], [SAYS[language]])
    patient = PatientSimPatient(settings, {"recall": "low", "personality": "distrustful"})
    await patient.respond(await selected(GOUT[language], "?", ResultsFrom.PATIENT))
    assert line["recall_low"] in client.prompts[0] and line["language_B"] in client.prompts[0]
    assert line["personality_plain"] not in client.prompts[0]


@pytest.mark.parametrize("name", NAMED)
def test_a_named_patient_is_a_file_of_at_most_forty_lines_of_code(name: str) -> None:
    file = Path(inspect.getfile(patients)).parent / f"{name}.py"
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    assert len(lines) <= 40


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", NAMED)
async def test_a_patient_that_says_nothing_is_answered_for_by_rules(
    name: str, language: Language
) -> None:
    settings, _ = settings_of(GOUT[language], ["..."])
    selection = await selected(GOUT[language], "?", ResultsFrom.PATIENT)
    reply = await patient_factory(name)(settings).respond(selection)
    assert reply.maker is Maker.RULES and any(char.isalpha() for char in reply.text)
    [event] = [event for event in settings.journal.events if isinstance(event, Intervened)]
    assert (event.kind, event.role, event.draft) == (Intervention.RULES, Role.PATIENT, "...")


class Mine:
    """Answers from what its settings hold."""

    def __init__(self, settings: PatientSettings) -> None:
        self.settings = settings

    async def respond(self, selection: Selection) -> str:
        told = ", ".join(entry.name for entry in self.settings.history)
        return await self.settings.ask(f"{told}\n{selection.question}")


async def test_a_class_of_your_own_asks_its_model_and_the_call_is_written_down() -> None:
    settings, client = settings_of(GOUT[Language.EN], ['- "In my toe,\n  doctor."'])
    patient = patient_factory(give(Mine))(settings)
    reply = await patient.respond(await selected(GOUT[Language.EN], "Where?", ResultsFrom.PATIENT))
    assert (reply.text, reply.maker) == ("In my toe, doctor.", Maker.MODEL)
    assert client.prompts[0].endswith("Where?") and client.options[0]["max_tokens"] == 1000
    [call] = settings.journal.events
    assert isinstance(call, Called) and call.role is Role.PATIENT


async def test_a_class_of_your_own_has_a_name_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point = EntryPoint("mine", f"{__name__}:Mine", "osler.patients")

    def points(*, group: str) -> EntryPoints:
        return EntryPoints([point] if group == point.group else [])

    monkeypatch.setattr(plugins, "entry_points", points)
    assert patient_names() == ["osler", *NAMED, "mine"]
    settings, _ = settings_of(GOUT[Language.ZH], ["脚疼。"])
    selection = await selected(GOUT[Language.ZH], "?", ResultsFrom.PATIENT)
    assert (await patient_factory("mine")(settings).respond(selection)).text == "脚疼。"


def test_settings_hold_neither_the_truth_nor_the_source() -> None:
    record = GOUT[Language.EN]
    entry = record.entries[0].model_copy(update={"source": "This is plainly gout."})
    record = record.model_copy(update={"entries": (entry, *record.entries[1:])})
    settings, _ = settings_of(record, [])
    assert not [entry for entry in settings.entries if entry.source]
    assert not hasattr(settings, "record") and len(settings.entries) == len(record.entries)


class Raises(Mine):
    async def respond(self, selection: Selection) -> str:
        raise ValueError("no idea")


class Silent(Mine):
    async def respond(self, selection: Selection) -> str:
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("kind", "line"),
    [(Raises, "ValueError: no idea"), (Silent, "it answered with a NoneType; give a text or a")],
)
async def test_a_fault_ends_the_consultation_as_the_patients(kind: type[Mine], line: str) -> None:
    settings, _ = settings_of(GOUT[Language.EN], [])
    with pytest.raises(ConsultationError, match=line) as caught:
        patient = patient_factory(give(kind))(settings)
        await patient.respond(await selected(GOUT[Language.EN], "?", ResultsFrom.PATIENT))
    error = caught.value
    assert (error.ending, error.role) == (Ending.PATIENT_ERROR, Role.PATIENT)
    assert error.code is not None and "test_patients.py:" in error.code.place


def test_a_name_that_is_none_is_refused_with_those_there_are() -> None:
    assert patient_names()[:4] == ["osler", *NAMED]
    with pytest.raises(UserError, match="there is no patient 'nobody'") as caught:
        patient_factory("nobody")
    assert "use one of osler, agentclinic, craftmd, patientsim" in str(caught.value)
    settings, _ = settings_of(GOUT[Language.EN], [])
    with pytest.raises(UserError, match="gives a str, which has no respond"):
        patient_factory("builtins:str")(settings)
