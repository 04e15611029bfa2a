from __future__ import annotations

import pytest

from osler.agents.parsing import conclusion_of
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
    ["诊断：痛风\n治疗：秋水仙碱", "最终诊断：痛风。治疗方案：秋水仙碱。", "{“诊断”: “痛风”, “治疗”: “秋水仙碱”}"],
)
def test_full_width_punctuation(text: str) -> None:
    conclusion = conclusion_of(text)
    assert conclusion is not None
    assert (conclusion.diagnosis, conclusion.treatment) == ("痛风", "秋水仙碱")


@pytest.mark.parametrize(
    "text", ["", "I am not sure.", "{}", '{"treatment": "rest"}', "{" * 5000, "[1, 2]", '{"diagnosis": ""}']
)
def test_no_diagnosis_is_none(text: str) -> None:
    assert conclusion_of(text) is None


def test_the_differential_is_a_list_of_at_most_five() -> None:
    conclusion = conclusion_of('{"diagnosis": "A", "differential": ["B", "C", "D", "E", "F", "G"]}')
    assert conclusion is not None and conclusion.differential == ("B", "C", "D", "E", "F")
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
    ['{"diagnosis": "the one most likely illness"}', '{"diagnosis": "最可能的一个疾病"}', '{"diagnosis": "..."}'],
)
def test_a_form_that_was_copied_and_not_filled_in(text: str) -> None:
    assert conclusion_of(text) is None


def test_an_object_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    text = 'Sure: {"thoughts": [{"subject": "a", "object": "b {"}, {"subject": "c", "obj'
    assert json_begun(text) == {"thoughts": [{"subject": "a", "object": "b {"}]}
    assert json_begun("no braces") is None
    assert json_begun('{"a": [1, {"b": "x') is None
