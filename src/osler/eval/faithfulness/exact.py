"""What can be counted in replies without reading them.

The diagnosis by its name, and digits that stand nowhere.
"""

from __future__ import annotations

from osler.eval.course import Course
from osler.eval.faithfulness.replies import ReplyContext, replies_of
from osler.eval.verbatim import digit_runs, has_name
from osler.records.schema import PatientRecord
from osler.runs.reply_faults import FaultyReply, ReplyFaults


def exact_faults(reply: str, context: ReplyContext) -> ReplyFaults:
    """Find what is exact in a reply.

    A question that names the diagnosis may be answered with that name. Digits are compared as they
    are written: no clock or unit is converted, and a number in words is none.
    """
    names = context.diagnosis.names
    is_asked = any(has_name(context.question, name) for name in names)
    known = {run for text in context.texts for run in digit_runs(text)}
    return ReplyFaults(
        names_diagnosis=() if is_asked else tuple(name for name in names if has_name(reply, name)),
        unknown_digits=tuple(dict.fromkeys(run for run in digit_runs(reply) if run not in known)),
    )


def exactly_faulty(course: Course, record: PatientRecord) -> tuple[FaultyReply, ...]:
    """Return the replies of a consultation in which something exact was found."""
    found = (
        FaultyReply(reply.turn, exact_faults(reply.text, reply.context))
        for reply in replies_of(course, record)
    )
    return tuple(reply for reply in found if not reply.faults.is_none)
