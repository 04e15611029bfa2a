"""What a consultation is held against: asked for only when a person wants to see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from osler.eval.course import Course
from osler.eval.faithfulness import ReplyVerdict
from osler.eval.measures import key_elements
from osler.records.schema import Part, PatientRecord
from osler.runs.transcript import Transcript


def truth(
    transcript: Transcript,
    record: PatientRecord,
    verdicts: Iterable[Mapping[str, Any]],
    faults: Mapping[int, ReplyVerdict],
) -> dict[str, Any]:
    """Diagnosis, treatment, what a good work-up asks for and when it was, and every judge's word with its reason."""
    course = Course.of(transcript, record)
    asked, own = course.asked, course.own.asked
    return {
        "diagnosis": record.diagnosis.model_dump(mode="json"),
        "treatment": record.treatment.model_dump(mode="json") if record.treatment else None,
        "order": str(record.exam_order) if record.exam_order else None,
        "key_entries": [
            {
                "name": entry.name,
                "part": entry.part.value,
                "relevance": entry.relevance.value,
                "asked_in_turn": own.get(entry.name, asked.get(entry.name)),
                "by_strategy": entry.name in asked and entry.name not in own,
            }
            for part in Part
            for entry in key_elements(record, part)
        ],
        "leaks": [{"turn": turn, "names": list(verdict.leaks)} for turn, verdict in faults.items() if verdict.leaks],
        "verdicts": [dict(one) for one in verdicts],
    }
