"""Our participants in a real AutoGen team."""

from __future__ import annotations

import pytest
from autogen_agentchat.messages import StructuredMessage

from osler import RecordPool
from osler.agents.messages import Conclusion, Selection
from osler.simulator.build import consultation_team


@pytest.mark.parametrize("case", ["gout-en", "gout-zh"])
async def test_a_round_robin_of_doctor_ram_and_patient_ends_with_a_conclusion(case: str) -> None:
    record = RecordPool.open().find(case)
    result = await consultation_team(record, memory="raw", turns=4).run(task=record.complaint)
    speakers = [message.source for message in result.messages[1:]]
    assert speakers[:6] == ["doctor", "ram", "patient"] * 2
    assert all(
        isinstance(message, StructuredMessage) and isinstance(message.content, Selection)
        for message in result.messages
        if message.source == "ram"
    )
    last = result.messages[-1]
    assert isinstance(last, StructuredMessage) and isinstance(last.content, Conclusion)
    assert last.content.diagnosis


async def test_the_doctors_memory_works_in_a_team() -> None:
    record = RecordPool.open().find("gout-en")
    distinct = {}
    for memory in ("none", "raw"):
        result = await consultation_team(record, memory=memory, turns=10).run(task=record.complaint)
        questions = [message.to_text() for message in result.messages if message.source == "doctor"][:-1]
        distinct[memory] = len(set(questions)) / len(questions)
    assert distinct["raw"] == 1 > distinct["none"], "without its memory it asks the same again"
