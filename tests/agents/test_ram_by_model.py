"""Retrieval by a model: thing by thing, with the exchange before; and the rules as its floor."""

from __future__ import annotations

import pytest

from osler.agents.ram.by_model import MOST
from osler.models import BackboneError, FailureKind
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Intervened, Intervention, Maker, Unrecorded
from tests.conftest import small_record
from tests.simulator.asking import hear, number, things

POOL = RecordPool.open()
GOUT, GOUT_ZH = POOL.get("gout-en"), POOL.get("gout-zh")


@pytest.mark.parametrize(
    ("record", "question", "name", "other"),
    [
        (GOUT, "Do you have a fever, and have you been abroad?", "Fever", "travel"),
        (GOUT_ZH, "发烧吗？出过国吗？", "发热", "出国"),
    ],
)
async def test_each_half_of_a_question_is_a_thing(
    record: PatientRecord, question: str, name: str, other: str
) -> None:
    found = things((name, [number(record, name)], ""), (other, [], "denied"))
    heard = await hear(record, question, ram=[found])
    [retrieved] = heard.retrieved
    assert [one.name for one in retrieved.entries] == [name] and retrieved.maker is Maker.MODEL
    assert [(one.name, one.entries, one.unrecorded) for one in retrieved.things] == [
        (name, (name,), None),
        (other, (), Unrecorded.DENIED),
    ]
    assert retrieved.asked_for == (name, other) and heard.kinds == []


@pytest.mark.parametrize(
    ("record", "questions"),
    [(GOUT, ("Is there a rash?", "And does it itch?")), (GOUT_ZH, ("有皮疹吗？", "那它痒不痒？"))],
)
async def test_the_request_holds_the_record_and_the_exchange_before(
    record: PatientRecord, questions: tuple[str, str]
) -> None:
    heard = await hear(record, *questions, ram=[things(), things()])
    assert heard.ram is not None
    first, second = heard.ram.prompts
    for place, entry in enumerate(record.entries, start=1):
        line = next(line for line in first.splitlines() if line.startswith(f"{place}. ["))
        assert (
            entry.name in line
            and entry.report in line
            and all(alias in line for alias in entry.aliases)
        )
        assert entry.when is None or entry.when in line
    assert record.complaint in first and questions[1] not in first
    assert questions[0] in second and heard.answered[0].reply in second and questions[1] in second


async def test_no_request_holds_the_diagnosis() -> None:
    entries = small_record()["entries"]
    entries[0]["report"] = "Swelling of the outer ankle, consistent with ankle sprain."
    record = PatientRecord.model_validate(small_record(entries=entries))
    heard = await hear(record, "Does it hurt?", ram=[things()])
    assert (
        heard.ram is not None
        and record.diagnosis.name.casefold() not in heard.ram.prompts[0].casefold()
    )


async def test_numbers_that_are_no_entry_are_dropped_with_an_event() -> None:
    fever = number(GOUT, "Fever")
    heard = await hear(
        GOUT,
        "Any fever or chills?",
        ram=[things(("fever", [str(fever), 99, "none"], ""), ("x", [0], ""))],
    )
    [retrieved] = heard.retrieved
    assert [one.name for one in retrieved.entries] == ["Fever"]
    assert retrieved.things[1].unrecorded is Unrecorded.UNKNOWN
    [dropped] = heard.of(Intervened)
    assert dropped.kind is Intervention.UNREAD and [
        reason.split()[-1] for reason in dropped.reasons
    ] == [
        "99",
        "none",
        "0",
    ]


async def test_an_answer_that_cannot_be_read_is_repaired_once() -> None:
    fever = number(GOUT, "Fever")
    heard = await hear(
        GOUT,
        "Any fever?",
        ram=["The fever entry.", f"```json\n{things(('fever', [fever], ''))}\n```"],
    )
    assert [one.name for one in heard.retrieved[0].entries] == ["Fever"]
    assert heard.retrieved[0].maker is Maker.RETRIED and heard.kinds == ["unread"]
    assert heard.ram is not None and "The fever entry." in heard.ram.prompts[1]


def _fails(_: str) -> str:
    raise BackboneError(FailureKind.REFUSED, "the prompt is too long")


@pytest.mark.parametrize(
    ("record", "question", "name"), [(GOUT, "Any fever?", "Fever"), (GOUT_ZH, "发烧吗？", "发热")]
)
async def test_the_rules_find_it_where_the_model_fails_twice(
    record: PatientRecord, question: str, name: str
) -> None:
    unread = await hear(record, question, ram=["nothing", '{"entries": [1]}'])
    assert unread.kinds == ["unread", "unread", "rules"]
    failed = await hear(record, question, ram=_fails)
    assert failed.kinds == ["rules"]
    for heard in (unread, failed):
        [retrieved] = heard.retrieved
        assert [one.name for one in retrieved.entries] == [name] and retrieved.maker is Maker.RULES
        assert retrieved.things == () and heard.ram is not None and len(heard.ram.prompts) == 2


async def test_nobody_is_handed_a_whole_file() -> None:
    entries = [
        {"category": "symptom", "name": f"Symptom {n}", "report": "It is there."} for n in range(60)
    ]
    record = PatientRecord.model_validate(
        small_record(entries=entries, exam_order=None, treatment=None)
    )
    everything = things(
        ("all", list(range(1, 50)), ""), ("more", list(range(50, 61)), ""), ("rash", [], "denied")
    )
    heard = await hear(record, "Anything else?", ram=[everything])
    [retrieved] = heard.retrieved
    assert len(retrieved.entries) == MOST and heard.kinds == ["shortened"]
    assert [one.name for one in retrieved.things] == ["all", "rash"]
    some = await hear(record, "Anything else?", ram=[things(("all", list(range(1, MOST + 1)), ""))])
    assert len(some.retrieved[0].entries) == MOST and some.kinds == []


async def test_a_record_that_does_not_fit_is_searched_by_rules_at_once() -> None:
    def model(_: str) -> str:
        raise BackboneError(FailureKind("too_long"), "the prompt does not fit")

    heard = await hear(GOUT, "Any fever?", ram=model)
    assert heard.kinds == ["rules"] and heard.ram is not None and len(heard.ram.prompts) == 1
    assert "does not fit" in heard.of(Intervened)[0].reasons[0]
