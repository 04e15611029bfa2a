"""CRAFT-MD's vignettes: the published tables and MediQ's lines."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from osler.records import PatientRecord, RecordPool, RecordWarning, Sex, Speaker, Status
from tests.conftest import SHARED, Run, needs_shared_data

STORY = "A 34-year-old woman presents to the clinic with a painful knee for 3 weeks. She denies fever or trauma."
CHILD = "A 6-month-old boy is brought in by his parents for a cough."
ASKS = " Which of the following is the most likely diagnosis?"


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def row(number: int, vignette: str, answer: str = "Bursitis (housemaid's knee)") -> dict[str, str]:
    choices = {f"choice_{n}": "x" for n in range(1, 5)}
    told = {"": str(number), "case_vignette": vignette, **choices, "answer": answer}
    return {**told, "category": "Bones and Joints", "dataset": "x", "case_id": f"case_{number}"}


def records(path: Path) -> list[PatientRecord]:
    return list(RecordPool.open(path))


def test_a_row_of_the_published_csv_becomes_a_record(tmp_path: Path) -> None:
    first, second = records(table(tmp_path / "x.csv", [row(0, STORY + ASKS), row(1, CHILD, "Croup")]))
    assert first.id == "craftmd-case_0" and first.specialty == "bones-and-joints" and first.sex is Sex.FEMALE
    assert first.diagnosis.names == ("Bursitis", "housemaid's knee") and first.age.value == 34
    assert first.complaint == "A painful knee for 3 weeks."
    assert first.entry("Fever").status is Status.ABSENT
    assert not any("likely diagnosis" in entry.report for entry in first.entries)
    assert second.speaker is Speaker.MOTHER and second.age.unit == "months"


@pytest.mark.parametrize(
    "question",
    [
        "Which of the following is the best therapy for the most likely diagnosis?",
        "What is the best next step in the diagnosis of this condition?",
        "Which of the following is associated with the most likely diagnosis?",
    ],
)
def test_rows_that_ask_for_something_else_are_left_out_and_counted(tmp_path: Path, question: str) -> None:
    path = table(tmp_path / "x.csv", [row(0, STORY), row(1, f"{STORY} {question}"), row(2, "A woman has pain.")])
    with pytest.warns(RecordWarning, match=r"1 case\(s\) that ask for something else"):
        assert len(records(path)) == 1


def test_the_older_tsv_is_read(tmp_path: Path) -> None:
    told = {"source": "x", "case_id": "p1", "case_desc": STORY, "Answer": "4", "answer_name": "Bursitis"}
    (record,) = records(
        table(tmp_path / "x.tsv", [{**told, "category": "category1", "age": "34 years", "sex": "female"}])
    )
    assert record.id == "craftmd-p1" and record.diagnosis.name == "Bursitis" and record.specialty is None


def test_a_line_of_mediq_becomes_a_record(tmp_path: Path) -> None:
    item = {"id": 7, "question": ASKS, "context": STORY.rstrip(".").split(". "), "options": {"A": "Bursitis"}}
    item |= {"answer": "Bursitis", "answer_idx": "A", "facts": [], "patient": {"age": "elderly", "gender": "female"}}
    (tmp_path / "x.jsonl").write_text(json.dumps(item) + "\n")
    (record,) = records(tmp_path / "x.jsonl")
    assert record.id == "craftmd-7" and record.diagnosis.name == "Bursitis" and record.age.value == 34


def test_the_diagnosis_is_taken_out_and_what_cannot_be_read_is_told(tmp_path: Path, osler: Run) -> None:
    told = "A 34-year-old woman presents with knee bursitis for 3 weeks. Her knee is swollen. She has bursitis."
    path = table(tmp_path / "x.csv", [row(0, told, "Bursitis"), row(1, f"{STORY} {'Pain ' * 1500}")])
    first, _ = records(path)
    texts = [first.complaint, *(entry.name for entry in first.entries)]
    assert not [text for text in texts if "bursitis" in text.lower()]
    assert "knee is swollen" in " ".join(entry.report for entry in first.entries)
    checked = osler("records", "validate", path)
    assert "row 2: 2 entry(s) that only name the diagnosis were left out" in checked.stderr
    assert "row 3: 1 text(s) could not be read: “Pain" in checked.stderr


@needs_shared_data
def test_the_real_lines_load(osler: Run) -> None:
    done = osler("records", "validate", SHARED / "clinical" / "mediq_all_craft_md.jsonl")
    assert done.returncode == 0 and "139 records" in done.stdout


UNKNOWN = {
    "cases.jsonl": (
        '{"Patient_Actor": {}, "Test_Results": {}, "Correct_Diagnosis": "x"}\n' * 500,
        "nearest is agentclinic (has 3 of 5 of its fields, lacks OSCE_Examination, Physical_Examination_Findings)",
    ),
    "cases.json": (
        '[{"record": {"general_info": "x", "chief_complaint": "y"}}]',
        "nearest is aihospital (has 2 of 5 of its fields",
    ),
    "病例.json": ('{"caseTitle": "x", "chief_complaint": "y", "age_value": 3}', "nearest is spbench (has 3 of 5"),
    "cases.csv": ("number,case_vignette,answer\n1,x,y\n", "nearest is craftmd (has 2 of 4"),
    "other.jsonl": ('{"vignette": "x", "label": "y"}\n', "no format of patient records begins like this"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_format_is_one_problem_that_names_the_nearest(tmp_path: Path, osler: Run, name: str) -> None:
    text, reason = UNKNOWN[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = osler("records", "validate", tmp_path / name)
    assert done.returncode == 2 and done.stderr.count("\n") == 2
    assert reason in done.stderr and f"osler records convert {name} --with SPEC" in done.stderr


def test_a_record_of_ours_that_lacks_a_field_is_still_told_which(tmp_path: Path, osler: Run) -> None:
    text = '{"id": "x", "language": "en", "age": 3, "sex": "male", "complaint": "Ouch."}\n'
    (tmp_path / "x.jsonl").write_text(text)
    assert "entries: is missing" in osler("records", "validate", tmp_path / "x.jsonl").stderr
