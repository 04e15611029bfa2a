"""Participants who do again what the record says they did: for all of a consultation, or for its first turns."""

from __future__ import annotations

from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Case, Conclusion, Question, Reply, Selection
from osler.agents.ram.agent import Ram, with_reports
from osler.agents.ram.redact import without_diagnosis
from osler.records.schema import PatientRecord
from osler.replay.event_order import Order
from osler.replay.recorded_failures import over
from osler.runs.events import Answered, Asked, Journal, Retrieved
from osler.runs.transcript import Transcript


class RecordedDoctor(Participant):
    """Asks and concludes as it did; where only the first turns are taken over, another doctor goes on."""

    def __init__(
        self, recorded: Transcript, order: Order, until: int | None = None, then: Participant | None = None
    ) -> None:
        """Take over the turns up to one, or all of them."""
        super().__init__("doctor", "Asks what was asked.")
        self._recorded, self._order, self._until, self._then = recorded, order, until, then
        self._asked = {event.turn: event for event in recorded.of(Asked)}

    async def respond(self, content: Any) -> Question | Conclusion:
        """The question of this turn, or the conclusion."""
        briefing: Briefing = content
        if self._then is not None and self._until is not None and briefing.turn > self._until:
            move: Any = await self._then.respond(briefing)
            assert isinstance(move, Question | Conclusion)
            return move
        if asked := self._asked.get(briefing.turn):
            return Question(text=asked.question, maker=asked.maker, differential=asked.differential)
        if said := self._recorded.conclusion:
            return Conclusion(**said.model_dump(include=set(Conclusion.model_fields)))
        await self._order.before_end()
        raise over(self._recorded, "question of the doctor")


class RecordedPatient(Participant):
    """Replies as it did; where only the first turns are taken over, another patient goes on."""

    def __init__(
        self,
        recorded: Transcript,
        order: Order,
        journal: Journal,
        until: int | None = None,
        then: Participant | None = None,
    ) -> None:
        """Take over the turns up to one, or all of them; the journal knows which turn it is."""
        super().__init__("patient", "Says what was said.")
        self._recorded, self._order, self._journal = recorded, order, journal
        self._until, self._then = until, then
        self._answered = {event.turn: event for event in recorded.of(Answered)}

    async def respond(self, content: Any) -> Reply:
        """The reply of this turn."""
        if self._then is not None and self._until is not None and self._journal.turn > self._until:
            reply = await self._then.respond(content)
            assert isinstance(reply, Reply)
            return reply
        if said := self._answered.get(self._journal.turn):
            return Reply(text=said.reply, maker=said.maker)
        await self._order.before_end()
        raise over(self._recorded, "reply of the patient")


class RecordedRam(Ram):
    """Finds in the first turns what it found, so that no model has to be asked for it again; then it looks itself."""

    def __init__(
        self, record: PatientRecord, case: Case, recorded: Transcript, journal: Journal, until: int, then: Ram
    ) -> None:
        """Take over the turns up to one."""
        super().__init__(record, case)
        self._case_told, self._journal, self._until, self._then = case, journal, until, then
        self._retrieved = {event.turn: event for event in recorded.of(Retrieved)}
        self._entries = {entry.name: entry for entry in without_diagnosis(record).entries}

    async def respond(self, content: Any) -> Selection:
        """The entries of this turn."""
        found = self._retrieved.get(self._journal.turn)
        if found is None or self._journal.turn > self._until:
            return await self._then.respond(content)
        known = [(self._entries[one.name], one.score) for one in found.entries if one.name in self._entries]
        selection = Selection(
            case=self._case_told,
            question=content.text,
            entries=tuple(entry for entry, _ in known),
            scores=tuple(score for _, score in known),
            asked_for=found.asked_for,
            things=found.things,
            maker=found.maker,
            before=content.before,
        )
        return with_reports(selection) if found.results else selection
