"""Pools of patients' replies, good and faulty, to measure what checks them. See README.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from osler.language import Language

KINDS = ("good", "faulty")
PARTS = ("tuning", "held_out")
FAULTS = (
    *(
        "names_diagnosis",
        "paraphrases_diagnosis",
        "foreign_digits",
        "foreign_number_words",
        "foreign_drug",
    ),
    *(
        "invented_symptom",
        "invented_history",
        "turned_round",
        "wrong_person",
        "not_done_as_done",
        "changed_value",
    ),
    *("wrong_language", "clinician_voice_with_claim"),
)


class PooledReply(BaseModel):
    """One reply, and what the patient had when it was given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    source: Literal["bundled", "free"]
    record: str | None = None
    patient: dict[str, Any] | None = None
    entries: list[str | dict[str, Any]]
    not_in_record: list[str] = []
    question: str
    reply: str
    fault: str | None = None
    what: str | None = None


def pool(kind: str, language: Language, part: str) -> list[PooledReply]:
    """The replies of one file."""
    path = Path(__file__).parent / f"{kind}_{language.value}_{part}.yaml"
    return [PooledReply.model_validate(item) for item in yaml.safe_load(path.read_text("utf-8"))]
