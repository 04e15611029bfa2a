from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from osler.errors import UserError
from osler.records import Language, RecordPool
from osler.records.validation import RecordError
from tests.conftest import small_record


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    rows = [
        small_record(
            id=f"p{n}", specialty="odd" if n % 2 else "even", language="zh" if n == 3 else "en"
        )
        for n in range(10)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def ids(pool: RecordPool) -> list[str]:
    return [record.id for record in pool]


def test_filters(jsonl: Path) -> None:
    pool = RecordPool.open(jsonl)
    assert len(ids(pool)) == 10
    assert ids(pool.only(specialties=["odd"])) == ["p1", "p3", "p5", "p7", "p9"]
    assert ids(pool.only(languages=[Language.ZH])) == ["p3"]
    assert ids(pool.only(ids=["p7", "p2"])) == ["p2", "p7"]
    assert ids(pool.only(limit=3)) == ["p0", "p1", "p2"]
    assert ids(pool.only(specialties=["odd"]).only(limit=2)) == ["p1", "p3"]


def test_a_sample_is_drawn_by_seed_and_kept_in_order(jsonl: Path) -> None:
    pool = RecordPool.open(jsonl)
    drawn = ids(pool.only(sample=4, seed=1))
    assert len(drawn) == 4 and drawn == sorted(drawn)
    assert ids(pool.only(sample=4, seed=1)) == drawn
    assert any(ids(pool.only(sample=4, seed=seed)) != drawn for seed in range(2, 6))
    assert ids(pool.only(sample=4, seed=1, limit=2)) == drawn[:2]
    assert len(ids(pool.only(ids=drawn, sample=2, seed=1))) == 2, (
        "a named record that is not drawn is not missing"
    )


def test_random_access(jsonl: Path) -> None:
    pool = RecordPool.open(jsonl)
    assert pool.get("p7").id == "p7"
    assert pool.get("p0").id == "p0"
    with pytest.raises(UserError, match="no record is called 'p10'"):
        pool.get("p10")


def test_an_id_that_is_not_there_is_an_error_not_an_empty_run(jsonl: Path) -> None:
    with pytest.raises(UserError, match="'nobody'"):
        ids(RecordPool.open(jsonl).only(ids=["p1", "nobody"]))


def test_a_patient_is_found_by_name_where_it_is_one_record() -> None:
    pool = RecordPool.open()
    assert pool.find("bladder-cancer-zh").language is Language.ZH
    with pytest.raises(UserError, match="bladder-cancer-en, bladder-cancer-zh"):
        pool.find("bladder-cancer")


def test_a_record_is_not_taken_from_a_pool_with_an_unreadable_file(
    jsonl: Path, tmp_path: Path
) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    (pool / "good.jsonl").write_bytes(jsonl.read_bytes())
    name = next(iter(RecordPool.open(pool))).id
    assert RecordPool.open(pool).find(name).id == name
    (pool / "bad.json").write_text("[" * 1000)
    with pytest.raises(RecordError, match=r"bad\.json"):
        RecordPool.open(pool).find(name)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no file or folder"):
        RecordPool.open(tmp_path / "nothing")
    with pytest.raises(UserError, match="holds no records"):
        list(RecordPool.open(tmp_path))


LARGE = """
import json, re, sys, time
from pathlib import Path
began = time.perf_counter()
from osler.records import RecordPool
pool = RecordPool.open(sys.argv[1])
ready = time.perf_counter()
first = next(iter(pool))
first_s = time.perf_counter() - ready
count = sum(1 for _ in pool)
all_s = time.perf_counter() - ready
assert pool.get("p19999").id == "p19999" and pool.get("p5").id == "p5"
# Not `ru_maxrss`: a child takes its parent's over.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({"first": first_s, "all": all_s, "count": count, "mb": peak}))
"""


def test_a_large_pool_is_read_one_record_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    row = json.dumps(small_record(id="ID", intent="x" * 4000, exam_order=None))
    with path.open("w") as file:
        for number in range(20_000):
            file.write(row.replace('"ID"', f'"p{number}"') + "\n")
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(path)], capture_output=True, text=True, check=True
    )
    seen = json.loads(done.stdout)
    assert seen["count"] == 20_000
    assert seen["first"] < seen["all"] / 10
    assert seen["mb"] < 160, "the texts alone have 80"
