"""Doctors with a model: what they ask is what is heard, and what is done to their words is written
down."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from osler import plugins
from osler.agents.doctors import (
    Conclusion,
    DoctorSettings,
    Question,
    ReadyToConclude,
    doctor_factory,
    doctor_names,
)
from osler.agents.doctors.stepwise import standard_questions
from osler.agents.messages import Briefing, Case
from osler.agents.ram.agent import Ram
from osler.agents.rules.patient import RulesPatient
from osler.errors import UserError
from osler.memory import MemorySettings, Recall, Turn, memory_factory
from osler.memory.base import Query, tokens
from osler.models import BackboneError, ChatMessage, ChatRequest, FailureKind
from osler.prompts import Prompt
from osler.records import Language, PatientRecord, RecordPool
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    ConsultationError,
    E,
    Ending,
    Intervened,
    Intervention,
    Journal,
    Maker,
    Recalled,
    Remembered,
    Retrieved,
    Role,
)
from osler.simulator.build import WholeRecord, case_of
from osler.simulator.consultation import Seats, consult
from tests.agents.scripted import Script, ScriptedClient, scripted

POOL = RecordPool.open()
BLADDER = {language: POOL.get(f"bladder-cancer-{language.value}") for language in Language}
LONG = {
    Language.EN: "Thank you. I would like to know two things. Does she have urgency? And has she had an ultrasound?",
    Language.ZH: "谢谢您。我想了解两件事。她有没有尿急？另外，做过超声检查吗？",
}
END = json.dumps(
    {
        "differential": ["Cystitis"],
        "diagnosis": "Bladder cancer",
        "treatment": "TURBT",
        "reasoning": "haematuria",
    }
)
DONE = json.dumps({"differential": ["Cystitis"], "action": "conclude", "question": ""})


def ask(question: str, *differential: str) -> str:
    return json.dumps(
        {"differential": differential, "action": "ask", "question": question}, ensure_ascii=False
    )


class Held:
    """A consultation that was held: how it ended, and what happened in it."""

    def __init__(
        self, ending: Ending, journal: Journal, client: ScriptedClient, error: str = ""
    ) -> None:
        self.ending, self._journal, self.client, self.error = ending, journal, client, error

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self._journal.events if isinstance(event, kind)]

    @property
    def questions(self) -> list[tuple[str, Maker]]:
        return [(event.question, event.maker) for event in self.of(Asked)]

    @property
    def done_to_words(self) -> list[Intervention]:
        return [event.kind for event in self.of(Intervened)]


async def held(
    script: Script,
    record: PatientRecord = BLADDER[Language.EN],
    *,
    strategy: str = "plain",
    memory: str = "raw",
    turns: int = 5,
    answer_tokens: int = 1000,
    thinks: Script | None = None,
) -> Held:
    case, journal = case_of(record), Journal()
    backbone, client = scripted(script)

    async def think(template: Prompt, text: str, *_: Any) -> str | None:
        assert thinker is not None
        return (await thinker.client.complete(ChatRequest((ChatMessage("user", text),)))).text

    thinker = scripted(thinks)[0] if thinks is not None else None
    made = MemorySettings(language=record.language, thinker=think if thinker else None)
    seats = Seats(
        doctor=doctor_factory(strategy)(DoctorSettings(case, backbone, journal, answer_tokens)),
        ram=Ram(record, case),
        patient=RulesPatient(),
        memory=WholeRecord(record, case) if memory == "one-step" else memory_factory(memory)(made),
    )
    try:
        return Held(await consult(seats, case, journal, turns), journal, client)
    except ConsultationError as error:
        return Held(error.ending, journal, client, str(error))


@pytest.mark.parametrize("language", Language)
async def test_the_whole_question_is_heard(language: Language) -> None:
    done = await held([ask(LONG[language]), DONE, END], BLADDER[language])
    assert done.questions == [(LONG[language], Maker.MODEL)]
    assert not done.of(Intervened) and len(done.of(Called)) == 3
    assert LONG[language] in done.client.prompts[1]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("strategy", ["plain", "stepwise", "checklist"])
async def test_every_prompt_holds_who_the_patient_is_and_what_was_said_last(
    language: Language, strategy: str
) -> None:
    record = BLADDER[language]
    case = case_of(record)
    question = LONG[language]

    def doctor(prompt: str) -> str:
        return (
            ask(question)
            if '"action"' in prompt
            else END
            if '"diagnosis"' in prompt
            else "Bladder cancer"
        )

    done = await held(doctor, record, strategy=strategy, turns=13)
    kin = "daughter" if language is Language.EN else "女儿"
    last = done.of(Answered)[-1].reply
    assert len(done.client.prompts) >= 3
    for prompt in done.client.prompts:
        assert all(text in prompt for text in (case.age, case.complaint, kin)), prompt
    for prompt in done.client.prompts[-1 if strategy == "plain" else -3 :]:
        assert question in prompt and last in prompt, prompt


async def test_the_reports_that_were_handed_over_are_in_the_prompt() -> None:
    for language, text in (
        (Language.EN, "CT urography: a mass of 3 cm"),
        (Language.ZH, "CT尿路造影：3厘米肿块"),
    ):
        backbone, client = scripted([DONE, END])
        case = case_of(BLADDER[language])
        briefing = Briefing(case=case, turn=2, turns_left=3, question="?", reply="-", results=text)
        doctor = doctor_factory("plain")(DoctorSettings(case, backbone, Journal()))
        assert isinstance(await doctor.respond(briefing), ReadyToConclude)
        assert isinstance(
            await doctor.respond(briefing.model_copy(update={"turns_left": 0})), Conclusion
        )
        assert len(client.prompts) == 2 and all(text in prompt for prompt in client.prompts)


async def test_an_overlong_question_is_shortened_and_the_event_keeps_it() -> None:
    long = "Does she have urgency, or not? " * 100
    done = await held([ask(long), DONE, END])
    [(heard, maker)] = done.questions
    assert maker is Maker.CUT and len(heard) == 2000 and long.startswith(heard)
    [event] = done.of(Intervened)
    assert event.kind is Intervention.SHORTENED and event.draft == long.strip()


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    "first",
    [
        "I would ask for a fever.",
        '{"question": "Any fever?"}',
        '{"action": "ask", "question": " "}',
        "",
        "[]",
    ],
)
async def test_a_move_that_cannot_be_read_is_asked_for_once_more(
    first: str, language: Language
) -> None:
    done = await held([first, ask(LONG[language]), DONE, END], BLADDER[language])
    assert done.questions == [(LONG[language], Maker.RETRIED)]
    assert [(event.kind, event.draft) for event in done.of(Intervened)] == [
        (Intervention.UNREAD, first)
    ]
    repair = done.client.prompts[1]
    assert done.client.prompts[0] in repair and '"action"' in repair.removeprefix(
        done.client.prompts[0]
    )


async def test_after_that_the_text_itself_is_the_question() -> None:
    done = await held(["Does she have\nurgency?", "Sorry: does she have urgency?", DONE, END])
    assert done.questions == [("Does she have urgency?", Maker.MODEL)]
    broken = '{"differential": ["Cystitis"], "action": "ask", "question": "Does she have \\"urgency'
    done = await held([broken, broken, DONE, END])
    assert done.questions == [('Does she have "urgency', Maker.MODEL)]
    done = await held(["", "Does she have urgency?", DONE, END])
    assert done.questions == [("Does she have urgency?", Maker.RETRIED)]


@pytest.mark.parametrize("language", Language)
async def test_a_doctor_that_says_nothing_has_a_silent_turn(language: Language) -> None:
    empty = BackboneError(FailureKind.EMPTY, "it gave an empty answer")
    form = '{"action": "ask"}'
    urgency = LONG[language]
    script: list[str | Exception] = [
        ask(urgency),
        empty,
        empty,
        form,
        form,
        "",
        "<think>hm</think>",
        DONE,
        END,
    ]
    done = await held(script, BLADDER[language])
    assert [maker for _, maker in done.questions] == [
        Maker.MODEL,
        Maker.SILENT,
        Maker.SILENT,
        Maker.SILENT,
    ]
    assert done.ending is Ending.CONCLUDED
    assert (
        [event.turn for event in done.of(Answered)]
        == [event.turn for event in done.of(Retrieved)]
        == [1]
    )
    assert [event.of for event in done.of(Remembered)] == [1], (
        "nothing was said, so there is nothing to remember"
    )
    said_nothing = "you said nothing" if language is Language.EN else "你什么也没说"
    assert said_nothing in done.client.prompts[3] and urgency in done.client.prompts[3]
    heard = done.of(Answered)[0].reply
    queries = [event.query for event in done.of(Recalled)][1:]
    *to_ask, to_conclude = queries
    assert len(to_ask) == 4 and len(set(to_ask)) == 1 and to_ask[0].endswith(heard)
    assert to_conclude.endswith(to_ask[0]) and to_conclude != to_ask[0]


async def test_silent_turns_are_turns() -> None:
    done = await held(lambda prompt: "" if '"action"' in prompt else END, turns=3)
    assert len(done.questions) == 3 and done.ending is Ending.TURN_LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "Diagnosis: Bladder cancer\nTreatment: TURBT",
        '{"diagnosis": "Bladder cancer", "treatment": "TURBT"}',
        "诊断：膀胱癌\n治疗：经尿道膀胱肿瘤切除术",
    ],
)
async def test_a_text_that_states_a_diagnosis_is_a_conclusion(text: str) -> None:
    done = await held([text])
    [concluded] = done.of(Concluded)
    assert concluded.treatment in {"TURBT", "经尿道膀胱肿瘤切除术"} and not done.of(Asked)
    assert done.ending is Ending.CONCLUDED and not done.of(Intervened)


async def test_a_stated_diagnosis_without_a_treatment_leads_to_the_conclusion() -> None:
    done = await held(["The diagnosis is bladder cancer.", END])
    assert [event.treatment for event in done.of(Concluded)] == ["TURBT"] and not done.of(
        Intervened
    )
    asked = "The diagnosis is not clear yet. Does she have urgency?"
    done = await held([asked, asked, DONE, END])
    assert done.questions == [(asked, Maker.MODEL)], "what asks is no conclusion"


async def test_the_plain_doctor_concludes_in_one_request() -> None:
    done = await held([DONE, END])
    [concluded] = done.of(Concluded)
    told = (concluded.diagnosis, concluded.treatment, concluded.differential, concluded.reasoning)
    assert told == ("Bladder cancer", "TURBT", ("Cystitis",), "haematuria")
    assert len(done.client.prompts) == 2


async def test_a_conclusion_that_cannot_be_read_is_repaired_once_and_then_unparsed() -> None:
    done = await held([DONE, "I would say so", END])
    assert done.ending is Ending.CONCLUDED and done.done_to_words == [Intervention.UNREAD]
    done = await held([DONE, '{"diagnosis": "Cystitis"}', "no"])
    assert [(event.diagnosis, event.treatment) for event in done.of(Concluded)] == [
        ("Cystitis", "")
    ]
    for second in ("Still thinking", ""):
        done = await held([DONE, "I would say so", second])
        assert done.ending is Ending.UNPARSED and not done.of(Concluded)


async def test_only_five_illnesses_of_a_differential_count_and_the_event_keeps_them() -> None:
    many = [f"Illness {number}" for number in range(9)]
    said = json.dumps(
        {"differential": many, "diagnosis": "Gout", "treatment": "Rest. " * 300, "reasoning": "r"}
    )
    done = await held([DONE, said])
    [concluded] = done.of(Concluded)
    assert (
        concluded.differential == tuple(many[:5])
        and concluded.treatment == ("Rest. " * 300).strip()
    )
    [event] = done.of(Intervened)
    assert event.kind is Intervention.SHORTENED and event.draft == "; ".join(many)


async def test_stepwise_concludes_in_three_requests() -> None:
    script = [
        DONE,
        "Painless blood.",
        "Bladder cancer\nCystitis",
        '{"treatment": "TURBT", "reasoning": "r"}',
    ]
    done = await held(script, strategy="stepwise")
    [concluded] = done.of(Concluded)
    assert (concluded.diagnosis, concluded.treatment, concluded.differential) == (
        "Bladder cancer",
        "TURBT",
        ("Cystitis",),
    )
    assert len(done.client.prompts) == 4 and "Painless blood." in done.client.prompts[2]
    done = await held(
        [DONE, "", "no idea at all, I am afraid, but it may be one thing or another thing", END],
        strategy="stepwise",
    )
    assert done.ending is Ending.CONCLUDED and done.done_to_words == [Intervention.UNREAD]


@pytest.mark.parametrize("language", Language)
async def test_the_checklist_asks_first_and_each_of_its_questions_is_marked(
    language: Language,
) -> None:
    record = BLADDER[language]
    standard = standard_questions(case_of(record))
    script = [
        ask(LONG[language]),
        DONE,
        "A tumour.",
        "膀胱癌" if language is Language.ZH else "Bladder cancer",
        END,
    ]
    done = await held(script, record, strategy="checklist", turns=20)
    assert done.questions == [(text, Maker.STRATEGY) for text in standard] + [
        (LONG[language], Maker.MODEL)
    ]
    assert not [call for call in done.of(Called) if call.turn <= len(standard)], (
        "no model is asked for a standard question"
    )
    assert not done.of(Intervened) and done.ending is Ending.CONCLUDED


@pytest.mark.parametrize(("record_id", "work"), [("croup-en", "smoke"), ("croup-zh", "烟")])
def test_a_child_is_not_asked_about_smoking_and_work(record_id: str, work: str) -> None:
    case = case_of(POOL.get(record_id))
    assert not any(work in question for question in standard_questions(case))
    assert any(
        work in question for question in standard_questions(case.model_copy(update={"years": 40.0}))
    )
    assert len(standard_questions(case)) == 11


@pytest.mark.parametrize("language", Language)
async def test_a_differential_reaches_raw_and_thoughts_and_not_a_doctor_without_memory(
    language: Language,
) -> None:
    suspected = "Interstitial cystitis" if language is Language.EN else "间质性膀胱炎"
    script = [ask(LONG[language], suspected), ask("?"), DONE, END]
    for memory, thinks, reached in (
        ("raw", None, True),
        ("tim", None, True),
        ("tim", lambda _: '{"thoughts": [], "forget": [], "merge": []}', True),
        ("none", None, False),
    ):
        done = await held(list(script), BLADDER[language], memory=memory, thinks=thinks)
        assert done.of(Asked)[0].differential == (suspected,)
        assert suspected not in done.client.prompts[1], "it is remembered beside the next question"
        assert (suspected in done.client.prompts[2]) is reached, (memory, done.client.prompts[2])


@pytest.mark.parametrize("strategy", ["plain", "stepwise", "checklist"])
async def test_every_request_may_take_the_tokens_of_the_settings(strategy: str) -> None:
    script = [
        "?",
        ask("Any fever?"),
        DONE,
        *(["x", "Gout", END] if strategy != "plain" else ["x", END]),
    ]
    done = await held(script, strategy=strategy, turns=20, answer_tokens=777)
    assert done.ending is Ending.CONCLUDED and {
        options["max_tokens"] for options in done.client.options
    } == {777}


THINKING = [
    "<think>She may have {}.</think>\n",
    "<think>She may have {}.</think>",
    "She may have {}.\n</think>\n\n",
    "\n<THINKING>She may have {}.</THINKING> ",
]


@pytest.mark.parametrize("thinking", THINKING)
async def test_what_a_model_thinks_aloud_is_kept_and_neither_heard_nor_remembered(
    thinking: str,
) -> None:
    secret = "schistosomiasis"
    aloud = thinking.format(secret)
    done = await held([aloud + "Does she have urgency?"] * 2 + [aloud + DONE, aloud + END])
    assert done.questions == [("Does she have urgency?", Maker.MODEL)]
    assert [call.thought for call in done.of(Called)] == [f"She may have {secret}."] * 4
    assert not any(secret in call.answer for call in done.of(Called))
    assert not any(secret in prompt for prompt in done.client.prompts)
    assert done.of(Concluded)[0].diagnosis == "Bladder cancer"


async def test_a_model_that_only_thinks_says_nothing() -> None:
    aloud = "<think>What could it be, what could it"
    done = await held([aloud, aloud, DONE, END])
    assert [maker for _, maker in done.questions] == [Maker.SILENT]
    calls = done.of(Called)
    assert calls[0].thought == "What could it be, what could it" and calls[0].answer == ""
    assert (
        calls[0].failure is not None and "thought and then said nothing" in calls[0].failure.message
    )
    assert calls[0].tokens_in and calls[0].tokens_out is not None, "what it thought was paid for"


TOO_LONG = BackboneError(FailureKind.TOO_LONG, "it has no room for this prompt")


async def test_a_prompt_that_does_not_fit_is_sent_with_half_of_what_was_recalled() -> None:
    case, journal = case_of(BLADDER[Language.EN]), Journal()
    backbone, client = scripted([TOO_LONG, ask("Any fever?")])
    recall = "\n".join(f"Fact {number}" for number in range(1, 6))
    doctor = doctor_factory("plain")(DoctorSettings(case, backbone, journal))
    briefing = Briefing(
        case=case,
        turn=4,
        turns_left=3,
        question="Any pain?",
        reply="No.",
        recall=Recall(text=recall),
    )
    assert await doctor.respond(briefing) == Question(text="Any fever?", maker=Maker.MODEL)
    assert all(f"Fact {number}" in client.prompts[0] for number in range(1, 6))
    assert [f"Fact {number}" in client.prompts[1] for number in range(1, 6)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    [event] = [event for event in journal.events if isinstance(event, Intervened)]
    assert event.kind is Intervention.OVERFLOW and event.draft == "Fact 1\nFact 2\nFact 3"
    assert "3 of 5" in event.reasons[0]


@pytest.mark.parametrize(("recall", "requests"), [("Fact 1\nFact 2", 2), ("Fact 1", 1), ("", 1)])
async def test_a_prompt_that_still_does_not_fit_ends_the_consultation_with_its_remedy(
    recall: str, requests: int
) -> None:
    case, journal = case_of(BLADDER[Language.EN]), Journal()
    backbone, client = scripted([TOO_LONG, TOO_LONG])
    doctor = doctor_factory("plain")(DoctorSettings(case, backbone, journal))
    with pytest.raises(ConsultationError, match="--budget or --answer-tokens") as caught:
        await doctor.respond(
            Briefing(
                case=case,
                turn=4,
                turns_left=3,
                question="?",
                reply="No.",
                recall=Recall(text=recall),
            )
        )
    assert caught.value.ending is Ending.BACKBONE_FAILURE and len(client.prompts) == requests


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("strategy", ["plain", "stepwise"])
async def test_prompts_of_the_longest_record_fit_a_context_of_4k(
    strategy: str, language: Language
) -> None:
    """By the memory's own estimate: all of the recall's budget is used, and the longest reply came
    last."""
    records = [record for record in POOL if record.language is language]
    longest = max(records, key=lambda record: sum(len(entry.report) for entry in record.entries))
    case, settings = case_of(longest), MemorySettings(language=language)
    raw = memory_factory("raw")(settings)
    replies = sorted((entry.report for entry in longest.entries), key=len)
    for number in range(200):
        reply = replies[-1 - number % len(replies)]
        await raw.remember(
            Turn(number=number, question=LONG[language], reply=reply, differential=("A", "B", "C"))
        )
    recall = (await raw.recall(Query(""))).text
    assert tokens(recall) > 0.9 * settings.budget
    whole = (await WholeRecord(longest, case).recall(Query(""))).text
    for told in (recall, whole):
        backbone, client = scripted(
            lambda prompt: (
                END if '"diagnosis"' in prompt else DONE if '"action"' in prompt else "Gout"
            )
        )
        doctor = doctor_factory(strategy)(made := DoctorSettings(case, backbone, Journal()))
        results = "\n".join(replies[-5:])
        for left in (1, 0):
            await doctor.respond(
                Briefing(
                    case=case,
                    turn=9,
                    turns_left=left,
                    question=LONG[language],
                    reply=replies[-1],
                    results=results,
                    recall=Recall(text=told),
                )
            )
        assert len(client.prompts) >= 2
        assert max(map(tokens, client.prompts)) + made.answer_tokens <= 4096


# Doctors from elsewhere.

OWN = """
from osler.agents.doctors import Conclusion, Question

