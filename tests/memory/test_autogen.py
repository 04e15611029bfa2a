"""Any memory inside an AutoGen agent."""

from __future__ import annotations

import subprocess
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.models import SystemMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

from osler.memory import MemorySettings
from osler.memory.autogen import AutoGenMemory
from tests.conftest import REPO


async def test_one_message_is_replaced_each_turn_and_holds_what_was_said() -> None:
    model = ReplayChatCompletionClient(["Do you have a fever?", "Anything else?", "Thank you.", "Goodbye."])
    memory = AutoGenMemory("tim", settings=MemorySettings(budget=400))
    agent = AssistantAgent("doctor", model_client=model, memory=[memory], system_message="You are a doctor.")
    for words in ("I cough since three weeks.", "Yes, 38.5 °C.", "Penicillin gave me a rash.", "No."):
        await agent.on_messages([TextMessage(content=words, source="patient")], CancellationToken())
    for number, call in enumerate(model.create_calls, 1):
        mine = [m for m in call["messages"] if isinstance(m, SystemMessage) and "known from earlier" in m.content]
        assert len(mine) == 1, f"turn {number}"
    last = next(m for m in reversed(model.create_calls[-1]["messages"]) if isinstance(m, SystemMessage))
    assert "38.5" in last.content and "enicillin" in last.content and "three weeks" in last.content


async def test_it_can_be_asked_added_to_and_cleared() -> None:
    memory = AutoGenMemory("tim")
    await memory.add(MemoryContent(content="The patient takes warfarin 3 mg.", mime_type=MemoryMimeType.TEXT))
    found = await memory.query("warfarin")
    assert "warfarin" in str(found.results[0].content) and found.results[0].metadata == {"turn": 1, "score": 0.0}
    await memory.clear()
    assert (await memory.query("warfarin")).results == []


async def test_it_can_be_written_down_and_made_again() -> None:
    memory = AutoGenMemory("tim", settings=MemorySettings(budget=77))
    again = AutoGenMemory.load_component(memory.dump_component())
    assert again.dump_component() == memory.dump_component()


def test_the_example_of_the_documentation_runs() -> None:
    done = subprocess.run(
        [sys.executable, REPO / "docs" / "autogen_memory.py"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "What is known from earlier" in done.stdout and "38.5 °C" in done.stdout
