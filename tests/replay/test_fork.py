"""A fork keeps the first turns as they were, goes on otherwise, and is an ordinary consultation of
an ordinary run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from osler.eval.scoring import EXACT
from osler.runs.events import Answered, Asked, Called, Ending, Maker, Recalled, Remembered, Role
from osler.runs.plan import Cell, Column, Selector
from osler.runs.store import Fork, RunFile, RunWriter
from osler.runs.store.scores import scored_consultations
from osler.runs.transcript import Transcript
from osler.settings.names import PLAIN
from tests.models.server import Step
from tests.replay.runs import osler, refusal
from tests.simulator.model_server import model_server
from tests.stored_runs import rewriting

pytestmark = pytest.mark.xdist_group("replay")  # one process: they share a run


@pytest.fixture
def run(rules: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(rules, tmp_path / "demo.osler"))


def said(transcript: Transcript, turns: int) -> list[tuple[str, Maker, str, tuple[str, ...]]]:
    pairs = zip(transcript.of(Asked), transcript.of(Answered), strict=True)
    return [(one.question, one.maker, two.reply, two.disclosed) for one, two in pairs][:turns]


def scored(path: Path) -> list[tuple[str, str | None]]:
    with RunFile.open(path) as run:
        return [
            (one.column.memory, one.verdict("diagnosis"))
            for one in scored_consultations(run, EXACT)
        ]


@pytest.mark.parametrize("case", ["pneumonia-en", "pneumonia-zh"])
def test_the_first_turns_stay_and_another_memory_goes_on(run: Path, case: str) -> None:
    result = osler("fork", run, case, "--memory", "none", "--memory", "tim", "--at", "3")
    assert result.exit_code == 0, result.output
    assert "memory tim" in result.stdout and "trial 1" in result.stderr
    child = run.with_name("demo.forks.osler")
    with RunFile.open(run) as before, RunFile.open(child) as forks:
        parent, fork = (
            before.find(Selector(case, memory="none")),
            forks.find(Selector(case, memory="tim")),
        )
        assert forks.forks() == {
            1: Fork("demo", Cell(case, Column.of("rules", PLAIN, "none"), 1), 3)
        }
        assert forks.settings == before.settings and before.forks() == {}
    assert said(fork, 3) == said(parent, 3) and fork.turns > 3
    questions = [event.question[:20] for event in fork.of(Asked)]
    assert all(question in result.stdout for question in questions[2:])
    assert "\n 2 " not in result.stdout, "the page begins with the last turn that was kept"
    assert [event.of for event in fork.of(Remembered)][:3] == [1, 2, 3] and fork.of(Recalled)[
        3
    ].recall.facts
    assert fork.header.memory == "tim" and fork.ending is Ending.CONCLUDED
    assert scored(child) == [("tim", scored(child)[0][1])] and scored(child)[0][1] in {
        "correct",
        "wrong",
        "partial",
    }
    again = osler("verify", child)
    assert again.exit_code == 0, again.output
    assert osler("show", child, case).exit_code == 0


def test_every_fork_is_kept_and_forks_can_be_forked(run: Path) -> None:
    args = ("gerd-en", "--memory", "raw", "--memory", "raw", "--at")
    for turn in ("2", "4"):
        assert osler("fork", run, *args, turn).exit_code == 0
    child = run.with_name("demo.forks.osler")
    assert (
        osler("fork", child, "gerd-en", "--trial", "2", "--memory", "none", "--at", "5").exit_code
        == 0
    )
    with RunFile.open(child) as forks:
        told = [(one.run, one.parent.trial, one.turn) for one in forks.forks().values()]
        cells = [
            (forks.cell(number).column.memory, forks.cell(number).trial) for number in forks.forks()
        ]
        assert said(forks.find(Selector("gerd-en", memory="none")), 5) == said(
            forks.find(Selector("gerd-en", memory="raw", trial=2)), 5
        )
    assert told == [("demo", 1, 2), ("demo", 1, 4), ("demo.forks", 2, 5)]
    assert cells == [("raw", 1), ("raw", 2), ("none", 1)]
    assert osler("verify", child).exit_code == 0


def test_a_model_goes_on_and_only_what_it_does_is_paid_for(run: Path) -> None:
    with model_server() as server:
        args = ("--memory", "raw", "--memory", "tim", "--backbone", server.spec, "--at", "4")
        result = osler("fork", run, "pneumonia-en", *args)
    assert result.exit_code == 0, result.output
    child = run.with_name("demo.forks.osler")
    with RunFile.open(child) as forks:
        fork = forks.find(Selector("pneumonia-en"))
        standing = forks.status()
    doctor = [call for call in fork.of(Called) if call.role is Role.DOCTOR]
    assert fork.header.backbone == server.spec and min(call.turn for call in doctor) == 5
    # The new memory is the model's as well, and thinks about the turns that were taken over.
    assert {event.turn for event in fork.of(Called) if event.role is Role.MEMORY} >= {2, 3, 4}
    assert standing.calls == len(fork.of(Called)) and standing.tokens > 0
    assert osler("verify", child).exit_code == 0


def test_a_fork_that_failed_is_not_held_again_without_its_first_turns(run: Path) -> None:
    with model_server(lambda number: Step(status=400) if number > 2 else None) as server:
        args = ("--memory", "raw", "--memory", "none", "--backbone", server.spec, "--at", "4")
        assert osler("fork", run, "gerd-zh", *args).exit_code == 0
    child = run.with_name("demo.forks.osler")
    with RunFile.open(child) as forks:
        assert forks.status().failed == 1
        about = forks.about()
    with RunWriter.create_or_resume(child, about) as store:
        assert store.retry().todo == [] and store.status().failed == 1
    assert osler("verify", child).exit_code == 0


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("pneumonia-en", "--memory", "raw", "--memory", "tim", "--at", "99"), "from 1 to"),
        (("pneumonia-en", "--memory", "raw", "--memory", "tim", "--at", "0"), "from 1 to"),
        (("pneumonia-en", "--memory", "tim", "--at", "2"), "twice"),
        (("pneumonia-en", "--memory", "raw", "--memory", "nonsense", "--at", "2"), "nonsense"),
        (("pneumonia-en", "--memory", "raw", "--memory", "one-step", "--at", "2"), "one-step"),
        (
            (
                "pneumonia-en",
                "--memory",
                "raw",
                "--memory",
                "raw",
                "--backbone",
                "human",
                "--at",
                "2",
            ),
            "person",
        ),
    ],
)
def test_what_cannot_be_forked_is_refused_and_leaves_nothing(
    run: Path, args: tuple[str, ...], told: str
) -> None:
    assert told in refusal("fork", run, *args)
    assert not run.with_name("demo.forks.osler").exists()


def test_an_endpoint_that_is_not_there_leaves_nothing_behind(run: Path) -> None:
    with model_server(lambda _: Step(status=404)) as server:
        args = (
            "gerd-en",
            "--memory",
            "raw",
            "--memory",
            "raw",
            "--backbone",
            server.spec,
            "--at",
            "2",
        )
        assert server.url in refusal("fork", run, *args)
    assert {path.name for path in run.parent.iterdir()} == {"demo.osler"}


def test_forks_of_other_settings_are_not_mixed(run: Path) -> None:
    args = ("gerd-en", "--memory", "raw", "--memory", "none", "--at", "2")
    assert osler("fork", run, *args).exit_code == 0
    with rewriting(run.with_name("demo.forks.osler")) as file:
        file.execute("UPDATE about SET value = '\"0.0.1\"' WHERE name = 'version'")
    assert "move it away" in refusal("fork", run, *args)
