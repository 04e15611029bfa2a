"""What a recall and an answer are worth.

The recall by the turns it tells of, the answer by what a reader found.
"""

from __future__ import annotations

from collections.abc import Collection

from osler.eval.probes.gold import MemoryProbe, ProbeQuestion
from osler.eval.reader.memory_answers import Agreement, AnswerForm, Says
from osler.memory.base import Recall
from osler.records.schema import Status

_WORTH = {Agreement.ALL: 1.0, Agreement.PART: 0.5}
_AGREES = frozenset(_WORTH)


def retrieved(turns: Collection[int], recall: Recall) -> bool | None:
    """Check whether a recall tells of one of these turns.

    It is None if the recall does not say which turns it tells of.
    """
    told = recall.told_turns
    if told is None:
        return None
    return not set(told).isdisjoint(turns)


def correctness(probe: MemoryProbe, form: AnswerForm) -> float:
    """1: what was asked is right. .5: part of it. 0: wrong, or not known although told.

    Whether something was there takes the right one of yes and no, and nothing that differs. For
    what was never told, only saying so is right. Of a test that was never done it is half right
    that its result is not known.
    """
    if probe.status is None:
        return float(form.says is Says.NOT_KNOWN)
    if probe.status is Status.NOT_DONE:
        if form.says is Says.NOT_DONE:
            return 1.0
        return 0.5 * (form.says is Says.NOT_KNOWN)
    if probe.asks is ProbeQuestion.WHETHER:
        wanted = Says.DENIES if probe.status is Status.ABSENT else Says.TELLS
        return float(form.says is wanted and form.agrees in _AGREES)
    if form.says not in {Says.TELLS, Says.DENIES}:
        return 0.0
    return _WORTH.get(form.agrees, 0.0)


def said(probe: MemoryProbe, form: AnswerForm) -> tuple[Says, float] | None:
    """What an answer says, so that two answers can be compared: they agree if this is equal.

    None agrees with nothing: not known, nothing, and what differs from what was told in more than
    yes or no, since nobody compared two such answers with each other.
    """
    if form.says in {Says.NOT_KNOWN, Says.NOTHING}:
        return None
    if (
        probe.asks is not ProbeQuestion.WHETHER
        and form.agrees not in _AGREES
        and form.says is not Says.NOT_DONE
    ):
        return None
    return form.says, correctness(probe, form)
