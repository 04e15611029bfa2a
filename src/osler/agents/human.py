"""A person in the chair of the doctor or the patient, at a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from osler.agents.participant import Briefing, Conclusion, Participant, Question, Reply, Selection
from osler.errors import printable
from osler.events import Voice
from osler.records.language import Language

Ask = Callable[[str], Awaitable[str]]

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
        if briefing.turns_left > 0:
            said = ""
            while not said:
                said = (await self._ask(f"{shown}{question}")).strip()
            if said.casefold() not in _ENDS:
                return Question(text=said, voice=Voice.HUMAN)
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
        known = (
            "; ".join(f"{entry.name}: {entry.report or entry.status.value}" for entry in selection.entries) or nothing
        )
        text = (await self._ask(form.format(printable(selection.question), printable(known)))).strip()
        return Reply(text=text, voice=Voice.HUMAN, disclosed=tuple(entry.name for entry in selection.entries))
