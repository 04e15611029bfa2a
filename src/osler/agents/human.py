"""A person in the chair of the doctor or the patient: at a plain prompt, or wherever their moves come from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Conclusion, Question, Reply, Selection
from osler.agents.notes import notes
from osler.errors import printable
from osler.language import Language
from osler.runs.events import Maker

Ask = Callable[[str], Awaitable[str]]
Before = Briefing | Selection
"""What lies before a person: as doctor the briefing, as patient the question with what is known about it."""
Move = Question | Conclusion | Reply
Mover = Callable[[Before], Awaitable[Move]]
"""Waits for the person's move."""

_WORDS = {
    Language.EN: (
        "Your question (or `end`): ",
        "Diagnosis: ",
        "Treatment: ",
        "The doctor asks: {}\nYou know: {}\nYour answer: ",
        "nothing about this",
    ),
    Language.ZH: (
        "您的问题（或输入 end）：",
        "诊断：",
        "治疗：",
        "医生问：{}\n您知道的：{}\n您的回答：",
        "没有这方面的内容",
    ),
}
_ENDS = frozenset({"end", "结束"})


async def at_terminal(prompt: str) -> str:
    """Read one line without stopping the other consultations."""
    return await asyncio.to_thread(input, prompt)


class Person(Participant):
    """A person in either chair, who is shown all of it and moves in their own time."""

    def __init__(self, chair: str, mover: Mover) -> None:
        """Name the chair, and who waits for its moves."""
        super().__init__(chair, "A person.")
        self._mover = mover

    async def respond(self, content: Any) -> Move:
        """Their move."""
        return await self._mover(content)


class HumanDoctor(Participant):
    """Asks what the person types; `end` asks for diagnosis and treatment."""

    def __init__(self, ask: Ask = at_terminal) -> None:
        """Take what to read with, so that a page or a test can stand in for the terminal."""
        super().__init__("doctor", "A person who asks and concludes.")
        self._ask = ask

    async def respond(self, content: Any) -> Question | Conclusion:
        """Show the reply, take a question or the conclusion."""
        briefing: Briefing = content
        question, diagnosis, treatment, _, _ = _WORDS[briefing.case.language]
        shown = f"{printable(briefing.reply)}\n"
        shown += "".join(f"  {printable(line)}\n" for line in briefing.results.splitlines())
        if briefing.turns_left > 0:
            said = ""
            while not said:
                said = (await self._ask(f"{shown}{question}")).strip()
            if said.casefold() not in _ENDS:
                return Question(text=said, maker=Maker.HUMAN)
        found = (await self._ask(f"{shown}{diagnosis}")).strip()
        return Conclusion(diagnosis=found, treatment=(await self._ask(treatment)).strip())


class HumanPatient(Participant):
    """Answers what the person types, who is shown the entries the question asks for."""

    def __init__(self, ask: Ask = at_terminal) -> None:
        """Take what to read with."""
        super().__init__("patient", "A person who answers.")
        self._ask = ask

    async def respond(self, content: Any) -> Reply:
        """Show the question and what is known, take the answer."""
        selection: Selection = content
        *_, form, nothing = _WORDS[selection.case.language]
        known = "; ".join(f"{note.name}: {note.told}" for note in notes(selection)) or nothing
        text = (await self._ask(form.format(printable(selection.question), printable(known)))).strip()
        return Reply(text=text, maker=Maker.HUMAN)
