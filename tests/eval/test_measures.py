"""Measures from hand-made transcripts in both languages, and from consultations that the rules
held."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.agents.ram.agent import Ram
from osler.errors import UserError
from osler.eval.measures import Measures, measure
from osler.play.session import Result
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered, Asked, Ending, Event, Found, Maker, Retrieved, Role
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Header, Transcript
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one
from tests.conftest import small_record

POOL = list(RecordPool.open())
EN: dict[str, Any] = {
    "expected_rounds": 4,
    "exam_order": "Palpation > X-ray > MRI of the ankle",
    "entries": [
        {
            "category": "symptom",
            "name": "Ankle pain",
            "report": "Sharp pain at the outer ankle since Monday.",
        },
        {"category": "symptom", "name": "Fever", "status": "absent", "report": "No fever."},
        {"category": "sign", "name": "Palpation", "report": "Tender over the ligament."},
        {
            "category": "examination",
            "name": "Radiograph",
            "aliases": ["X-ray"],
            "status": "normal",
            "report": "No fracture.",
        },
        {
            "category": "examination",
            "name": "MRI of the ankle",
            "report": "Torn ligament.",
            "relevance": "deciding",
        },
        {"category": "test", "name": "D-dimer", "status": "not_done", "relevance": "incidental"},
        {"category": "medical_history", "name": "Asthma", "report": "Since childhood."},
        {
            "category": "social_history",
            "name": "Work",
            "report": "Baker.",
            "relevance": "incidental",
        },
    ],
}
ZH: dict[str, Any] = {
    "language": "zh",
    "expected_rounds": 4,
    "complaint": "我的脚崴了。",
    "diagnosis": {"name": "踝关节扭伤"},
    "treatment": {"name": "制动"},
    "exam_order": "触诊 > X光 > 踝关节磁共振",
    "entries": [
        {"category": "symptom", "name": "脚踝疼痛", "report": "周一起外踝锐痛。"},
        {"category": "symptom", "name": "发热", "status": "absent", "report": "无发热。"},
        {"category": "sign", "name": "触诊", "report": "韧带处压痛。"},
        {
            "category": "examination",
            "name": "平片",
            "aliases": ["X光"],
            "status": "normal",
            "report": "未见骨折。",
        },
        {
            "category": "examination",
            "name": "踝关节磁共振",
            "report": "韧带撕裂。",
            "relevance": "deciding",
        },
        {"category": "test", "name": "D-二聚体", "status": "not_done", "relevance": "incidental"},
        {"category": "medical_history", "name": "哮喘", "report": "自幼患病。"},
        {
            "category": "social_history",
            "name": "工作",
            "report": "面包师。",
            "relevance": "incidental",
        },
    ],
}
ANKLES = [PatientRecord.model_validate(small_record(**fields)) for fields in (EN, ZH)]
PAIN, FEVER, PALPATION, RADIOGRAPH, MRI, DIMER, ASTHMA, WORK = range(8)


def held(
    record: PatientRecord, *turns: tuple[int, ...] | Answered, ending: Ending = Ending.CONCLUDED
) -> Transcript:
    """A consultation whose turns ask for these entries, by place; a reply in their place is to
    nothing at all."""
    events: list[Event] = []
    for turn, asked in enumerate(turns, 1):
        answer = asked if isinstance(asked, Answered) else None
        names = (
            ()
            if isinstance(asked, Answered)
            else tuple(record.entries[place].name for place in asked)
        )
        events += exchange(turn, "?", names, answer)
    return of(record, events, ending)


def exchange(
    turn: int, question: str, names: tuple[str, ...], answer: Answered | None = None
) -> list[Event]:
    found = tuple(Found(name=name, score=0.9) for name in names)
    return [
        Asked(turn=turn, role=Role.DOCTOR, question=question),
        Retrieved(turn=turn, role=Role.RAM, entries=found),
        answer.model_copy(update={"turn": turn}) if answer else reply("…", names, turn=turn),
    ]


def reply(text: str, disclosed: tuple[str, ...] = (), turn: int = 1, **fields: Any) -> Answered:
    fields = {"maker": Maker.MODEL, **fields}
    return Answered(turn=turn, role=Role.PATIENT, reply=text, disclosed=disclosed, **fields)


def of(record: PatientRecord, events: list[Event], ending: Ending = Ending.CONCLUDED) -> Transcript:
    header = Header(
        case=record.id,
        patient=record.patient,
        language=record.language,
        backbone="rules",
        memory="raw",
        seed=0,
        turn_limit=10,
        version="0",
        prompts={},
    )
    return Transcript(header=header, ending=ending, events=tuple(events))


@pytest.mark.parametrize("record", ANKLES, ids=["en", "zh"])
def test_a_doctor_that_asks_well(record: PatientRecord) -> None:
    found = measure(
        held(record, (PAIN, FEVER), (PALPATION,), (RADIOGRAPH,), (MRI,), (ASTHMA,)), record
    )
    assert (found.coverage, found.coverage_treatment) == (1.0, 1.0)
    assert (found.order_respected, found.order_pairs, found.order_share) == (1.0, 3, 1.0)
    assert (found.rounds, found.rounds_expected, found.rounds_ratio) == (5, 4, 1.25)
    assert (found.deciding_turn, found.tests_asked, found.tests_not_done, found.repeats) == (
        4,
        2,
        0,
        0,
    )
    assert (found.replies, found.disclosed_share, found.tests_cost, found.unpriced) == (
        5,
        1.0,
        None,
        (),
    )


@pytest.mark.parametrize("record", ANKLES, ids=["en", "zh"])
def test_a_doctor_that_asks_badly(record: PatientRecord) -> None:
    found = measure(held(record, (MRI,), (WORK,), (PALPATION,), (DIMER,)), record)
    assert (found.coverage, found.coverage_treatment) == (2 / 5, 0.0)
    # Of three pairs one can be judged, and it is the wrong way round; the radiograph was never
    # asked for.
    assert (found.order_respected, found.order_pairs, found.order_share) == (0.0, 1, 0.0)
    assert (found.deciding_turn, found.tests_asked, found.tests_not_done) == (1, 1, 1)


@pytest.mark.parametrize("record", ANKLES, ids=["en", "zh"])
def test_nothing_asked_is_not_the_same_as_nothing_to_say(record: PatientRecord) -> None:
    found = measure(held(record, ending=Ending.BACKBONE_FAILURE), record)
    assert (found.coverage, found.order_respected, found.order_pairs, found.rounds) == (
        0.0,
        0.0,
        0,
        0,
    )
    assert found.order_share is found.deciding_turn is found.disclosed_share is None
    bare = record.model_copy(update={"exam_order": None, "entries": record.entries[WORK:]})
    found = measure(held(bare, (0,)), bare)
    assert found.coverage is found.coverage_treatment is found.order_respected is None


def test_what_is_asked_for_in_one_turn_is_in_order() -> None:
    record = ANKLES[0]
    assert measure(held(record, (MRI, RADIOGRAPH, PALPATION)), record).order_share == 1.0
    assert measure(held(record, (MRI, PALPATION), (RADIOGRAPH,)), record).order_share == 2 / 3


def test_a_later_repetition_mends_no_order() -> None:
    record = ANKLES[0]
    assert measure(held(record, (MRI,), (PALPATION,), (MRI,)), record).order_share == 0.0


@pytest.mark.parametrize(
    ("changes", "deciding"),
    [
        ({}, {MRI}),
        # Nothing is marked: what comes last in the order decides.
        ({MRI: {"relevance": "key"}}, {MRI}),
        # What was never done cannot decide.
        ({MRI: {"status": "not_done"}}, {RADIOGRAPH}),
        # Of what is marked, only what is in the order; the pain is not.
        ({PAIN: {"relevance": "deciding"}}, {MRI}),
        ({PAIN: {"relevance": "deciding"}, MRI: {"relevance": "key"}}, {PAIN}),
    ],
)
def test_the_deciding_finding(changes: dict[int, dict[str, Any]], deciding: set[int]) -> None:
    entries = [{**entry, **changes.get(place, {})} for place, entry in enumerate(EN["entries"])]
    record = PatientRecord.model_validate(small_record(**{**EN, "entries": entries}))
    for place in range(len(entries)):
        turn = measure(held(record, (WORK,), (place,)), record).deciding_turn
        assert turn == (2 if place in deciding else None), record.entries[place].name


def test_without_an_order_the_key_examinations_decide_and_the_first_of_them_counts() -> None:
    entries = [{**entry, "relevance": "key"} for entry in EN["entries"]]
    record = PatientRecord.model_validate(
        small_record(**{**EN, "entries": entries, "exam_order": None})
    )
    assert (
        measure(held(record, (PAIN,), (PALPATION,), (RADIOGRAPH,), (MRI,)), record).deciding_turn
        == 3
    )


def test_a_finding_that_was_asked_for_and_kept_back_has_not_been_had() -> None:
    record = ANKLES[0]
    kept_back = exchange(1, "?", ("MRI of the ankle", "Ankle pain"), reply("…", ("Ankle pain",)))
    found = measure(of(record, [*kept_back, *exchange(2, "?", ("MRI of the ankle",))]), record)
    assert (found.deciding_turn, found.disclosed_share, found.coverage) == (2, 2 / 3, 2 / 5)


@pytest.mark.parametrize(
    ("record", "question", "specific"),
    [
        (ANKLES[0], "Do you have any other illnesses?", "Do you have high blood pressure?"),
        (ANKLES[1], "您还有其他病吗？", "您有高血压吗？"),
    ],
    ids=["en", "zh"],
)
def test_what_was_asked_for_as_a_category_was_asked_for(
    record: PatientRecord, question: str, specific: str
) -> None:
    """The asthma, although a model as RAM did not return it."""
    coverage = []
    for asked in (question, specific):
        events: list[Event] = [
            Asked(turn=1, role=Role.DOCTOR, question=asked),
            Retrieved(turn=1, role=Role.RAM, entries=(), maker=Maker.MODEL),
            reply("…"),
        ]
        coverage.append(measure(of(record, events), record).coverage_treatment)
    assert coverage == [1.0, 0.0]


@pytest.mark.parametrize(
    ("case", "question", "deciding"),
    [
        ("gout-en", "What medicines do you take?", "Anticoagulant"),
        ("gout-zh", "您平时吃什么药？", "抗凝药"),
    ],
)
def test_the_scorecard_does_not_call_never_asked_what_was_asked_for_as_a_category(
    case: str, question: str, deciding: str
) -> None:
    record = RecordPool.open().get(case)
    selection = Ram(record, case_of(record)).select(question)
    events = exchange(1, question, tuple(entry.name for entry in selection.entries))
    assert deciding not in [entry.name for entry in Result.of(of(record, events), record).missed]


def test_a_consultation_that_broke_off_after_the_question() -> None:
    record = ANKLES[0]
    events = held(record, (PAIN,), (MRI,)).events[:-1]
    found = measure(of(record, list(events), Ending.BACKBONE_FAILURE), record)
    assert (found.rounds, found.replies, found.coverage, found.disclosed_share) == (
        2,
        1,
        2 / 5,
        1.0,
    )
    assert found.deciding_turn is None


def test_entries_of_another_record_are_passed_over() -> None:
    record = ANKLES[0]
    found = measure(of(record, exchange(1, "?", ("Something else", "Fever"))), record)
    assert (found.coverage, found.disclosed_share) == (1 / 5, 1.0)


@pytest.mark.parametrize(
    ("record", "question", "vague"),
    [
        (ANKLES[0], "What did the MRI of the ankle show?", "Hm?"),
        (ANKLES[1], "踝关节磁共振结果怎么样？", "嗯？"),
    ],
    ids=["en", "zh"],
)
def test_what_a_model_brings_unasked_is_not_the_doctors_merit(
    record: PatientRecord, question: str, vague: str
) -> None:
    """A RAM that hands over the whole record for any question."""
    every = tuple(Found(name=entry.name, score=1.0) for entry in record.entries)

    def asked(text: str, told: tuple[str, ...]) -> Measures:
        events: list[Event] = [
            Asked(turn=1, role=Role.DOCTOR, question=text, maker=Maker.MODEL),
            Retrieved(turn=1, role=Role.RAM, entries=every, maker=Maker.MODEL),
            reply("…", told),
        ]
        return measure(of(record, events), record)

    nothing = asked(vague, ())
    assert (nothing.coverage, nothing.order_pairs, nothing.tests_asked) == (0.0, 0, 0)
    named = asked(question, ())
    assert (named.coverage, named.tests_asked) == (1 / 5, 1), "its name stands in the question"
    told = asked(vague, (record.entries[PAIN].name, record.entries[FEVER].name))
    assert told.coverage == 2 / 5, "and what the reply tells of came up"


def test_what_tests_cost() -> None:
    record = ANKLES[0]
    transcript = held(record, (RADIOGRAPH, DIMER), (MRI, PAIN), (MRI,))
    found = measure(transcript, record, {"x-ray": 40.5, "MRI OF THE ANKLE ": 300, "Ankle pain": 9})
    assert (found.tests_cost, found.unpriced) == (340.5, ())
    found = measure(transcript, record, {"X-ray": 40.5})
    assert (found.tests_cost, found.unpriced) == (None, ("MRI of the ankle",))
    assert measure(held(record, (PAIN,)), record, {}).tests_cost == 0.0
    for price in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UserError, match="not negative"):
            measure(transcript, record, {"X-ray": price})


@pytest.mark.parametrize(
    ("record", "named", "digits"),
    [
        (ANKLES[0], "It is an ankle sprain, a bad sprain.", "I had 37 drinks and 39 fits."),
        (ANKLES[1], "就是踝关节扭伤，扭伤得厉害。", "喝了37杯，量了39次。"),
    ],
    ids=["en", "zh"],
)
def test_what_is_exact_is_counted_by_replies(
    record: PatientRecord, named: str, digits: str
) -> None:
    transcript = held(
        record,
        reply(named, maker=Maker.RETRIED),
        reply(digits, maker=Maker.RULES),
        reply("…", maker=Maker.RULES),
    )
    found = measure(transcript, record)
    assert (found.replies, found.names_diagnosis, found.unknown_digits) == (3, 1, 1)
    assert [(one.turn, one.faults.unknown_digits) for one in found.faulty_replies] == [
        (1, ()),
        (2, ("37", "39")),
    ]
    assert found.disclosed_share is None


@pytest.mark.parametrize("case", ["pyelonephritis-en", "pyelonephritis-zh", "gout-en", "croup-zh"])
async def test_a_consultation_of_the_rules(case: str) -> None:
    record = next(record for record in POOL if record.id == case)
    transcript = await simulate_one(
        record, Cell(case, Column.of("rules", PLAIN, "raw"), 1), RunSettings(turns=10), Clients()
    )
    found = measure(transcript, record)
    assert found.rounds == found.replies == transcript.turns > 3
    assert found.coverage is not None and 0.1 < found.coverage <= 1
    assert found.disclosed_share == 1.0
    assert (found.names_diagnosis, found.unknown_digits) == (0, 0)
    again = Transcript.model_validate_json(transcript.model_dump_json(exclude_none=True))
    assert measure(again, record) == found
    assert json.loads(json.dumps(asdict(found)))["coverage"] == found.coverage


SHARES = ("coverage", "coverage_treatment", "order_respected", "order_share", "disclosed_share")
TURNS = st.lists(st.lists(st.integers(0, 7), max_size=4, unique=True).map(tuple), max_size=8)


@given(turns=TURNS, which=st.integers(0, 1))
def test_shares_are_shares_and_more_questions_never_cover_less(
    turns: list[tuple[int, ...]], which: int
) -> None:
    record = ANKLES[which]
    found = measure(held(record, *turns), record)
    for name in SHARES:
        share = getattr(found, name)
        assert share is None or 0 <= share <= 1
    assert (found.order_share is None) == (found.order_pairs == 0)
    fewer = measure(held(record, *turns[:-1]), record)
    assert (fewer.coverage or 0) <= (found.coverage or 0)
    assert fewer.tests_asked <= found.tests_asked
    assert fewer.deciding_turn is None or fewer.deciding_turn == found.deciding_turn


@given(record=st.sampled_from(POOL))
def test_all_in_order_is_perfect_and_all_in_reverse_is_not(record: PatientRecord) -> None:
    pairs = record.order_pairs()
    names = [entry.name for entry in record.entries]
    names.sort(key=lambda name: sum(second == name for _, second in pairs))

    def asked(order: list[str]) -> Measures:
        events = [
            event for turn, name in enumerate(order, 1) for event in exchange(turn, "?", (name,))
        ]
        return measure(of(record, events), record)

    forward, backward = asked(names), asked(names[::-1])
    assert (forward.coverage, forward.coverage_treatment) == (1.0, 1.0)
    assert (forward.order_share, forward.order_pairs) == (1.0, len(pairs))
    assert backward.order_share == 0.0 and backward.coverage == 1.0
    assert forward.deciding_turn is not None
