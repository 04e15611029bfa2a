"""EndedConsultation again with the recorded answers, a consultation is what it was; whatever is
changed on purpose is found and named."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from osler import prompts
from osler.agents.ram import index
from osler.agents.ram.evidence import EvidenceWeights, weights
from osler.eval import scoring
from osler.eval.verdict import Opinion, Verdict
from osler.language import Language
from osler.runs.events import Asked, Called, Ending, Intervened, Maker, Role
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.settings.names import Limits
from tests.replay.people import played
from tests.replay.runs import Model, model_run, osler, refusal
from tests.simulator.model_server import reply_to
from tests.stored_runs import rewriting

pytestmark = pytest.mark.xdist_group("replay")  # one process: they share a run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        return model_run(tmp_path_factory.mktemp("model") / "model.osler", patch)


def transcripts(path: Path) -> list[Transcript]:
    with RunFile.open(path) as run:
        return list(run.transcripts())


def kinds(output: str) -> set[str]:
    """The kinds that a page names."""
    return {
        line.split()[0] for line in output.splitlines() if "consultation(s), first in turn" in line
    }


def test_a_run_without_models_is_the_same_again(rules: Path) -> None:
    result = osler("verify", rules)
    assert result.exit_code == 0 and "12 consultation(s) re-run" in result.output, result.output
    assert "no difference" in result.output


def test_a_run_of_a_model_is_the_same_again_with_its_thoughts_refusals_and_failures(
    model: Path,
) -> None:
    held = transcripts(model)
    calls = [call for transcript in held for call in transcript.of(Called)]
    assert {call.role for call in calls} == {Role.DOCTOR, Role.PATIENT, Role.MEMORY, Role.RAM}
    assert any(transcript.of(Intervened) for transcript in held)
    assert {transcript.ending for transcript in held} >= {
        Ending.BACKBONE_FAILURE,
        Ending.TURN_LIMIT,
    }
    assert any(call.failure and call.role is Role.MEMORY for call in calls)
    result = osler("verify", model)
    assert result.exit_code == 0 and "8 consultation(s) re-run" in result.output, result.output


@pytest.mark.parametrize(
    ("limits", "ending"),
    [(Limits(seconds=0.1), Ending.TIME_LIMIT), (Limits(tokens=60), Ending.TOKEN_LIMIT)],
)
def test_what_a_limit_ended_is_compared_as_far_as_it_went(
    limits: Limits, ending: Ending, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = (
        {"doctor": 0.03} if limits.seconds else {}
    )  # five questions take longer than the limit on any machine
    slow = Model(fails=False, late=late)
    path = model_run(tmp_path / "cut.osler", monkeypatch, slow, memories=("tim",), limits=limits)
    assert {transcript.ending for transcript in transcripts(path)} == {ending}
    result = osler("verify", path)
    assert result.exit_code == 0, result.output


def _wayward(prompt: str) -> str:
    """Thinks aloud, says nothing, writes no JSON or writes too much, by how often it may still
    ask."""
    if '"diagnosis"' in prompt:
        return (
            "<think>Which?</think>I cannot say."
            if "could not be read" not in prompt
            else reply_to(prompt)
        )
    if '"action"' not in prompt and "无法读取" not in prompt:
        return "A patient with a cough."
    move = reply_to(prompt)
    ways = (
        "",
        "<think>Which",
        "blah blah",
        f"<think>Which?</think>{move}",
        move,
        move.replace("?", "? " * 3000),
    )
    left = re.search(r"(?:may ask|还可以问)\s*(\d+)", prompt)
    return ways[int(left[1]) % len(ways)] if left else move


def test_silent_turns_thinking_and_repairs_are_held_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = model_run(tmp_path / "run.osler", monkeypatch, Model(fails=False, says=_wayward))
    held = transcripts(path)
    makers = {event.maker for one in held for event in one.of(Asked)}
    assert {Maker.SILENT, Maker.MODEL, Maker.CUT} <= makers, makers
    assert any(call.thought and not call.failure for one in held for call in one.of(Called))
    assert any(call.thought and call.failure for one in held for call in one.of(Called))
    result = osler("verify", path)
    assert result.exit_code == 0, result.output


@pytest.fixture
def stricter_ram(monkeypatch: pytest.MonkeyPatch) -> None:
    def stricter(language: Language) -> EvidenceWeights:
        return replace(weights(language), threshold=0.9999)

    monkeypatch.setattr(index, "weights", stricter)


@pytest.mark.usefixtures("stricter_ram")
@pytest.mark.parametrize("case", ["pneumonia-en", "pneumonia-zh"])
def test_a_changed_threshold_of_ram_is_found_and_named(rules: Path, case: str) -> None:
    result = osler("verify", rules, case, "--memory", "raw")
    assert result.exit_code == 1
    assert "retrieval" in kinds(result.output) and "1 of them differ" in result.output
    [place] = [line for line in result.output.splitlines() if line.startswith("retrieval")]
    assert case in place and "raw" in place
    assert "before" in result.output and "after" in result.output


@pytest.fixture
def changed_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """A prompt has other words, in both languages."""
    folder = tmp_path / "prompts"
    shutil.copytree(Path(prompts.__file__).parent, folder)
    for language in Language:
        file = folder / language.value / f"{request.param}.txt"
        file.write_text(f"!! {file.read_text('utf-8')}", "utf-8")
    monkeypatch.setattr(prompts, "files", lambda _: folder)
    prompts.forget_templates()
    yield
    monkeypatch.undo()
    prompts.forget_templates()


@pytest.mark.parametrize("changed_prompt", ["doctor_ask"], indirect=True)
@pytest.mark.usefixtures("changed_prompt")
def test_a_changed_prompt_is_found_and_the_recorded_answer_still_used(model: Path) -> None:
    result = osler("verify", model, "--memory", "raw")
    assert result.exit_code == 1 and kinds(result.output) == {"prompt"}
    assert "!! " in result.output
    assert (
        "other prompts (en/doctor_ask, zh/doctor_ask)" in result.stderr
        and len(result.stderr.splitlines()) == 1
    )


def test_a_memory_whose_requests_failed_is_probed_as_it_was(model: Path) -> None:
    result = osler("probe", model, "--json")
    told = json.loads(result.output)
    assert told["not_rebuilt"] == 0 and {row["unheard"] for row in told["rows"]} == {0}
    assert sum(row["consultations"] for row in told["rows"]) + told["unanswered"] == 8


@pytest.mark.parametrize("changed_prompt", ["tim_think"], indirect=True)
@pytest.mark.usefixtures("changed_prompt")
def test_a_memory_that_asks_its_model_other_things_now_is_not_probed(model: Path) -> None:
    told = json.loads(osler("probe", model, "--json").output)
    assert [row["memory"] for row in told["rows"]] == ["raw"] and told["not_rebuilt"] > 0
    page = " ".join(osler("probe", model).output.split())
    assert (
        f"{told['not_rebuilt']} consultation(s) were left out: the memory now asks its model"
        in page
    )
    line = refusal("probe", model, "--memory", "tim")
    assert "cannot be rebuilt" in line and "the version of Osler that made the run" in line


def test_a_changed_verdict_is_found_and_nothing_else(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harsh = Opinion(Verdict.WRONG, rung="name", because="nothing pleases this judge")
    monkeypatch.setattr(scoring, "judge_diagnosis", lambda *_: harsh)
    result = osler("verify", rules, "--memory", "tim")
    assert result.exit_code == 1 and kinds(result.output) == {"verdict"}
    assert "nothing pleases this judge" in result.output


def test_changed_thoughts_are_found_and_what_follows_from_them(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.memory.tim.post_think.rules_facts", lambda *_: [])
    result = osler("verify", rules, "gerd-en", "--memory", "tim")
    assert result.exit_code == 1 and {"thought", "recall"} <= kinds(result.output)


def test_a_model_that_is_asked_more_often_is_a_difference_of_calls(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.agents.doctors.plain.move_of", lambda _: "never")
    result = osler("verify", model, "--memory", "tim")
    assert result.exit_code == 1 and {"calls", "guard"} <= kinds(result.output)


def test_an_older_run_says_so_in_one_line(rules: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.osler"
    shutil.copy(rules, older)
    with rewriting(older) as file:
        file.execute("UPDATE about SET value = '\"0.0.1\"' WHERE name = 'version'")
    result = osler("verify", older, "pneumonia-en", "--memory", "none")
    assert result.exit_code == 0 and "no difference" in result.output
    [line] = result.stderr.splitlines()
    assert "0.0.1" in line


def test_what_a_person_did_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "person.osler"
    played(path)
    result = osler("verify", path)
    assert result.exit_code == 0 and "2 consultation(s) re-run" in result.output, result.output


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nobody",), "nobody"),
        (("--memory", "nothing"), "--memory"),
        (("--memory", "raw", "--memory", "tim"), "2 times"),
    ],
)
def test_what_cannot_be_verified_is_said_in_one_line(
    rules: Path, args: tuple[str, ...], said: str
) -> None:
    assert said in refusal("verify", rules, *args)
