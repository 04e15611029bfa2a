"""Other people's formats: their real files where they are here, small cases of ours everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.eval.known_illness import inspect_diagnosis
from osler.records import Category, Language, PatientRecord, RecordPool, Sex, Speaker, Status
from osler.records.classify import kind_in_story, kind_of_test, status_of
from osler.records.registry import format_named
from osler.records.schema import Diagnosis
from osler.records.split import EntryList, statements
from tests.conftest import SHARED, Run, needs_shared_data, small_record


@needs_shared_data
@pytest.mark.parametrize(
    ("path", "count", "treated", "language"),
    [
        ("agentclinic_medqa.jsonl", 107, False, Language.EN),
        ("open_ai_hospital_patients_EN_gpt.json", 30, True, Language.EN),
        ("spbench_case", 29, False, Language.ZH),
    ],
)
def test_the_real_files_load_whole(path: str, count: int, treated: bool, language: Language) -> None:
    loaded = list(RecordPool.open(SHARED / "clinical" / path))
    assert len(loaded) == count
    assert all((record.treatment is not None) is treated for record in loaded)
    assert {record.language for record in loaded} == {language}
    # Entries, not blocks: there are many, and hardly any is a paragraph.
    entries = [entry for record in loaded for entry in record.entries]
    assert len(entries) / count > 20
    assert sum(len(entry.report) > 300 for entry in entries) / len(entries) < 0.02
    assert sum(entry.status is Status.ABSENT for entry in entries) / len(entries) > 0.1


OSCE = {
    "OSCE_Examination": {
        "Objective_for_Doctor": "Assess the patient.",
        "Patient_Actor": {
            "Demographics": "8-month-old boy",
            "History": "The mother noticed a cough. It is worse at night. She denies fever, rash, or drug or food allergies.",
            "Symptoms": {"Primary_Symptom": "Cough", "Secondary_Symptoms": ["Hoarse voice"]},
            "Past_Medical_History": "None.",
            "Social_History": {"Home": "Lives with his parents."},
        },
        "Physical_Examination_Findings": {
            "Vital_Signs": {"Temperature": "37.2°C"},
            "Chest": {"Auscultation": "Clear, no wheezes."},
            "Abdomen": {"Auscultation": "Normal bowel sounds."},
            "Retractions": True,
        },
        "Test_Results": {"Imaging": {"Neck_X-ray": {"Findings": "Narrow airway."}}, "CBC": {"WBC": "9.1"}},
        "Correct_Diagnosis": "Croup (laryngotracheitis)",
    }
}


def test_a_nested_agentclinic_case_becomes_entries(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(OSCE))
    (record,) = RecordPool.open(path)
    assert (record.age.value, record.age.unit, record.sex, record.speaker) == (8, "months", Sex.MALE, Speaker.MOTHER)
    assert (record.diagnosis.name, record.diagnosis.aliases) == ("Croup", ("laryngotracheitis",))
    assert record.treatment is None
    told = {entry.name: (entry.category.value, entry.status.value) for entry in record.entries}
    assert told["Fever"] == told["Rash"] == told["Drug allergies"] == told["Food allergies"] == ("symptom", "absent")
    assert told["Temperature"] == ("sign", "present")
    assert told["Auscultation"] == told["Abdomen: Auscultation"] == ("sign", "normal")
    assert told["Neck X-ray"] == ("examination", "present")
    assert told["WBC"] == ("test", "present")
    assert told["Medical History"] == ("medical_history", "absent")


@pytest.mark.parametrize(
    "left_open", ["Not provided", "N/A", "Data not provided.", "Not applicable for age", "不详", "未提及。"]
)
def test_a_field_that_was_left_open_is_neither_a_finding_nor_a_denial(left_open: str) -> None:
    entries = EntryList(Language.EN if left_open.isascii() else Language.ZH)
    entries.add(Category.TEST, "Pregnancy test", left_open)
    entries.add_text(Category.SOCIAL_HISTORY, left_open, label="Social history")
    assert entries.entries == []
    entries.add(Category.TEST, "Pregnancy test", "Negative; the date is not recorded")
    assert len(entries.entries) == 1


def test_agentclinic_is_written_too(tmp_path: Path) -> None:
    record = PatientRecord.model_validate(small_record())
    form = format_named("agentclinic")
    assert form.write is not None
    form.write([record], tmp_path / "out.jsonl")
    (back,) = RecordPool.open(tmp_path / "out.jsonl")
    assert (back.age, back.sex, back.diagnosis.name) == (record.age, record.sex, "Ankle sprain")
    assert {"Ankle pain", "Palpation", "Since childhood"} <= {entry.name for entry in back.entries}


def test_chinese_text_is_split_where_chinese_splits() -> None:
    text = "患者2个月前自觉心慌、手抖，伴怕热、多汗。无胸闷、胸痛。否认肝炎、结核等传染病史。消化系统：易饥、多食，无腹痛。"
    said = [(statement.name, statement.status) for statement in statements(text)]
    assert ("怕热", None) in said and ("多汗", None) in said and ("多食", None) in said
    absent = {name for name, status in said if status is Status.ABSENT}
    assert absent == {"胸闷", "胸痛", "肝炎", "结核", "腹痛"}


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("无尿频、尿急、尿痛", {"尿频", "尿急", "尿痛"}),
        ("病程中无头晕、头痛", {"头晕", "头痛"}),
        ("吸烟：有；不饮酒", {"饮酒"}),
        ("咳嗽三天，但无痰，乏力", {"痰"}),
        ("受凉后无明显诱因出现咳嗽", set()),
    ],
)
def test_a_chinese_denial_denies_each_thing_of_its_list(text: str, absent: set[str]) -> None:
    assert {said.name for said in statements(text) if said.status is Status.ABSENT} == absent
    assert status_of("无尿频、尿急、尿痛。", Category.SYMPTOM) is Status.ABSENT


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("否认高血压、糖尿病，冠心病等慢性病史。", {"高血压", "糖尿病", "冠心病"}),
        ("否认消化系统疾病病史，肝炎、结核等传染病史。", {"肝炎", "结核"}),
        ("否认“高血压、冠心病”等慢性病史。", {"高血压", "冠心病"}),
        ("否认肝炎，父亲有高血压病史。", {"肝炎"}),
        ("否认糖尿病，高血压病史10年。", {"糖尿病"}),
    ],
)
def test_a_denial_reaches_as_far_as_its_list(text: str, absent: set[str]) -> None:
    assert {said.name for said in statements(text) if said.status is Status.ABSENT} == absent


@pytest.mark.parametrize(
    ("category", "name", "report", "made"),
    [
        (Category.SYMPTOM, "No night sweats", "No night sweats.", ("Night sweats", "absent")),
        (Category.SYMPTOM, "发热，体温未测", "发热，体温未测。", ("发热，体温未测", "present")),
        (Category.SYMPTOM, "未测体温", "未测体温。", ("体温", "not_done")),
        (Category.TEST, "Biopsy", "Not performed.", ("Biopsy", "not_done")),
        (Category.SYMPTOM, "Fever", "Fever, temperature not measured.", ("Fever", "present")),
        (Category.SYMPTOM, "无", "无。", None),
        (Category.SYMPTOM, "症状", "无", None),
    ],
)
def test_the_name_of_an_entry_says_nothing_against_its_status(
    category: Category, name: str, report: str, made: tuple[str, str] | None
) -> None:
    entries = EntryList(Language.EN if report.isascii() else Language.ZH)
    entries.add(category, name, report)
    assert [(entry["name"], entry["status"].value) for entry in entries.entries] == ([made] if made else [])


def test_a_denial_of_several_things_denies_each_of_them_and_nothing_else() -> None:
    text = "She denies abdominal pain, and does not present with any other complaints. No changes in bowel or bladder function."
    said = [(statement.name, statement.report, statement.status) for statement in statements(text)]
    assert said == [
        ("Abdominal pain", "No abdominal pain.", Status.ABSENT),
        ("Other complaints", "Does not present with any other complaints.", Status.ABSENT),
        ("No changes in bowel or bladder function", "No changes in bowel or bladder function.", None),
    ]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "Denies fever, takes pills regularly, or similar nature.",
            {
                "Fever": "No fever.",
                "Fever, takes pills regularly, or similar nature": "Denies fever, takes pills regularly, or similar nature.",
            },
        ),
        ("无呕血、咖色物。", {"呕血": "无呕血。", "呕血、咖色物": "无呕血、咖色物。"}),
    ],
)
def test_what_is_not_known_by_itself_is_denied_in_the_words_of_the_text(text: str, made: dict[str, str]) -> None:
    entries = EntryList(Language.EN if text.isascii() else Language.ZH)
    entries.add_text(Category.SYMPTOM, text)
    assert {entry["name"]: entry["report"] for entry in entries.entries} == made
    assert {entry["status"] for entry in entries.entries} == {Status.ABSENT}


def test_a_denial_of_what_the_patient_has_now_says_when_it_was_so() -> None:
    entries = EntryList(Language.ZH)
    entries.add_text(Category.SYMPTOM, "患者20年前出现咳嗽，无痰中带血，无发热。3天前出现痰中带血。")
    told = {entry["name"]: entry["when"] for entry in entries.settled("咳嗽20年，痰中带血3天。")}
    assert told["痰中带血"] == "20年前" and told["发热"] is None


def test_numbers_are_not_cut_at_their_points() -> None:
    said = list(
        statements(
            "Temperature was 38.5 degrees. He took 2.5 mg of e.g. Warfarin daily. No history of asthma or diabetes."
        )
    )
    assert [statement.report for statement in said] == [
        "Temperature was 38.5 degrees.",
        "He took 2.5 mg of e.g. Warfarin daily.",
        "No asthma.",
        "No diabetes.",
    ]


def test_a_spbench_case(tmp_path: Path) -> None:
    profile = {
        "age_value": 6,
        "age_unit": "个月",
        "gender": "男",
        "chief_complaint": "咳嗽3天。",
        "present_illness_history": "3天前出现咳嗽、流涕，无发热。",
        "allergy_history": "无",
        "occupation": "无",
        "expectation": "希望快点好。",
    }
    case = {"caseId": "77", "caseTitle": "案例7：急性支气管炎（毛细支气管炎）", "patientProfile": profile}
    (tmp_path / "77.json").write_text(json.dumps(case, ensure_ascii=False), encoding="utf-8")
    (record,) = RecordPool.open(tmp_path)
    assert record.diagnosis.name == "急性支气管炎" and record.diagnosis.aliases == ("毛细支气管炎",)
    assert (record.age.years, record.speaker, record.intent) == (0.5, Speaker.MOTHER, "希望快点好。")
    assert {(e.category, e.name, e.status) for e in record.entries} >= {
        (Category.SYMPTOM, "发热", Status.ABSENT),
        (Category.ALLERGY, "过敏史", Status.ABSENT),
    }


def spbench(folder: Path, title: str, **profile: object) -> Path:
    """A file with one case of a boy of six months."""
    child = {"age_value": 6, "age_unit": "个月", "gender": "男", "chief_complaint": "乏力3天。"}
    case = {"caseId": "9", "caseTitle": title, "patientProfile": child | profile}
    (folder / "9.json").write_text(json.dumps(case, ensure_ascii=False), encoding="utf-8")
    return folder / "9.json"


def test_an_import_keeps_the_diagnosis_out_of_names_and_opening_words(tmp_path: Path) -> None:
    story = "乏力3天，面色差。外院有诊断“缺铁性贫血”。查血常规提示缺铁性贫血。"
    path = spbench(
        tmp_path, "缺铁性贫血", chief_complaint="发现“缺铁性贫血”1年，乏力3天。", present_illness_history=story
    )
    (record,) = RecordPool.open(path)
    assert record.complaint == "乏力3天。"
    assert not [entry.name for entry in record.entries if "贫血" in entry.name]
    assert {"乏力3天，面色差", "查血常规"} <= {entry.name for entry in record.entries}
    case = json.loads(json.dumps(OSCE))["OSCE_Examination"]
    case["Patient_Actor"]["Symptoms"] = {"Primary_Symptom": "Known croup since May", "Secondary_Symptoms": ["Cough"]}
    (tmp_path / "en.jsonl").write_text(json.dumps({"OSCE_Examination": case}))
    (english,) = RecordPool.open(tmp_path / "en.jsonl")
    assert english.complaint == "Cough."
    assert not [entry.name for entry in english.entries if "croup" in entry.name.lower()]


def test_what_an_import_cannot_read_is_told(tmp_path: Path, osler: Run) -> None:
    spbench(
        tmp_path,
        "缺铁性贫血",
        present_illness_history="乏力3天。有诊断“缺铁性贫血”。",
        diet="挑食。",
        menstrual_history="无",
    )
    checked = osler("records", "validate", "9.json")
    assert "note: 9.json: 1 text(s) could not be read: “diet: 挑食。”" in checked.stderr
    assert "note: 9.json: 1 entry(s) that only name the diagnosis were left out" in checked.stderr
    done = osler("records", "convert", "9.json", "out.yaml")
    assert done.returncode == 0 and "warning: spbench-9: 1 text(s) could not be read" in done.stderr
    assert "月经" not in (tmp_path / "out.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", ["有创操作", "手术知情同意", "阑尾切除术"])
def test_a_procedure_or_a_form_is_no_diagnosis(tmp_path: Path, osler: Run, title: str) -> None:
    spbench(tmp_path, title, present_illness_history="乏力3天。")
    checked = osler("records", "validate", "9.json")
    assert checked.returncode != 0 and "a procedure or a form and no illness" in checked.stderr
    done = osler("records", "convert", "9.json", "out.yaml")
    assert done.returncode != 0 and not (tmp_path / "out.yaml").exists()


@pytest.mark.parametrize(
    ("name", "icd10", "remark"),
    [
        ("Ankle sprain", None, None),
        ("Phyllodes tumour", None, None),
        ("Complication of colonoscopy", None, None),
        ("Acute appendicitis requiring appendectomy", None, None),
        ("Quux of the zorp", "K35.8", None),
        ("支气管扩张症", None, None),
        ("Normal behaviour", None, False),
        ("Appendectomy for acute appendicitis", None, True),
        ("Informed consent", None, True),
    ],
)
def test_a_diagnosis_is_looked_up_among_the_illnesses(name: str, icd10: str | None, remark: bool | None) -> None:
    found = inspect_diagnosis(Diagnosis(name=name, icd10=icd10))
    assert (found.is_problem if found else None) is remark


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("行胸部CT示：左肺上叶结节。", Category.EXAMINATION),
        ("社区查血常规提示白细胞升高。", Category.TEST),
        ("自行服用“止咳糖浆”，无好转。", Category.MEDICATION_HISTORY),
        ("当时血压170/105mmHg。", Category.SIGN),
        ("3天前受凉后出现咳嗽。", None),
        ("诊断为“肝功能异常”。", None),
        ("A chest X-ray showed a shadow on the left.", Category.EXAMINATION),
        ("Blood tests were normal two weeks ago.", Category.TEST),
        ("She takes metformin 500 mg twice daily.", Category.MEDICATION_HISTORY),
        ("Blood pressure was 170/105 at home.", Category.SIGN),
        ("She is an active woman who reacted badly to the news.", None),
        ("He takes on too much work and sleeps badly.", None),
    ],
)
def test_what_a_story_tells_besides_symptoms_is_found_as_what_it_is(statement: str, kind: Category | None) -> None:
    assert kind_in_story(statement) is kind


@pytest.mark.parametrize(("name", "kind"), [("Reaction time", Category.TEST), ("头颅CT", Category.EXAMINATION)])
def test_letters_inside_a_word_are_no_scan(name: str, kind: Category) -> None:
    assert kind_of_test(name) is kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("No significant past medical or surgical history.", ["Significant past medical history", "Surgical history"]),
        ("Denies chest or abdominal pain.", ["Chest pain", "Abdominal pain"]),
        ("Denies nausea or chest pain.", ["Nausea", "Chest pain"]),
        ("Denies alcohol or tobacco use.", ["Denies alcohol or tobacco use"]),
    ],
)
def test_what_a_denial_shares_is_told_of_each(text: str, names: list[str]) -> None:
    assert [said.name for said in statements(text, Language.EN)] == names
