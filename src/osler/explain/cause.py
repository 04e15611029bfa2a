"""From the first step that is right, and where key entries got lost, to one cause."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from osler.agents.disclosure import disclosed_entries
from osler.eval.causes import Cause
from osler.eval.measures import key_elements
from osler.explain.steps import ExplainStep, LostConsultation
from osler.language.words import content
from osler.memory.core.recall_text import fact_text
from osler.records.schema import Entry, Part, PatientRecord, Relevance, Status
from osler.runs.scored import StoredExplanation

_BY_STEP = {
    ExplainStep.SAME: Cause.CONCLUSION,
    ExplainStep.DIALOGUE: Cause.MEMORY,
}
_LINES = {
    Cause.MEMORY: "told and not recalled at the end, or only in part: {names}",
    Cause.PATIENT: "handed to the patient and not told, or told wrongly: {names}",
    Cause.RETRIEVAL: "asked for and not brought: {names}",
    Cause.INQUIRY: "never asked for: {names}",
    Cause.CONCLUSION: "nothing was missing",
    Cause.KNOWLEDGE: "wrong from the whole record, too",
}
_UNNAMED = {
    Cause.MEMORY: "right from the full dialogue; no key entry of it is missing in the recall",
    Cause.RETRIEVAL: "right with what was asked for; no key entry is among it",
}
"""The lines for a cause where no key entry can be named."""
_MOST_NAMED = 6
"""Entries that a line names."""
_IN_OTHER_WORDS = "what it was told was enough: right when the same is in the record's words"


@dataclass(frozen=True)
class KeyEntries:
    """The key entries for the diagnosis that were lost before the conclusion, by the link.

    Each has the turn where it was lost. Those that decide come first, then the earliest.
    """

    unrecalled: Mapping[str, int] = field(default_factory=dict)
    """Told in that turn, and not in the last recall; if there are none, those that are there only
    in part."""
    untold: Mapping[str, int] = field(default_factory=dict)
    """Handed to the patient in that turn, and never told, or told wrongly."""
    unbrought: Mapping[str, int] = field(default_factory=dict)
    """Asked for in that turn, and never handed over."""
    unasked: tuple[str, ...] = ()


def cause_of(first_right: ExplainStep | None, key: KeyEntries) -> Cause:
    """Return the cause.

    If only the whole record makes the doctor right, the cause is the earliest link that lost a key
    entry: it was never asked for, not brought, or not told. If the patient told every key entry it
    was handed, and the doctor is right only in the record's words, nothing was missing: the doctor
    did not see what it was told.
    """
    if first_right is None:
        return Cause.KNOWLEDGE
    if first_right in _BY_STEP:
        return _BY_STEP[first_right]
    is_asked = first_right is ExplainStep.ASKED
    if first_right is ExplainStep.RECORD and key.unasked:
        return Cause.INQUIRY
    if first_right is not ExplainStep.HANDED and (key.unbrought or (is_asked and not key.untold)):
        return Cause.RETRIEVAL
    return Cause.PATIENT if key.untold else Cause.CONCLUSION


def found(first_right: ExplainStep | None, key: KeyEntries, last_turn: int) -> StoredExplanation:
    """Return the cause, the turn where the consultation was lost, and what was missing."""
    cause = cause_of(first_right, key)
    if cause is Cause.INQUIRY:
        return StoredExplanation(
            cause, None, key.unasked, _LINES[cause].format(names=_some(key.unasked))
        )
    if cause in (Cause.CONCLUSION, Cause.KNOWLEDGE):
        in_other_words = cause is Cause.CONCLUSION and first_right is not ExplainStep.SAME
        return StoredExplanation(
            cause, last_turn, (), _IN_OTHER_WORDS if in_other_words else _LINES[cause]
        )
    lost = {
        Cause.MEMORY: key.unrecalled,
        Cause.PATIENT: key.untold,
        Cause.RETRIEVAL: key.unbrought,
    }[cause]
    if not lost:
        return StoredExplanation(cause, None, (), _UNNAMED[cause])
    names = _some(
        [
            f"{name} ({f'turn {turn}' if turn > 0 else 'earlier visit'})"
            for name, turn in lost.items()
        ]
    )
    return StoredExplanation(
        cause, next(iter(lost.values())), tuple(lost), _LINES[cause].format(names=names)
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return "; ".join(names[:_MOST_NAMED]) + more


def key_entries(
    lost: LostConsultation, asked: Mapping[str, int], wrong: Collection[int]
) -> KeyEntries:
    """Return where the key entries of a consultation got lost.

    Args:
        lost: The consultation.
        asked: Entries that its questions asked for, whoever says so, by name and with their first
            turn.
        wrong: Turns whose reply contradicts what the patient was handed.
    """
    told, brought, well = lost.told, lost.brought, _well_told(lost, wrong)
    handed = {name: turn for name, turn in brought.items() if name in lost.handed or name in asked}
    key = needed(lost.record)

    def at(turns: Mapping[str, int], is_lost: Callable[[str], bool]) -> dict[str, int]:
        found = [entry for entry in key if entry.name in turns and is_lost(entry.name)]
        found.sort(key=lambda entry: (entry.relevance is not Relevance.DECIDING, turns[entry.name]))
        return {entry.name: turns[entry.name] for entry in found}

    return KeyEntries(
        unrecalled=at(told, lambda name: not _is_recalled(name, lost))
        or at(told, lambda name: not _is_recalled(name, lost, in_full=True)),
        untold=at(handed, lambda name: name not in well),
        unbrought=at(asked, lambda name: name not in brought),
        unasked=tuple(entry.name for entry in key if entry.name not in {*told, *handed, *asked}),
    )


def needed(record: PatientRecord) -> list[Entry]:
    """The entries that a diagnosis rests on, those that decide it first.

    What was not done cannot be missed.
    """
    there = [
        entry
        for entry in key_elements(record, Part.DIAGNOSIS)
        if entry.status is not Status.NOT_DONE
    ]
    return sorted(there, key=lambda entry: entry.relevance is not Relevance.DECIDING)


def _well_told(lost: LostConsultation, wrong: Collection[int]) -> set[str]:
    """Return the entries that replies disclosed.

    Replies that contradict an entry, as a model says, are left out.
    """
    found = set(lost.earlier)
    for one in lost.course.exchanges:
        if one.answer is not None and one.turn not in wrong:
            found.update(one.answer.disclosed)
    return found


def _is_recalled(name: str, lost: LostConsultation, *, in_full: bool = False) -> bool:
    """Check whether the doctor had an entry at the end.

    In the last exchange, or recalled from a turn that told it.
    """
    recall, language = lost.last_recall, lost.record.language
    whole = {turn.number for turn in recall.exchanges if turn.reply or turn.results}
    for turn, reply, entries in lost.telling(name):
        if 0 < turn == lost.last_turn - 1 or turn in whole:
            return True
        facts = [fact_text(fact, language) for fact in recall.facts if fact.turn == turn]
        text = "\n".join(facts) if recall.facts or recall.exchanges else recall.text
        if in_full:
            is_told = set(content(reply, language)) <= set(content(text, language))
        else:
            is_told = name in disclosed_entries(text, entries, language)
        if text and is_told:
            return True
    return False
