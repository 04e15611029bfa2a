"""A patient played by a model that sees only what the retrieval module selected, and speaks freely from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.calls import Caller
from osler.agents.gate import ReplyFault, check, without
from osler.agents.messages import Case, Reply, Selection
from osler.agents.prompt_slots import SEMICOLON, patient_slots
from osler.agents.rules.patient import spoken
from osler.models import Backbone, ChatMessage
from osler.prompts import prompt
from osler.records.schema import Diagnosis
from osler.runs.events import Intervened, Intervention, Journal, Maker, Role


class ModelPatient(Participant):
    """Speaks through a model on every turn. If the gate refuses a reply, it is asked for once more, then cut."""

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
        drafts: list[tuple[str, tuple[ReplyFault, ...]]] = []
        for used, maker in ((template, Maker.MODEL), (again, Maker.RETRIED)):
            said = tidied(await self._call.text(messages, used, max_tokens=self._most, may_be_empty=True))
            faults = check(said, selection, self._diagnosis)
            if not faults:
                return Reply(text=said, maker=maker)
            reasons = [fault.reason(self._language) for fault in faults]
            self._note(Intervention.REFUSED, said, reasons, used.hash)
            drafts.append((said, faults))
            messages += [ChatMessage("assistant", said)] if said else []
            messages += [ChatMessage("user", again.fill(reasons=SEMICOLON[self._language].join(reasons)))]
        return self._cut(drafts, selection)

    def _cut(self, drafts: Sequence[tuple[str, tuple[ReplyFault, ...]]], selection: Selection) -> Reply:
        """Return the longest draft after removing faulty sentences, or the rule-based reply if nothing is left."""
        rests = [(without(draft, faults, self._language), draft, faults) for draft, faults in reversed(drafts)]
        rest, draft, faults = max(rests, key=lambda one: len(one[0]))
        if rest:
            self._note(Intervention.CUT, draft, [sentence for fault in faults for sentence in fault.sentences])
            return Reply(text=rest, maker=Maker.CUT)
        self._note(Intervention.RULES, draft, [fault.reason(self._language) for fault in faults])
        return Reply(text=spoken(selection), maker=Maker.RULES)

    def _note(self, kind: Intervention, draft: str, reasons: list[str], used: str | None = None) -> None:
        told = tuple(dict.fromkeys(reasons))
        self._journal.add(Intervened, Role.PATIENT, kind=kind, draft=draft, reasons=told, prompt=used)


_MARK = re.compile(r"^[^\S\n]*(?:[-*•·]|\d{1,2}[.、)])\s+", re.MULTILINE)
_QUOTES = "\"'“”‘’「」 "


def tidied(text: str) -> str:
    """Put a text on one line, without list marks and quotation marks around it; no word is changed."""
    line = " ".join(_MARK.sub("", text).split())
    inner = line.strip(_QUOTES)
    # Only if they are around the whole text: one that opens or closes a quotation within it belongs there.
    return inner if line[:1] in _QUOTES and line[-1:] in _QUOTES else line