class Own:
    def __init__(self, settings):
        self.settings = settings

    async def respond(self, briefing):
        if briefing.turns_left:
            return Question(text=await self.settings.ask("What next? " + briefing.reply))
        return Conclusion(diagnosis="Bladder cancer", treatment="TURBT")

class Broken(Own):
    async def respond(self, briefing):
        raise KeyError("mine")

class Endless(Own):
    async def respond(self, briefing):
        return Question(text="And then?")

class Talker(Own):
    async def respond(self, briefing):
        return "Any fever?"

class Mute:
    def __init__(self, settings): ...

class Picky:
    def __init__(self, settings):
        raise ValueError("no")

thing = 3
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "own_doctor.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield "own_doctor"
    sys.modules.pop("own_doctor", None)


async def test_a_doctor_of_ones_own_by_its_path(own: str) -> None:
    done = await held(["Does she have urgency?", ""], strategy=f"{own}:Own", turns=2)
    assert done.questions == [("Does she have urgency?", Maker.MODEL), ("", Maker.SILENT)]
    assert done.ending is Ending.TURN_LIMIT and done.of(Concluded)[0].treatment == "TURBT"
    [first, _] = done.of(Called)
    assert first.role is Role.DOCTOR and done.client.options[0]["max_tokens"] == 1000


