"""Every broken file gives one error that names the file, the place and the field; nothing half-read is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from osler.records import RecordError, RecordPool
from tests.conftest import Run, small_record


def write(path: Path, **changes: Any) -> Path:
    path.write_text(yaml.safe_dump(small_record(**changes), allow_unicode=True, sort_keys=False), encoding="utf-8")
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
        ({"entries": entries(category="mood")}, "entries[1].category", "is 'mood'; use one of 'symptom'"),
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


def test_aliases_that_would_explode_are_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    assert "uses a YAML alias" in error_of(tmp_path / "bomb.yaml")


@pytest.mark.parametrize("name", ["big.yaml", "big.json", "big.csv", "big.xlsx"])
def test_fifty_megabytes(tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        if name == "big.json":
            file.write(b'[{"medical_record": 1}]')
        file.truncate(50 * 2**20)
    assert f"{name}: the file has 50 MB" in error_of(tmp_path / name)


def test_a_line_of_fifty_megabytes_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text(
        json.dumps(small_record(id="a")) + "\n" + "x" * (50 * 2**20) + "\n" + json.dumps(small_record(id="b")) + "\n"
    )
    readings = list(RecordPool.open(path).readings())
    assert [reading.record.id if reading.record else str(reading.problems[0]) for reading in readings] == [
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
        ("[" * 100_000, "is not valid JSON"),
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
    import zipfile

    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (100 * 2**20))
    assert "unpacks to 100 MB" in error_of(tmp_path / "bomb.xlsx")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("x.xlsx", ""), ("x.json", "no format of patient records begins like this"), ("x.txt", "its kind is not known")],
)
def test_a_file_with_the_wrong_ending(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / name).write_text("hello")
    told = error_of(tmp_path / name)
    assert name in told and reason in told
    if reason:
        assert "osler records validate" not in told, "who has just been told that will not learn more there"


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
    assert [line.split(",")[0].split(":")[0] for line in lines[:-1]] == ["a.yaml", "a.yaml", "b.yaml", "c.yaml"]
    assert lines[-1] == "osler: 4 problem(s) in 3 file(s), 1 sound record(s); mend them and validate again"
    assert "Traceback" not in done.stderr


def test_convert_of_a_pool_with_one_broken_record_writes_nothing(tmp_path: Path, osler: Run) -> None:
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
