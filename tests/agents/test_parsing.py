from __future__ import annotations

import pytest

from osler.agents.parsing import conclusion_of, named_of, plan_of
from osler.loosejson import json_begun, json_of


@pytest.mark.parametrize(
    "text",
    [
        '{"diagnosis": "Gout", "treatment": "Colchicine"}',
        'Sure!\n```json\n{"diagnosis": "Gout", "treatment": "Colchicine"}\n```',
        'I think {this} is it: {"diagnosis": "Gout", "treatment": "Colchicine"} - done',
        "END\nDiagnosis: Gout\nTreatment: Colchicine",
        "**Final diagnosis:** Gout\n**Treatment plan:** Colchicine",
        "Diagnosis: Gout. Treatment: Colchicine",
        '{"Diagnosis": {"name": "Gout"}, "Treatment": ["Colchicine"]}',
    ],
)
def test_a_conclusion_however_it_is_written(text: str) -> None:
    conclusion = conclusion_of(text)
    assert conclusion is not None
    assert (conclusion.diagnosis, conclusion.treatment) == ("Gout", "Colchicine")


@pytest.mark.parametrize(
    "text",
    [
        "诊断：痛风\n治疗：秋水仙碱",
        "最终诊断：痛风。治疗方案：秋水仙碱。",
        "{“诊断”: “痛风”, “治疗”: “秋水仙碱”}",
    ],
)
def test_full_width_punctuation(text: str) -> None:
    conclusion = conclusion_of(text)
    assert conclusion is not None
    assert (conclusion.diagnosis, conclusion.treatment) == ("痛风", "秋水仙碱")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I am not sure.",
        "{}",
        '{"treatment": "rest"}',
        "{" * 5000,
        "[1, 2]",
        '{"diagnosis": ""}',
    ],
)
def test_no_diagnosis_is_none(text: str) -> None:
    assert conclusion_of(text) is None


def test_the_differential_is_a_list_as_long_as_it_was_written() -> None:
    conclusion = conclusion_of('{"diagnosis": "A", "differential": ["B", "C", "D", "E", "F", "G"]}')
    assert conclusion is not None and conclusion.differential == ("B", "C", "D", "E", "F", "G")
    labelled = conclusion_of("Diagnosis: A\nDifferential diagnosis: B; C; D")
    assert labelled is not None and labelled.differential == ("B", "C", "D")


def test_the_first_object_is_taken() -> None:
    assert json_of('noise {"a": 1} {"b": 2}') == {"a": 1}
    assert json_of("no json here") is None


@pytest.mark.parametrize(
    "text",
    [
        '{"reasoning": "r", "differential": ["A", "B"], "diagnosis": "Gout", "treatment": "Colchicine", "and',
        '```json\n{"diagnosis": "Gout, which is an arthritis of the joints that comes',
        '{"diagnosis": "Gout", "reasoning": "he said "it hurts" and so", "treatment": "Colchicine"}',
    ],
)
def test_an_answer_that_was_cut_off_or_broken_by_a_quote(text: str) -> None:
    conclusion = conclusion_of(text)
    assert conclusion is not None and conclusion.diagnosis == "Gout"


@pytest.mark.parametrize(
    "text",
    [
        '{"diagnosis": "the one most likely illness"}',
        '{"diagnosis": "最可能的一个疾病"}',
        '{"diagnosis": "..."}',
    ],
)
def test_a_form_that_was_copied_and_not_filled_in(text: str) -> None:
    assert conclusion_of(text) is None


def test_an_object_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    text = 'Sure: {"thoughts": [{"subject": "a", "object": "b {"}, {"subject": "c", "obj'
    assert json_begun(text) == {"thoughts": [{"subject": "a", "object": "b {"}]}
    assert json_begun("no braces") is None
    assert json_begun('{"a": [1, {"b": "x') is None


