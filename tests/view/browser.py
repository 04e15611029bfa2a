"""What the browser tests share: runs worth looking at, a server that shows them, and Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from osler.eval.measures import VERSION
from osler.eval.scoring import EXACT
from osler.memory.base import Change, Fact, Recall
from osler.records.schema import PatientRecord
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Ending,
    Event,
    Found,
    Intervened,
    Intervention,
    Maker,
    Message,
    Recalled,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.plan import Plan
from osler.runs.reply_faults import FaultyReply, ReplyFaults
from osler.runs.store import RunWriter, StoredScore
from osler.runs.transcript import Header, Transcript
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from tests.conftest import LONGEST_WAIT, small_record

CASES = ("bppv-en", "pneumonia-en", "bppv-zh")
MEMORIES = ("none", "raw", "tim")
OSLER = (sys.executable, "-c", "from osler.cli import main; main()")

HOSTILE = (
    "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'><svg onload='window.pwned = 3'>"
    " [a link](javascript:window.pwned=4) https://example.invalid/ \"'`${window.pwned = 5}"
    " right-to-left: \u202egnp.exe\u202c \u2067isolate\u2069 \u200fmark; broken: \ufffd \ufffe \x07 e\u0301\u0301\u0301"
)
LONG = ("no end " * 75_000) + "x" * 500_000
"""About a megabyte, half of it without a place to break."""


def hold(folder: Path) -> Path:
    """A small real run by the rules: two patients, one of them in both languages, under three
    memories."""
    command = [*OSLER, "simulate", "--quiet", "--out", "demo.osler"]
    command += [word for case in CASES for word in ("--case", case)]
    command += [word for memory in MEMORIES for word in ("--memory", memory)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=LONGEST_WAIT)
    return folder / "demo.osler"


class Small:
    """A run of one made-up patient, written by hand."""

    settings = RunSettings()

    def __init__(self, path: Path, complaint: str = "I twisted my ankle.") -> None:
        self.path = path
        self.record = PatientRecord.model_validate(small_record(complaint=complaint))

    def plan(self, trials: int = 1) -> list[int]:
        """Add consultations that are still to be held; their numbers."""
        with self._open() as run:
            return run.extend(Plan((self.record,), trials=trials, settings=self.settings)).todo

    def hold(self, number: int, events: tuple[Event, ...]) -> None:
        """Let a consultation have happened so."""
        header = Header(
            case=self.record.id,
            patient=self.record.patient,
            language=self.record.language,
            backbone="rules",
            memory="raw",
            seed=0,
            turn_limit=5,
            version="0",
            prompts={},
        )
        with self._open() as run:
            run.begin({})
            run.finish(number, Transcript(header=header, ending=Ending.CONCLUDED, events=events))

    def measured(self, number: int, measures: dict[str, Any]) -> None:
        """Let it have been measured so."""
        with self._open() as run:
            run.store_score(number, StoredScore(EXACT, (), VERSION, measures))

    def _open(self) -> RunWriter:
        return RunWriter.create_or_resume(self.path, about(self.settings))


def hostile(path: Path) -> Small:
    """A run of one consultation in which every text tries to be more than text."""
    run = Small(path, complaint=HOSTILE.split(" right")[0])
    (number,) = run.plan()
    run.hold(number, _hostile_events())
    faults = ReplyFaults(*[(HOSTILE,)] * len(fields(ReplyFaults)))
    run.measured(number, {"names_diagnosis": 1, "faulty_replies": [asdict(FaultyReply(1, faults))]})
    return run


def _hostile_events() -> tuple[Event, ...]:
    thoughts = Change(
        group=1, inserted=(HOSTILE,), merged=(HOSTILE,), superseded=(HOSTILE,), forgotten=(HOSTILE,)
    )
    recall = Recall(
        text=HOSTILE, facts=(Fact(subject=HOSTILE, relation=HOSTILE, object=HOSTILE, turn=1),)
    )
    prompt = (Message(role=HOSTILE, content=HOSTILE),)
    return (
        Recalled(turn=1, role=Role.MEMORY, query=HOSTILE, recall=recall),
        Called(turn=1, role=Role.DOCTOR, model=HOSTILE, messages=prompt, answer=LONG),
        Intervened(
            turn=1, role=Role.DOCTOR, kind=Intervention.REFUSED, draft=HOSTILE, reasons=(HOSTILE,)
        ),
        Asked(turn=1, role=Role.DOCTOR, question=HOSTILE, maker=Maker.MODEL),
        Retrieved(
            turn=1, role=Role.RAM, asked_for=(HOSTILE,), entries=(Found(name=HOSTILE, score=0.5),)
        ),
        Answered(turn=1, role=Role.PATIENT, reply=LONG, disclosed=(HOSTILE,), maker=Maker.MODEL),
        Remembered(turn=1, of=1, role=Role.MEMORY, change=thoughts),
        Concluded(
            turn=2, role=Role.DOCTOR, diagnosis=HOSTILE, treatment=HOSTILE, differential=(HOSTILE,)
        ),
    )


@contextmanager
def serving(folder: Path, *runs: Path) -> Iterator[str]:
    """`osler view` on some runs, in a process of its own; its address."""
    command = [*OSLER, "view", *map(str, runs), "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def picture(page: Page, name: str, folder: Path) -> None:
    """Keep what the page looks like: in OSLER_ARTEFACTS where that is set, for people to look
    at."""
    kept = Path(os.environ.get("OSLER_ARTEFACTS") or folder)
    kept.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=kept / f"{name}.png")
