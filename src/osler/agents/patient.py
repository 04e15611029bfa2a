"""A patient played by a model that sees only what the retrieval module selected, and speaks freely from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.calls import Caller
from osler.agents.gate import Fault, check, without
from osler.agents.messages import Case, Reply, Selection
from osler.agents.patient_prompt import patient_slots
from osler.agents.rules.patient import spoken
from osler.language import Language
from osler.models import Backbone, ChatMessage
from osler.prompts import Prompt, prompt
from osler.records.schema import Diagnosis
from osler.runs.events import Intervened, Intervention, Journal, Maker, Role


class ModelPatient(Participant):
    """Speaks through a model on every turn. What the gate refuses is asked for once more, then cut."""

    def __init__(
        self, case: Case, diagnosis: Diagnosis, backbone: Backbone, journal: Journal, *, answer_tokens: int = 1000
    ) -> None:
        """The diagnosis is for the gate alone; no prompt holds it."""
        super().__init__("patient", "Answers from what it was handed, as a lay person.")
        self._language, self._diagnosis, self._journal = case.language, diagnosis, journal
        self._most = answer_tokens
        self._call = Caller(backbone, Role.PATIENT, journal)

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        selection: Selection = content
        template, again = prompt("patient", self._language), prompt("patient_again", self._language)
        messages = [ChatMessage("user", template.fill(**patient_slots(selection)))]
        first = await self._said(messages, template)
        faults = self._refused(first, selection, template)
        if not faults:
            return Reply(text=first, maker=Maker.MODEL)
        reasons = _joined(faults, selection)
        messages += [ChatMessage("assistant", first)] if first else []
        messages += [ChatMessage("user", again.fill(reasons=reasons))]
        second = await self._said(messages, again)
        left = self._refused(second, selection, again)
        if not left:
            return Reply(text=second, maker=Maker.RETRIED)
        return self._cut(((second, left), (first, faults)), selection)

    async def _said(self, messages: list[ChatMessage], template: Prompt) -> str:
        """The model's words; empty where it has none."""
        return tidied(await self._call.text(messages, template, max_tokens=self._most, may_be_empty=True))

    def _refused(self, said: str, selection: Selection, template: Prompt) -> tuple[Fault, ...]:
        faults = check(said, selection, self._diagnosis)
        if faults:
            self._note(Intervention.REFUSED, said, [fault.reason(self._language) for fault in faults], template)
        return faults

    def _cut(self, drafts: Sequence[tuple[str, tuple[Fault, ...]]], selection: Selection) -> Reply:
        """The draft of which most is left without what is at fault; the rules where nothing is."""
        rests = [(without(draft, faults, self._language), draft, faults) for draft, faults in drafts]
        rest, draft, faults = max(rests, key=lambda one: len(one[0]))
        if rest:
            self._note(Intervention.CUT, draft, [sentence for fault in faults for sentence in fault.sentences])
            return Reply(text=rest, maker=Maker.CUT)
        self._note(Intervention.RULES, draft, [fault.reason(self._language) for fault in faults])
        return Reply(text=spoken(selection), maker=Maker.RULES)

    def _note(self, kind: Intervention, draft: str, reasons: list[str], template: Prompt | None = None) -> None:
        told, name = tuple(dict.fromkeys(reasons)), template.hash if template else None
        self._journal.add(Intervened, Role.PATIENT, kind=kind, draft=draft, reasons=told, prompt=name)


def _joined(faults: tuple[Fault, ...], selection: Selection) -> str:
    language = selection.case.language
    return ("; " if language is Language.EN else "；").join(fault.reason(language) for fault in faults)


_MARK = re.compile(r"^[^\S\n]*(?:[-*•·]|\d{1,2}[.、)])\s+", re.MULTILINE)
_QUOTES = "\"'“”‘’「」 "


def tidied(text: str) -> str:
    """In one line, without the marks of a list and without quotation marks around it; no word is touched."""
    line = " ".join(_MARK.sub("", text).split())
    inner = line.strip(_QUOTES)
    # Only where they stand around the whole: one that opens or closes a quotation within it belongs there.
    return inner if line[:1] in _QUOTES and line[-1:] in _QUOTES else line
