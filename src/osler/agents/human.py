"""A person in the role of the doctor or the patient."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Conclusion, Question, Reply, Selection
from osler.agents.prompt_slots import notes, stated_earlier
from osler.errors import printable
from osler.locale import load_texts
from osler.runs.events import Maker

Before = Briefing | Selection
"""What a person is shown: as doctor the briefing, as patient the question with what is known about it."""
Move = Question | Conclusion | Reply
Mover = Callable[[Before], Awaitable[Move]]
"""Waits for the person's move."""
END_WORDS = frozenset({"end", "结束"})
"""What a doctor types to conclude."""


class HumanParticipant(Participant):
    """A person in either role. Unless told otherwise, they type at a plain prompt."""

    concludes_once = True

    def __init__(self, role: str, mover: Mover | None = None) -> None:
        """Name the role, and what waits for its moves."""
        super().__init__(role, "A person.")
        self._mover = mover or at_prompt

    async def respond(self, content: Any) -> Move:
        """Return their move."""
        return await self._mover(content)


async def at_prompt(before: Before, read: Callable[[str], str] = input) -> Move:
    """Return the move that a person types, while other consultations go on."""
    texts, shown, said = load_texts(before.case.language, "play"), shown_lines(before), ""

    async def typed(*lines: str) -> str:
        return (await asyncio.to_thread(read, "\n".join(lines))).strip()

    if isinstance(before, Selection):
        return Reply(text=await typed(*shown, texts["answer"]), maker=Maker.HUMAN)
    while before.turns_left > 0 and not said:
        said = await typed(*shown, texts["left"].format(left=before.turns_left))
    if said and said.casefold() not in END_WORDS:
        return Question(text=said, maker=Maker.HUMAN)
    found = await typed(*shown, f"{texts['diagnosis']} > ")
    return Conclusion(diagnosis=found, treatment=await typed(f"{texts['treatment']} > "))


def shown_lines(before: Before) -> list[str]:
    """Return what was said to a person, and the reports they were given or what they know about the question."""
    texts = load_texts(before.case.language, "play")
    if isinstance(before, Selection):
        said = f"{texts['doctor']}{before.question}"
        known = [texts["known"].format(name=note.name, told=note.told) for note in notes(before)]
        more = [*known, *stated_earlier(before)] or [texts["nothing_known"]]
    else:
        said, more = f"{texts['patient']}{before.reply}", before.results.splitlines()
    return [printable(said), *(f"  {printable(line)}" for line in more)]
