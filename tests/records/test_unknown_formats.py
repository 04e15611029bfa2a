"""Files of no known format: told in one line, with the format that is nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

UNKNOWN = {
    "cases.jsonl": (
        '{"Patient_Actor": {}, "Test_Results": {}, "Correct_Diagnosis": "x"}\n' * 500,
        "nearest is agentclinic (has 3 of 5 of its fields, lacks OSCE_Examination, Physical_Examination_Findings)",
    ),
    "cases.json": (
        '[{"record": {"general_info": "x", "chief_complaint": "y"}}]',
        "nearest is aihospital (has 2 of 5 of its fields",
    ),
    "病例.json": (
        '{"caseTitle": "x", "chief_complaint": "y", "age_value": 3}',
        "nearest is spbench (has 3 of 5",
    ),
    "cases.csv": ("number,case_vignette,answer\n1,x,y\n", "nearest is craftmd (has 2 of 4"),
    "other.jsonl": (
        '{"vignette": "x", "label": "y"}\n',
        "no format of patient records begins like this",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_format_is_one_problem_that_names_the_nearest(
    tmp_path: Path, osler: Run, name: str
) -> None:
    text, reason = UNKNOWN[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = osler("records", "validate", tmp_path / name)
    assert done.returncode == 2 and done.stderr.count("\n") == 2
    assert reason in done.stderr and f"osler records convert {name} --with SPEC" in done.stderr


def test_a_record_of_ours_that_lacks_a_field_is_still_told_which(
    tmp_path: Path, osler: Run
) -> None:
    text = '{"id": "x", "language": "en", "age": 3, "sex": "male", "complaint": "Ouch."}\n'
    (tmp_path / "x.jsonl").write_text(text)
    assert "entries: is missing" in osler("records", "validate", tmp_path / "x.jsonl").stderr
