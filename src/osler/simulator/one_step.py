"""The ceiling: a doctor who is told everything in the record but the truth, and concludes at once.

It takes the place of a memory, since that is where a doctor finds what it knows of a patient.
"""

from __future__ import annotations

from typing import Any

from osler.agents.messages import Case
from osler.agents.ram.redact import without_diagnosis
from osler.agents.rules.patient import voice
from osler.language import Language
from osler.memory.base import Change, Recall, Turn
from osler.records.schema import Entry, PatientRecord

_LINE = {Language.EN: "{name}: {told}", Language.ZH: "{name}：{told}"}
_WHEN = {Language.EN: " ({when})", Language.ZH: "（{when}）"}


class WholeRecord:
    """Recalls every entry of a record, one a line."""

    name = "one-step"

    def __init__(self, record: PatientRecord, case: Case) -> None:
        """Put the record into lines; what names the diagnosis is left out, as it is for every patient."""
        self._text = "\n".join(_line(entry, case) for entry in without_diagnosis(record).entries)

    async def remember(self, turn: Turn) -> Change:
        """Nothing is asked, so there is nothing to remember."""
        return Change()

    async def recall(self, query: str) -> Recall:
        """All of it."""
        return Recall(text=self._text)

    def snapshot(self) -> dict[str, Any]:
        """Nothing that changes."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""


def _line(entry: Entry, case: Case) -> str:
    """The report as it was written; what has none is told as the patient would."""
    language = case.language
    when = _WHEN[language].format(when=entry.when) if entry.when else ""
    return _LINE[language].format(name=entry.name, told=entry.report or voice((entry,), entry.name, case)) + when
