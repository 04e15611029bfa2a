"""A run holds thousands of consultations: one that has ended must not wait in memory for the
garbage collector."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

from osler.models import Backbone
from osler.records.pool import RecordPool
from osler.runs.events import Journal
from osler.runs.plan import Cell, Column
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.worker import simulate_one
from tests.agents.scripted import scripted


class _Held:
    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone

    def open(self, spec: str) -> Backbone:
        return self._backbone


def _says(prompt: str) -> str:
    if '"action"' in prompt:
        return json.dumps(
            {"differential": [], "action": "ask", "question": "Have you had a fever?"}
        )
    return json.dumps({"diagnosis": "Gout", "treatment": "Colchicine"})


@pytest.mark.parametrize("memory", ["raw", "tim"])
async def test_a_consultation_with_models_is_gone_when_nobody_holds_it(memory: str) -> None:
    record = next(iter(RecordPool.open()))
    backbone, client = scripted(_says)
    settings = RunSettings(patient_backbone="patient", turns=2)
    journal: Journal | None = Journal()
    watched = weakref.ref(journal)
    gc.disable()
    try:
        transcript = await simulate_one(
            record,
            Cell(record.id, Column.of("doctor", PLAIN, memory), 1),
            settings,
            _Held(backbone),
            journal,
        )
        assert len(client.prompts) >= 4
        assert transcript.conclusion is not None
        journal = None
        assert watched() is None
    finally:
        gc.enable()
