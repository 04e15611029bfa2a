"""The replies of a consultation, each with what the patient had when it gave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from osler.eval.faithfulness.rules import judge_reply
from osler.eval.faithfulness.verdict import JudgedReply, ReplyContext
from osler.eval.measures.course import Course
from osler.records.schema import Entry, PatientRecord
from osler.runs.transcript import Transcript


class GivenReply(NamedTuple):
    """A reply and what it is held against."""

    turn: int
    text: str
    context: ReplyContext


def replies_of(transcript: Transcript, record: PatientRecord) -> Iterator[GivenReply]:
    """Every reply, in order."""
    earlier: list[Entry] = []
    questions: list[str] = []
    for one in Course.of(transcript, record).exchanges:
        if one.answer is not None:
            context = ReplyContext(
                language=record.language,
                diagnosis=record.diagnosis,
                question=one.question,
                opening=record.complaint,
                entries=one.entries,
                earlier=tuple(earlier),
                earlier_questions=tuple(questions),
                unrecorded=tuple(thing for thing in one.things if thing.unrecorded is not None),
                speaker=record.speaker,
                age=record.age,
            )
            yield GivenReply(one.turn, one.answer.reply, context)
        earlier += [entry for entry in one.entries if entry not in earlier]
        questions.append(one.question)


def faults_of(transcript: Transcript, record: PatientRecord) -> tuple[JudgedReply, ...]:
    """The replies that something is wrong with, by the rules."""
    judged = (JudgedReply(one.turn, judge_reply(one.text, one.context)) for one in replies_of(transcript, record))
    return tuple(one for one in judged if not one.verdict.is_faithful)
