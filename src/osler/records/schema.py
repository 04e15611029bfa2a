"""The patient record: the frozen, typed data that every consultation draws from."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from osler.language import Language, Speaker
from osler.records.fields import AgeField, ExamOrderField, Frozen, Line, MaybeLine, same
from osler.records.visits import KeyFact, PastExchange, Visit, check_visits, past_exchanges

Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
"""A name that is safe in a path, a sheet and a command line."""
Icd10 = Annotated[str, Field(pattern=r"^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$")]


class Sex(StrEnum):
    """The patient's sex, as far as the source tells."""

    FEMALE = "female"
    MALE = "male"
    UNKNOWN = "unknown"


class Persona(StrEnum):
    """How the speaker talks."""

    PLAIN = "plain"
    ANXIOUS = "anxious"
    TERSE = "terse"
    TALKATIVE = "talkative"
    FORGETFUL = "forgetful"


class Part(StrEnum):
    """Which half an entry serves: confirming the diagnosis or planning the treatment."""

    DIAGNOSIS = "diagnosis"
    TREATMENT = "treatment"


class Category(StrEnum):
    """What kind of thing an entry is."""

    SYMPTOM = "symptom"
    """What the patient feels or notices."""
    SIGN = "sign"
    """What a doctor finds at the bedside, vital signs included."""
    TEST = "test"
    """A laboratory test."""
    EXAMINATION = "examination"
    """Imaging, endoscopy, a tracing, a function test, a biopsy."""
    SURGICAL_HISTORY = "surgical_history"
    MEDICATION_HISTORY = "medication_history"
    ALLERGY = "allergy"
    GENERAL_CONDITION = "general_condition"
    """Sleep, appetite, weight, daily function."""
    MEDICAL_HISTORY = "medical_history"
    FAMILY_HISTORY = "family_history"
    SOCIAL_HISTORY = "social_history"
    """Work, habits, travel, contacts."""
    MARITAL_CHILDBEARING = "marital_childbearing"
    MENSTRUAL_HISTORY = "menstrual_history"
    BIRTH_HISTORY = "birth_history"
    """Birth, feeding, growth and vaccination of a child."""
    CONCERN = "concern"
    """What the patient thinks, fears or expects."""
    PREOPERATIVE_TEST = "preoperative_test"

    @property
    def part(self) -> Part:
        """The half of the record such an entry belongs to unless it says otherwise."""
        return Part.DIAGNOSIS if self in _CONFIRMING else Part.TREATMENT


_CONFIRMING = {Category.SYMPTOM, Category.SIGN, Category.TEST, Category.EXAMINATION}
RESULTS = frozenset(
    {Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST, Category.SIGN}
)
"""What somebody found by looking: the patient has it on paper, or was told."""


class Status(StrEnum):
    """What the record knows of an entry: four different answers to a doctor's question."""

    PRESENT = "present"
    """There, or done with a finding."""
    ABSENT = "absent"
    """Asked about and denied, or looked for and not there."""
    NORMAL = "normal"
    """Done and normal."""
    NOT_DONE = "not_done"
    """Never done: there is no result."""


class Relevance(StrEnum):
    """What an entry means for this patient's case."""

    DECIDING = "deciding"
    """Settles the diagnosis or the treatment."""
    KEY = "key"
    """Belongs to a good work-up."""
    INCIDENTAL = "incidental"
    """True, but beside the point."""


class Entry(Frozen):
    """One thing a doctor can ask about."""

    category: Category
    name: Line
    """What it is called, e.g. `Urinary ultrasound`."""
    aliases: tuple[Line, ...] = ()
    """Other names, lay words included, by which a question may ask for it."""
    status: Status = Status.PRESENT
    report: MaybeLine = ""
    """The finding or result, in clinical words."""
    said: MaybeLine = ""
    """The same in the speaker's own words, for a patient without a language model."""
    when: Line | None = None
    """When it was found or done, e.g. `7 days ago`; empty for now."""
    relevance: Relevance = Relevance.KEY
    part: Part = Field(default_factory=lambda data: data.get("category", Category.SYMPTOM).part)
    """Follows from the category unless given."""
    source: Line | None = None
    """The sentence of the original text that it rests on, for whoever checks the record; no agent
    sees it."""


