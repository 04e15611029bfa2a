"""The gate lets good replies pass, and catches what it is for. The pools' held-out halves are only
counted."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from osler.agents.gate import FaultKind, ReplyFault, check
from osler.agents.messages import Selection
from osler.agents.ram.redact import without_diagnosis
from osler.language import Language, Speaker
from osler.records import PatientRecord, RecordPool
from osler.records.schema import Diagnosis
from osler.simulator.build import case_of
from tests.agents.replies import PARTS, PooledReply, pool


@cache
def _record(record: str) -> PatientRecord:
    return without_diagnosis(RecordPool.open().get(record))


def _free(one: PooledReply, language: Language) -> PatientRecord:
    """The record of a reply that was written with entries of its own."""
    about = one.patient or {}
    entries = [entry for entry in one.entries if isinstance(entry, dict)]
    speakers = {speaker.value for speaker in Speaker}
    return without_diagnosis(
        PatientRecord.model_validate(
            {
                "id": one.id,
                "language": language.value,
                "age": str(about["age"]),
                "sex": about["sex"],
                "speaker": about["speaker"] if about["speaker"] in speakers else "caregiver",
                "complaint": about["complaint"],
                "diagnosis": {"name": about["diagnosis"]},
                "entries": entries or [{"category": "concern", "name": "Nothing"}],
            }
        )
    )


def handed(one: PooledReply, language: Language) -> tuple[Selection, Diagnosis]:
    """What the patient had before it, and what it must not name."""
    record = _record(one.record) if one.record is not None else _free(one, language)
    names = {entry if isinstance(entry, str) else entry["name"] for entry in one.entries}
    entries = tuple(entry for entry in record.entries if entry.name in names)
    return Selection(case=case_of(record), question=one.question, entries=entries), record.diagnosis


def refused(
    kind: str, language: Language, part: str
) -> list[tuple[PooledReply, tuple[ReplyFault, ...]]]:
    return [(one, check(one.reply, *handed(one, language))) for one in pool(kind, language, part)]


@pytest.mark.parametrize("part", PARTS)
def test_hardly_any_good_reply_is_refused(part: str) -> None:
    looked = [pair for language in Language for pair in refused("good", language, part)]
    wrong = [one.id for one, faults in looked if faults]
    assert len(wrong) <= 0.02 * len(looked), (
        f"{len(wrong)} of {len(looked)} good replies were refused"
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [("names_diagnosis", FaultKind.DIAGNOSIS), ("foreign_digits", FaultKind.NUMBER)],
)
def test_every_verbatim_name_and_every_foreign_digit_is_caught(
    fault: str, kind: FaultKind, part: str
) -> None:
    looked = [
        pair
        for language in Language
        for pair in refused("faulty", language, part)
        if pair[0].fault == fault
    ]
    missed = sum(all(found.kind is not kind for found in faults) for _, faults in looked)
    assert looked and missed == 0, f"{missed} of {len(looked)} replies with {fault} passed"


def test_what_else_is_caught_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    total, caught = Counter[str](), Counter[str]()
    for language in Language:
        for one, faults in refused("faulty", language, "tuning"):
            total[one.fault or ""] += 1
            caught[one.fault or ""] += bool(faults)
    with capsys.disabled():
        print("\n".join(f"{fault}: {caught[fault]} of {total[fault]}" for fault in sorted(total)))
    assert caught["foreign_drug"] and caught["wrong_language"]
