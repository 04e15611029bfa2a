"""A patient played by a model.

It sees only what the retrieval module selected, and speaks freely from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.calls import Caller
from osler.agents.gate import ReplyFault, check, remove_faulty
from osler.agents.messages import Case, Reply, Selection
from osler.agents.prompt_slots import SEMICOLON, patient_slots
from osler.agents.rules.patient import reply_by_rules
from osler.models import Backbone, ChatMessage
from osler.prompts import prompt
from osler.records.schema import Diagnosis
from osler.runs.events import Intervened, Intervention, Journal, Maker, Role
from osler.settings.names import ANSWER_TOKENS


class ModelPatient(Participant):
    """Speaks through a model on every turn.

    If the gate refuses a reply, it is asked for once more, then cut.
    """

    def __init__(
        self,
        case: Case,
        diagnosis: Diagnosis,
        backbone: Backbone,
        journal: Journal,
        *,
        answer_tokens: int = ANSWER_TOKENS,
    ) -> None:
        """The diagnosis is for the gate alone; no prompt holds it."""
        super().__init__("patient", "Answers from what it was handed, as a lay person.")
        self._language, self._diagnosis, self._journal = case.language, diagnosis, journal
        self._answer_tokens = answer_tokens
        self._call = Caller(backbone, Role.PATIENT, journal)

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        selection: Selection = content
        template = prompt("patient", self._language)
        messages = [ChatMessage("user", template.fill(**patient_slots(selection)))]
        drafts: list[tuple[str, tuple[ReplyFault, ...]]] = []
        for maker in (Maker.MODEL, Maker.RETRIED):
            answer = await self._call.text(
                messages, template, max_tokens=self._answer_tokens, may_be_empty=True
            )
            draft = tidy(answer)
            faults = check(draft, selection, self._diagnosis)
            if not faults:
                return Reply(text=draft, maker=maker)
            reasons = [fault.reason(self._language) for fault in faults]
            self._note(Intervention.REFUSED, draft, reasons, template.hash)
            drafts.append((draft, faults))
            if draft:  # no server takes an empty message of its model
                messages.append(ChatMessage("assistant", draft))
            template = prompt("patient_again", self._language)
            joined = SEMICOLON[self._language].join(reasons)
            messages.append(ChatMessage("user", template.fill(reasons=joined)))
        return self._cut(drafts, selection)

    def _cut(
        self, drafts: Sequence[tuple[str, tuple[ReplyFault, ...]]], selection: Selection
    ) -> Reply:
        """Return the longest draft after removing its faulty sentences.

        If nothing is left of any, the reply is by rules.
        """
        rests = []
        # The newest first: of equally long rests it counts.
        for draft, faults in reversed(drafts):
            rests.append((remove_faulty(draft, faults, self._language), draft, faults))
        rest, draft, faults = max(rests, key=lambda candidate: len(candidate[0]))
        if not rest:
            reasons = [fault.reason(self._language) for fault in faults]
            self._note(Intervention.RULES, draft, reasons)
            return Reply(text=reply_by_rules(selection), maker=Maker.RULES)
        removed: list[str] = []
        for fault in faults:
            removed += fault.sentences
        self._note(Intervention.CUT, draft, removed)
        return Reply(text=rest, maker=Maker.CUT)

    def _note(
        self, kind: Intervention, draft: str, reasons: list[str], prompt_hash: str | None = None
    ) -> None:
        unique_reasons = tuple(dict.fromkeys(reasons))
        self._journal.add(
            Intervened,
            Role.PATIENT,
            kind=kind,
            draft=draft,
            reasons=unique_reasons,
            prompt=prompt_hash,
        )


_MARK = re.compile(r"^[^\S\n]*(?:[-*•·]|\d{1,2}[.、)])\s+", re.MULTILINE)
_QUOTES = "\"'“”‘’「」 "


def tidy(text: str) -> str:
    """Put a text on one line, without list marks and quotation marks around it.

    No word is changed.
    """
    line = " ".join(_MARK.sub("", text).split())
    inner = line.strip(_QUOTES)
    # Only if they are around the whole text: one that opens or closes a quotation within it belongs
    # there.
    is_quoted = line[:1] in _QUOTES and line[-1:] in _QUOTES
    return inner if is_quoted else line
