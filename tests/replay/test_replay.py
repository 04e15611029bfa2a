"""A consultation as it happened: as text, and in a terminal with somebody at its keys."""

from __future__ import annotations

import shutil
import signal
import termios
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from osler.replay.pages import scenes
from osler.replay.player import Player
from osler.runs.events import Answered, Asked
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from osler.runs.store.connection import checksum
from osler.runs.transcript import Transcript
from tests.replay.runs import osler, refusal
from tests.replay.terminal import Terminal
from tests.stored_runs import rewriting

pytestmark = pytest.mark.xdist_group("replay")  # one process: they share a run

TIM = ("--memory", "tim")


@pytest.fixture
def terminal(rules: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def run(*args: str, columns: int = 110) -> Terminal:
        opened.append(Terminal(rules.parent.parent, "replay", "rules", *args, *TIM, columns=columns))
        return opened[-1]

    yield run
    for one in opened:
        one.close()


def transcript(path: Path, case: str = "pneumonia-en") -> Transcript:
    with RunFile.open(path) as run:
        return run.find(Selector(case, memory="tim"))


@pytest.mark.parametrize(
    ("case", "labels"),
    [
        ("pneumonia-en", (" 2 Doctor: ", "Patient: ", "Retrieved", "Disclosed", "Recalled", "Remembered")),
        ("pneumonia-zh", (" 2 医生: ", "患者: ", "检索到", "告知", "想起", "记下")),
    ],
)
def test_without_a_terminal_it_is_text_with_all_that_stood_behind_it(
    rules: Path, case: str, labels: tuple[str, ...]
) -> None:
    result = osler("replay", rules, case, *TIM)
    told = " ".join(result.output.split())
    assert result.exit_code == 0 and all(label in result.output for label in labels)
    held = transcript(rules, case)
    for said in (*(event.question for event in held.of(Asked)), *(event.reply for event in held.of(Answered))):
        assert " ".join(said.split())[:30] in told
    assert held.conclusion and held.conclusion.diagnosis in told and "  + #1 " in result.output
    later = osler("replay", rules, case, *TIM, "--from-turn", "3", "--plain").output
    assert labels[0] not in later and labels[0].replace("2", "3") in later


def test_what_models_and_records_say_cannot_steer_a_terminal(rules: Path, tmp_path: Path) -> None:
    hostile = "\x1b[2J\x1b]0;title\x07 \x9b31m \u202eevil\u202c [red]bold[/red] " + "long " * 250_000
    path = Path(shutil.copy(rules, tmp_path / "bad.osler"))
    held = transcript(rules)
    events = tuple(
        event.model_copy(update={"reply": hostile} if isinstance(event, Answered) else {"question": hostile})
        if isinstance(event, Answered | Asked)
        else event
        for event in held.events
    )
    body = held.model_copy(update={"events": events}).model_dump_json().encode("utf-8", "surrogatepass")
    with rewriting(path) as file:
        cell = "(SELECT number FROM cells WHERE record = 'pneumonia-en' AND memory = 'tim')"
        stored = zlib.compress(body)
        file.execute(f"UPDATE transcripts SET body = ?, checksum = ? WHERE cell = {cell}", (stored, checksum(stored)))
    pages = [osler("replay", path, "pneumonia-en", *TIM), osler("diff", path, "pneumonia-en", "pneumonia-zh", *TIM)]
    pages.append(osler("replay", path, "pneumonia-en", *TIM, "--verify"))
    for page in pages:
        assert not set(page.output) & {"\x1b", "\x07", "\x9b", "\u202e"}, page.output[:500]
        assert "\\x1b[2J" in page.output and len(page.output) < 500_000
    assert "[red]bold[/red]" in pages[0].output and "(1,250," in pages[0].output


def test_keys_pause_step_turn_jump_and_leave_the_terminal_as_it_was(terminal: Callable[..., Terminal]) -> None:
    playing = terminal("pneumonia-en", "--speed", "64")
    playing.until("■")
    playing.press("2g")
    first = playing.until("─ Turn 2 ─")
    assert "Doctor: " in first and "┌" not in first
    playing.press(" ")
    playing.until("‖")
    playing.press("g1\r")
    screen = playing.until("─ Turn 1 ─")
    assert "chest hurts" in screen and "Has he had" not in screen
    playing.press(" ")
    assert "Retrieved" in playing.until("Has he had")
    playing.press("\x1b[C")
    playing.until("─ Turn 2 ─")
    playing.press("j")
    playing.until("─ Turn 3 ─")
    playing.press("k\x1b[D")
    playing.until("─ Turn 1 ─")
    playing.press("--")
    playing.until("×16")
    assert playing.settings != playing.before
    playing.press("q")
    assert playing.ended() == 0 and playing.settings == playing.before
    assert playing.output.rstrip().endswith("\x1b[?25h") or "\x1b[?25h" in playing.output[-40:]
    assert "\x1b[?1049l" in playing.output


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_terminal_as_it_was(
    terminal: Callable[..., Terminal], number: signal.Signals, code: int
) -> None:
    playing = terminal("pneumonia-zh", "--from-turn", "2", columns=60)
    screen = playing.until("─ 第2轮 ─")
    talk, panel = screen.index("患者: "), screen.index("─ 第2轮 ─")
    assert talk < panel, "a narrow terminal has the panel below"
    assert not playing.settings[3] & termios.ICANON  # type: ignore[operator]
    playing.signal(number)
    assert playing.ended() == code and playing.settings == playing.before
    assert "Traceback" not in playing.output and "\x1b[?1049l" in playing.output


def test_lines_come_no_faster_than_they_can_be_read_and_no_slower_than_one_likes_to_wait(rules: Path) -> None:
    held = transcript(rules)
    pauses = [line.pause for scene in scenes(held) for line in scene.lines]
    assert all(0.5 <= pause <= 4 for pause in pauses)
    slow = held.model_copy(
        update={"events": tuple(event.model_copy(update={"at": 60.0 * event.turn}) for event in held.events)}
    )
    assert max(line.pause for scene in scenes(slow) for line in scene.lines) == 4
    player, now = Player(scenes(held), speed=2.0), 100.0
    assert not player.tick(now) and not player.tick(now + pauses[0] / 2 - 0.01)
    assert player.tick(now + pauses[0] / 2 + 0.01) and player.shown == 1


def test_what_cannot_be_replayed_is_said_in_one_line(rules: Path) -> None:
    assert "nobody" in refusal("replay", rules, "nobody")
    assert "CASE" in refusal("replay", rules)
    assert "fits 3" in refusal("replay", rules, "gerd-en")
    assert "no run" in refusal("replay", rules.parent / "other", "gerd-en")
