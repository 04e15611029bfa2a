"""Every broken file gives one error that names the file, the place and the field; nothing half-read
is used."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl import Workbook

from osler.records import RecordError, RecordPool
from tests.conftest import Run, small_record


def write(path: Path, **changes: Any) -> Path:
    path.write_text(
        yaml.safe_dump(small_record(**changes), allow_unicode=True, sort_keys=False),
        encoding="utf-8",
    )
    return path


def error_of(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        list(RecordPool.open(path))
    message = caught.value.message
    assert "\n" not in message
    return message


def entries(**change: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = small_record()["entries"]
    made[1].update(change)
    return made


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        (
            {"entries": entries(category="mood")},
            "entries[1].category",
            "is 'mood'; use one of 'symptom'",
        ),
        ({"diagnosis": None}, "diagnosis", "is missing"),
        ({"diagnosis": {"aliases": ["x"]}}, "diagnosis.name", "is missing"),
        ({"diagnosis": {"name": "x", "icd10": "nonsense"}}, "diagnosis.icd10", "is 'nonsense'"),
        ({"exam_order": "Palpation > X-ray > Palpation"}, "exam_order", "circle"),
        ({"exam_order": "Palpation > MRI"}, "exam_order", "no entry is called 'MRI'"),
        ({"exam_order": "Palpation >"}, "exam_order", "empty step"),
        ({"entries": []}, "entries", "at least 1"),
        ({"entries": entries(name="ankle PAIN")}, "entries", "give each its own name"),
        ({"entries": entries(name=" ")}, "entries[1].name", "is empty"),
        ({"age": "old"}, "age", "write `84`"),
        ({"sex": "yes"}, "sex", "use one of 'female'"),
        ({"language": "fr"}, "language", "use one of 'en' or 'zh'"),
        ({"colour": "red"}, "colour", "is not a field of a record"),
        ({"id": "../../etc/passwd"}, "id", "must match"),
        ({"complaint": "x" * 5000}, "complaint", "longer than 4000"),
        (
            {"treatment": {"name": "x", "unsafe": [{"name": "y", "because": "z", "entry": "q"}]}},
            "treatment.unsafe.entry",
            "'q'",
        ),
        ({"complaint": ["a"]}, "complaint", "should be a valid string"),
    ],
)
def test_a_wrong_field(tmp_path: Path, changes: dict[str, Any], field: str, reason: str) -> None:
    message = error_of(write(tmp_path / "broken.yaml", **changes))
    assert message.startswith("broken.yaml, line "), message
    assert f", {field}: " in message, message
    assert reason in message, message


def test_the_line_is_the_fields_own(tmp_path: Path) -> None:
    path = write(tmp_path / "broken.yaml", sex="yes")
    line = 1 + [text.split(":")[0] for text in path.read_text().splitlines()].index("sex")
    assert f"line {line}, sex" in error_of(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"# only a comment\n", "the record is empty"),
        (b"- a\n- b\n", "the record is a list"),
        (b"just text", "the record is a str"),
        ("年龄".encode("gbk"), "is not UTF-8; save the file with the encoding UTF-8"),
        (b"a: [1, 2", "is not valid YAML"),
        (b"a: b: c", "is not valid YAML"),
        (b"id: a\nid: b\n", "gives 'id' twice"),
        (b"a: &x [1]\nb: *x\n", "uses a YAML alias"),
        (b"? [a]\n: b\n", "a key that is not a plain text"),
        (b"[" * 100_000, "is nested more than 10 deep"),
        (b"a: 1\n---\nb: 1\n", "holds several documents"),
        (b"!!python/object/apply:os.system ['true']", "the record is a list"),
    ],
)
def test_a_file_that_is_no_record(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    message = error_of(path)
    assert message.startswith("broken.yaml"), message
    assert reason in message, message


HEAD = "1st category,2nd category,Report result,Constraints\n"
CASE = '{"OSCE_Examination": {"Patient_Actor": %s}}'
OURS = '{"language": "en", "sex": "male", "complaint": "x", '
HOSTILE: dict[str, tuple[str, str]] = {
    "cells.csv": ("," * 400_000 + "\n", "line 1: has 400,001 cells, more than 100"),
    "below.csv": (HEAD + "," * 400_000, "line 2: has 400,001 cells, more than 100"),
    "shifted.csv": (
        HEAD + "Symptom,Pain,a,b,c,d,e,f,g,h,i\n",
        "line 2: has 11 cells and the table has 10; put texts with",
    ),
    "rows.csv": (
        HEAD + "Age,,84,\n" * 100_000,
        "has more than 5,000 rows; a file holds one patient",
    ),
    "large.csv": (HEAD + "Age,,84,\n" * 400_000, "the file has 3.43 MB, more than the 1 MB"),
    "cell.csv": (
        HEAD + "Age,," + "8" * 900_000,
        "is not a CSV table: field larger than field limit",
    ),
    "quote.csv": (
        HEAD + 'Age,,"84',
        "is not a CSV table: unexpected end of data; export it again with commas",
    ),
    "nul.csv": (
        HEAD + "Age,\0,84\n",
        "line 2: byte 56 is NUL, which no text holds; save the file as text in UTF-8",
    ),
    "nul.yaml": ("id: \0", "line 1: byte 4 is NUL"),
    "nul.jsonl": ("\0" * 100_000, "line 1: byte 0 is NUL"),
    "deep.json": ("[" * 100_000, "no format of patient records begins like this"),
    "quotes.json": ('\\"' * 30_000 + "{" * 1_000, "no format of patient records begins like this"),
    "number.jsonl": (
        OURS + '"id": ' + "9" * 5_000 + "}",
        "line 1: holds a number of thousands of digits",
    ),
    "within.jsonl": (
        OURS + '"id": ' + "[" * 900 + "]" * 900 + "}",
        "id: is [[[[[[[...]]]]]]]; input should be",
    ),
    "symptoms.jsonl": (CASE % '{"Symptoms": ["a"]}', "line 1: has not the shape of its format"),
    "second.jsonl": (
        CASE % '{"Symptoms": {"Secondary_Symptoms": 7}}',
        "line 1: has not the shape of its format",
    ),
    "old.jsonl": (CASE % '{"Demographics": "999999999-year-old"}', "line 1, age: is not an age"),
}


@pytest.mark.timeout(100)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_would_take_all_time_and_memory_gets_one_line(
    tmp_path: Path, name: str
) -> None:
    content, reason = HOSTILE[name]
    good = write(tmp_path / "good.yaml")
    ordinary = _seconds(lambda: list(RecordPool.open(good)))
    (tmp_path / name).write_text(content)
    told: list[str] = []
    took = _seconds(lambda: told.append(error_of(tmp_path / name)))
    assert told[0].startswith(name) and reason in told[0], told[0]
    assert len(told[0]) < 300
    assert took < 3.0 + 100 * ordinary


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def sheet(path: Path, xml: str) -> Path:
    """A workbook whose one sheet is this."""
    Workbook().save(path)
    with zipfile.ZipFile(path) as made:
        parts = {part: made.read(part) for part in made.namelist()}
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/worksheets/sheet1.xml"] = (
        f'<worksheet xmlns="{space}"><sheetData>{xml}</sheetData></worksheet>'.encode()
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return path


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (
            "<row><c/></row>" * 1_000_000,
            "has a sheet that unpacks to 14 MB, more than 4 MB; a sheet holds one patient",
        ),
        ("<row><c/></row>" * 200_000, "has more than 5,000 rows, or something below row 20,000"),
        (
            '<row r="99999999999"><c t="b"><v>1</v></c></row>',
            "has more than 5,000 rows, or something below row 20,000",
        ),
        (
            '<row r="1"><c r="A1" t="b"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"/></row>',
            "below row 20,000",
        ),
        (
            "<row>" + "<c>" * 100_000,
            "is not a readable workbook: ParseError; save it again as .xlsx",
        ),
    ],
    ids=("sheet", "rows", "far row", "last cell", "broken"),
)
def test_a_sheet_that_would_take_all_time_and_memory_gets_one_line(
    tmp_path: Path, xml: str, reason: str
) -> None:
    told = error_of(sheet(tmp_path / "hostile.xlsx", xml))
    assert told.startswith("hostile.xlsx") and reason in told, told


def test_a_table_keeps_what_its_cells_show(tmp_path: Path) -> None:
    book = Workbook()
    page = book.active
    assert page is not None
    rows: list[list[Any]] = [
        ["Age", None, 84.0],
        ["Gender", None, "Female"],
        ["Initial Query", None, "My ankle hurts."],
    ]
    rows += [
        ["Diagnosis", "Core Diagnosis", "Sprain"],
        ["Symptom", "Pain", "Since 7 days."],
        [],
        ["Sign", "BMI", 21.5],
    ]
    for row in rows:
        page.append(row)
    page["XFD1"] = "a note"
    book.save(tmp_path / "table.xlsx")
    (record,) = RecordPool.open(tmp_path / "table.xlsx")
    assert (record.age.value, [entry.report for entry in record.entries]) == (
        84,
        ["Since 7 days.", "21.5"],
    )


def test_aliases_that_would_explode_are_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    assert "uses a YAML alias" in error_of(tmp_path / "bomb.yaml")


@pytest.mark.parametrize("name", ["big.yaml", "big.csv", "big.xlsx"])
def test_fifty_megabytes(tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(50 * 2**20)
    assert f"{name}: the file has 50 MB" in error_of(tmp_path / name)


def test_a_line_of_fifty_megabytes_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text(
        json.dumps(small_record(id="a"))
        + "\n"
        + "x" * (50 * 2**20)
        + "\n"
        + json.dumps(small_record(id="b"))
        + "\n"
    )
    readings = list(RecordPool.open(path).readings())
    assert [
        reading.record.id if reading.record else str(reading.problems[0]) for reading in readings
    ] == [
        "a",
        "big.jsonl, line 2: is longer than 1 MB; a line holds one record",
        "b",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not valid JSON"),
        ("[1]", "the record is a list"),
        ('"x"', "the record is a str"),
        ("{}", "id: is missing"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_bad_line_of_jsonl(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(json.dumps(small_record()) + "\n" + line + "\n")
    message = error_of(path)
    assert message.startswith("pool.jsonl, line 2"), message
    assert reason in message


def test_a_duplicate_id_names_both_places(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    write(tmp_path / "b.yaml")
    assert "b.yaml, id: is 'sprain' like that of a.yaml" in error_of(tmp_path)


def test_a_link_that_leads_outside_the_pool(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret.yaml")
    pool = tmp_path / "pool"
    pool.mkdir()
    (pool / "x.yaml").symlink_to(outside)
    assert "x.yaml: leads outside the pool" in error_of(pool)


def test_a_workbook_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (100 * 2**20))
    assert "unpacks to 100 MB" in error_of(tmp_path / "bomb.xlsx")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x.xlsx", ""),
        ("x.json", "no format of patient records begins like this"),
        ("x.txt", "its kind is not known"),
    ],
)
def test_a_file_with_the_wrong_ending(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / name).write_text("hello")
    told = error_of(tmp_path / name)
    assert name in told and reason in told
    if reason:
        assert "osler records validate" not in told, (
            "who has just been told that will not learn more there"
        )


def test_validate_lists_all_problems_of_all_files_in_one_go(tmp_path: Path, osler: Run) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    write(pool / "a.yaml", sex="yes", age="old")
    write(pool / "b.yaml", diagnosis=None)
    (pool / "c.yaml").write_bytes(b"\xff\xfe")
    write(pool / "good.yaml")
    done = osler("records", "validate", pool)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line.split(",")[0].split(":")[0] for line in lines[:-1]] == [
        "a.yaml",
        "a.yaml",
        "b.yaml",
        "c.yaml",
    ]
    assert (
        lines[-1]
        == "osler: 4 problem(s) in 3 file(s), 1 sound record(s); mend them and validate again"
    )
    assert "Traceback" not in done.stderr


def test_convert_of_a_pool_with_one_broken_record_writes_nothing(
    tmp_path: Path, osler: Run
) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    write(pool / "a.yaml")
    write(pool / "b.yaml", id="other", sex="yes")
    before = sorted(tmp_path.iterdir())
    done = osler("records", "convert", pool, "out.jsonl")
    assert done.returncode == 2
    assert "b.yaml" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_terminal_codes_in_a_file_do_not_reach_the_terminal(tmp_path: Path, osler: Run) -> None:
    (tmp_path / "evil.jsonl").write_text(json.dumps({"id": "\x1b[31m"}) + "\n")
    done = osler("records", "validate", "evil.jsonl")
    assert "\x1b" not in done.stderr + done.stdout
