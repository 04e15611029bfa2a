"""Our participants in a real AutoGen team."""

from __future__ import annotations

import pytest
from autogen_agentchat.messages import StructuredMessage

from osler import RecordPool
from osler.agents.messages import Conclusion, Selection
from osler.simulator.team import consultation_team


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
    questions = [message.to_text() for message in result.messages if message.source == "doctor"][:-1]
    assert len(set(questions)) == len(questions) == 4, "its memory keeps it from asking twice"
