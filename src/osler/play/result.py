"""What came of a consultation: the verdicts, the truth, what was never asked for, and the order it should have had."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from osler.eval.course import Course
from osler.eval.measures import Measures, key_elements, measure
from osler.eval.scoring import spoken
from osler.records.schema import Entry, Part, PatientRecord
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript


@dataclass(frozen=True)
class Step:
    """An examination of the record's order."""

    name: str
    rank: int
    """1 for what comes first; those of one rank may be asked for in any order."""
    turn: int | None
    """In which it was first asked for; None: never."""
    after: tuple[str, ...]
    """What should have come later and was asked for earlier."""


@dataclass(frozen=True)
class Result:
    """For the player, once it is over."""

    verdicts: tuple[StoredVerdict, ...]
    """By the rules' ladder; none where there was no answer to judge."""
    diagnosis: str
    treatment: str | None
    missed: tuple[Entry, ...]
    """The entries of a good work-up that were never asked for, in the order of the record."""
    passed_over: tuple[Entry, ...]
    """The entries beside the point that were not asked for either."""
    key_total: int
    """How many such entries there are in all."""
    order: tuple[Step, ...]
    measures: Measures

    @classmethod
    def of(cls, transcript: Transcript, record: PatientRecord) -> Result:
        """Hold a transcript against its record."""
        asked = Course.of(transcript, record).asked
        elements = [entry for part in Part for entry in key_elements(record, part)]
        return cls(
            verdicts=tuple(spoken(transcript, record)) if transcript.ending.is_answer else (),
            diagnosis=record.diagnosis.name,
            treatment=record.treatment.name if record.treatment else None,
            missed=tuple(entry for entry in elements if entry.name not in asked),
            passed_over=tuple(entry for entry in record.entries if entry not in elements and entry.name not in asked),
            key_total=len(elements),
            order=_steps(record, asked),
            measures=measure(transcript, record),
        )


def _steps(record: PatientRecord, asked: dict[str, int]) -> tuple[Step, ...]:
    if record.exam_order is None:
        return ()
    pairs = record.order_pairs()
    names = dict.fromkeys(record.entry(name).name for name in record.exam_order.names())

    @cache
    def rank(name: str) -> int:
        return 1 + max((rank(first) for first, second in pairs if second == name), default=0)

    def overtaken_by(name: str) -> tuple[str, ...]:
        later = (second for first, second in sorted(pairs) if first == name and second in asked)
        return tuple(second for second in later if name in asked and asked[second] < asked[name])

    steps = (Step(name, rank(name), asked.get(name), overtaken_by(name)) for name in names)
    return tuple(sorted(steps, key=lambda step: step.rank))
