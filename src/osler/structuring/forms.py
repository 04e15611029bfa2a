"""The forms that a model fills in: the patient, the entries of a text, and verdicts on them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.language import Language, Speaker
from osler.loosejson import json_begun, json_of
from osler.models import Completion
from osler.prompts import phrases
from osler.records.schema import Category, Sex, Status


class Form(BaseModel):
    """Base of the forms."""

    model_config = ConfigDict(str_strip_whitespace=True)


class EntryProposal(Form):
    """An entry as a model proposes it."""

    source: str
    category: Category
    name: str
    status: Status = Status.PRESENT
    report: str = ""
    said: str = ""
    when: str = ""
    aliases: list[str] = []


class EntryProposals(Form):
    """The answer to a request for entries."""

    entries: list[EntryProposal]


class PatientProposal(Form):
    """The answer to the request for who the patient is and how the consultation opens."""

    age: str = ""
    sex: Sex = Sex.UNKNOWN
    speaker: Speaker = Speaker.PATIENT
    complaint_source: str = ""
    complaint: str = ""
    diagnosis_source: str = ""
    diagnosis: str = ""
    treatment: str = ""

    @classmethod
    def read(cls, answer: str) -> PatientProposal:
        """Read an answer, each field by itself: one that is wrong leaves the others."""
        valid: dict[str, Any] = {}
        for key, value in (json_of(answer) or json_begun(answer) or {}).items():
            with suppress(ValidationError):
                valid |= cls.model_validate({key: value}).model_dump(exclude_unset=True)
        return cls.model_validate(valid)


class Verdict(Form):
    """Whether the text supports one entry or statement."""

    number: int
    supported: bool
    reason: str = ""


class Verdicts(Form):
    """The answer to a request for verdicts."""

    verdicts: list[Verdict]


class SupportFault(NamedTuple):
    """Why an entry is refused: a key of the phrases `structure_faults`, and words for its slot."""

    kind: str
    words: str = ""

    def reason(self, language: Language = Language.EN) -> str:
        """The reason in words: for a model in the language of its text, for users in English."""
        return phrases("structure_faults", language)[self.kind].format(words=self.words)


class Rows(NamedTuple):
    """The rows of an answer, and whether it could be read to its end."""

    rows: list[Any]
    is_whole: bool


def rows_of(answer: Completion, key: str) -> Rows:
    """Read the list under a key of an answer; small models also write the bare list."""
    text = answer.text
    listed = f'{{"{key}": {text[max(text.find("["), 0) :]}}}'
    for parse in (json_of, json_begun):
        for candidate in (text, listed):
            rows = (parse(candidate) or {}).get(key)
            if isinstance(rows, list):
                return Rows(rows, parse is json_of and answer.finish != "length")
    return Rows([], False)


def faults_in(answer: Completion, count: int) -> list[SupportFault | None]:
    """Read the verdicts on that many entries; one that has none is not supported."""
    faults: list[SupportFault | None] = [SupportFault("not_verified")] * count
    for row in rows_of(answer, "verdicts").rows:
        with suppress(ValidationError):
            verdict = Verdict.model_validate(row)
            if 1 <= verdict.number <= count:
                fault = SupportFault("not_supported", verdict.reason or "-")
                faults[verdict.number - 1] = None if verdict.supported else fault
    return faults
