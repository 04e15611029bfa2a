"""Any memory inside an AutoGen agent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

from osler.errors import UserError
from osler.memory import MemorySettings
from osler.memory.autogen import AutoGenMemory
from tests.conftest import LONGEST_WAIT, REPO


async def test_one_message_is_replaced_each_turn_and_holds_what_was_said() -> None:
    model = ReplayChatCompletionClient(
        ["Do you have a fever?", "Anything else?", "Thank you.", "Goodbye."]
    )
    memory = AutoGenMemory("tim", settings=MemorySettings(budget=400))
    agent = AssistantAgent(
        "doctor", model_client=model, memory=[memory], system_message="You are a doctor."
    )
    for words in (
        "I cough since three weeks.",
        "Yes, 38.5 °C.",
        "Penicillin gave me a rash.",
        "No.",
    ):
        await agent.on_messages([TextMessage(content=words, source="patient")], CancellationToken())
    for number, call in enumerate(model.create_calls, 1):
        mine = [
            m
            for m in call["messages"]
            if isinstance(m, SystemMessage) and "known from earlier" in m.content
        ]
        assert len(mine) == 1, f"turn {number}"
    last = next(
        m for m in reversed(model.create_calls[-1]["messages"]) if isinstance(m, SystemMessage)
    )
    assert "38.5" in last.content and "enicillin" in last.content and "three weeks" in last.content


async def test_it_can_be_asked_added_to_and_cleared() -> None:
    memory = AutoGenMemory("tim")
    await memory.add(
        MemoryContent(content="The patient takes warfarin 3 mg.", mime_type=MemoryMimeType.TEXT)
    )
    found = await memory.query("warfarin")
    assert "warfarin" in str(found.results[0].content)
    assert found.results[0].metadata is not None and {"id", "score", "created_at"} <= set(
        found.results[0].metadata
    )
    await memory.clear()
    assert (await memory.query("warfarin")).results == []


async def test_metadata_user_and_number_of_results_are_honoured(tmp_path: Path) -> None:
    first, second = (
        AutoGenMemory("raw", file=tmp_path / "s", user_id=user) for user in ("anna", "ben")
    )
    for text in ("tea", "milk", "water"):
        content = MemoryContent(
            content=text, mime_type=MemoryMimeType.TEXT, metadata={"hot": text == "tea"}
        )
        await first.add(content)
    await second.add(
        MemoryContent(content="tea", mime_type=MemoryMimeType.TEXT, metadata={"user_id": "carl"})
    )
    assert len((await first.query("milk")).results) == 3
    [milk] = (await first.query("milk", k=1)).results
    assert milk.content == "milk" and milk.metadata is not None and milk.metadata["hot"] is False
    [tea] = (await first.query("milk", filters={"hot": True})).results
    assert tea.content == "tea"
    assert (
        not (await second.query("tea")).results
        and (await second.query("tea", user_id="carl")).results
    )
    with pytest.raises(UserError, match="no option 'colour'; use k"):
        await first.query("tea", colour="red")
    one = AutoGenMemory("raw", file=tmp_path / "s", user_id="anna", k=1)
    context = UnboundedChatCompletionContext([UserMessage(content="Is milk cold?", source="anna")])
    assert len((await one.update_context(context)).memories.results) == 1
    assert (
        sum(
            "known from earlier" in str(message.content) for message in await context.get_messages()
        )
        == 1
    )


async def test_an_agent_knows_in_the_next_conversation_what_it_was_told_in_the_last(
    tmp_path: Path,
) -> None:
    first = AutoGenMemory("tim", file=tmp_path / "s")
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="I am allergic to penicillin.", source="patient"))
    await first.update_context(context)
    second = AutoGenMemory.load_component(first.dump_component())
    new = UnboundedChatCompletionContext()
    await new.add_message(UserMessage(content="Which antibiotic may I take?", source="patient"))
    told = await second.update_context(new)
    assert any("penicillin" in str(item.content) for item in told.memories.results)
    await second.clear()
    assert not (await AutoGenMemory("tim", file=tmp_path / "s").query("penicillin")).results
    await first.close()


async def test_it_can_be_written_down_and_made_again() -> None:
    memory = AutoGenMemory("tim", settings=MemorySettings(budget=77))
    again = AutoGenMemory.load_component(memory.dump_component())
    assert again.dump_component() == memory.dump_component()


def test_the_example_of_the_documentation_runs() -> None:
    done = subprocess.run(
        [sys.executable, REPO / "docs" / "autogen_memory.py"],
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "What is known from earlier" in done.stdout and "38.5 °C" in done.stdout
