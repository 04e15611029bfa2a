"""`osler bench`: from data to tables, resumed after a kill, with and without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler.bench.person import PersonBench
from osler.bench.results import PersonResult
from osler.bench.run import memory_specs
from osler.models import Backbone
from osler.simulator import clients
from tests.agents.scripted import scripted
from tests.bench import data
from tests.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data.kdconv(tmp_path / "data" / "kdconv")
    data.locomo(tmp_path / "data" / "locomo")
    return tmp_path / "data"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who was measured, in order."""
    measured: list[str] = []
    run = PersonBench.run

    async def counting(self: PersonBench) -> PersonResult:
        result = await run(self)
        measured.append(f"{result.memory} {result.person}")
        return result

    monkeypatch.setattr(PersonBench, "run", counting)
    return measured


def bench(osler: Run, folder: Path, *more: str) -> dict[str, Any]:
    done = osler("bench", "memory", "--data", folder, "--limit", "6", "--json", *more)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def values(found: dict[str, Any], data_set: str, memory: str) -> dict[str, float]:
    [rows] = [one["memories"] for one in found["data"] if one["data"] == data_set]
    [row] = [one for one in rows if one["memory"] == memory]
    return {name: figure["value"] for name, figure in row["figures"].items()}


def test_memories_are_compared_and_shown_again(osler: Run, folder: Path, tmp_path: Path) -> None:
    found = bench(osler, folder, "--memories", "none,raw,tim")
    raw, none = values(found, "kdconv travel", "raw"), values(found, "kdconv travel", "none")
    assert raw["hit@10"] > 0.5 and none["hit@10"] == 0.0 and none["tokens recalled"] == 0.0
    assert raw["another person's words recalled"] == 0.0
    assert raw["deletion: value gone"] == 1.0 and "deletion: value gone" not in none
    assert values(found, "locomo", "raw")["hit@5"] == 1.0
    shown = osler("bench", "show", "bench")
    assert (
        "kdconv travel" in shown.stdout
        and "hit@10" in shown.stdout
        and "correct" not in shown.stdout
    )
    page = (tmp_path / "bench" / "bench.html").read_text(encoding="utf-8")
    assert (
        page.count("<svg") == 3
        and "kdconv travel" in page
        and "http" not in page.split("</head>")[1]
    )
    assert osler("report", "bench").returncode == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    for options in ((), ("--force", "--judge", "rules")):
        refused = osler("report", "bench", *options)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1


def test_a_killed_bench_goes_on_where_it_was(
    osler: Run, folder: Path, tmp_path: Path, counted: list[str]
) -> None:
    whole = bench(osler, folder, "--memories", "raw,full")
    file = tmp_path / "bench" / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(counted) == len(lines) == 6
    file.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    counted.clear()
    again = bench(osler, folder, "--memories", "raw,full")
    assert len(counted) == 2 and len(file.read_bytes().splitlines()) == 6
    assert (
        values(again, "kdconv travel", "full")["hit@3"]
        == values(whole, "kdconv travel", "full")["hit@3"]
    )
    counted.clear()
    more = bench(osler, folder, "--memories", "raw,none")
    assert {name.split()[0] for name in counted} == {"none"}
    assert [one["memory"] for one in more["data"][0]["memories"]] == ["raw", "full", "none"]


