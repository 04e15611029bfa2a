"""What a run says of itself where there is no terminal."""

from __future__ import annotations

import asyncio
import time

import pytest

from osler.runs.events import Journal
from osler.simulator import progress_display
from osler.simulator.progress_display import plain_line, show_progress
from osler.simulator.work_queue import RunProgress


def progress(seconds: float, done: int) -> RunProgress:
    journal = Journal()
    journal.turn = 7
    return RunProgress(
        total=20,
        there=2,
        done=done,
        began=time.monotonic() - seconds,
        under_way={1: journal, 2: None},
    )


def test_a_slow_run_tells_what_is_under_way_and_its_rate_by_the_minute() -> None:
    assert plain_line(progress(600, 0)) == "2/20 0.0/min; 2 under way, up to turn 7"
    assert plain_line(progress(600, 6)).startswith("8/20 0.6/min  1200 s left; 2 under way")


def test_a_quick_one_by_the_second() -> None:
    assert plain_line(progress(4, 8)).startswith("10/20 2.0/s  5 s left")


async def test_a_run_in_which_nothing_ends_gives_signs_of_life(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_display, "_LINES_EVERY", 0.01)
    monkeypatch.setattr(progress_display, "_SIGN_OF_LIFE", 0.05)
    async with show_progress(progress(0, 0), quiet=False):
        await asyncio.sleep(0.3)
    assert capsys.readouterr().err.count("2 under way, up to turn 7") > 2
