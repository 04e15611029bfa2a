"""Our participants in a real AutoGen team."""

from __future__ import annotations

import asyncio

import pytest
from autogen_agentchat.messages import StructuredMessage, TextMessage
from autogen_core import CancellationToken

from osler import RecordPool
from osler.agents.autogen import ConsultationTeam, Listener, Participant
from osler.agents.doctors import DoctorSettings, doctor_factory
from osler.agents.doctors.registry import ForeignDoctor
from osler.agents.human import HumanParticipant
from osler.agents.messages import Briefing, Case, Conclusion, Question, Selection
from osler.agents.ram.agent import Ram
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.patient import RulesPatient
from osler.errors import UserError
from osler.language import Language
from osler.memory.base import Change, MemorySettings, Query, Recall, Turn
from osler.memory.raw import RawMemory
from osler.runs.events import Answered, Asked, Concluded, Ending, Journal
from osler.simulator.build import case_of, consultation_team
from osler.simulator.consultation import Seats, consult
from tests.agents.scripted import scripted
from tests.agents.test_doctors import DONE, END, ask


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
async def test_a_team_of_doctor_ram_and_patient_ends_with_a_conclusion(case: str) -> None:
    record = RecordPool.open().find(case)
    result = await consultation_team(record, memory="raw", turns=4).run(task=record.complaint)
    assert isinstance(result.messages[0], TextMessage)
    assert result.messages[0].content == record.complaint
    speakers = [message.source for message in result.messages[1:]]
    assert speakers[:6] == ["doctor", "ram", "patient"] * 2
    assert all(
        isinstance(message, StructuredMessage) and isinstance(message.content, Selection)
        for message in result.messages
        if message.source == "ram"
    )
    last = result.messages[-1]
    assert isinstance(last, StructuredMessage) and isinstance(last.content, Conclusion)
    assert last.content.diagnosis


async def test_a_team_holds_the_consultation_that_osler_holds() -> None:
    record = RecordPool.open().find("gout-en")
    case, own = case_of(record), Journal()
    seats = Seats(RulesDoctor(case), Ram(record, case), RulesPatient(), RawMemory(MemorySettings()))
    await consult(seats, case, own, 6)
    journal = Journal()
    stream = consultation_team(record, turns=6, journal=journal).run_stream()
    said = [message.to_text() async for message in stream if isinstance(message, TextMessage)]
    assert [event.type for event in journal.events] == [event.type for event in own.events]
    spoken: list[str] = []
    for event in journal.events:
        if isinstance(event, Asked):
            spoken.append(event.question)
        elif isinstance(event, Answered):
            spoken.append(event.reply)
    assert said == [record.complaint, *spoken]


async def test_a_team_is_stopped_by_its_token_and_says_what_failed() -> None:
    record = RecordPool.open().find("gout-en")
    token = CancellationToken()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consultation_team(record).run(cancellation_token=token)
    with pytest.raises(UserError, match="opening complaint"):
        await consultation_team(record).run(task="Hello")

    async def hold(listener: Listener) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await ConsultationTeam("Ow.", hold).run()


async def test_the_doctors_memory_works_in_a_team() -> None:
    record = RecordPool.open().find("gout-en")
    distinct = {}
    for memory in ("none", "raw"):
        result = await consultation_team(record, memory=memory, turns=10).run(task=record.complaint)
        questions = [
            message.to_text() for message in result.messages if message.source == "doctor"
        ][:-1]
        distinct[memory] = len(set(questions)) / len(questions)
    assert distinct["raw"] == 1 > distinct["none"], "without its memory it asks the same again"


class Witness(RawMemory):
    """Writes down what it is given and asked."""

    def __init__(self, language: Language) -> None:
        super().__init__(MemorySettings(language=language))
        self.calls: list[tuple[object, ...]] = []

    async def remember(self, turn: Turn) -> Change:
        self.calls.append(("remember", turn))
        return await super().remember(turn)

    async def recall(self, query: Query) -> Recall:
        self.calls.append(("recall", query))
        return await super().recall(query)


class Hasty:
    """A doctor from elsewhere, which asks once and concludes."""

    async def respond(self, briefing: Briefing | Selection) -> Question | Conclusion:
        assert isinstance(briefing, Briefing)
        if briefing.turn == 1:
            return Question(text=TESTS[briefing.case.language], differential=("Erysipelas",))
        return Conclusion(diagnosis="Cellulitis", treatment="Flucloxacillin")


TESTS = {Language.EN: "Has a blood test been done?", Language.ZH: "查过血常规吗？"}
DOCTORS = ("plain", "rules", "foreign", "person")


def doctor_called(name: str, case: Case, journal: Journal) -> Participant:
    move = ask(TESTS[case.language], "Erysipelas")
    if name == "plain":
        return doctor_factory("plain")(
            DoctorSettings(case, scripted([move, DONE, END])[0], journal)
        )
    if name == "rules":
        return RulesDoctor(case)
    foreign = Hasty()
    return (
        ForeignDoctor("hasty", foreign, case)
        if name == "foreign"
        else HumanParticipant("doctor", foreign.respond)
    )


@pytest.mark.parametrize("name", DOCTORS)
@pytest.mark.parametrize("language", Language)
async def test_whoever_the_doctor_is_its_memory_is_asked_alike(
    name: str, language: Language
) -> None:
    """Every turn with all that belongs to it, and once more for a conclusion."""
    record = RecordPool.open().get(f"pneumonia-{language.value}")
    case = case_of(record, visits=True)
    journal, memory = Journal(), Witness(language)
    doctor = doctor_called(name, case, journal)
    seats = Seats(doctor, Ram(record, case, reports=True), RulesPatient(), memory)
    assert await consult(seats, case, journal, 30) is Ending.CONCLUDED
    turns = [call[1] for call in memory.calls if call[0] == "remember"]
    queries = [call[1] for call in memory.calls if isinstance(call[1], Query)]
    assert all(isinstance(turn, Turn) and turn.at for turn in turns)
    assert [query.exchange for query in queries[: len(turns) + 1]] == [None, *turns]
    assert all(not query.is_to_conclude for query in queries[: len(turns) + 1])
    last = queries[-1]
    if name == "person":  # nobody asks a person twice
        assert len(queries) == len(turns) + 1
    else:
        assert last.is_to_conclude and last.exchange == turns[-1]
        assert last.text.startswith(case.complaint)
    if name != "rules":
        [turn] = turns
        assert isinstance(turn, Turn) and turn.results and turn.differential == ("Erysipelas",)


async def test_a_conclusion_that_a_doctor_gave_stands_if_the_next_cannot_be_read() -> None:
    record = RecordPool.open().get("cellulitis-en")
    case, journal = case_of(record), Journal()
    script = ["Diagnosis: Cellulitis\nTreatment: Flucloxacillin", "Hm.", "Hm."]
    doctor = doctor_factory("plain")(DoctorSettings(case, scripted(script)[0], journal))
    assert await consult(
        Seats(doctor, Ram(record, case), RulesPatient(), Witness(Language.EN)), case, journal, 9
    )
    [concluded] = [event for event in journal.events if isinstance(event, Concluded)]
    assert concluded.diagnosis == "Cellulitis"
