"""A memory that was written elsewhere works with the rules doctor, the probes and the pages,
whatever it gives."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from osler.language import Language
from osler.memory.base import Change, Fact, MemorySettings, Query, Recall, Turn
from osler.records import RecordPool
from osler.replay.pages import memory_page
from osler.runs.events import Asked, Ending, Recalled
from osler.runs.plan import Cell, Column
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one
from osler.view.consultation_data import consultation_data
from tests.eval.probe_cases import row


class Exchanges:
    """Keeps the dialogue, and gives it without any text."""

    name = "outside"

    def __init__(self, settings: MemorySettings) -> None:
        self.english = settings.language is Language.EN
        self.turns: list[Turn] = []

    async def remember(self, turn: Turn) -> Change:
        self.turns.append(turn)
        return Change()

    async def recall(self, query: Query) -> Recall:
        return Recall(exchanges=tuple(self.turns))

    @property
    def state(self) -> dict[str, Any]:
        return {"turns": [turn.model_dump() for turn in self.turns]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self.turns = [Turn.model_validate(turn) for turn in state["turns"]]


class Facts(Exchanges):
    """Gives one fact a turn, in the words of the reply."""

    async def recall(self, query: Query) -> Recall:
        patient, says = ("patient", "says") if self.english else ("患者", "说")
        return Recall(
            facts=tuple(
                Fact(
                    subject=patient,
                    relation=says,
                    object=turn.reply,
                    turn=turn.number,
                    score=1 / turn.number,
                )
                for turn in self.turns
            )
        )


class Text(Exchanges):
    """Gives all replies as one text."""

    async def recall(self, query: Query) -> Recall:
        return Recall(text="\n".join(turn.reply for turn in self.turns))


MEMORIES = pytest.mark.parametrize("memory", [Facts, Exchanges, Text])


def named(memory: type) -> str:
    return f"{__name__}:{memory.__name__}"


@MEMORIES
@pytest.mark.parametrize("language", Language)
async def test_the_doctor_learns_from_it_and_the_pages_show_it(
    language: Language, memory: type
) -> None:
    repeats = {"none": 0, named(memory): 0}
    for patient in ("gout", "pneumonia", "tuberculosis"):
        record = RecordPool.open().get(f"{patient}-{language}")
        for name in repeats:
            cell = Cell(record.id, Column.of("rules", PLAIN, name), 1)
            transcript = await simulate_one(record, cell, RunSettings(turns=10), Clients())
            assert transcript.ending in {Ending.CONCLUDED, Ending.TURN_LIMIT}
            repeats[name] += sum(event.repeated for event in transcript.of(Asked))
    assert repeats[named(memory)] < repeats["none"], "it knows what was asked and answered"
    last = transcript.of(Recalled)[-1].recall
    shown = consultation_data(transcript, record, {})["closing"]["recall"]
    assert len(shown["facts"]) == len(last.facts) and len(shown["exchanges"]) == len(last.exchanges)
    assert shown["text"] == last.text
    console = Console(width=2000, record=True, file=StringIO())
    console.print(memory_page(transcript))
    page = console.export_text()
    told = [fact.object for fact in last.facts] or [turn.reply for turn in last.exchanges]
    assert all(reply in page for reply in told)


@MEMORIES
@pytest.mark.parametrize("language", Language)
async def test_the_probes_find_what_it_holds(language: Language, memory: type) -> None:
    found = await row(language, named(memory))
    retrieval = None if memory is Text else 1  # a text alone does not say which turns it is from
    assert (
        found.by_kind["present"]["retrieval"].value
        == found.by_kind["absent"]["retrieval"].value
        == retrieval
    )
    assert bool(found.top_k) is (memory is Facts)