class Named(Frozen):
    """A thing with one preferred name and others that mean the same."""

    name: Line
    aliases: tuple[Line, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The preferred name first, then the aliases."""
        return (self.name, *self.aliases)


class Diagnosis(Named):
    """The ground truth: what the patient has."""

    icd10: Icd10 | None = None
    """The ICD-10 (WHO) code."""


class Unsafe(Named):
    """A treatment that would harm this patient."""

    because: Line
    """Why, in one sentence."""
    entry: Line | None = None
    """The name of the entry that makes it unsafe."""


class Treatment(Named):
    """The ground truth: what should be done."""

    parts: tuple[Named, ...] = ()
    """What a complete answer must contain, when the treatment is more than one thing."""
    alternatives: tuple[Line, ...] = ()
    """Other treatments that are as good here."""
    unsafe: tuple[Unsafe, ...] = ()


class PersonSheet(Frozen):
    """What people know of themselves beside their illness, where the entries do not tell it.

    A field without text is not known. It is about the patient; where a relative speaks, `idea`,
    `worry` and `wish` are the relative's.
    """

    job: MaybeLine = ""
    home: MaybeLine = ""
    """Who they live with, and where."""
    habits: MaybeLine = ""
    """Smoking, alcohol, exercise, food, sleep."""
    body: MaybeLine = ""
    """Height and weight."""
    background: MaybeLine = ""
    """Schooling, where they come from, travel, vaccinations."""
    last_period: MaybeLine = ""
    idea: MaybeLine = ""
    """What they think it is."""
    worry: MaybeLine = ""
    wish: MaybeLine = ""
    """What they want from the consultation."""
    day: MaybeLine = ""
    """A usual day, or what the illness keeps them from doing."""

    @property
    def lines(self) -> dict[str, str]:
        """The fields that have text, by name."""
        return {name: text for name, text in self if text}


_LEFT_OUT_IF_EMPTY = frozenset(
    {"date", "earlier", "visits", "key_facts", "twin_of", "difference", "person"}
)


class PatientRecord(Frozen):
    """One patient: the opening, what can be asked, and the truth that decides the scores."""

    id: Slug
    patient: Slug = Field(default_factory=lambda data: data.get("id", ""))
    """The same person in every language; the id unless given."""
    language: Language
    specialty: Slug | None = None
    source: Line | None = None
    """Where the record comes from, for attribution."""
    speaker: Speaker = Speaker.PATIENT
    persona: Persona = Persona.PLAIN
    age: AgeField
    sex: Sex
    complaint: Line
    """The opening complaint, in the speaker's words."""
    intent: Line | None = None
    """What the patient wants, e.g. prefers conservative treatment."""
    person: PersonSheet | None = None
    """What the speaker knows of the patient's life; None if the source tells nothing of it."""
    expected_rounds: Annotated[int, Field(ge=1, le=100)] = 10
    confused_with: tuple[Slug, ...] = ()
    """Patients whose diagnosis is easily taken for this one's."""
    diagnosis: Diagnosis
    treatment: Treatment | None = None
    """Absent where the source gives none; such a record is never scored for treatment."""
    exam_order: ExamOrderField | None = None
    """The order of the key examinations: `>` before, `=` same rank, `;` separates chains."""
    entries: Annotated[tuple[Entry, ...], Field(min_length=1, max_length=1000)]
    date: datetime.date | None = None
    """The day of the consultation, for a record with earlier visits."""
    earlier: tuple[Line, ...] = ()
    """Names of entries that were told at earlier visits, and that the patient does not tell
    again."""
    visits: Annotated[tuple[Visit, ...], Field(max_length=100)] = ()
    """Earlier visits, the oldest first; only `osler simulate --visits` plays them."""
    key_facts: tuple[KeyFact, ...] = ()
    """What a doctor has to know of the earlier visits."""
    twin_of: Slug | None = None
    """The id of the record that this one differs from in one deciding fact; only `osler simulate
    --twins` takes it."""
    difference: Line | None = None
    """How a twin differs, in one sentence, for people; no agent sees it."""

    @field_validator("entries")
    @classmethod
    def _names_are_unique(cls, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        places: dict[str, int] = {}
        for place, entry in enumerate(entries):
            first = places.setdefault(entry.name.casefold(), place)
            if first != place:
                raise ValueError(
                    f"{place} is called {entry.name!r} like entry {first}; give each its own name"
                )
        return entries

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        field = "exam_order"
        try:
            self.order_pairs()
            field = "treatment.unsafe.entry"
            for unsafe in self.treatment.unsafe if self.treatment else ():
                if unsafe.entry is not None:
                    self.entry(unsafe.entry)
            field = "earlier"
            if self.earlier and not self.visits:
                raise ValueError(
                    "there are no visits at which these were told; add the visits or remove it"
                )
            for name in self.earlier:
                self.entry(name)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from None
        check_visits(self.date, self.visits, self.key_facts)
        if self.twin_of is not None and self.difference is None:
            raise ValueError("difference: is missing; say in one sentence how the twin differs")
        if self.twin_of is None and self.difference is not None:
            raise ValueError("twin_of: is missing; name the record that this one differs from")
        return self

    @model_serializer(mode="wrap")
    def _without_empty_fields(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out these fields where there is nothing in them."""
        # Hashes of such a record, which runs store, stay what they were before there were any.
        data: dict[str, Any] = handler(self)
        return {
            name: value for name, value in data.items() if value or name not in _LEFT_OUT_IF_EMPTY
        }

    @property
    def told_earlier(self) -> frozenset[str]:
        """The names of the entries that were told at earlier visits."""
        return frozenset(self.entry(name).name for name in self.earlier)

    @property
    def past(self) -> tuple[PastExchange, ...]:
        """All that was said at earlier visits."""
        return past_exchanges(self.visits, self.speaker)

    def entry(self, name: str) -> Entry:
        """The entry of that name, or with that alias; ValueError if there is none, or several."""
        matches = [entry for entry in self.entries if same(entry.name, name)]
        if not matches:
            matches = [entry for entry in self.entries if _has_alias(entry, name)]
        if not matches:
            raise ValueError(f"no entry is called {name!r}; use the name or an alias of an entry")
        if len(matches) > 1:
            names = ", ".join(repr(entry.name) for entry in matches)
            raise ValueError(f"{name!r} fits {names}; use the full name")
        return matches[0]

    def order_pairs(self) -> frozenset[tuple[str, str]]:
        """Pairs of entry names (earlier, later) that the exam order asks for."""
        if self.exam_order is None:
            return frozenset()
        return self.exam_order.before(lambda name: self.entry(name).name)


def _has_alias(entry: Entry, name: str) -> bool:
    return any(same(name, alias) for alias in entry.aliases)
