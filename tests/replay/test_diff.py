"""Two consultations of one patient side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from osler.replay.diff import DiffPage, Side
from osler.runs.events import Asked, Concluded
from osler.runs.plan import Selector, Settings
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from tests.replay.runs import hold, osler, refusal

pytestmark = pytest.mark.xdist_group("replay")  # one process: they share a run


def first_difference(path: Path, case: str) -> int:
    """The turn in which the two doctors first ask something else, counted by hand."""
    with RunFile.open(path) as run:
        none, raw = (
            [event.question for event in run.find(Selector(case, memory=one)).of(Asked)] for one in ("none", "raw")
        )
    return next(turn for turn, (one, two) in enumerate(zip(none, raw, strict=False), start=1) if one != two)


@pytest.mark.parametrize("case", ["pneumonia-en", "gerd-zh"])
def test_turns_are_aligned_and_the_first_difference_is_marked(rules: Path, case: str) -> None:
    result = osler("diff", rules, case, "--memory", "none", "--memory", "raw")
    assert result.exit_code == 0, result.output
    turn = first_difference(rules, case)
    lines = result.output.splitlines()
    [mark] = [number for number, line in enumerate(lines) if f"first difference, turn {turn}: the question" in line]
    turns = [line.split()[:2] for line in lines if line[:2].strip().isdecimal()]
    assert [one[0] for one in turns] == [str(number) for number in range(1, len(turns) + 1)]
    assert [one[1] == "≠" for one in turns[: turn - 1]] == [False] * (turn - 1) and turns[turn - 1][1] == "≠"
    assert any(line.startswith(f"{turn:>2} ≠") for line in lines[mark:])
    labels = ("Doctor:", "Diagnosis:") if case.endswith("en") else ("医生:", "诊断:")
    assert all(label in result.output for label in labels)
    assert "memory none" in lines[2] and "memory raw" in lines[2] and "diagnosis " in result.output


def test_two_runs_are_compared_and_told_apart(rules: Path, tmp_path: Path) -> None:
    shorter = hold(tmp_path / "two.osler", memories=("raw",), settings=Settings(turns=3))
    result = osler("diff", rules, "gerd-en", "--memory", "raw", "--with", shorter)
    assert result.exit_code == 0
    assert "run rules" in result.output and "run two" in result.output and "only the left was told" in result.output


def printed(left: Transcript, right: Transcript, width: int = 120) -> str:
    console = Console(width=width)
    with console.capture() as captured:
        console.print(DiffPage(Side("a", left), Side("b", right)))
    return captured.get()


def test_where_nothing_or_only_the_end_differs_that_is_said(rules: Path) -> None:
    with RunFile.open(rules) as opened:
        whole = opened.find(Selector("gerd-en", memory="raw"))
    same = printed(whole, whole)
    assert "nothing differs" in same and "≠" not in same and "──" not in same
    cut = whole.model_copy(update={"events": tuple(event for event in whole.events if event.turn <= 3)})
    assert "first difference, turn 4: one asks on, the other does not" in printed(whole, cut)
    other = [
        event.model_copy(update={"diagnosis": "Gout"}) if isinstance(event, Concluded) else event
        for event in whole.events
    ]
    ends = printed(whole, whole.model_copy(update={"events": tuple(other)}))
    assert f"first difference, turn {whole.turns + 1}: the conclusion differs" in ends and "≠" not in ends


def test_a_narrow_terminal_has_one_below_the_other(rules: Path) -> None:
    with RunFile.open(rules) as opened:
        shown = printed(
            opened.find(Selector("pneumonia-en", memory="none")),
            opened.find(Selector("pneumonia-en", memory="raw")),
            width=50,
        )
    assert "   │ Doctor:" in shown and all(len(line) <= 50 for line in shown.splitlines())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("pneumonia-en", "gerd-en", "--memory", "raw"), "different patients"),
        (("pneumonia-en", "--memory", "raw"), "same consultation"),
        (("pneumonia-en",), "fits 3"),
        (("pneumonia-en", *("--memory", "raw") * 3), "3 times"),
        (("nobody", "--memory", "raw"), "nobody"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(rules: Path, args: tuple[str, ...], said: str) -> None:
    assert said in refusal("diff", rules, *args)


def test_the_two_languages_of_one_patient_can_be_compared(rules: Path) -> None:
    result = osler("diff", rules, "pneumonia-en", "pneumonia-zh", "--memory", "raw")
    assert result.exit_code == 0 and "医生:" in result.output and "Doctor:" in result.output