async def test_a_doctor_of_ones_own_by_its_entry_point(
    own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("mine", f"{own}:Own", "osler.doctors")
    sys.path.append(str(Path.cwd()))

    def points(*, group: str) -> EntryPoints:
        return EntryPoints([point] if group == point.group else [])

    monkeypatch.setattr(plugins, "entry_points", points)
    assert doctor_names() == ["plain", "stepwise", "checklist", "mine"]
    done = await held(["Does she have urgency?"], strategy="mine", turns=1)
    assert (
        done.questions == [("Does she have urgency?", Maker.MODEL)]
        and done.ending is Ending.TURN_LIMIT
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody", "use one of plain, stepwise, checklist, or package.module:Class"),
        ("own_doctor:Nobody", "cannot be loaded"),
        ("no_such_module:Own", "cannot be loaded"),
        ("own_doctor:thing", "is not a class"),
        ("own_doctor:Mute", "has no respond"),
        ("own_doctor:Picky", "cannot be made: ValueError: no"),
    ],
)
def test_a_doctor_that_cannot_be_had_is_one_line(own: str, name: str, said: str) -> None:
    case = case_of(BLADDER[Language.EN])
    with pytest.raises(UserError) as caught:
        doctor_factory(name)(DoctorSettings(case, scripted([])[0], Journal()))
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Broken", "failed: KeyError: 'mine'"),
        ("Endless", "conclude where turns_left is 0"),
        ("Talker", "give a Question or a Conclusion"),
    ],
)
async def test_a_fault_of_a_doctor_from_elsewhere_is_its_own(
    own: str, name: str, said: str
) -> None:
    done = await held([], strategy=f"{own}:{name}", turns=1)
    assert done.ending is Ending.DOCTOR_ERROR and said in done.error


async def test_any_doctor_is_an_agent_of_autogen(own: str) -> None:
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken

    case: Case = case_of(BLADDER[Language.EN])
    for strategy, script in (("plain", [ask("Any fever?")]), (f"{own}:Own", ["Any fever?"])):
        doctor = doctor_factory(strategy)(DoctorSettings(case, scripted(script)[0], Journal()))
        said = await doctor.on_messages(
            [TextMessage(content="It burns.", source="patient")], CancellationToken()
        )
        assert said.chat_message.to_text() == "Any fever?"
