"""A consultation as it happened, as text."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest

from osler.runs.events import Answered, Asked
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from osler.runs.store.connection import checksum
from osler.runs.transcript import Transcript
from tests.replay.runs import osler, refusal
from tests.stored_runs import rewriting

pytestmark = pytest.mark.xdist_group("replay")  # one process: they share a run

TIM = ("--memory", "tim")


def transcript(path: Path, case: str = "pneumonia-en") -> Transcript:
    with RunFile.open(path) as run:
        return run.find(Selector(case, memory="tim"))


@pytest.mark.parametrize(
    ("case", "labels"),
    [
        (
            "pneumonia-en",
            (" 2 Doctor: ", "Patient: ", "Retrieved", "Disclosed", "Recalled", "Remembered"),
        ),
        ("pneumonia-zh", (" 2 医生: ", "患者: ", "检索到", "告知", "想起", "记下")),
    ],
)
def test_a_replay_is_text_with_all_that_stood_behind_it(
    rules: Path, case: str, labels: tuple[str, ...]
) -> None:
    result = osler("replay", rules, case, *TIM)
    told = " ".join(result.output.split())
    assert result.exit_code == 0 and all(label in result.output for label in labels)
    held = transcript(rules, case)
    for said in (
        *(event.question for event in held.of(Asked)),
        *(event.reply for event in held.of(Answered)),
    ):
        assert " ".join(said.split())[:30] in told
    assert held.conclusion and held.conclusion.diagnosis in told and "  + #1 " in result.output
    later = osler("replay", rules, case, *TIM, "--from-turn", "3").output
    assert labels[0] not in later and labels[0].replace("2", "3") in later


def test_what_models_and_records_say_cannot_steer_a_terminal(rules: Path, tmp_path: Path) -> None:
    hostile = (
        "\x1b[2J\x1b]0;title\x07 \x9b31m \u202eevil\u202c [red]bold[/red] " + "long " * 250_000
    )
    path = Path(shutil.copy(rules, tmp_path / "bad.osler"))
    held = transcript(rules)
    events = tuple(
        event.model_copy(
            update={"reply": hostile} if isinstance(event, Answered) else {"question": hostile}
        )
        if isinstance(event, Answered | Asked)
        else event
        for event in held.events
    )
    body = (
        held.model_copy(update={"events": events})
        .model_dump_json()
        .encode("utf-8", "surrogatepass")
    )
    with rewriting(path) as file:
        cell = "(SELECT number FROM cells WHERE record = 'pneumonia-en' AND memory = 'tim')"
        stored = zlib.compress(body)
        file.execute(
            f"UPDATE transcripts SET body = ?, checksum = ? WHERE cell = {cell}",
            (stored, checksum(stored)),
        )
    pages = [osler(command, path, "pneumonia-en", *TIM) for command in ("replay", "verify")]
    for page in pages:
        assert not set(page.output) & {"\x1b", "\x07", "\x9b", "\u202e"}, page.output[:500]
        assert "\\x1b[2J" in page.output and len(page.output) < 500_000
    assert "[red]bold[/red]" in pages[0].output and "(1,250," in pages[0].output


def test_what_cannot_be_replayed_is_said_in_one_line(rules: Path) -> None:
    assert "nobody" in refusal("replay", rules, "nobody")
    assert "2 times" in refusal("replay", rules, "gerd-en", "--memory", "raw", *TIM)
    assert "fits 3" in refusal("replay", rules, "gerd-en")
    assert "no run" in refusal("replay", rules.parent / "other", "gerd-en")