@pytest.mark.parametrize(
    ("text", "diagnosis", "others"),
    [
        ("Gout\nPseudogout\nSeptic arthritis", "Gout", ("Pseudogout", "Septic arthritis")),
        ("Here are the five:\n1. **Gout**\n2) Pseudogout.\n- Gout", "Gout", ("Pseudogout",)),
        ("1、痛风\n2、假性痛风\n3、化脓性关节炎。", "痛风", ("假性痛风", "化脓性关节炎")),
        ("以下是可能的疾病：\n（1）痛风\n（2）假性痛风", "痛风", ("假性痛风",)),
        ('```json\n{"illnesses": ["Gout", "Pseudogout"]}\n```', "Gout", ("Pseudogout",)),
        ("Diagnosis: Gout\nTreatment: Colchicine", "Gout", ()),
        (
            "5-alpha-reductase deficiency\nType 2 diabetes",
            "5-alpha-reductase deficiency",
            ("Type 2 diabetes",),
        ),
        ("COVID-19", "COVID-19", ()),
        (
            "1. **Gout** - This can swell the big toe within hours.\n2. **Pseudogout**: crystals",
            "Gout",
            ("Pseudogout",),
        ),
        ("1. **痛风**：大脚趾红肿\n2. 假性痛风——晶体沉积", "痛风", ("假性痛风",)),
        (
            "1. **痛风** (Gout)\n2. 假性痛风（Pseudogout）\n3. 化脓性关节炎（Septic arth",
            "痛风",
            ("假性痛风", "化脓性关节炎"),
        ),
        ("1. 肺结核（TB）（TB）\n2. 肺癌（Lung cancer）", "肺结核", ("肺癌",)),
        ("慢性阻塞性肺疾病（急性加重期）", "慢性阻塞性肺疾病（急性加重期）", ()),
        ("The diagnosis is **Gout**. The treatment is **colchicine**.", "Gout", ()),
    ],
)
def test_a_list_of_illnesses_is_read_in_the_forms_models_write_it(
    text: str, diagnosis: str, others: tuple[str, ...]
) -> None:
    named = named_of(text)
    assert named is not None
    assert (named.diagnosis, named.differential) == (diagnosis, others)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would say so",
        "The patient needs more tests.",
        "患者需要进一步检查。",
        "1.\n2.\n",
        "...",
    ],
)
def test_talk_is_no_illness(text: str) -> None:
    assert named_of(text) is None


def test_a_treatment_is_read_from_json_from_labels_and_from_plain_words() -> None:
    assert plan_of('{"treatment": "Rest", "reasoning": "fits"}') == {
        "treatment": "Rest",
        "reasoning": "fits",
    }
    assert plan_of("治疗：卧床休息\n依据：符合")["treatment"] == "卧床休息"
    assert plan_of("Give colchicine.") == {"treatment": "Give colchicine.", "reasoning": ""}
    assert plan_of('{"other": "x"}')["treatment"] == ""
    assert (
        plan_of("Give 2.5 mg. Rest. Give 2.5 mg.")["treatment"] == "Give 2.5 mg. Rest. Give 2.5 mg."
    )
    long = "Rest. " * 400
    assert plan_of(f'{{"treatment": "{long}"}}')["treatment"] == long.strip()
    begun = plan_of('```json\n{"treatment": "Rest. Give colchicine. And then th')
    assert begun["treatment"] == "Rest. Give colchicine. And then th"
    assert plan_of('{"treatment": "卧床休息。多喝水，再')["treatment"] == "卧床休息。多喝水，再"


def test_a_treatment_that_was_cut_off_is_not_looked_for_in_its_own_sentences() -> None:
    begun = '{"treatment": "Give colchicine. The treatment is safe for this patient. The trea'
    assert (
        plan_of(begun)["treatment"]
        == "Give colchicine. The treatment is safe for this patient. The trea"
    )
    assert (
        plan_of('{"treatment": "口服秋水仙碱。治疗为短程。并')["treatment"]
        == "口服秋水仙碱。治疗为短程。并"
    )
    assert (
        plan_of("The treatment is safe. Give colchicine.")["treatment"]
        == "The treatment is safe. Give colchicine."
    )


def test_a_line_that_gives_its_reason_first_names_what_it_points_to() -> None:
    text = "1. 腹痛转移至右下腹，伴恶心，提示可能为急性阑尾炎\n2. 白细胞升高，考虑感染\n3. 肠梗阻"
    named = named_of(text)
    assert named is not None and (named.diagnosis, named.differential) == (
        "急性阑尾炎",
        ("感染", "肠梗阻"),
    )
    named = named_of(
        "1. Crystals in the fluid, suggestive of gout\n2. Fever consistent with a joint infection\n3. Lupus"
    )
    assert named is not None and (named.diagnosis, named.differential) == (
        "gout",
        ("joint infection", "Lupus"),
    )
    denied = named_of("1. 体温正常，不考虑肺炎\n2. Normal film, not suggestive of pneumonia")
    assert (
        denied is not None and denied.diagnosis != "肺炎" and "pneumonia" not in denied.differential
    )
