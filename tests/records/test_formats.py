from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from osler.records import PatientRecord, RecordPool, RecordWarning
from osler.records.registry import format_named, formats
from tests.conftest import Run, small_record
from tests.records.strategies import records

LOSSLESS = ("yaml", "jsonl", "csv", "xlsx")


def there_and_back(record: PatientRecord, name: str, folder: Path) -> PatientRecord:
    form = format_named(name)
    assert form.write is not None
    path = folder / f"record{form.suffixes[0]}"
    form.write([record], path)
    (back,) = RecordPool.open(path)
    return back


@pytest.mark.parametrize("name", LOSSLESS)
def test_any_record_comes_back_equal(name: str) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(records())
    def check(record: PatientRecord) -> None:
        with tempfile.TemporaryDirectory() as folder:
            assert there_and_back(record, name, Path(folder)) == record

    check()


@pytest.mark.parametrize("name", ["yaml", "csv"])
def test_every_bundled_record_comes_back_equal(name: str, tmp_path: Path) -> None:
    """The other two formats have them all in one file, in the test below."""
    for record in RecordPool.open():
        assert there_and_back(record, name, tmp_path) == record


def test_a_workbook_of_all_bundled_records_comes_back_equal(tmp_path: Path, osler: Run) -> None:
    assert osler("records", "convert", "bundled", "all.xlsx").returncode == 0
    assert osler("records", "convert", "all.xlsx", "all.jsonl").returncode == 0
    back = {record.id: record for record in RecordPool.open(tmp_path / "all.jsonl")}
    assert back == {record.id: record for record in RecordPool.open()}


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize(
    "word",
    [
        "OSCE_Examination",
        '"OSCE_Examination":',
        "medical_record",
        "None",
        "无",
        "Negative",
        "Treatment",
    ],
)
def test_words_that_mean_something_to_a_reader_are_only_words_in_a_record(
    name: str, word: str, tmp_path: Path
) -> None:
    entry = {"category": "surgical_history", "name": word, "report": ""}
    record = PatientRecord.model_validate(
        small_record(complaint=word, entries=[*small_record()["entries"], entry])
    )
    assert there_and_back(record, name, tmp_path) == record


CRAFTMD = {"craftmd", "craftmd-mediq"}


def test_every_format_says_what_it_is() -> None:
    names = {form.name for form in formats()}
    assert names == {
        "yaml",
        "jsonl",
        "csv",
        "xlsx",
        "agentclinic",
        "aihospital",
        "spbench",
        *CRAFTMD,
    }
    assert all(form.about for form in formats())


PAPER = """1-st Category,2-nd Category,Report Result,Constraints
Initial Query,,There was blood in the toilet after my mother went.,
Patient's Intent,,Prefer conservative treatment,
Expected Rounds,,7 Rounds,
Age,,Female,
Gender,,84 Years Old,
Diagnosis,Core Diagnosis,Bladder Cancer,
Key Elements and Correct Order of Questions for Confirming the Diagnosis,,,
Symptom,Gross Hematuria,Pink urine.,
Symptom,Urgency,None,
Test,Urinary NMP22,Positive,7 Days Ago
Test,Culture,Negative,7 Days Ago
Examination,Urinary Ultrasound,"Normal size and shape, clear capsule contour.",7 Days Ago
Examination,Bladder Enhanced MRI,Lesions on the left side.,7 Days Ago
Correct Order,,Urinary Ultrasound > Bladder Enhanced MRI,
Treatment,,TURBT,
Key Elements of Treatment Plan,,,
Surgical History,None,,
General Condition,,Sleeps well.,
Medical History,Diabetes Mellitus,Negative,
Menstrual History,Menopause,,
"""


def test_a_table_with_only_the_papers_four_columns(tmp_path: Path) -> None:
    path = tmp_path / "patient-1.csv"
    path.write_text(PAPER)
    with pytest.warns(RecordWarning, match="swapped"):
        (record,) = RecordPool.open(path)
    assert (record.id, record.age.value, record.sex, record.expected_rounds) == (
        "patient-1",
        84,
        "female",
        7,
    )
    statuses = {entry.name: entry.status.value for entry in record.entries}
    assert statuses == {
        "Gross Hematuria": "present",
        "Urgency": "absent",
        "Urinary NMP22": "present",
        "Culture": "normal",
        "Urinary Ultrasound": "normal",
        "Bladder Enhanced MRI": "present",
        "Surgical History": "absent",
        "General Condition": "present",
        "Diabetes Mellitus": "absent",
        "Menopause": "present",
    }
    assert record.entry("Urinary NMP22").when == "7 Days Ago"
    assert record.treatment is not None and record.treatment.name == "TURBT"


def test_validate_tells_what_was_mended(tmp_path: Path, osler: Run) -> None:
    (tmp_path / "patient-1.csv").write_text(PAPER)
    done = osler("records", "validate", "patient-1.csv")
    assert done.returncode == 0
    assert "mended: patient-1.csv: Age was 'Female'" in done.stderr


def test_a_cell_that_looks_like_a_formula_stays_text(tmp_path: Path) -> None:
    record = PatientRecord.model_validate(small_record(complaint="=HYPERLINK(1)"))
    form = format_named("csv")
    assert form.write is not None
    form.write([record], tmp_path / "x.csv")
    assert "'=HYPERLINK" in (tmp_path / "x.csv").read_text(encoding="utf-8-sig")
    from openpyxl import load_workbook

    assert there_and_back(record, "xlsx", tmp_path) == record
    kinds = {
        cell.data_type
        for row in load_workbook(tmp_path / "record.xlsx").worksheets[0].iter_rows()
        for cell in row
    }
    assert "f" not in kinds
