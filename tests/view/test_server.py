"""The page's server: what it answers, whom it answers, and that no text or file breaks it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from osler.eval.scoring import EXACT
from osler.runs.plan import Cell, Column, Plan
from osler.runs.store import Fork, RunFile, RunWriter
from osler.runs.store.connection import checksum
from osler.settings.names import PLAIN
from osler.simulator.batch import about
from osler.view.access import Access
from osler.view.app import application
from osler.view.run_list import RunList
from tests.conftest import LONGEST_WAIT
from tests.stored_runs import rewriting
from tests.view.runs import make, record, transcript

pytestmark = pytest.mark.xdist_group("view")  # one process: they share a run

TOKEN = "a-token-of-the-tests"
HOST = "127.0.0.1:7000"
EN, ZH = "pneumonia-en", "pneumonia-zh"
HOSTILE = (
    "<script>alert(1)</script> [x](javascript:alert(1)) \u202eevil\u202c \x00 \ufffe \U0001f600"
)
PLAN = Plan(
    (record(EN), record(ZH), record("appendicitis-en")),
    ("rules", "m@http://127.0.0.1:1/v1"),
    ("raw", "tim"),
)
TALKS = [
    ([("Do you have a fever?", "Thirty-nine degrees since Monday.")], "Pneumonia"),
    (
        [
            ("Do you cough?", "Yes, green stuff."),
            ("Any chest pain?", "On the right, when I breathe in."),
        ],
        "Gout",
    ),
    ([("Do you smoke?", HOSTILE)], HOSTILE),
    ([("Fever?", "No.")], None),
    ([("发烧了吗？", "发高烧，三十九度。"), ("咳嗽吗？", "咳，有黄痰。")], "肺炎"),
    ([("胸口疼吗？", "右边胸口疼。")], "痛风"),
]


def client(*runs: Path, **headers: str) -> TestClient:
    guarded = Access(application(RunList(runs)), TOKEN, {HOST})
    return TestClient(
        guarded, f"http://{HOST}/{TOKEN}/", headers=headers, raise_server_exceptions=False
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve consultations, of which six are still to be held."""
    return make(tmp_path_factory.mktemp("view") / "small.osler", PLAN, TALKS)


@pytest.fixture
def page(run: Path) -> Iterator[TestClient]:
    with client(run) as opened:
        yield opened


def cells(page: TestClient, **asked: Any) -> list[int]:
    answer = page.get("api/runs/k0/rows", params=asked)
    assert answer.status_code == 200, answer.text
    return [row["cell"] for row in answer.json()["rows"]]


def test_runs_are_told_with_what_can_be_filtered(page: TestClient) -> None:
    (told,) = page.get("api/runs").json()["runs"]
    assert (
        told["key"],
        told["name"],
        told["total"],
        told["done"],
        told["failed"],
        told["todo"],
    ) == (*("k0", "small", 12, 5, 1, 6),)
    assert told["backbones"] == ["m@http://127.0.0.1:1/v1", "rules"]
    assert (told["memories"], told["languages"]) == (["raw", "tim"], ["en", "zh"])
    assert (told["strategies"], told["variants"]) == (["plain"], ["{}"])
    assert (told["endings"], told["judge"]) == (["backbone_failure", "concluded"], EXACT)
    assert not told["live"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"memory": "tim", "state": "done"}, [2, 6]),
        (
            {
                "memory": ["raw", "tim"],
                "language": "en",
                "ending": ["concluded", "backbone_failure"],
            },
            [1, 2, 3, 4],
        ),
        ({"diagnosis": "correct"}, [1, 5]),
        ({"diagnosis": "undecided", "language": "zh"}, [6]),
        ({"ending": "backbone_failure"}, [4]),
        ({"patient": "PENDI"}, [9, 10, 11, 12]),
        ({"backbone": "rules", "language": "zh"}, [5, 6]),
        ({"strategy": "plain", "language": "zh"}, [7, 8]),
        ({"specialty": "no such"}, []),
        ({"search": "fever"}, [1, 4]),
        ({"search": "FEV"}, [1, 4]),
        ({"search": "green cough"}, [2]),
        ({"search": "green fever"}, []),
        ({"search": "高烧"}, [5]),
        ({"search": "胸口疼"}, [6]),
        ({"search": "疼胸口"}, []),
        ({"search": "三十 黄痰"}, [5]),
        ({"search": "gout"}, [2]),
        ({"search": '" OR said:* NEAR('}, []),
        ({"search": "?!"}, []),
        ({"search": "fever", "memory": "raw"}, [1]),
    ],
)
def test_filters_find_what_fits(page: TestClient, asked: dict[str, Any], found: list[int]) -> None:
    assert cells(page, sort="cell", **asked) == found


