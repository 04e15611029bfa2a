"""`osler validate`: from interviews to tables, resumed after a kill, with rules and with a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.models import Backbone
from osler.models.errors import BackboneError, FailureKind
from osler.simulator import clients
from osler.validate import ask as validate_ask
from osler.validate import page
from osler.validate import run as validate_run
from osler.validate.results import AskedInterview
from tests.agents.scripted import ScriptedClient
from tests.conftest import Run
from tests.validate import data

MODEL, READER = "patient@http://localhost:1/v1", "reader@http://localhost:1/v1"


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    return (
        data.write_interviews(tmp_path / "interviews.json"),
        data.write_records(tmp_path / "records.jsonl"),
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which interviews were held, in order."""
    held: list[str] = []
    ask = validate_ask.ask_patient

    async def counting(*arguments: Any) -> AskedInterview:
        result = await ask(*arguments)
        held.append(f"{result.column.name} {result.interview}")
        return result

    monkeypatch.setattr(validate_run, "ask_patient", counting)
    return held


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: these tests are about something else, and drawing takes longest."""
    monkeypatch.setattr(page, "draw", lambda figures: [])


def validated(osler: Run, paths: tuple[Path, Path], *more: str) -> dict[str, Any]:
    interviews, records = paths
    done = osler("validate", interviews, "--pool", records, "--format", "json", *more)
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def test_rules_are_held_beside_people_in_both_languages(
    osler: Run, paths: tuple[Path, Path], tmp_path: Path
) -> None:
    content = validated(osler, paths, "--patient", "rules")
    assert [own["language"] for own in content["languages"]] == ["en", "zh"]
    for own, lengths in zip(
        content["languages"], ([1, 3, 6, 9] * 3, [2, 3, 4, 8] * 3), strict=True
    ):
        human, rules = own["patients"]
        assert human["name"] == "human" and rules["name"] == "rules"
        assert human["replies"]["lengths"] == sorted(lengths)
        assert human["replies"]["listed"]["hedges"]["value"] == 0.25
        assert human["replies"]["listed"]["unknown"]["value"] == 0.25
        assert rules["interviews"] == 3 and rules["replies"]["n"] == 12
        shares = rules["ledger"]["shares"][f"{own['language']}-0"]
        assert shares == sorted(shares) and shares[-1] > 0.5, "cough, fever and smoking were asked"
        assert human["read"] is None and rules["agreement"] is None, "nobody read them"
        assert rules["tests"]["words"]["area"]["value"] is not None
        [doctor] = own["doctors"]
        assert doctor["turns"]["value"] == 4 and doctor["question_marks"]["value"] >= 1
    written = (tmp_path / "validation" / "validation.html").read_text(encoding="utf-8")
    assert "Nobody read the replies" in written and "<svg" in written
    names = {path.name for path in (tmp_path / "validation").iterdir()}
    assert {"lengths-zh.svg", "disclosure-en.pdf", "two-sample-en.pdf", "tables.tex"} <= names


@pytest.mark.usefixtures("no_plots")
def test_tables_are_written_in_every_form(osler: Run, paths: tuple[Path, Path]) -> None:
    for form, mark in (("table", "┃"), ("markdown", "| words, median |"), ("latex", r"\toprule")):
        done = osler("validate", paths[0], "--pool", paths[1], "--format", form)
        assert mark in done.stdout and "characters, median" in done.stdout


@pytest.mark.usefixtures("no_plots")
def test_what_was_asked_is_not_asked_again(
    osler: Run, paths: tuple[Path, Path], tmp_path: Path, asked: list[str]
) -> None:
    first = validated(osler, paths)
    assert len(asked) == 6
    stored = tmp_path / "validation" / "replies.jsonl"
    lines = stored.read_bytes().splitlines(keepends=True)
    stored.write_bytes(b"".join(lines[:4]) + lines[4][:50])  # a kill cut the fifth off
    again = validated(osler, paths)
    assert len(asked) == 8 and again == first
    assert validated(osler, paths) == first and len(asked) == 8
    records = paths[1].read_text(encoding="utf-8")
    paths[1].write_text(records.replace('"age": 50', '"age": 51', 1), encoding="utf-8")
    validated(osler, paths)
    assert asked[8:] == ["rules en-0"], "its record is another"


@pytest.mark.usefixtures("no_plots")
def test_a_folder_of_others_is_not_written_to(
    osler: Run, paths: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    done = osler("validate", paths[0], "--pool", paths[1], "--out", "mine")
    assert done.returncode == 2 and "holds other files" in done.stderr


@pytest.mark.usefixtures("no_plots")
def test_interviews_without_a_record_are_named(
    osler: Run, paths: tuple[Path, Path], tmp_path: Path
) -> None:
    some = data.write_records(tmp_path / "some.jsonl", count=2)
    done = osler("validate", paths[0], "--pool", some)
    assert done.returncode == 0 and "2 interview(s) have no record" in done.stderr
    assert "en-2, zh-2" in done.stderr


def speak(prompt: str) -> str:
    """Speak as RAM, as the patient and as the reader."""
    if '"things"' in prompt:
        found = {"asked": "it", "entries": [1], "nothing": ""}
        return json.dumps({"things": [found, {"asked": "x", "entries": [], "nothing": "denied"}]})
    reply = prompt.rpartition("<answer>")[2].partition("</answer>")[0]
    if '"words"' in prompt:
        return json.dumps({"facts": [{"words": reply, "asked": False, "entry": 1}]})
    if '"agree"' in prompt:
        return json.dumps({"facts": [{"first": "", "second": reply, "agree": True}]})
    return "咳嗽好几天了。" if "患者" in prompt else "A cough for days, thank you."


class FailingClient(ScriptedClient):
    """Fails where the prompt has certain words."""

    def __init__(self, words: str = "") -> None:
        def answer(prompt: str) -> str:
            if words and words in prompt and '"things"' not in prompt:
                raise BackboneError(FailureKind.REFUSED, "it will not say")
            return speak(prompt)

        super().__init__(answer)


def use(monkeypatch: pytest.MonkeyPatch, client: ScriptedClient) -> list[str]:
    def opened(spec: str, **_: object) -> Backbone:
        return Backbone(spec, spec, client, identity=spec)

    monkeypatch.setattr(clients, "open_backbone", opened)
    return client.prompts


@pytest.mark.usefixtures("no_plots")
def test_a_model_plays_and_a_model_reads(
    osler: Run, paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = use(monkeypatch, FailingClient())
    options = ("--patient", "rules", "--patient", MODEL, "--judge", READER)
    content = validated(osler, paths, *options)
    for own in content["languages"]:
        human, rules, model = own["patients"]
        assert model["name"] == MODEL and model["replies"]["n"] == 12
        assert model["read"]["facts"]["value"] == 1 and model["read"]["volunteered"]["value"] == 1
        assert human["read"]["curve"]["shares"][f"{own['language']}-1"] == [0.25] * 4
        shares = [model["agreement"][name]["value"] for name in ("missing", "extra")]
        assert sum(shares) == 1 and 0 < shares[0] < 1
        assert rules["agreement"]["contradicting"]["value"] == 0
        assert model["seats"]["ram"]["calls"] == 12 and model["seats"]["patient"]["tokens_in"] > 0
        assert own["doctors"][0]["things"]["value"] == 2, "as RAM read the questions"
    assert content["unread"] == 0 and content["judge"].startswith(READER)
    count = len(prompts)
    assert validated(osler, paths, *options) == content
    assert len(prompts) == count, "neither patient nor reader is asked again"


@pytest.mark.usefixtures("no_plots")
def test_each_way_of_playing_a_model_is_a_column(
    osler: Run, paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = use(monkeypatch, FailingClient())
    agents = ("--patient-agent", "osler", "--patient-agent", "craftmd")
    content = validated(osler, paths, "--patient", MODEL, "--ram", "rules", *agents)
    for own in content["languages"]:
        assert [patient["name"] for patient in own["patients"]] == [
            "human",
            f"{MODEL} + rules",
            f"{MODEL} + rules craftmd",
        ]
        assert all(patient["replies"]["n"] == 12 for patient in own["patients"])
    openings = {prompt.partition("\n")[0] for prompt in prompts}
    assert len(openings) == 4, "each way of playing has a prompt of its own in each language"
    refused = osler("validate", paths[0], "--pool", paths[1], "--patient", "rules", *agents)
    assert refused.returncode == 2 and "'craftmd' is played by a model" in refused.stderr


@pytest.mark.usefixtures("no_plots")
def test_an_interview_in_which_a_model_fails_is_left_out_and_counted(
    osler: Run, paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    use(monkeypatch, FailingClient("过敏"))
    content = validated(osler, paths, "--patient", MODEL)
    english, chinese = content["languages"]
    assert english["patients"][1]["failed"] == 0
    model = chinese["patients"][1]
    assert (model["interviews"], model["failed"], model["replies"]["n"]) == (0, 3, 0)
    assert any("zh-0 is left out" in line and "not say" in line for line in content["warnings"])
    use(monkeypatch, FailingClient())
    content = validated(osler, paths, "--patient", MODEL)
    assert content["languages"][1]["patients"][1]["interviews"] == 3
    assert len(asked) == 9, "only what failed is asked again"


@pytest.mark.usefixtures("no_plots")
def test_doctors_of_a_run_are_held_beside_the_human_ones(
    osler: Run, paths: tuple[Path, Path]
) -> None:
    assert osler("simulate", "--pool", paths[1], "--out", "run.osler").returncode == 0
    content = validated(osler, paths, "--doctor", "run.osler")
    human, rules = content["languages"][0]["doctors"]
    assert human["name"] == "human" and rules["name"].startswith("rules")
    assert rules["turns"]["value"] > 0 and rules["places"]
