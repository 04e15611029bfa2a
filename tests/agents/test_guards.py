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


def selection(record_id: str, question: str, *names: str) -> Selection:
    record = POOL.get(record_id)
    return Selection(case=case_of(record), question=question, entries=tuple(record.entry(name) for name in names))


def refused(reply: str, chosen: Selection) -> tuple[str, ...]:
    return check_reply(reply, chosen, Diagnosis(name="Bladder cancer", aliases=("Carcinoma of the bladder",)))


ULTRASOUND = selection("bladder-cancer-en", "Has she had an ultrasound?", "Urinary ultrasound")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("They say it is bladder cancer.", "names an illness"),
        ("The patient had an ultrasound that was normal.", "does not speak as the person"),
        ("She had one, the kidney was 12 cm.", "things you were not given (12"),
        ("She had one and it was fine, but she coughs up blood.", "things you were not given"),
        ("Patient: she had one. It was normal.", "speaks for the doctor"),
        ("It was fine. " * 6, "too long"),
    ],
)
def test_replies_that_cannot_stand(reply: str, reason: str) -> None:
    assert any(reason in told for told in refused(reply, ULTRASOUND)), refused(reply, ULTRASOUND)


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, she had an ultrasound 7 days ago, they said the size and shape were normal.",
        "She did, a week ago, and the outline was clear.",
    ],
)
def test_replies_that_can(reply: str) -> None:
    assert refused(reply, ULTRASOUND) == ()


@pytest.mark.parametrize("reply", ["咳，" * 20 + "咳。", "她咳嗽，" * 5])
def test_a_model_that_goes_round_is_asked_again(reply: str) -> None:
    chosen = selection("pneumonia-zh", "咳嗽吗？", "咳嗽")
    assert any("只说一遍" in told for told in check_reply(reply, chosen, Diagnosis(name="x")))


def test_who_knows_nothing_must_say_so() -> None:
    nothing = selection("bladder-cancer-en", "Does she have a rash?")
    assert any("say so" in told for told in refused("Yes, it is on her arms.", nothing))
    assert refused("I don't know, I haven't noticed.", nothing) == ()


def test_a_patient_does_not_speak_of_herself_as_she() -> None:
    own = selection("migraine-en", "Have you had a fever?", "Fever")
    assert any("speak of yourself" in told for told in refused("She has not had a fever.", own))
    assert refused("No, I haven't had any fever.", own) == ()


def test_a_relative_does_not_take_the_patients_place() -> None:
    fever = selection("bladder-cancer-en", "Has she had a fever?", "Fever")
    assert any("say she" in told for told in refused("No, I have no fever.", fever))
    assert refused("No, she hasn't had one, I would have noticed.", fever) == ()
    chinese = selection("bladder-cancer-zh", "她发过烧吗？", "发热")
    assert any("她" in told for told in check_reply("没有，我没有发烧，我有点累。", chinese, Diagnosis(name="x")))


def test_chinese_replies() -> None:
    chosen = selection("bladder-cancer-zh", "她发过烧吗？", "发热")
    truth = Diagnosis(name="膀胱癌", aliases=("膀胱肿瘤",))
    assert check_reply("没有，她没发过烧。", chosen, truth) == ()
    assert any("病名" in told for told in check_reply("医生说是膀胱癌。", chosen, truth))
    assert any("没有给你" in told for told in check_reply("发过，烧到39度。", chosen, truth))
    assert any("当事人" in told for told in check_reply("患者无发热。", chosen, truth))


def test_leaks_and_fabrications_are_counted_apart() -> None:
    assert leaks(
        "It was carcinoma of the bladder!",
        Diagnosis(name="x", aliases=("Carcinoma of the bladder",)),
        ULTRASOUND.case.language,
    )
    assert fabrications("It measured 33 mm.", ULTRASOUND) == ("33",)


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


@pytest.mark.parametrize(
    ("record_id", "question", "entry", "echo", "answer"),
    [
        (
            "migraine-en",
            "Have you had a fever, and when did it start?",
            "Fever",
            "No, I haven't had a fever, and when did it start?",
            "No, I haven't had any fever.",
        ),
        ("migraine-zh", "发过烧吗，什么时候开始的？", "发热", "没有发烧，什么时候开始的？", "没有，没发过烧。"),
    ],
)
def test_the_doctors_question_is_not_asked_back(
    record_id: str, question: str, entry: str, echo: str, answer: str
) -> None:
    chosen = selection(record_id, question, entry)
    told = check_reply(echo, chosen, Diagnosis(name="x"))
    assert any("back" in one or "又问了一遍" in one for one in told)
    assert check_reply(answer, chosen, Diagnosis(name="x")) == ()