def test_a_search_says_where_it_hit(page: TestClient) -> None:
    (row,) = page.get("api/runs/k0/rows", params={"search": "breathe"}).json()["rows"]
    assert "On the right, when I breathe in." in row["snippet"]
    (row,) = page.get("api/runs/k0/rows", params={"search": "黄痰"}).json()["rows"]
    assert "咳，有黄痰。" in row["snippet"]


def test_every_column_sorts_both_ways_and_pages_do_not_overlap(page: TestClient) -> None:
    (first, *_) = page.get("api/runs/k0/rows").json()["rows"]
    for column in {*first} - {"fork", "snippet"}:
        up = page.get("api/runs/k0/rows", params={"sort": column}).json()["rows"]
        down = page.get("api/runs/k0/rows", params={"sort": column, "desc": "1"}).json()["rows"]
        told = [row[column] for row in up if row[column] is not None]
        assert told == sorted(told)
        assert [row[column] for row in down if row[column] is not None] == sorted(
            told, reverse=True
        )
        assert [row[column] for row in down][len(told) :] == [None] * (
            12 - len(told)
        )  # what is unknown comes last
    pages = [cells(page, sort="memory", offset=offset, limit=5) for offset in (0, 5, 10, 15)]
    assert [len(some) for some in pages] == [5, 5, 2, 0]
    assert {cell for some in pages for cell in some} == set(range(1, 13))
    assert page.get("api/runs/k0/rows", params={"offset": "10"}).json()["total"] == 12


