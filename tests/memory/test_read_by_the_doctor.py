"""What the rules doctor reads off recalled facts: as much as off the words they come from, and no more."""

import pytest

from osler.agents.rules.recalled import read_recall
from osler.language import Language
from osler.language.words import words

EN, ZH = Language.EN, Language.ZH
words("热身", ZH)  # The segmenter loads once, outside of any test's time.


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (EN, "Denied: fever or chills; cough"),
        (EN, "Fact #1: patient does not have fever or chills (turn 1)\nFact #2: patient does not have cough (turn 2)"),
        (ZH, "否认：发烧或者怕冷寒战；咳嗽"),
    ],
)
def test_denials_in_one_line_are_read_one_by_one(language: Language, text: str) -> None:
    findings, asked = read_recall(text, language)
    assert findings["fever"] is False and findings["cough"] is False
    assert {"fever", "cough"} <= asked


@pytest.mark.parametrize(
    ("language", "text"),
    [(EN, "Normal: temperature 36.9; ECG heart tracing"), (ZH, "正常：体温36.9度；做心电图")],
)
def test_what_is_normal_in_one_line_is_read_one_by_one(language: Language, text: str) -> None:
    findings, asked = read_recall(text, language)
    assert findings["temperature-high"] is False and findings["ecg-st-elevation"] is False
    assert {"temperature", "ecg"} <= asked


def test_a_note_without_articles_is_read_as_what_was_said() -> None:
    notes = [f"#1: several stones in {article}gallbladder [ultrasound abdomen]" for article in ("", "the ", "his ")]
    assert all(read_recall(note, EN)[0]["ultrasound-gallstones"] is True for note in notes)


def test_a_fact_of_two_turns_answers_both_questions() -> None:
    text = "Fact #3: temperature is 38.6 [fever chills; temperature measured] (turn 2, 5)"
    findings, asked = read_recall(text, EN)
    assert findings["temperature-high"] is True
    assert {"fever", "temperature"} <= asked


def test_the_subject_that_a_question_lent_is_no_answer_to_it() -> None:
    topic = "[severe pain start suddenly side lower abdomen example after moving exercise]"
    findings, asked = read_recall(f"Fact #1: severe pain is here at the top {topic} (turn 1)", EN)
    assert "one-sided-pelvic-pain" not in findings and "one-sided-pelvic-pain" in asked


def test_a_test_that_was_not_made_shows_nothing() -> None:
    text = "Fact #1: patient has not had CT scan of the chest [CT scan chest] (turn 1)\nFact #2: he would know (turn 1)"
    findings, asked = read_recall(text, EN)
    assert "chest-ct-consolidation" not in findings and "chest-ct" in asked


def test_that_a_test_was_made_is_no_yes() -> None:
    text = "Fact #1: patient did a urine pregnancy test [pregnant] (turn 1)\nFact #2: urine pregnancy test was negative (turn 1)"
    assert read_recall(text, EN)[0]["pregnant"] is False


def test_not_this_but_that_is_a_no() -> None:
    text = "事实#4：症状 不是 换姿势才晕一阵［翻身躺抬头才晕每次不到一分钟］（第2轮）\n事实#5：症状 是 一直晕，头一动就更厉害（第2轮）"
    assert read_recall(text, ZH)[0]["vertigo-with-head-movement"] is False


@pytest.mark.parametrize(("language", "text"), [(ZH, "患者 说 左边腰突然疼起来，一阵一阵的"), (EN, "a headache")])
def test_a_concept_of_several_symptoms_tells_of_no_one_of_them(language: Language, text: str) -> None:
    kinds = {"thunderclap-headache", "throbbing-one-sided-headache", "band-like-headache"}
    assert not kinds & read_recall(text, language)[0].keys()


@pytest.mark.parametrize(
    ("language", "text", "there"),
    [
        (EN, "Denied: pass urine often urgently…; CT scan chest", {"urinary-frequency": False}),
        (EN, "#3: warfarin, 3 mg a day [take blood thinner warfarin…]", {"anticoagulant-use": True}),
        (
            EN,
            "#5: TSH is low. free T4 46.2 high [thyroid hormones TSH free…]",
            {"tsh-low": True, "thyroxine-high": True},
        ),
        (ZH, "#2：烧了 2天，还打哆嗦［发烧怕冷寒战］", {"fever": True}),
    ],
)
def test_facts_in_short_are_read_as_the_answer_to_what_was_asked(
    language: Language, text: str, there: dict[str, bool]
) -> None:
    findings, _ = read_recall(text, language)
    assert {name: findings.get(name) for name in there} == there


def test_the_same_words_in_short_answer_every_question_behind_them() -> None:
    findings, asked = read_recall("#1: temperature 38.6 [fever chills; temperature measured]\nAlso asked: cough", EN)
    assert findings["temperature-high"] is True
    assert {"fever", "temperature", "cough"} <= asked and "cough" not in findings


def test_that_something_was_not_done_is_no_finding_in_short_either() -> None:
    findings, asked = read_recall("Denied: CT scan chest", EN)
    assert "chest-ct" in asked and not any(name.startswith("chest-ct") for name in findings)


@pytest.mark.parametrize(
    ("language", "question", "reply", "there"),
    [
        (EN, "Have you had a fever or chills?", "No, I haven't had any fever or chills.", False),
        (EN, "Have you had a fever or chills?", "No, I haven't been shivering. My temperature was 36.7.", False),
        (ZH, "有没有发烧或者怕冷寒战？", "没有，他没打哆嗦。体温是37.2度。", False),
    ],
)
def test_a_plain_no_is_the_answer_whatever_else_is_told(
    language: Language, question: str, reply: str, there: bool
) -> None:
    doctor, patient = ("Doctor: ", "Patient: ") if language is EN else ("医生：", "患者：")
    assert read_recall(f"{doctor}{question}\n{patient}{reply}", language)[0]["fever"] is there


def test_a_denial_further_on_is_not_the_answer() -> None:
    text = "Doctor: Is the pain in the lower right part of your abdomen?\nPatient: Up here. It never lets up."
    assert "right-lower-abdominal-pain" not in read_recall(text, EN)[0]


def test_a_medicine_that_cannot_be_borne_is_an_allergy() -> None:
    text = "Fact #1: patient can not have penicillin [allergic penicillin amoxicillin] (turn 1)"
    assert read_recall(text, EN)[0]["penicillin-allergy"] is True
