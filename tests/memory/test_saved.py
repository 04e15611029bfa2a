"""A memory in a file: exact, whole, and never taken for what it is not."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import UserMessage

from osler.errors import UserError
from osler.language import Language
from osler.memory import MemorySettings, memory_factory
from osler.memory.autogen import AutoGenMemory
from osler.memory.base import Memory, Turn
from osler.memory.saved import restore, save

TURNS = {
    Language.EN: ("Do you have a fever?", "Yes, 38.5 °C since Monday.", "Any allergy?", "Penicillin gave me a rash."),
    Language.ZH: ("发烧吗？", "从周一开始，38.5度。", "对什么药过敏？", "青霉素过敏，起过皮疹。"),
}


async def filled(name: str, language: Language) -> Memory:
    memory = memory_factory(name)(MemorySettings(language=language))
    words = TURNS[language]
    for number in (1, 2):
        await memory.remember(Turn(number=number, question=words[2 * number - 2], reply=words[2 * number - 1]))
    return memory


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", ["none", "raw", "tim"])
async def test_a_memory_comes_back_exactly(tmp_path: Path, name: str, language: Language) -> None:
    path, memory = tmp_path / "memory", await filled(name, language)
    save(memory, path, turns=2)
    other = memory_factory(name)(MemorySettings(language=language))
    assert restore(other, path) == {"turns": 2}
    assert other.snapshot() == memory.snapshot()
    assert await other.recall("38.5") == await memory.recall("38.5")
    assert os.listdir(tmp_path) == ["memory"]


async def test_what_is_not_a_memory_is_refused_and_the_memory_stays(tmp_path: Path) -> None:
    path, memory = tmp_path / "memory", await filled("raw", Language.EN)
    save(memory, path)
    whole, before = path.read_text(), memory.snapshot()
    for text, line in (
        ("", "not a saved memory"),
        ("[]\n{}", "not a saved memory"),
        (whole[:-20], "damaged"),
        (whole.replace("Monday", "Friday"), "damaged"),
        (whole.replace('"format": 1', '"format": 9'), "has form 9"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=line):
            restore(memory, path)
        assert memory.snapshot() == before
    path.write_text(whole)
    with pytest.raises(UserError, match="holds the memory 'raw'"):
        restore(memory_factory("tim")(MemorySettings()), path)
    with pytest.raises(UserError, match="cannot be read"):
        restore(memory, tmp_path / "nowhere")
    with pytest.raises(UserError, match="cannot be saved"):
        save(memory, Path("/proc/nothing/memory"))


def _save_for_ever(path: Path) -> None:
    memory = memory_factory("raw")(MemorySettings())
    number = 0
    while True:
        number += 1
        memory.restore({"turns": [{"number": number, "question": "q" * 2000, "reply": str(number)}] * 40})
        save(memory, path, number=number)


def test_a_kill_in_the_middle_of_writing_leaves_a_whole_file(tmp_path: Path) -> None:
    path, rng, context = tmp_path / "memory", random.Random(3), multiprocessing.get_context("fork")
    for _ in range(12):
        process = context.Process(target=_save_for_ever, args=(path,))
        process.start()
        while not path.exists():
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.05))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        memory = memory_factory("raw")(MemorySettings())
        number = restore(memory, path)["number"]
        assert {turn["reply"] for turn in memory.snapshot()["turns"]} == {str(number)}


async def test_an_agent_knows_in_the_next_conversation_what_it_was_told_in_the_last(tmp_path: Path) -> None:
    path = tmp_path / "patient.memory"
    first = AutoGenMemory("tim", file=path)
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="I am allergic to penicillin.", source="patient"))
    await first.update_context(context)
    second = AutoGenMemory.load_component(first.dump_component())
    new = UnboundedChatCompletionContext()
    await new.add_message(UserMessage(content="Which antibiotic may I take?", source="patient"))
    told = await second.update_context(new)
    assert any("penicillin" in str(item.content) for item in told.memories.results)
    assert json.loads(path.read_text().partition("\n")[2])["about"] == {"turns": 2}
    await second.clear()
    third = AutoGenMemory("tim", file=path)
    assert not (await third.query("penicillin")).results
