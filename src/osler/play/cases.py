"""The patients one can play, under names that do not tell what they have.

A record's id is often its diagnosis (`gout-en`), and files lie in that order. So before the end a player sees a short
hash instead, and lists are sorted by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field

from osler.errors import UserError
from osler.language import Language
from osler.records.pool import RecordPool
from osler.records.schema import Sex


def veiled(record_id: str) -> str:
    """The name of a record that tells nothing of it."""
    return hashlib.sha256(f"veiled\0{record_id}".encode()).hexdigest()[:10]


class Card(BaseModel):
    """What may be known of a patient before they are chosen; the page shows it as JSON."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    id: str
    """The veiled name."""
    record: str = Field(exclude=True)
    """The record's id: for the program alone, like the patient's."""
    patient: str = Field(exclude=True)
    language: Language
    specialty: str | None
    age: str
    sex: Sex
    complaint: str


def cards(pool: RecordPool) -> tuple[Card, ...]:
    """All patients of a pool, sorted by their veiled names."""
    found = (
        Card(
            id=veiled(record.id),
            record=record.id,
            patient=record.patient,
            language=record.language,
            specialty=record.specialty,
            age=record.age.label(record.language),
            sex=record.sex,
            complaint=record.complaint,
        )
        for record in pool
    )
    return tuple(sorted(found, key=lambda card: card.id))


def find_case(name: str, among: Iterable[Card]) -> Card:
    """The patient that a player names: by the veiled name, by the record's id, or by the person where that is one.

    Raises:
        UserError: There is none, or several.
    """
    everybody = list(among)
    exact = [card for card in everybody if name in (card.id, card.record)]
    found = exact or [card for card in everybody if card.patient == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{name} is a patient with several records", "add --language, or give the record's id")
    raise UserError(f"no case is called {name!r}", "leave it out to be given one, or give a record's id")


def draw_case(among: Collection[Card], times_played: Mapping[str, int], taken: Collection[str], seed: int) -> Card:
    """A patient by the seed: of those least often played, and if possible none that somebody is playing now.

    Both are counted by the person: who has seen a patient in one language knows them in the other.
    """
    if not among:
        raise UserError("no patient passes the filters", "`osler records list` shows what there is")
    free = [card for card in among if card.patient not in taken] or among

    def place(card: Card) -> tuple[int, bytes]:
        return times_played.get(card.patient, 0), hashlib.sha256(f"{seed}\0{card.record}".encode()).digest()

    return min(free, key=place)
