"""A patient whose model speaks on every turn: what it is told, what is refused, and what becomes of
that."""

from __future__ import annotations

import pytest

from osler.agents.human import at_prompt
from osler.agents.messages import Reply
from osler.agents.ram.by_model import ModelRam
from osler.language import Language
from osler.prompts import phrases
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Intervened, Intervention, Journal, Maker
from osler.simulator.build import case_of
from tests.agents.scripted import scripted
from tests.conftest import small_record
from tests.simulator.asking import hear, number, things

POOL = RecordPool.open()
GOUT, GOUT_ZH, BLADDER = POOL.get("gout-en"), POOL.get("gout-zh"), POOL.get("bladder-cancer-en")


@pytest.mark.parametrize(
    ("record", "question", "said"),
    [
        (
            GOUT,
            "Do you have a fever?",
            "Sure, doctor. I know that I've got no temperature to speak of, honestly!",
        ),
        (GOUT, "Have you ever flown a kite?", "Ha, no, never in my life."),
        (GOUT, "What did the blood tests show?", "Well, the usual; I haven't brought the papers."),
        (GOUT_ZH, "发烧吗？", "当然可以。没有，一点儿都不烧。"),
        (GOUT_ZH, "您放过风筝吗？", "哈哈，那可没有。"),
    ],
)
async def test_every_turn_goes_to_the_model_and_its_words_stand(
    record: PatientRecord, question: str, said: str
) -> None:
    heard = await hear(record, question, patient=[said])
    assert [(one.reply, one.maker) for one in heard.answered] == [(said, Maker.MODEL)]
    assert heard.kinds == []


async def test_only_white_space_list_marks_and_quotes_around_it_are_tidied() -> None:
    heard = await hear(
        GOUT, "Do you have a fever?", patient=['"No,\n- no fever.\n1. "None" at all."']
    )
    assert heard.answered[0].reply == 'No, no fever. "None" at all.'


@pytest.mark.parametrize(
    ("record", "question", "bad", "good", "cut"),
    [
        (BLADDER, "Has she had a fever?", "No. She has bladder cancer.", "No, she hasn't.", "No."),
        (
            BLADDER,
            "Has she had a fever?",
            "Yes, once. It was 39.4 degrees.",
            "No, she hasn't.",
            "Yes, once.",
        ),
        (
            BLADDER,
            "Has she had a fever?",
            "No fever. I gave her ibuprofen.",
            "No, she hasn't.",
            "No fever.",
        ),
        (
            BLADDER,
            "Has she had a fever?",
            "No fever. 她一直没有发烧。",
            "No, she hasn't.",
            "No fever.",
        ),
        (GOUT_ZH, "发烧吗？", "没有发烧。我这是痛风吧？", "没发烧。", "没有发烧。"),
        (GOUT_ZH, "发烧吗？", "没有。昨天量的36.1度。", "没发烧。", "没有。"),
        (GOUT_ZH, "发烧吗？", "没有。吃了头孢克洛。", "没发烧。", "没有。"),
        (GOUT_ZH, "发烧吗？", "没有。I have not had any fever at all.", "没发烧。", "没有。"),
    ],
)
async def test_what_is_refused_is_asked_for_again_and_then_cut(
    record: PatientRecord, question: str, bad: str, good: str, cut: str
) -> None:
    retried = await hear(record, question, patient=[bad, good])
    assert (retried.answered[0].reply, retried.answered[0].maker) == (good, Maker.RETRIED)
    assert retried.kinds == ["refused"]
    [refusal] = retried.of(Intervened)
    assert refusal.draft == bad and refusal.reasons and refusal.prompt
    assert retried.patient is not None and refusal.reasons[0] in retried.patient.prompts[1]
    shortened = await hear(record, question, patient=[bad, bad])
    assert (shortened.answered[0].reply, shortened.answered[0].maker) == (cut, Maker.CUT)
    assert shortened.kinds == ["refused", "refused", "cut"]
    last = shortened.of(Intervened)[-1]
    assert (
        last.kind is Intervention.CUT
        and last.draft == bad
        and all(one in bad for one in last.reasons)
    )


async def test_the_draft_of_which_more_is_left_is_cut() -> None:
    first = "No, no fever that I know of. Is it gout?"
    heard = await hear(GOUT, "Do you have a fever?", patient=[first, "Gout? No."])
    assert heard.answered[0].reply == "No, no fever that I know of."


@pytest.mark.parametrize(
    ("record", "question", "bad"),
    [
        (GOUT, "Do you have a fever?", "It is gout."),
        (GOUT, "Do you have a fever?", ""),
        (GOUT, "Do you have a fever?", "…"),
        (GOUT, "Do you have a fever?", "没有，我一点都不发烧。"),
        (GOUT_ZH, "发烧吗？", "No, I have not had any fever at all."),
    ],
)
async def test_where_nothing_is_left_the_rules_speak(
    record: PatientRecord, question: str, bad: str
) -> None:
    heard = await hear(record, question, patient=[bad, bad])
    ruled = await hear(record, question)
    assert (heard.answered[0].reply, heard.answered[0].maker) == (
        ruled.answered[0].reply,
        Maker.RULES,
    )
    assert heard.kinds == ["refused", "refused", "rules"]


