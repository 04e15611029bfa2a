"""Other people's files of text: what their fields give, what a model is shown, and that nothing
reads them without one."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from osler.records import Language, PatientRecord, Sex
from osler.records.text_case import TextCase
from osler.records.validation import Problem
from osler.structuring.source_text import read_cases
from osler.structuring.structure import Structurer
from tests.agents.scripted import scripted
from tests.conftest import SHARED, Run, needs_shared_data
from tests.structuring.model import StructuringModel, entry

STORY = "A 34-year-old woman presents to the clinic with a painful knee for 3 weeks. She denies fever or trauma."
ASKS = "Which of the following is the most likely diagnosis?"
SPBENCH = {
    "name": "×××",
    "age_value": 6,
    "age_unit": "个月",
    "gender": "男",
    "chief_complaint": "咳嗽3天。",
    "present_illness_history": "5日前受凉后出现咳嗽、流涕，无发热。",
    "allergy_history": "药物过敏史：否认。",
    "menstrual_history": "无",
    "diet": "母乳喂养。",
    "hospital_department_name": "儿科",
    "expectation": "希望快点好。",
}
HOSPITAL = {
    "general_info": "Gender: Male\nAge: 61 years\n",
    "chief_complaint": "Cough for 2 weeks.\n",
    "auxiliary_examinations": "1. Chest film:\n- shadow on the left (e.g. 2 cm. wide)\n",
    "preliminary_diagnosis": "Chest infection",
    "diagnostic_basis": "Pneumonia fits.",
    "diagnosis_and_treatment_process": "Amoxicillin was started.\nHe improved.",
    "diagnostic_results": "Pneumonia; hypertension\n",
}
HOSPITAL_ZH = {
    "一般资料": "男，61岁。",
    "主诉": "咳嗽2周。",
    "辅助检查": "胸片：左肺片状影。",
    "诊断结果": "肺炎",
    "诊断依据": "符合肺炎。",
    "诊治经过": "给予阿莫西林。",
}


def table(path: Path, row: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerow(row)
    return path


def write(path: Path, item: Any) -> Path:
    path.write_text(json.dumps(item, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def craftmd(folder: Path) -> Path:
    told = {
        "": "1",
        "case_vignette": STORY,
        "choice_1": "x",
        "answer": "Bursitis (housemaid's knee)",
    }
    return table(folder / "x.csv", {**told, "category": "Bones and Joints", "case_id": "case_1"})


def mediq(folder: Path) -> Path:
    item = {
        "id": 7,
        "question": ASKS,
        "context": STORY.rstrip(".").split(". "),
        "options": {"A": "Bursitis"},
    }
    who = {"age": "elderly", "gender": "female"}
    return write(
        folder / "x.jsonl",
        {**item, "answer": "Bursitis", "answer_idx": "A", "facts": ["Bursitis."], "patient": who},
    )


def spbench(folder: Path, **changes: object) -> Path:
    case = {
        "caseId": "77",
        "caseTitle": "案例7：急性支气管炎（毛细支气管炎）",
        "patientProfile": SPBENCH,
        **changes,
    }
    return write(folder / "77.json", case)


def aihospital(folder: Path, record: dict[str, str] | None = None) -> Path:
    return write(
        folder / "x.json", [{"id": 3, "disease": "pneumonia", "medical_record": record or HOSPITAL}]
    )


def case_in(path: Path) -> TextCase:
    (case,) = read_cases(path)
    assert isinstance(case, TextCase), case
    return case


def test_a_row_of_craftmd_gives_its_vignette_whole(tmp_path: Path) -> None:
    case = case_in(craftmd(tmp_path))
    assert case.id == "craftmd-case_1"
    assert case.paragraphs == (STORY,)
    assert case.known["diagnosis"] == {"name": "Bursitis", "aliases": ["housemaid's knee"]}
    assert case.known["specialty"] == "bones-and-joints" and "age" not in case.known
    assert "answer" in case.left_out


def test_the_older_table_of_craftmd_gives_age_and_sex(tmp_path: Path) -> None:
    told = {
        "source": "x",
        "case_id": "p1",
        "case_desc": STORY,
        "Answer": "4",
        "answer_name": "Bursitis",
    }
    case = case_in(
        table(
            tmp_path / "x.tsv",
            {**told, "category": "category1", "age": "34 years", "sex": "female"},
        )
    )
    assert case.known["diagnosis"]["name"] == "Bursitis" and "specialty" not in case.known
    assert case.known["age"].value == 34 and case.known["sex"] is Sex.FEMALE


def test_a_line_of_mediq_is_not_shown_with_its_question(tmp_path: Path) -> None:
    case = case_in(mediq(tmp_path))
    assert case.id == "craftmd-7" and case.paragraphs == (STORY,)
    assert case.known["diagnosis"]["name"] == "Bursitis"
    assert case.known["sex"] is Sex.FEMALE and "age" not in case.known, (
        "'elderly' is no age; the text has one"
    )


def test_a_case_of_spbench_gives_its_fields_under_their_headings(tmp_path: Path) -> None:
    case = case_in(spbench(tmp_path))
    assert case.id == "spbench-77" and case.language is Language.ZH
    assert case.known["diagnosis"] == {"name": "急性支气管炎", "aliases": ["毛细支气管炎"]}
    assert (case.known["age"].value, case.known["age"].unit, case.known["sex"]) == (
        6,
        "months",
        Sex.MALE,
    )
    assert case.known["intent"] == "希望快点好。"
    assert "过敏史: 药物过敏史：否认。" in case.paragraphs and "diet: 母乳喂养。" in case.paragraphs
    told = "\n".join(case.paragraphs)
    assert "月经" not in told and "儿科" not in told and "支气管炎" not in told


@pytest.mark.parametrize(
    "title", ["抑郁症（精神专科）", "抑郁症(针灸)", "案例12: 抑郁症（神经内科）"]
)
def test_a_department_in_a_title_is_no_name_of_the_illness(tmp_path: Path, title: str) -> None:
    assert case_in(spbench(tmp_path, caseTitle=title)).known["diagnosis"] == {
        "name": "抑郁症",
        "aliases": [],
    }


@pytest.mark.parametrize(
    ("record", "main", "told"),
    [
        (HOSPITAL, "Pneumonia", "auxiliary examinations: 1. Chest film:"),
        (HOSPITAL_ZH, "肺炎", "辅助检查: 胸片"),
    ],
)
def test_a_case_of_aihospital_gives_diagnosis_and_treatment(
    tmp_path: Path, record: dict[str, str], main: str, told: str
) -> None:
    case = case_in(aihospital(tmp_path, record))
    assert case.id == "aihospital-3" and case.known["diagnosis"]["name"] == main
    assert case.known["treatment"]["name"] == list(record.values())[-1 if main == "肺炎" else -2]
    text = "\n".join(case.paragraphs)
    assert (
        told in text and main not in text and "moxicillin" not in text and "infection" not in text
    )


async def test_a_case_becomes_a_record_with_what_its_fields_give(tmp_path: Path) -> None:
    patient = {
        "complaint_source": "咳嗽3天。",
        "complaint": "孩子咳嗽三天了。",
        "speaker": "mother",
    }
    rows = [
        entry("5日前受凉后出现咳嗽、流涕", "流涕", "流涕5天。"),
        entry("药物过敏史：否认。", "药物过敏", "否认药物过敏。", "absent", category="allergy"),
    ]
    backbone, _ = scripted(StructuringModel(patient, rows))
    record = await Structurer(case_in(spbench(tmp_path)), backbone).record()
    assert isinstance(record, PatientRecord) and record.diagnosis.names == (
        "急性支气管炎",
        "毛细支气管炎",
    )
    assert (record.age.label(Language.ZH), record.sex, record.intent) == (
        "6个月",
        Sex.MALE,
        "希望快点好。",
    )
    assert record.complaint == "孩子咳嗽三天了。" and record.speaker == "mother"
    assert (
        record.entry("药物过敏").status == "absent" and record.entry("流涕").report == "流涕5天。"
    )
    assert record.source == "SPBench (MIT); structured by scripted"


@pytest.mark.parametrize("make", [craftmd, mediq, spbench, aihospital])
def test_without_a_model_a_file_of_text_is_refused_in_one_line(
    tmp_path: Path, osler: Run, make: Any
) -> None:
    path = make(tmp_path)
    for command in (
        ("validate", path),
        ("convert", path, tmp_path / "out.yaml"),
        ("list", "--pool", path),
    ):
        done = osler("records", *command)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert f"{path.name} tells of patients in text" in done.stderr
        assert f"osler records convert {path} --with SPEC" in done.stderr
    assert not (tmp_path / "out.yaml").exists()


@pytest.mark.parametrize(
    "item", [{"caseTitle": "x", "patientProfile": "x"}, {"caseTitle": "x", "patientProfile": {}}]
)
def test_a_case_that_has_not_the_shape_of_its_format_is_told(
    tmp_path: Path, item: dict[str, Any]
) -> None:
    (problem,) = read_cases(write(tmp_path / "x.json", item))
    assert isinstance(problem, Problem) and "shape of its format" in problem.reason


RECORD = '[{"medical_record": %s}]'
PROFILE = '{"caseTitle": "x", "patientProfile": {"age_value": %s}}'
HOSTILE: dict[str, tuple[str, str]] = {
    "key.json": ('[{"medical_record":' + "[" * 100_000, "is nested too deeply"),
    "number.json": (
        RECORD % ('{"a": ' + "9" * 5_000 + "}"),
        "holds a number of thousands of digits",
    ),
    "text.json": (RECORD % '"abc"', "has not the shape of its format"),
    "list.json": (RECORD % "[1]", "has not the shape of its format"),
    "profile.json": (PROFILE % "3" + "]", "is not valid JSON"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_broken_file_of_text_is_one_problem(tmp_path: Path, name: str) -> None:
    content, reason = HOSTILE[name]
    (tmp_path / name).write_text(content)
    (problem,) = read_cases(tmp_path / name)
    assert isinstance(problem, Problem) and problem.file == name and reason in problem.reason


@pytest.mark.parametrize(
    "age", ['"abc"', "{}", "1e400", "999999999", '"7' + " " * 5_000 + 'x"', "null"]
)
def test_an_age_that_is_none_is_left_to_the_text(tmp_path: Path, age: str) -> None:
    (tmp_path / "x.json").write_text(PROFILE % age)
    assert "age" not in case_in(tmp_path / "x.json").known


def test_a_file_of_fifty_megabytes_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "big.json").open("wb") as file:
        file.write(b'[{"medical_record": 1}]')
        file.truncate(50 * 2**20)
    (problem,) = read_cases(tmp_path / "big.json")
    assert isinstance(problem, Problem) and "the file has 50 MB" in problem.reason


@needs_shared_data
@pytest.mark.parametrize(
    ("path", "count", "language"),
    [
        ("agentclinic_medqa.jsonl", 107, Language.EN),
        ("open_ai_hospital_patients_EN_gpt.json", 30, Language.EN),
        ("mediq_all_craft_md.jsonl", 140, Language.EN),
        ("spbench_case", 29, Language.ZH),
    ],
)
def test_every_case_of_the_real_files_can_be_given_to_a_model(
    path: str, count: int, language: Language
) -> None:
    cases = list(read_cases(SHARED / "clinical" / path))
    assert len(cases) == count
    for case in cases:
        assert isinstance(case, TextCase) and case.language is language
        assert case.known["diagnosis"]["name"] and sum(map(len, case.paragraphs)) > 100
