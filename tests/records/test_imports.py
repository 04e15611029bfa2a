"""AgentClinic's cases, and what their English texts are split into: the real file where it is here,
cases of ours everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.records import Category, Language, PatientRecord, RecordPool, Sex, Speaker, Status
from osler.records.classify import kind_in_story, kind_of_test
from osler.records.registry import format_named
from osler.records.split import EntryList, statements
from tests.conftest import SHARED, Run, needs_shared_data, small_record


@needs_shared_data
def test_the_real_file_loads_whole() -> None:
    loaded = list(RecordPool.open(SHARED / "clinical" / "agentclinic_medqa.jsonl"))
    assert len(loaded) == 107
    assert all(record.treatment is None and record.language is Language.EN for record in loaded)
    # Entries, not blocks: there are many, and hardly any is a paragraph.
    entries = [entry for record in loaded for entry in record.entries]
    assert len(entries) / 107 > 20
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
        "Test_Results": {
            "Imaging": {"Neck_X-ray": {"Findings": "Narrow airway."}},
            "CBC": {"WBC": "9.1"},
        },
        "Correct_Diagnosis": "Croup (laryngotracheitis)",
    }
}


def test_a_nested_agentclinic_case_becomes_entries(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(OSCE))
    (record,) = RecordPool.open(path)
    assert (record.age.value, record.age.unit, record.sex, record.speaker) == (
        8,
        "months",
        Sex.MALE,
        Speaker.MOTHER,
    )
    assert (record.diagnosis.name, record.diagnosis.aliases) == ("Croup", ("laryngotracheitis",))
    assert record.treatment is None
    told = {entry.name: (entry.category.value, entry.status.value) for entry in record.entries}
    assert (
        told["Fever"]
        == told["Rash"]
        == told["Drug allergies"]
        == told["Food allergies"]
        == ("symptom", "absent")
    )
    assert told["Temperature"] == ("sign", "present")
    assert told["Auscultation"] == told["Abdomen: Auscultation"] == ("sign", "normal")
    assert told["Neck X-ray"] == ("examination", "present")
    assert told["WBC"] == ("test", "present")
    assert told["Medical History"] == ("medical_history", "absent")


@pytest.mark.parametrize(
    "left_open", ["Not provided", "N/A", "Data not provided.", "Not applicable for age"]
)
def test_a_field_that_was_left_open_is_neither_a_finding_nor_a_denial(left_open: str) -> None:
    entries = EntryList()
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


@pytest.mark.parametrize(
    ("category", "name", "report", "made"),
    [
        (Category.SYMPTOM, "No night sweats", "No night sweats.", ("Night sweats", "absent")),
        (Category.TEST, "Biopsy", "Not performed.", ("Biopsy", "not_done")),
        (Category.SYMPTOM, "None", "None.", None),
        (Category.SYMPTOM, "Fever", "Fever, temperature not measured.", ("Fever", "present")),
    ],
)
def test_the_name_of_an_entry_says_nothing_against_its_status(
    category: Category, name: str, report: str, made: tuple[str, str] | None
) -> None:
    entries = EntryList()
    entries.add(category, name, report)
    assert [(entry["name"], entry["status"].value) for entry in entries.entries] == (
        [made] if made else []
    )


def test_a_denial_of_several_things_denies_each_of_them_and_nothing_else() -> None:
    text = "She denies abdominal pain, and does not present with any other complaints. No changes in bowel or bladder function."
    said = [(statement.name, statement.report, statement.status) for statement in statements(text)]
    assert said == [
        ("Abdominal pain", "No abdominal pain.", Status.ABSENT),
        ("Other complaints", "Does not present with any other complaints.", Status.ABSENT),
        (
            "No changes in bowel or bladder function",
            "No changes in bowel or bladder function.",
            None,
        ),
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
    ],
)
def test_what_is_not_known_by_itself_is_denied_in_the_words_of_the_text(
    text: str, made: dict[str, str]
) -> None:
    entries = EntryList()
    entries.add_text(Category.SYMPTOM, text)
    assert {entry["name"]: entry["report"] for entry in entries.entries} == made
    assert {entry["status"] for entry in entries.entries} == {Status.ABSENT}


def test_a_denial_of_what_the_patient_has_now_says_when_it_was_so() -> None:
    entries = EntryList()
    entries.add_text(
        Category.SYMPTOM,
        "Two years ago he had a cough, but no fever or chest pain. Now he has a fever.",
    )
    told = {entry["name"]: entry["when"] for entry in entries.settled("Fever.")}
    assert told["Fever"] and told["Chest pain"] is None


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


def osce(folder: Path, diagnosis: str, **actor: object) -> Path:
    """A file with one case of a boy of eight months."""
    case = json.loads(json.dumps(OSCE))["OSCE_Examination"]
    case["Patient_Actor"].update(actor)
    case["Correct_Diagnosis"] = diagnosis
    (folder / "x.jsonl").write_text(json.dumps({"OSCE_Examination": case}), encoding="utf-8")
    return folder / "x.jsonl"


def test_an_import_keeps_the_diagnosis_out_of_names_and_opening_words(tmp_path: Path) -> None:
    symptoms = {"Primary_Symptom": "Known croup since May", "Secondary_Symptoms": ["Cough"]}
    (record,) = RecordPool.open(osce(tmp_path, "Croup", Symptoms=symptoms))
    assert record.complaint == "Cough."
    assert not [entry.name for entry in record.entries if "croup" in entry.name.lower()]


def test_what_an_import_cannot_read_is_told(tmp_path: Path, osler: Run) -> None:
    history = f"The mother noticed a cough. He has croup. {'Pain ' * 1500}"
    osce(tmp_path, "Croup", History=history, Diet="Breast milk.")
    checked = osler("records", "validate", "x.jsonl")
    assert "note: x.jsonl, line 1: 2 text(s) could not be read: “Pain" in checked.stderr
    assert "Diet: Breast milk." in checked.stderr
    assert "entry(s) that only name the diagnosis were left out" in checked.stderr
    done = osler("records", "convert", "x.jsonl", "out.yaml")
    assert (
        done.returncode == 0
        and "warning: agentclinic-001: 2 text(s) could not be read" in done.stderr
    )


def test_a_diagnosis_that_is_not_known_is_remarked_on_and_kept(tmp_path: Path, osler: Run) -> None:
    osce(tmp_path, "Informed consent")
    checked = osler("records", "validate", "x.jsonl")
    assert checked.returncode == 0
    assert (
        "note: x.jsonl, line 1: the diagnosis 'Informed consent' is not known as an illness"
        in checked.stderr
    )
    done = osler("records", "convert", "x.jsonl", "out.yaml")
    assert done.returncode == 0 and "give its ICD-10 code" in done.stderr


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("A chest X-ray showed a shadow on the left.", Category.EXAMINATION),
        ("Blood tests were normal two weeks ago.", Category.TEST),
        ("She takes metformin 500 mg twice daily.", Category.MEDICATION_HISTORY),
        ("Blood pressure was 170/105 at home.", Category.SIGN),
        ("She is an active woman who reacted badly to the news.", None),
        ("He takes on too much work and sleeps badly.", None),
    ],
)
def test_what_a_story_tells_besides_symptoms_is_found_as_what_it_is(
    statement: str, kind: Category | None
) -> None:
    assert kind_in_story(statement) is kind


@pytest.mark.parametrize(
    ("name", "kind"), [("Reaction time", Category.TEST), ("Head CT", Category.EXAMINATION)]
)
def test_letters_inside_a_word_are_no_scan(name: str, kind: Category) -> None:
    assert kind_of_test(name) is kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "No significant past medical or surgical history.",
            ["Significant past medical history", "Surgical history"],
        ),
        ("Denies chest or abdominal pain.", ["Chest pain", "Abdominal pain"]),
        ("Denies nausea or chest pain.", ["Nausea", "Chest pain"]),
        ("Denies alcohol or tobacco use.", ["Denies alcohol or tobacco use"]),
    ],
)
def test_what_a_denial_shares_is_told_of_each(text: str, names: list[str]) -> None:
    assert [said.name for said in statements(text)] == names
