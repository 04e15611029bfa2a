"""A patient played by a model that sees only what the retrieval module selected."""

from __future__ import annotations

import re
from typing import Any

from autogen_core.models import AssistantMessage, LLMMessage, UserMessage

from osler.agents.backbones import Backbone
from osler.agents.calls import Caller
from osler.agents.guards import check_reply, omissions
from osler.agents.participant import Case, Participant, Reply, Selection
from osler.agents.rules.voice import voice
from osler.agents.wording import patient_slots
from osler.events import Ending, Intervened, Intervention, Journal, Maker, Role
from osler.prompts import prompt
from osler.records.language import Language
from osler.records.schema import RESULTS, Diagnosis

_REPLY_TOKENS = 160
_BY_HEART = 2
"""Results that one can tell from memory."""


class ModelPatient(Participant):
    """Speaks through a model, and through the rules when the model cannot keep to what it was given."""

    def __init__(
        self, case: Case, diagnosis: Diagnosis, backbone: Backbone, journal: Journal, *, guards: bool = True
    ) -> None:
        """The diagnosis is for the guard alone; no prompt holds it."""
        super().__init__("patient", "Answers from the entries it was given, as a lay person.")
        self._case, self._diagnosis, self._journal, self._guards = case, diagnosis, journal, guards
        self._call = Caller(backbone, Role.PATIENT, Ending.PATIENT_ERROR, journal)

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        selection: Selection = content
        if not selection.entries:
            # Who knows nothing has nothing to add; a model asked to say so denies things instead.
            return Reply(text=voice((), selection.question, self._case), maker=Maker.RULES)
        if len(selection.entries) > _BY_HEART and all(entry.category in RESULTS for entry in selection.entries):
            # Nobody retells a sheet of results; one reads it out, and loses nothing.
            return self._read_out(selection, Maker.RULES)
        language = self._case.language
        template = prompt("patient", language)
        messages: list[LLMMessage] = [UserMessage(content=template.fill(**patient_slots(selection)), source="ram")]
        said = self._heard(await self._call.text(messages, template, max_tokens=_REPLY_TOKENS))
        manner = Maker.MODEL
        if self._guards and (reasons := self._refused(said, selection, template.hash)):
            again = prompt("patient_again", language)
            messages += [
                AssistantMessage(content=said, source="patient"),
                UserMessage(content=again.fill(reasons="; ".join(reasons)), source="ram"),
            ]
            said, manner = self._heard(await self._call.text(messages, again, max_tokens=_REPLY_TOKENS)), Maker.RETRIED
            if self._refused(said, selection, again.hash):
                return self._read_out(selection, Maker.RULES)
        untold = omissions(said, selection)
        told = tuple(entry.name for entry in selection.entries if entry.name not in untold)
        return Reply(text=said, maker=manner, disclosed=told)

    def _heard(self, text: str) -> str:
        """The reply itself; with the guards off, as the model put it."""
        said = _clean(text)
        if not self._guards:
            return said
        language = self._case.language
        bare = _GREETING[language].sub("", said) or said
        return _I_KNOW.sub(lambda found: found[1].upper(), bare) if language is Language.EN else bare

    def _read_out(self, selection: Selection, manner: Maker) -> Reply:
        told = voice(selection.entries, selection.question, self._case)
        return Reply(text=told, maker=manner, disclosed=tuple(entry.name for entry in selection.entries))

    def _refused(self, said: str, selection: Selection, template: str) -> tuple[str, ...]:
        reasons = check_reply(said, selection, self._diagnosis)
        if reasons:
            self._journal.add(
                Intervened, Role.PATIENT, kind=Intervention.REFUSED, draft=said, reasons=reasons, prompt=template
            )
        return reasons


_BULLET = re.compile(r"^[^\S\n]*(?:[-*•·]|\d{1,2}[.、)])\s+", re.MULTILINE)
# A model begins as it was taught to serve; nobody in a consulting room agrees to be asked.
_GREETING = {
    Language.EN: re.compile(r"^(?:(?i:sure|certainly|absolutely|hello|hi)(?:,? doctor)?[,.!] *)+(?=[A-Z])"),
    Language.ZH: re.compile(r"^(?:(?:当然可以|可以的|好的|你好|您好)[，,]?(?:医生|大夫)?[。，,！!] *)+"),
}
# "What you know about this": told to say it, small models say that they know it.
_I_KNOW = re.compile(
    r"(?:^|(?<=[.!?] ))I (?:also )?know (?:that |(?=(?:the|my|his|her|their|I|he|she|it)(?: [\w-]+){0,4} "
    r"(?:is|was|are|were|has|had|shows?|showed)\b))(?!is\b|was\b|well\b)(\w)"
)


def _clean(text: str) -> str:
    """In one line, without quotation marks around it and without the marks of a list."""
    return " ".join(_BULLET.sub("", text).split()).strip("\"'“” ")
