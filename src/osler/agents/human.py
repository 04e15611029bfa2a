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
"""What a person gets: the doctor a briefing, the patient a question with what is known about it."""
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
    texts = load_texts(before.case.language, "play")
    lines = shown_lines(before)

    async def type_answer(*prompt_lines: str) -> str:
        text = await asyncio.to_thread(read, "\n".join(prompt_lines))
        return text.strip()

    if isinstance(before, Selection):
        answer = await type_answer(*lines, texts["answer"])
        return Reply(text=answer, maker=Maker.HUMAN)
    question = ""
    while before.turns_left > 0 and not question:
        question = await type_answer(*lines, texts["left"].format(left=before.turns_left))
    if question and question.casefold() not in END_WORDS:
        return Question(text=question, maker=Maker.HUMAN)
    diagnosis = await type_answer(*lines, f"{texts['diagnosis']} > ")
    treatment = await type_answer(f"{texts['treatment']} > ")
    return Conclusion(diagnosis=diagnosis, treatment=treatment)


def shown_lines(before: Before) -> list[str]:
    """Return what was said to a person, and what goes with it.

    For the doctor these are the reports; for the patient, what they know about the question.
    """
    texts = load_texts(before.case.language, "play")
    if isinstance(before, Selection):
        heading = f"{texts['doctor']}{before.question}"
        details = [texts["known"].format(name=note.name, told=note.told) for note in notes(before)]
        details += stated_earlier(before)
        if not details:
            details = [texts["nothing_known"]]
    else:
        heading = f"{texts['patient']}{before.reply}"
        details = before.results.splitlines()
    # What a record or a model says may contain control characters of the terminal.
    return [printable(heading), *(f"  {printable(line)}" for line in details)]
