from __future__ import annotations

import pytest

from osler.agents.guards import check_reply, fabrications, leaks
from osler.agents.participant import Case, Selection
from osler.agents.ram import read_intent
from osler.agents.rules.voice import voice
from osler.records import Language, RecordPool
from osler.records.schema import Diagnosis, Speaker
from osler.simulator.build import case_of

POOL = RecordPool.open()


CASE: Case = case_of(POOL.get("migraine-en"))


ONSET = {
    "migraine-en": "Turn 1\nDoctor: When did this start, and what makes it better or worse?\nPatient: Yesterday.",
    "migraine-zh": "第1轮\n医生：这是什么时候开始的，什么情况下会加重或减轻？\n患者：昨天。",
}


def test_a_question_for_one_test_is_not_broad() -> None:
    assert not any(ask.parts for ask in read_intent("What did the breathing test show?", Language.EN).asks)
    assert read_intent("What did the blood tests show?", Language.EN).asks[0].parts == {"test"}


def test_a_reply_may_not_leave_out_what_was_asked_for() -> None:
    record = POOL.get("bladder-cancer-en")
    names = ("Regular medication", "Urinary NMP22")
    two = selection("bladder-cancer-en", "Which medicines does she take, and what was the NMP22?", *names)
    half = record.entry(names[0]).said
    assert any("you left out: Urinary NMP22" in reason for reason in refused(half, two))
    assert not any("left out" in reason for reason in refused(f"{half} {record.entry(names[1]).said}", two))


def test_a_sentence_that_hangs_on_nothing_given_is_made_up() -> None:
    asked = selection("bladder-cancer-en", "Does it get better?", "Drug allergy")
    assert fabrications("It gets better when sitting in a garden.", asked)


def test_an_imported_report_is_told_in_the_first_person() -> None:
    record = POOL.get("pneumonia-en")
    case = case_of(record).model_copy(update={"speaker": Speaker.PATIENT})
    entry = record.entries[0].model_copy(
        update={"said": "", "report": "The patient reports experiencing chills, and reports swelling of her ankle."}
    )
    assert voice((entry,), "?", case) == "I have been experiencing chills, and report swelling of my ankle."
