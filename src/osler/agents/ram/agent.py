"""The module as a participant: takes the doctor's question, gives it back with the entries it asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property, lru_cache
from typing import Any

from osler.agents.participant import Case, Participant, Question, Selection
from osler.agents.ram.index import RecordIndex
from osler.agents.ram.intent import read_intent
from osler.agents.ram.redact import without_diagnosis
from osler.records.schema import Diagnosis, PatientRecord, Treatment

Sharpen = Callable[[str], Awaitable[str]]
"""The question in the words of a record; empty when it asks for nothing."""
MOST = 12
"""Entries that one question can bring: nobody answers with the whole file."""


@lru_cache(maxsize=256)
def _indexed(record: PatientRecord) -> RecordIndex:
    """The index of a record, made once for all consultations with that patient that follow each other."""
    return RecordIndex(without_diagnosis(record))


class Ram(Participant):
    """Stands between doctor and patient, and is the only one that holds the record."""

    def __init__(self, record: PatientRecord, case: Case, sharpen: Sharpen | None = None) -> None:
        """Take the record. What sharpens the intent is asked only where the question's own words find nothing."""
        super().__init__("ram", "Finds what the doctor's question asks for in the patient's record.")
        self._record = record
        self._case = case
        self._sharpen = sharpen

    @cached_property
    def _index(self) -> RecordIndex:
        """Made when it is first needed: many consultations begin at once, and none waits for the others' records."""
        return _indexed(self._record)

    async def respond(self, content: Any) -> Selection:
        """Augment a question."""
        question = content.text if isinstance(content, Question) else str(content)
        selection = self.select(question)
        if selection.entries or self._sharpen is None:
            return selection
        names = await self._sharpen(question)
        return self.select(question, names) if names else selection

    def select(self, question: str, other_words: str = "") -> Selection:
        """The question with the entries it asks for, and the scores they were chosen by."""
        found = self._index.search(other_words or question)[:MOST]
        whole = read_intent(other_words or question, self._record.language).asks[0]
        return Selection(
            case=self._case,
            question=question,
            entries=tuple(match.entry for match in found),
            scores=tuple(round(match.score, 4) for match in found),
            asked_for=(*sorted(whole.concepts), *sorted(whole.categories)),
        )

    def truth(self) -> tuple[Diagnosis, Treatment | None]:
        """The ground truth, fetched once the doctor has ended."""
        return self._record.diagnosis, self._record.treatment
