"""The labelled replies as a ruler is shown them, and what the rules' agreement with their labels comes to."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import osler.eval.faithfulness
from osler.eval.faithfulness import RULES, ReplyContext, judge_reply
from osler.eval.faithfulness.agreement import Agreement, Label
from osler.language import Language, Speaker
from osler.records import RecordPool
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry
from osler.runs.events import Thing, Unrecorded
from tests.agents.replies import PooledReply, pool

_LABELS = {
    None: Label.NOTHING,
    "names_diagnosis": Label.LEAK,
    "paraphrases_diagnosis": Label.LEAK,
    "wrong_language": Label.LANGUAGE,
}
"""All other faults are untrue: no ruler has to tell which kind of untruth it is."""


class LabelledReply(NamedTuple):
    """A reply, what it was given, and what is wrong with it."""

    reply: str
    context: ReplyContext
    fault: str | None

    @property
    def label(self) -> Label:
        """The fault, as far as a ruler tells them apart."""
        return _LABELS.get(self.fault, Label.UNTRUE)


def labelled(kind: str, language: Language, part: str) -> list[LabelledReply]:
    """The replies of one file."""
    return [LabelledReply(one.reply, _context(one, language), one.fault) for one in pool(kind, language, part)]


@cache
def written() -> str:
    """What `agreement.json` has to hold: the rules on the held-out halves, as they are today."""
    languages = {
        language.value: asdict(
            Agreement.of(
                (one.label, judge_reply(one.reply, one.context))
                for kind in ("good", "faulty")
                for one in labelled(kind, language, "held_out")
            )
        )
        for language in Language
    }
    return json.dumps({"ruler": RULES, "languages": languages}, indent=2) + "\n"


def agreement_file() -> Path:
    """Where it lies."""
    return Path(osler.eval.faithfulness.__file__).with_name("agreement.json")


@cache
def _pool() -> RecordPool:
    return RecordPool.open()


def _context(one: PooledReply, language: Language) -> ReplyContext:
    # The pools name what the record does not hold, not why; what a patient may say of it is not looked at here.
    things = tuple(Thing(name=name, unrecorded=Unrecorded.UNKNOWN) for name in one.not_in_record)
    if one.record is not None:
        record = _pool().get(one.record)
        return ReplyContext(
            language=language,
            diagnosis=record.diagnosis,
            question=one.question,
            opening=record.complaint,
            entries=tuple(record.entry(str(name)) for name in one.entries),
            unrecorded=things,
            speaker=record.speaker,
            age=record.age,
        )
    patient = one.patient or {}
    speaker = str(patient["speaker"])
    return ReplyContext(
        language=language,
        diagnosis=Diagnosis(name=patient["diagnosis"]),
        question=one.question,
        opening=patient["complaint"],
        entries=tuple(Entry.model_validate(entry) for entry in one.entries),
        unrecorded=things,
        speaker=Speaker(speaker) if speaker in set(Speaker) else Speaker.CAREGIVER,
        age=Age.parse(str(patient["age"])),
    )
