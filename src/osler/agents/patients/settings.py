"""What a patient of your own is made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from osler.agents.ram.redact import without_diagnosis
from osler.agents.seat_settings import SeatSettings
from osler.records.schema import RESULTS, Entry, PatientRecord, PersonSheet
from osler.runs.events import Role


@dataclass(frozen=True)
class PatientSettings(SeatSettings):
    """The case, the model and the journal of its calls, and what the record tells.

    The diagnosis, the treatment and the order of examinations are not there.
    """

    role = Role.PATIENT

    entries: tuple[Entry, ...] = ()
    """All entries of the record, without what names the diagnosis."""
    person: PersonSheet | None = None
    """What the patient knows of their own life; None if the record does not tell."""

    def with_record(self, record: PatientRecord) -> PatientSettings:
        """Return the settings with what this record tells."""
        # The sentence of the original text that an entry rests on may name the diagnosis.
        entries = tuple(
            entry.model_copy(update={"source": None}) for entry in without_diagnosis(record).entries
        )
        return replace(self, entries=entries, person=record.person)

    @property
    def history(self) -> tuple[Entry, ...]:
        """The entries that people can tell of themselves: all but results of tests and findings."""
        return tuple(entry for entry in self.entries if entry.category not in RESULTS)
