"""Runs to look at again: without a model, and with one that thinks, is refused, is late and
fails."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import CliRunner, Result

from osler.cli import app
from osler.errors import UserError
from osler.language import Language
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.clients import ClientSettings
from tests.models.server import Step, _answer
from tests.simulator import model_server

PATIENTS = ("pneumonia", "gerd")
CASES = tuple(f"{patient}-{language.value}" for patient in PATIENTS for language in Language)
MEMORIES = ("none", "raw", "tim")
THOUGHT = {"subject": "patient", "relation": "has", "object": "fever", "negated": False, "when": ""}
_said = model_server.reply_to


def osler(*args: str | Path) -> Result:
    """The command line, in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args])


def refusal(*args: str | Path) -> str:
    """The one line that a command is refused with."""
    error = osler(*args).exception
    assert isinstance(error, UserError), repr(error)
    assert "\n" not in str(error)
    return str(error)


def hold(
    path: Path,
    *,
    backbone: str = "rules",
    memories: tuple[str, ...] = MEMORIES,
    settings: RunSettings,
    cases: tuple[str, ...] = CASES,
) -> Path:
    """A run of a few patients; one after the other, so that a model is asked in the same order
    every time."""
    plan = Plan(RecordPool.open().only(ids=list(cases)), (backbone,), memories, settings=settings)
    simulate_plan(
        plan,
        path,
        RunOptions(quiet=True, concurrency=1, clients=ClientSettings(retries=0)),
        "bundled",
    )
    return path


@dataclass
class Model:
    """How the model behaves to those who ask it."""

    fails: bool = True
    """The memory gets nothing every fourth time, and one question of a doctor is refused."""
    late: Mapping[str, float] = field(default_factory=dict)
    """Seconds, by who asks."""
    says: Callable[[str], str] = _said
    """To all but the memory."""
    asked: Counter[str] = field(default_factory=Counter)

    def reply_to(self, prompt: str) -> str:
        """Thoughts for the memory, some of which may not be done; else what it says."""
        if '"thoughts"' in prompt:
            return json.dumps(
                {"thoughts": [THOUGHT], "forget": [{"id": 99, "why": "old"}], "merge": []}
            )
        return self.says(prompt)

    async def answer(
        self, request: web.Request, step: Step, body: dict[str, Any]
    ) -> web.StreamResponse:
        """Answer in good time, or not at all."""
        prompt = body["messages"][0]["content"]
        who = "memory" if '"thoughts"' in prompt else "doctor" if '"action"' in prompt else "others"
        self.asked[who] += 1
        await asyncio.sleep(self.late.get(who, 0.001))
        if self.fails and who == "memory" and self.asked[who] % 4 == 0:
            step = Step(text="")
        if self.fails and who == "doctor" and self.asked[who] == 17:
            step = Step(status=400, message="too long for me")
        return await _answer(request, step, body)


def model_run(
    path: Path,
    patch: pytest.MonkeyPatch,
    model: Model | None = None,
    *,
    memories: tuple[str, ...] = ("raw", "tim"),
    cases: tuple[str, ...] = CASES,
    limits: Limits | None = None,
) -> Path:
    """A run whose doctor, patient, memory and RAM are one small model."""
    model = model or Model()
    patch.setattr(model_server, "reply_to", model.reply_to)
    patch.setattr(model_server, "_answer", model.answer)
    with model_server.model_server() as server:
        settings = RunSettings(
            patient_backbone=server.spec,
            ram_backbone=server.spec,
            turns=5,
            max_tokens=limits.tokens if limits else None,
            max_seconds=limits.seconds if limits else None,
        )
        return hold(path, backbone=server.spec, memories=memories, settings=settings, cases=cases)
