"""Runs as files: complete, sound as scripts, and written whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from osler.cli import app
from osler.view.access import Access
from osler.view.app import application
from osler.view.run_list import RunList
from tests.view.runs import make
from tests.view.test_server import HOSTILE, PLAN, TALKS

pytestmark = pytest.mark.xdist_group(
    "view"
)  # one process: they share runs and what is written of them

LINE = "\u2028 and \u2029"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("export")
    hostile = [([("</script>", HOSTILE + LINE)], "]]>")]
    return [
        make(folder / "first.osler", PLAN, TALKS, judged=False),
        make(folder / "second.osler", PLAN, hostile, judged=False),
    ]


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("out") / "site"
    result = write(*runs, "-o", target)
    assert result.exit_code == 0, result.exception
    assert "7 consultation(s) of 2 run(s)" in result.output
    return target


def write(*args: Any) -> Any:
    return CliRunner().invoke(app, ["export", *map(str, args), "--format", "html"])


def given(script: Path) -> dict[str, Any]:
    """What a script hands over: every statement of it is `Osler.given(address, answer)`, and
    nothing else."""
    text = script.read_text("utf-8")
    assert not re.search("[<\u2028\u2029]", text)
    assert text.startswith("'use strict';\n")
    answers: dict[str, Any] = {}
    rest, decoder = text.removeprefix("'use strict';\n"), json.JSONDecoder()
    while rest:
        assert rest.startswith("Osler.given(")
        address, end = decoder.raw_decode(rest, len("Osler.given("))
        assert rest[end] == ","
        answers[address], end = decoder.raw_decode(rest, end + 1)
        assert rest[end : end + 3] == ");\n"
        rest = rest[end + 3 :]
    return answers


def test_the_files_hold_what_the_server_answers(site: Path, runs: list[Path]) -> None:
    shelf = RunList(runs)
    guarded = Access(application(shelf), "token", {"testserver"})
    server = TestClient(guarded, "http://testserver/token/")
    written: dict[str, Any] = {}
    for script in (site / "data").rglob("*.js"):
        written |= given(script)
    assert written["api/runs"]["runs"] == server.get("api/runs").json()["runs"]
    for key, count in (("k0", 6), ("k1", 1)):
        rows = server.get(f"api/runs/{key}/rows?sort=cell&limit=500").json()["rows"]
        assert written[f"api/runs/{key}/all"] == {"rows": rows}
        assert len(written[f"api/runs/{key}/said"]) == count
        assert written[f"api/runs/{key}/makers"] == server.get(f"api/runs/{key}/makers").json()
        for cell in range(1, count + 1):
            address = f"api/runs/{key}/rows/{cell}"
            story = written[address]
            assert story == server.get(address).json()
            assert written[f"{address}/truth"] == server.get(f"{address}/truth").json()
            for call in (
                one for turn in (*story["turns"], story["closing"]) for one in turn["calls"]
            ):
                exact = f"{address}/calls/{call['number']}"
                assert written[exact] == server.get(exact).json()
    assert "发高烧" in written["api/runs/k0/said"]["5"]
    assert HOSTILE + LINE in written["api/runs/k1/said"]["1"]


def test_the_truth_lies_apart_from_the_story(site: Path) -> None:
    answers = given(site / "data" / "k0" / "2.js")
    assert "verdicts" not in json.dumps(answers["api/runs/k0/rows/2"])
    assert answers["api/runs/k0/rows/2/truth"]["diagnosis"]["name"]


def test_the_page_opens_from_disk(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    assert 'data-from="disk"' in page
    assert re.search(
        r'<head>\s*<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ', page
    )
    assets = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert assets
    assert not [asset for asset in assets if not (site / asset).is_file()]


def test_nothing_written_tells_where_it_was_written(site: Path, runs: list[Path]) -> None:
    told = [
        path
        for path in site.rglob("*")
        if path.is_file() and str(runs[0].parent).encode() in path.read_bytes()
    ]
    assert told == []


def test_an_export_replaces_an_earlier_one_and_nothing_else(
    runs: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "site"
    target.mkdir()
    assert write(runs[0], "-o", target).exit_code == 0  # an empty folder is as good as none
    assert (target / "data" / "k0" / "6.js").is_file()
    assert write(runs[1], "-o", target).exit_code == 0
    assert not (target / "data" / "k0" / "6.js").exists()
    for other in (tmp_path / "thesis", tmp_path / "file"):
        if other.name == "thesis":
            other.mkdir()
            (other / "chapter.txt").write_text("years of work")
        else:
            other.write_text("years of work")
        refused = write(runs[0], "-o", other)
        assert refused.exit_code != 0
        assert "-o" in str(refused.exception)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "site", "thesis"]


def test_what_breaks_off_leaves_nothing(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "site"
    assert write(runs[1], "-o", target).exit_code == 0
    before = (target / "data" / "runs.js").read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    broken = write(runs[0], "-o", target)
    assert "No space left on device" in str(broken.exception)
    assert (target / "data" / "runs.js").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_cannot_be_read_is_left_out_and_said(runs: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "damaged.osler"
    path.write_bytes(runs[0].read_bytes())
    with sqlite3.connect(path) as file:
        file.execute("UPDATE transcripts SET body = 'nothing' WHERE cell = 3")
    file.close()
    result = write(path, "-o", tmp_path / "site")
    assert result.exit_code == 0
    assert "1 consultation(s) cannot be read" in result.output
    assert sorted(given(tmp_path / "site" / "data" / "k0" / "said.js")["api/runs/k0/said"]) == list(
        "123456"
    )
    assert not (tmp_path / "site" / "data" / "k0" / "3.js").exists()
    path.write_bytes(b"nothing")
    assert "is not a run" in str(write(path, "-o", tmp_path / "other").exception)