@pytest.mark.parametrize(
    "asked",
    [
        "limit=0",
        "limit=501",
        "limit=x",
        "offset=-1",
        "offset=1e9",
        "sort=body",
        f"search={'x' * 600}",
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_one_line(
    page: TestClient, asked: str
) -> None:
    answer = page.get(f"api/runs/k0/rows?{asked}")
    assert answer.status_code == 400
    assert ";" in answer.json()["error"]


def test_a_consultation_is_told_turn_by_turn(page: TestClient) -> None:
    told = page.get("api/runs/k0/rows/2").json()
    assert [turn["question"] for turn in told["turns"]] == ["Do you cough?", "Any chest pain?"]
    turn = told["turns"][1]
    assert (turn["turn"], turn["reply"], turn["at"]) == (2, "On the right, when I breathe in.", 2.0)
    assert turn["memory"]["inserted"] == ["#2"]
    [fact] = turn["recall"]["facts"]
    assert (fact["subject"], fact["object"], fact["denied"], fact["turn"]) == (
        "patient",
        "fever",
        True,
        1,
    )
    assert turn["ledger"]["retrieved"][0]["score"] == 0.5
    assert turn["interventions"] == [
        {"who": "doctor", "kind": "refused", "draft": "a draft", "reasons": ["a reason"]}
    ]
    (call,) = turn["calls"]
    assert "messages" not in call
    exact = page.get(f"api/runs/k0/rows/2/calls/{call['number']}").json()
    assert exact == {
        "messages": [{"role": "user", "content": "the prompt"}],
        "answer": "",
        "thought": None,
    }
    (last,) = told["closing"]["calls"]
    assert page.get(f"api/runs/k0/rows/2/calls/{last['number']}").json()["answer"] == "the end"
    assert told["conclusion"]["diagnosis"] == "Gout"
    assert [one["cell"] for one in told["same"]] == [
        1,
        3,
        4,
        5,
        6,
    ]  # the same person, in both languages
    failed = page.get("api/runs/k0/rows/4").json()
    assert (failed["conclusion"], failed["failed"]) == (
        None,
        {"kind": "timeout", "message": "no answer"},
    )


def test_the_truth_is_told_only_when_it_is_asked_for(page: TestClient) -> None:
    truth = page.get("api/runs/k0/rows/2/truth").json()
    story = page.get("api/runs/k0/rows/2").json()
    assert truth["diagnosis"]["name"] == record(EN).diagnosis.name
    assert {one["kind"]: one["verdict"] for one in truth["verdicts"]} == {
        "diagnosis": "undecided",
        "treatment": "undecided",
    }
    assert truth["leaks"] == [
        {"turn": turn, "names": [record(EN).diagnosis.name]} for turn in (1, 2)
    ]
    assert {entry["name"]: entry["asked_in_turn"] for entry in truth["key_entries"]}[
        record(EN).entries[0].name
    ] == 1
    # The table shows these two; the ids of bundled records name the illness.
    del story["header"]["case"], story["header"]["patient"]
    story_text = json.dumps(story, ensure_ascii=False)
    treatment = record(EN).treatment
    assert treatment is not None
    because = truth["verdicts"][0]["because"]
    for name in (*record(EN).diagnosis.names, *treatment.names, "verdict", because):
        assert name not in story_text


def test_hostile_texts_pass_as_they_are(page: TestClient) -> None:
    answer = page.get("api/runs/k0/rows/3")
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert told["turns"][0]["reply"] == HOSTILE
    assert told["conclusion"]["diagnosis"] == HOSTILE


def test_a_text_without_end_is_told_whole(tmp_path: Path) -> None:
    endless = "痛 and pain " * 100_000
    with client(
        make(tmp_path / "long.osler", PLAN, [([("Well?", endless)], "Gout")], judged=False)
    ) as page:
        assert page.get("api/runs/k0/rows/1").json()["turns"][0]["reply"] == endless
        (row,) = page.get("api/runs/k0/rows?search=痛").json()["rows"]
        assert len(row["snippet"]) < 200


def test_a_damaged_consultation_hurts_no_other(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half characters, no JSON, no compression: one line each, and everything else is still
    there."""
    path = tmp_path / "damaged.osler"
    path.write_bytes(run.read_bytes())
    with rewriting(path) as file:
        body = zlib.decompress(
            file.execute("SELECT body FROM transcripts WHERE cell = 1").fetchone()[0]
        )
        half = body.replace(b"Monday", rb"\ud800")
        for cell, changed in ((1, zlib.compress(half)), (2, zlib.compress(b"{}")), (3, b"nothing")):
            file.execute(
                "UPDATE transcripts SET body = ?, checksum = ? WHERE cell = ?",
                (changed, checksum(changed), cell),
            )
        file.execute("UPDATE results SET seconds = 9e999 WHERE cell = 4")
        file.execute("UPDATE measures SET body = '{\"coverage\": NaN}' WHERE cell = 5")
    (tmp_path / "text.osler").write_text("no run")
    with client(path) as page:
        for cell in (1, 2, 3):
            answer = page.get(f"api/runs/k0/rows/{cell}")
            assert answer.status_code == 500
            assert re.fullmatch(r'\{"error":"this cannot be read; [^"]+"\}', answer.text)
        assert {row["cell"]: row["seconds"] for row in page.get("api/runs/k0/rows").json()["rows"]}[
            4
        ] is None
        figures = page.get("api/runs/k0/rows/5").json()["measures"]["figures"]
        assert [one["value"] for one in figures if one["name"] == "coverage"] == [None]
        assert page.get("api/runs").json()["runs"][0]["done"] == 5
        path.write_text("no run any more")
        broken = page.get("api/runs").json()["broken"]
        assert [one["name"] for one in broken] == ["damaged"]
        assert str(tmp_path) not in json.dumps(broken)
        path.unlink()
        gone = page.get("api/runs/k0/rows")
        assert (gone.status_code, gone.json()["error"].split(";")[0]) == (
            404,
            "the run damaged is gone",
        )
        assert page.get("api/runs").json() == {"runs": [], "broken": []}
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        *("", "wrong/api/runs", "api/runs", TOKEN, f"{TOKEN[:-1]}/", f"x/{TOKEN}/api/runs", "%00/"),
        *(f"{TOKEN}/../api/runs", f"{TOKEN.upper()}/api/runs"),
    ],
)
def test_without_the_token_there_is_nothing(run: Path, address: str) -> None:
    with client(run) as page:
        answer = page.get(f"http://{HOST}/{address}")
    assert (answer.status_code, answer.text) == (404, "")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:7000", "127.0.0.1.evil.example:7000", "[evil.example]", ""],
)
def test_another_host_is_refused(run: Path, host: str) -> None:
    with client(run, host=host) as page:
        answer = page.get("api/runs")
    assert (answer.status_code, answer.text) == (403, "")


@pytest.mark.parametrize(
    ("origin", "status"),
    [(f"http://{HOST}", 405), ("http://evil.example", 403), ("null", 403), (None, 405)],
)
def test_nobody_else_may_change_anything(run: Path, origin: str | None, status: int) -> None:
    """There is nothing to post to a table; what matters is who gets as far as being told so."""
    with client(run) as page:
        answer = page.post("api/runs", headers={} if origin is None else {"origin": origin})
    assert answer.status_code == status


@pytest.mark.parametrize(
    "address",
    [
        *(
            "static/../../../../etc/passwd",
            "..%2f..%2fapp.py",
            "%2e%2e/%2e%2e/app.py",
            "js/..%2f..%2fapp.py",
            "//etc/passwd",
        ),
        *(
            "%00",
            "js",
            "api",
            "api/",
            "api/runs/",
            "api/runs/k9/rows",
            "api/runs/..%2f..%2fx/rows",
            "api/runs/k0/rows/99",
        ),
        *(
            "api/runs/k0/rows/7",
            "api/runs/k0/rows/1/calls/0",
            f"api/runs/k0/rows/{9**30}",
            "api/runs/k0/rows/1/calls/9999",
        ),
    ],
)
def test_what_is_not_there_is_not_found(page: TestClient, address: str) -> None:
    answer = page.get(address)
    assert answer.status_code == 404, answer.text
    assert "root:" not in answer.text
    assert "import" not in answer.text
    assert set(answer.json()) == {"error"} if answer.text else True


def test_every_answer_forbids_what_a_page_must_not_do(page: TestClient) -> None:
    addresses = [
        "",
        "js/base.js",
        "nothing",
        "api/runs",
        "api/runs/k0/rows/1",
        "api/changes",
        f"http://{HOST}/",
    ]
    for answer in (
        *map(page.get, addresses),
        page.post("api/runs", headers={"origin": "http://x"}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


def test_no_answer_holds_a_path(run: Path, page: TestClient) -> None:
    told = [
        page.get(f"api/runs{rest}").text
        for rest in ("", "/k0/rows", "/k0/rows/1", "/k0/rows/1/truth", "/k8/rows")
    ]
    assert not [
        text for text in told if str(run.parent) in text or "/tmp" in text or ".osler" in text
    ]


def test_a_change_of_a_run_in_progress_is_seen(tmp_path: Path) -> None:
    path = make(tmp_path / "live.osler", PLAN, TALKS[:1])
    with client(path) as page, RunWriter.create_or_resume(path, about(PLAN.settings)) as store:
        store.begin({})
        stamp = page.get("api/changes").json()["stamp"]
        assert page.get("api/runs").json()["runs"][0]["live"]

        def goes_on() -> None:
            time.sleep(0.3)
            store.finish(2, transcript(store.record(EN), store.cell(2), *TALKS[1]))

        writing = threading.Thread(target=goes_on)
        began = time.monotonic()
        writing.start()
        news = page.get("api/changes", params={"since": stamp}).json()
        writing.join()
        assert news["runs"] == ["k0"]
        assert 0.2 < time.monotonic() - began < 10
        assert news["stamp"] != stamp
        assert cells(page, search="breathe") == [2]


def test_forks_of_a_run_are_shown_with_it(run: Path, tmp_path: Path) -> None:
    (tmp_path / "main.osler").write_bytes(run.read_bytes())
    with client(tmp_path / "main.osler") as page:
        stamp = page.get("api/changes").json()["stamp"]
        with RunWriter.create_or_resume(
            tmp_path / "main.forks.osler", about(PLAN.settings)
        ) as store:
            cell = Cell(EN, Column.of("rules", PLAIN, "none"), 1)
            number = store.add_fork(
                record(EN), cell, Fork("main", Cell(EN, Column.of("rules", PLAIN, "raw"), 1), 1)
            )
            store.begin({})
            store.finish(number, transcript(record(EN), cell, TALKS[0][0]))
        assert page.get("api/changes", params={"since": stamp}).json()["runs"] == ["k1"]
        assert [one["name"] for one in page.get("api/runs").json()["runs"]] == [
            "main",
            "main.forks",
        ]
        (row,) = page.get("api/runs/k1/rows").json()["rows"]
        assert row["fork"] == {"run": "main", "case": EN, "turn": 1}
        assert page.get("api/runs/k0/rows").json()["rows"][0]["fork"] is None


def test_there_is_a_chair_for_a_person(page: TestClient) -> None:
    """What is played there is another room's; here it is reached, and a wrong wish is refused in
    one line."""
    assert page.post("api/play", json={"as": "nurse"}).status_code == 400
    assert page.get("api/play/nobody").status_code == 404


def test_what_is_repeated_is_found_as_it_is_now(tmp_path: Path) -> None:
    path = make(tmp_path / "run.osler", PLAN, TALKS)
    with client(path) as page, RunWriter.create_or_resume(path, about(PLAN.settings)) as store:
        assert cells(page, search="fever", sort="cell") == [1, 4]
        store.retry()
        assert cells(page, search="fever") == [1]
        store.begin({})
        store.finish(4, transcript(store.record(EN), store.cell(4), [("Chills?", "None.")]))
        assert cells(page, search="fever") == [1]
        assert cells(page, search="chills") == [4]


def test_the_command_serves_until_it_is_stopped(run: Path) -> None:
    """A real process: the address it prints works, and nothing keeps a writer from closing its
    run."""
    command = [
        sys.executable,
        "-c",
        "from osler.cli import main; main()",
        "view",
        str(run),
        "--no-browser",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
            with httpx.Client(base_url=address, trust_env=False, timeout=LONGEST_WAIT) as web:
                assert "<html" in web.get("").text
                assert web.get("api/runs/k0/rows?search=高烧").json()["total"] == 1
                assert web.get(address.replace("127.0.0.1", "localhost")).status_code == 200
                assert web.get("api/runs", headers={"host": "evil.example"}).status_code == 403
                assert web.get(address.rsplit("/", 2)[0] + "/").status_code == 404
        finally:
            server.terminate()
        _, errors = server.communicate(timeout=LONGEST_WAIT)
        assert errors == ""
    with RunFile.open(run) as file:
        assert file.status().done == 5


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nothing"], "there is no run"),
        (["--token", "short"], "the token is too weak"),
        (["--host", "203.0.113.1"], "cannot be listened on"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    run: Path, args: list[str], told: str
) -> None:
    from typer.testing import CliRunner

    from osler.cli import app

    result = CliRunner().invoke(
        app, ["view", *([] if args == ["nothing"] else [str(run)]), "--no-browser", *args]
    )
    assert told in str(result.exception)
