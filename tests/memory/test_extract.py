"""What a reply becomes when no model reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.language import Language
from osler.language.words import content, numbers
from osler.memory.base import Turn
from osler.memory.tim.extract import think
from osler.memory.tim.thought import Draft

EN, ZH = Language.EN, Language.ZH


def drafts(question: str, reply: str) -> list[Draft]:
    language = ZH if any("\u4e00" <= char <= "\u9fff" for char in question + reply) else EN
    return think(Turn(number=3, question=question, reply=reply), language)


def triples(question: str, reply: str) -> list[tuple[str, str, str]]:
    return [(draft.subject, draft.relation, draft.object) for draft in drafts(question, reply)]


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("Do you have a fever or chills?", "No.", ("patient", "does not have", "fever or chills")),
        ("Do you have a fever or chills?", "Yes.", ("patient", "has", "fever or chills")),
        ("How long have you had the cough?", "Three weeks.", ("cough", "lasts", "three weeks")),
        ("When did the pain start?", "Two days ago.", ("pain", "began", "two days ago")),
        ("Where is the pain?", "Behind the knee.", ("pain", "is located", "behind the knee")),
        ("How old are you?", "61.", ("patient", "is aged", "61")),
        ("How bad is the headache?", "6 out of 10.", ("headache", "has severity", "6 out of 10")),
        ("What was your temperature?", "38.5 °C.", ("temperature", "is", "38.5 °C")),
        ("What is your blood pressure?", "150/90 mmHg.", ("blood pressure", "is", "150/90 mmHg")),
        ("Do you smoke?", "No.", ("patient", "does not smoke", "")),
        ("Are you allergic to any antibiotics?", "Penicillin.", ("patient", "is allergic to", "penicillin")),
        ("Does the pain spread to your arm?", "No.", ("pain", "does not spread to", "arm")),
        ("Has your voice become hoarse?", "Yes.", ("voice", "has become", "hoarse")),
        ("Is your left ear blocked?", "Yes.", ("left ear", "is", "blocked")),
        ("How has your appetite been lately?", "Poor.", ("appetite", "is", "poor")),
        ("What about the knee?", "Stiff.", ("knee", "is", "stiff")),
        ("有没有发热？", "没有。", ("患者", "没有", "发热")),
        ("咳嗽多久了？", "三个星期。", ("咳嗽", "持续", "三个星期")),
        ("什么时候开始疼的？", "两天前。", ("疼痛", "开始于", "两天前")),
        ("哪里疼？", "膝盖后面。", ("疼痛", "位于", "膝盖后面")),
        ("你多大了？", "61岁。", ("患者", "年龄为", "61岁")),
        ("体温多少？", "38.5 °C。", ("体温", "为", "38.5 °C")),
        ("血压是多少？", "150/90 mmHg。", ("血压", "为", "150/90 mmHg")),
        ("抽烟吗？", "不抽。", ("患者", "不抽", "烟")),
        ("对什么抗生素过敏？", "青霉素。", ("患者", "过敏", "青霉素")),
        ("耳朵疼不疼？", "不疼。", ("耳朵", "不疼", "")),
        ("那小便呢？", "正常。", ("小便", "正常", "")),
        ("大便怎么样？", "有点稀。", ("大便", "有点", "稀")),
    ],
)
def test_a_reply_that_leaves_things_out_is_completed_by_the_question(
    question: str, reply: str, expected: tuple[str, str, str]
) -> None:
    assert triples(question, reply) == [expected]
    assert reply in drafts(question, reply)[0].sentence


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        (
            "What did the urine show?",
            "White cells 3623.20/µl, that is high.",
            [("urine white cells", "is", "3623.20/µl, high")],
        ),
        (
            "Any blood tests?",
            "Sodium 128, which is low, potassium 4.1 and urea 6.2, both normal.",
            [("sodium", "is", "128, low"), ("potassium", "is", "4.1, normal"), ("urea", "is", "6.2, normal")],
        ),
        ("And the swab?", "Influenza A negative.", [("influenza A", "is", "negative")]),
        ("尿检结果怎么样？", "白细胞3623.20/µl，偏高。", [("尿白细胞", "为", "3623.20/µl 偏高")]),
        (
            "验过血吗？",
            "血钠128，偏低，血钾4.1，尿素6.2，正常。",
            [("血钠", "为", "128 偏低"), ("血钾", "为", "4.1"), ("尿素", "为", "6.2 正常")],
        ),
        ("拭子呢？", "甲流阴性。", [("甲流", "为", "阴性")]),
    ],
)
def test_each_result_is_a_thought_with_its_unit_and_verdict(
    question: str, reply: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triples(question, reply) == expected


@pytest.mark.parametrize(
    ("question", "reply", "denied"),
    [
        ("Any fever?", "No fever, no night sweats.", ["fever", "night sweats"]),
        ("Do you take a blood thinner?", "I don't take any blood thinners.", ["blood thinners"]),
        ("Do you have a fever?", "No, she hasn't had a fever.", ["fever"]),
        ("Did the scan find a stone?", "There is no stone in the duct.", ["stone in the duct"]),
        ("Have you had surgery?", "I have never had an operation.", ["operation"]),
        ("有没有发烧？", "没发烧，也没有盗汗。", ["发烧", "盗汗"]),
        ("在吃抗凝药吗？", "我不吃抗凝药。", ["抗凝药"]),
        ("眼睛红不红？", "左眼不红。", ["红"]),
        ("做过手术吗？", "我从来没做过手术。", ["手术"]),
    ],
)
def test_a_denial_is_negated_and_names_what_is_denied(question: str, reply: str, denied: list[str]) -> None:
    found = drafts(question, reply)
    assert len(found) == len(denied)
    assert all(draft.negated for draft in found)
    assert all(what in draft.triple for what, draft in zip(denied, found, strict=True))


@pytest.mark.parametrize(
    ("reply", "denied"),
    [
        ("I have neither a fever nor a cough.", [("patient", "does not have", "fever or cough")]),
        ("It is neither red nor swollen.", [("knee", "is not", "red or swollen")]),
        ("She neither smokes nor drinks.", [("patient", "does not smoke", ""), ("patient", "does not drink", "")]),
        ("No, I don't smoke or drink.", [("patient", "does not smoke", ""), ("patient", "does not drink", "")]),
        (
            "He has not vomited or fainted.",
            [("patient", "has not vomited", ""), ("patient", "has not fainted", "")],
        ),
        (
            "I do not smoke, drink alcohol, or use illicit drugs.",
            [
                ("patient", "does not smoke", ""),
                ("patient", "does not drink", "alcohol"),
                ("patient", "does not use", "illicit drugs"),
            ],
        ),
        ("She does not eat or sleep well.", [("patient", "does not eat", "or sleep well")]),
        ("我既不抽烟也不喝酒。", [("患者", "不", "抽烟"), ("患者", "不喝", "酒")]),
        ("烟酒都不沾。", [("患者", "不", "抽烟"), ("患者", "不喝", "酒")]),
        ("既没有发烧也没有咳嗽。", [("患者", "没有", "发烧"), ("患者", "没有", "咳嗽")]),
        ("他不咳嗽不发热。", [("患者", "不", "咳嗽"), ("患者", "不", "发热")]),
    ],
)
def test_what_is_denied_in_one_breath_is_denied_one_by_one(reply: str, denied: list[tuple[str, str, str]]) -> None:
    question = "还有什么？" if reply[-1] == "。" else "How is the knee?"
    assert triples(question, reply) == denied
    assert all(draft.negated for draft in drafts(question, reply))


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("He hardly eats, and he's lost 4 kg.", [("patient", "hardly eats", ""), ("patient", "has lost", "4 kg")]),
        ("I have excessive night sweats.", [("patient", "has", "excessive night sweats")]),
        ("Previous fall on the right hand.", [("patient", "says", "previous fall on the right hand")]),
    ],
)
def test_a_noun_is_no_verb_and_a_clause_of_its_own_no_object(reply: str, kept: list[tuple[str, str, str]]) -> None:
    assert triples("What else?", reply) == kept


def test_neither_denies_all_that_was_asked_for() -> None:
    assert [
        (draft.negated, draft.object) for draft in drafts("Do you have a fever or chills?", "Neither of them.")
    ] == [(True, "fever or chills")]


@pytest.mark.parametrize(
    ("question", "reply", "affirmed"),
    [
        ("Do you have a fever?", "I have a fever.", "fever"),
        ("Do you have a fever or chills?", "No chills. I've got a fever.", "fever"),
        ("Are you in pain?", "My hip hurts when I climb stairs.", "hip"),
        ("有没有发烧？", "我发烧了。", "发烧"),
        ("有没有发烧或者寒战？", "没有寒战。有点发烧。", "发烧"),
        ("哪里不舒服？", "上楼的时候胯疼。", "疼"),
    ],
)
def test_what_is_affirmed_is_not_negated(question: str, reply: str, affirmed: str) -> None:
    assert [draft.negated for draft in drafts(question, reply) if affirmed in draft.triple] == [False]


@pytest.mark.parametrize(
    ("question", "reply", "topic"),
    [
        ("Do you have a rash?", "I don't know.", "rash"),
        ("Do you have a rash?", "No idea, sorry.", "rash"),
        ("Is the pain worse at night?", "I couldn't tell you.", "whether pain is worse at night"),
        ("有没有起疹子？", "不知道。", "起疹子"),
        ("有没有起疹子？", "这个我说不上来。", "起疹子"),
    ],
)
def test_not_knowing_is_a_thought_without_certainty(question: str, reply: str, topic: str) -> None:
    (draft,) = drafts(question, reply)
    assert draft.relation in {"does not know", "不知道"}
    assert (draft.object, draft.certainty, draft.negated) == (topic, 0.0, False)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Have you had gout?", "I think I had gout once."),
        ("Have you had gout?", "Maybe."),
        ("Have you had gout?", "It might have been gout."),
        ("得过痛风吗？", "可能得过痛风。"),
        ("得过痛风吗？", "好像得过一次。"),
        ("有没有痛风？", "可能有。"),
    ],
)
def test_a_hedge_halves_the_certainty(question: str, reply: str) -> None:
    assert [draft.certainty for draft in drafts(question, reply)] == [0.5]


@pytest.mark.parametrize(
    ("question", "reply", "when"),
    [
        ("What happened?", "I fell off a ladder three days ago.", "three days ago"),
        ("How is the cough?", "I have been coughing since Monday.", "since Monday"),
        ("Did they do a scan?", "The scan showed a cyst. That was last week.", "last week"),
        ("怎么了？", "三天前从梯子上摔下来了。", "三天前"),
        ("咳嗽怎么样？", "从星期一开始咳。", "从星期一开始"),
        ("做过B超吗？", "B超说有个囊肿。是上周的事。", "上周"),
    ],
)
def test_the_time_is_kept_as_it_was_said(question: str, reply: str, when: str) -> None:
    assert {draft.reported for draft in drafts(question, reply)} == {when}


def test_doses_are_one_thought_each() -> None:
    assert triples("What medicines do you take?", "Bisoprolol 2.5 mg once a day and ramipril 5 mg at night.") == [
        ("patient", "takes", "bisoprolol 2.5 mg once a day"),
        ("patient", "takes", "ramipril 5 mg at night"),
    ]
    assert triples("吃什么药？", "比索洛尔2.5毫克，每天两次，雷米普利5毫克。") == [
        ("患者", "服用", "比索洛尔2.5毫克，每天两次"),
        ("患者", "服用", "雷米普利5毫克"),
    ]


def test_a_relative_is_not_the_patient() -> None:
    assert triples("Any illness in the family?", "My father had a stroke at 58. He smoked.") == [
        ("father", "had", "a stroke at 58"),
        ("father", "smoked", ""),
    ]
    assert triples("家里人身体怎么样？", "我爸58岁得过中风。")[0][0] == "爸"


def test_a_no_that_is_followed_by_something_else_stays() -> None:
    found = drafts("Do you have trouble swallowing?", "No, she eats everything.")
    assert [(draft.relation, draft.negated) for draft in found] == [("does not have", True), ("eats", False)]


def test_a_yes_to_a_vague_question_is_what_follows() -> None:
    assert triples("Are you allergic to anything?", "Yes, latex gives me a rash.") == [("latex", "gives", "me a rash")]
    assert triples("对什么东西过敏吗？", "有，对乳胶过敏。") == [("患者", "过敏", "乳胶")]


@pytest.mark.parametrize(
    ("question", "reply", "denied"),
    [
        ("Have you had a fever or chills?", "No, I haven't been shivering.", "fever or chills"),
        ("Do you have a rash?", "No, I keep looking. The skin isn't blistered.", "rash"),
        ("有没有发烧？", "没有，从开始到现在没烧过。", "发烧"),
        ("有没有气短、呼吸困难？", "没有，到现在喘气还好。", "气短、呼吸困难"),
    ],
)
def test_a_no_is_always_a_fact_about_what_was_asked(question: str, reply: str, denied: str) -> None:
    first, *others = drafts(question, reply)
    assert first.negated and first.object == denied
    assert all(draft.negated for draft in others if denied in draft.triple)


@pytest.mark.parametrize(
    ("question", "reply", "triple"),
    [
        ("Have you had a fever or chills?", "36.7 °C.", ("temperature", "is", "36.7 °C")),
        ("Have you had a fever or chills?", "They measured 38.2.", ("temperature", "was measured at", "38.2")),
        ("Do you get attacks of fear?", "Front of the chest.", ("patient", "says", "front of the chest")),
        ("有没有发烧或者怕冷寒战？", "护士量的是36.7度。", ("体温", "为", "36.7度")),
        ("有没有突然非常害怕的发作？", "前胸这儿。", ("患者", "说", "前胸这儿")),
    ],
)
def test_a_reply_about_something_else_does_not_affirm_what_was_asked(
    question: str, reply: str, triple: tuple[str, str, str]
) -> None:
    assert triples(question, reply) == [triple]


def test_nothing_said_gives_nothing() -> None:
    assert drafts("Anything else?", "") == []
    assert drafts("还有吗？", " ") == []


def told(found: list[Draft]) -> str:
    return " . ".join(f"{draft.subject} . {draft.relation} . {draft.object} . {draft.sentence}" for draft in found)


def survives(question: str, reply: str, language: Language) -> None:
    all_told = told(think(Turn(number=1, question=question, reply=reply), language))
    assert set(numbers(reply)) <= set(numbers(all_told))
    assert set(content(reply, language)) <= set(content(all_told, language))


EN_PARTS = [
    *(
        "no fever",
        "I don't smoke",
        "creatinine 86",
        "haemoglobin was 10.2 g/dL",
        "that is low",
        "it began 3 days ago",
        "yes",
    ),
    *(
        "my mother has gout",
        "since Monday",
        "warfarin 5 mg",
        "when I walk",
        "the scan says a 12 mm nodule",
        "no",
        "maybe",
    ),
    *(
        "they measured 39.1 just now",
        "not in the arm",
        "both normal",
        "I'm not sure",
        "two weeks",
        "thank you",
        "worse at night",
    ),
]
ZH_PARTS = [
    *(
        "没发烧",
        "我不抽烟",
        "肌酐86",
        "血红蛋白102 g/L",
        "偏低",
        "3天前开始的",
        "有",
        "我妈有痛风",
        "从周一开始",
        "华法林5毫克",
    ),
    *(
        "走路的时候疼",
        "CT说有个12毫米的结节",
        "没有",
        "可能吧",
        "刚量的39.1度",
        "胳膊不疼",
        "都正常",
        "说不清楚",
        "两个星期了",
        "夜里更厉害",
    ),
]
QUESTIONS = [
    "Do you have a cough?",
    "How long has it hurt?",
    "Have you had a CT, and what did it show?",
    "Do you take aspirin?",
    "",
]
QUESTIONS_ZH = ["有没有咳嗽？", "疼多久了？", "做过CT吗？结果怎么样？", "在吃阿司匹林吗？", ""]


@given(st.sampled_from(QUESTIONS), st.lists(st.sampled_from(EN_PARTS), min_size=1, max_size=6), st.data())
def test_no_english_word_or_number_is_lost(question: str, parts: list[str], data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.sampled_from([", ", ". ", " and ", "; ", " but "]), min_size=6, max_size=6))
    survives(question, "".join(f"{part}{mark}" for part, mark in zip(parts, marks, strict=False)), EN)


@given(st.sampled_from(QUESTIONS_ZH), st.lists(st.sampled_from(ZH_PARTS), min_size=1, max_size=6), st.data())
def test_no_chinese_word_or_number_is_lost(question: str, parts: list[str], data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.sampled_from(["，", "。", "；", "、", "！"]), min_size=6, max_size=6))
    survives(question, "".join(f"{part}{mark}" for part, mark in zip(parts, marks, strict=False)), ZH)


@given(st.text(max_size=40), st.text(alphabet=st.characters(codec="utf-8"), max_size=80), st.sampled_from([EN, ZH]))
def test_any_text_can_be_read(question: str, reply: str, language: Language) -> None:
    found = think(Turn(number=1, question=question, reply=reply), language)
    assert set(numbers(reply)) <= set(numbers(told(found)))


def facts_of(question: str, reply: str, language: Language) -> list[str]:
    return [draft.triple for draft in think(Turn(number=1, question=question, reply=reply), language)]


@pytest.mark.parametrize(
    ("language", "question", "reply", "words"),
    [
        (Language.EN, "What did the scan show?", "The scan says there are filling defects in the artery.", "filling"),
        (Language.ZH, "有没有咳嗽？", "突然就咳起来了。", "突然"),
        (Language.ZH, "有没有害怕？", "就是突然一下怕得不行。", "突然一下怕"),
    ],
)
def test_no_word_of_weight_is_lost(language: Language, question: str, reply: str, words: str) -> None:
    assert words in " ".join(facts_of(question, reply, language))


def test_a_result_belongs_to_what_was_tested() -> None:
    assert facts_of("What did the urine test show?", "White cells 3.", Language.EN) == ["urine white cells is 3"]
    assert facts_of("What did the blood count show?", "White cells 12.", Language.EN) == ["white cells is 12"]
    assert facts_of("查过尿常规吗？", "白细胞3。", Language.ZH) == ["尿白细胞 为 3"]


def test_it_is_the_test_that_was_just_named() -> None:
    said = facts_of("Are you pregnant?", "I did a urine pregnancy test and it was negative.", Language.EN)
    assert "urine pregnancy test was negative" in said


def test_a_no_is_taken_back_where_a_part_of_what_was_asked_is_there() -> None:
    said = facts_of("Have you had a fever or chills?", "No, no shivering. I have a fever.", Language.EN)
    assert "patient does not have fever or chills" not in said
    assert "patient has a fever" in said


def test_a_length_of_time_does_not_affirm_a_long_question() -> None:
    assert "症状 持续 4个月" in facts_of("排便以后肚子痛会减轻吗？", "4个月了。", Language.ZH)
    assert "咳嗽 持续 4个月" in facts_of("有没有咳嗽？", "4个月了。", Language.ZH)


@pytest.mark.parametrize(
    ("question", "reply", "kept"),
    [
        ("Are you allergic to penicillin?", "Good that you ask. Amoxicillin gave me hives.", "hives"),
        ("Which medicines do you take?", "I'm glad you asked me that. Warfarin.", "warfarin"),
        ("对什么药物过敏？", "幸好您问，青霉素起过皮疹。", "皮疹"),
        ("平时吃什么药？", "问得好，华法林。", "华法林"),
    ],
)
def test_a_kind_word_is_no_answer(question: str, reply: str, kept: str) -> None:
    told = " ".join(draft.triple for draft in drafts(question, reply)).casefold()
    assert kept in told and "ask" not in told and "问" not in told