async def test_it_is_told_thing_by_thing_what_is_known_and_what_is_not() -> None:
    found = things(
        ("fever", [number(GOUT, "Fever")], ""),
        ("night sweats", [], "denied"),
        ("a scan of the knee", [], "not_done"),
        ("your blood group", [], "unknown"),
    )
    heard = await hear(
        GOUT, "Fever, sweats, a scan, your blood group?", patient=["No."], ram=[found]
    )
    assert heard.patient is not None
    [told] = heard.patient.prompts
    fever = GOUT.entry("Fever")
    assert f"- Fever (asked: fever): {fever.report}" in told
    silent = phrases("notes", Language.EN)
    assert f"- night sweats: {silent['unrecorded_denied']}" in told
    assert f"- a scan of the knee: {silent['unrecorded_not_done']}" in told
    assert f"- your blood group: {silent['unrecorded_unknown']}" in told
    assert GOUT.complaint in told
    chinese = things(
        ("盗汗", [], "denied"), ("血型", [], "unknown"), ("膝盖磁共振", [], "not_done")
    )
    heard = await hear(
        GOUT_ZH, "盗汗吗？什么血型？做过磁共振吗？", patient=["没有。"], ram=[chinese]
    )
    assert heard.patient is not None
    [told] = heard.patient.prompts
    silent = phrases("notes", Language.ZH)
    assert f"- 盗汗：{silent['unrecorded_denied']}" in told
    assert f"- 血型：{silent['unrecorded_unknown']}" in told
    assert f"- 膝盖磁共振：{silent['unrecorded_not_done']}" in told


@pytest.mark.parametrize(
    ("record", "question", "told"),
    [
        (GOUT, "Have you ever flown a kite?", "Nothing is written"),
        (GOUT_ZH, "您放过风筝吗？", "什么也没有写"),
    ],
)
async def test_without_a_reader_of_the_question_it_is_told_that_nothing_is_recorded(
    record: PatientRecord, question: str, told: str
) -> None:
    heard = await hear(record, question, patient=["No." if record is GOUT else "没有。"])
    assert heard.patient is not None and told in heard.patient.prompts[0]


async def test_it_knows_what_was_said_just_before() -> None:
    heard = await hear(
        GOUT, "Do you have a fever?", "Since when?", patient=["Not a bit.", "I said no."]
    )
    assert heard.patient is not None
    assert (
        "Do you have a fever?" in heard.patient.prompts[1]
        and "Not a bit." in heard.patient.prompts[1]
    )


async def test_which_entries_a_reply_tells_is_worked_out_for_every_patient() -> None:
    question = "Which medicines does she take, and what was the NMP22?"
    names = ("Regular medication", "Urinary NMP22")
    ram = [
        things(
            ("medicines", [number(BLADDER, names[0])], ""),
            ("NMP22", [number(BLADDER, names[1])], ""),
        )
    ]
    half = BLADDER.entry(names[0]).said
    by_model = await hear(BLADDER, question, ram=list(ram), patient=[half])
    assert by_model.answered[0].disclosed == names[:1]
    by_rules = await hear(BLADDER, question, ram=list(ram))
    assert by_rules.answered[0].disclosed == names


async def test_what_the_doctor_named_may_be_asked_back() -> None:
    heard = await hear(
        GOUT,
        "Could this be gout, and did you take 40 mg of ibuprofen?",
        patient=["Gout? 40 mg, no."],
    )
    assert heard.answered[0].maker is Maker.MODEL


async def test_a_number_is_known_by_its_value() -> None:
    entries = small_record()["entries"]
    entries[0]["report"] = "Pain for two weeks, 7.0 out of ten, after 1,200 steps."
    record = PatientRecord.model_validate(small_record(entries=entries))
    good = "It's 2 weeks now, a 7, once I've done 1200 steps.\n1. That's all."
    heard = await hear(record, "Does your ankle hurt?", patient=[good])
    assert heard.answered[0].maker is Maker.MODEL


async def test_a_person_in_its_chair_is_shown_what_is_known_and_what_is_not() -> None:
    shown: list[str] = []

    def types(prompt: str) -> str:
        shown.append(prompt)
        return "No."

    found = things(("fever", [number(GOUT, "Fever")], ""), ("a scan", [], "not_done"))
    case, journal = case_of(GOUT), Journal()
    ram = ModelRam(GOUT, case, scripted([found])[0], journal)
    reply = await at_prompt(await ram.respond("Fever? A scan?"), types)
    assert isinstance(reply, Reply) and reply.maker is Maker.HUMAN
    assert (
        f"Fever: {GOUT.entry('Fever').report}" in shown[0]
        and f"a scan: {phrases('notes', Language.EN)['unrecorded_not_done']}" in shown[0]
    )