def test_another_bench_in_the_same_folder_is_refused(
    osler: Run, folder: Path, tmp_path: Path
) -> None:
    bench(osler, folder, "--memories", "none")
    other = osler(
        "bench", "memory", "--data", folder, "--memories", "none", "--budget", "300", "--limit", "6"
    )
    assert (
        other.returncode == 2
        and "with another budget; give another folder with --out" in other.stderr
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("hello")
    full = osler("bench", "memory", "--data", folder, "--out", "mine")
    assert full.returncode == 2 and "mine holds other files" in full.stderr
    assert "no folder of a bench" in osler("bench", "show", "mine").stderr


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--memories", "raw,elephant"], "elephant"),
        (["--judge", "local"], "there is no model; add --model"),
        (["--k", "0"], "--k '0' cannot be read"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_is_written(
    osler: Run, folder: Path, tmp_path: Path, args: list[str], line: str
) -> None:
    done = osler("bench", "memory", "--data", folder, *args)
    assert done.returncode == 2 and line in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "bench").exists()


def test_options_belong_to_the_memory_before_them() -> None:
    assert memory_specs("raw, tim,mode=paper,k=5,full,raw") == ["raw", "tim,mode=paper,k=5", "full"]


def speaks(answer: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let every model be one that answers so; return its prompts."""
    _, client = scripted(answer)

    def opened(spec: str, **_: object) -> Backbone:
        return Backbone(spec, spec, client, identity=spec)

    monkeypatch.setattr(clients, "open_backbone", opened)
    return client.prompts


MODEL, READER = "gpt@http://localhost:1/v1", "other@http://localhost:1/v1"


def answers(prompt: str) -> str:
    """Speak as the model that answers, and as the one that reads."""
    if '"agrees"' not in prompt:
        return "It is not told." if "Which car" in prompt else "Bob paints and rows since 2023."
    if "<answer>It is not told.</answer>" in prompt:
        return '{"words": "not told", "says": "not known", "agrees": "none"}'
    agrees = "outdated" if "No longer so" in prompt else "part"
    return json.dumps({"words": "Bob paints", "says": "tells", "agrees": agrees})


def test_a_model_answers_and_another_reads(
    osler: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = speaks(answers, monkeypatch)
    args = ("--memories", "raw", "--model", MODEL, "--judge", READER)
    found = values(bench(osler, folder / "locomo", *args), "locomo", "raw")
    assert found["correct"] == 0.5 and found["consistency"] == 1.0
    assert found["unanswerable: refused"] == 1.0 and found["answerable: refused"] == 0.0
    assert found["planted update: answered right"] == 0.0
    assert any("I paint birds." in prompt and "What does Bob do?" in prompt for prompt in prompts)


def test_answers_that_nobody_reads_have_no_figures(
    osler: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if some are exact: `Not known` is the most frequent of them."""
    speaks(
        lambda prompt: "Not known." if "What does Bob do?" in prompt else answers(prompt),
        monkeypatch,
    )
    run = bench(osler, folder / "locomo", "--memories", "raw", "--model", MODEL)
    found = values(run, "locomo", "raw")
    read = {
        "correct",
        "consistency",
        "unanswerable: refused",
        "answerable: refused",
        "planted update: answered right",
    }
    assert not read & found.keys() and found["gold turns recalled"] == 1.0
    assert run["data"][0]["memories"][0]["unread"] > 0
    shown = " ".join(osler("bench", "show", "bench").stdout.split())
    assert "answers not read" in shown and "give --judge in a new bench" in shown


def test_an_exact_answer_needs_no_reader(
    osler: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaks(lambda _: "Not known.", monkeypatch)
    found = values(
        bench(osler, folder / "locomo", "--memories", "raw", "--model", MODEL), "locomo", "raw"
    )
    assert (
        found["correct"] == 0.0
        and found["unanswerable: refused"] == found["answerable: refused"] == 1.0
    )


def test_answers_are_paid_for_once_also_when_a_bench_is_resumed(
    osler: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = speaks(lambda _: "Bob paints.", monkeypatch)
    args = ("--memories", "raw", "--model", "gpt@http://localhost:1/v1")
    first = bench(osler, folder / "locomo", *args)
    asked = len(prompts)
    (tmp_path / "bench" / "results.jsonl").unlink()
    again = bench(osler, folder / "locomo", *args)
    assert asked > 0 and len(prompts) == asked
    assert values(again, "locomo", "raw")["hit@1"] == values(first, "locomo", "raw")["hit@1"]
