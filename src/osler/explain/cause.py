"""From the first step that is right, and where key entries got lost, to one cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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

    It is the first that holds for the first step that makes the doctor right:

        none        KNOWLEDGE
        SAME        CONCLUSION
        DIALOGUE    MEMORY
        HANDED      PATIENT if a key entry was not told; else CONCLUSION
        ASKED       RETRIEVAL if a key entry was not brought, or none was left untold; else PATIENT
        RECORD      INQUIRY if a key entry was never asked for; RETRIEVAL if one was not brought;
                    PATIENT if one was not told; else CONCLUSION

    CONCLUSION after SAME means that nothing was missing: the doctor is right only in the record's
    words, and did not see what it was told.
    """
    if first_right is None:
        return Cause.KNOWLEDGE
    if first_right in _BY_STEP:
        return _BY_STEP[first_right]
    if first_right is ExplainStep.RECORD and key.unasked:
        return Cause.INQUIRY
    if first_right is not ExplainStep.HANDED and key.unbrought:
        return Cause.RETRIEVAL
    if first_right is ExplainStep.ASKED and not key.untold:
        return Cause.RETRIEVAL
    if key.untold:
        return Cause.PATIENT
    return Cause.CONCLUSION


def found(first_right: ExplainStep | None, key: KeyEntries, last_turn: int) -> StoredExplanation:
    """Return the cause, the turn where the consultation was lost, and what was missing."""
    cause = cause_of(first_right, key)
    if cause is Cause.INQUIRY:
        line = _LINES[cause].format(names=_first_names(key.unasked))
        return StoredExplanation(cause, None, key.unasked, line)
    if cause in (Cause.CONCLUSION, Cause.KNOWLEDGE):
        in_other_words = cause is Cause.CONCLUSION and first_right is not ExplainStep.SAME
        line = _IN_OTHER_WORDS if in_other_words else _LINES[cause]
        return StoredExplanation(cause, last_turn, (), line)
    turn_of = {
        Cause.MEMORY: key.unrecalled,
        Cause.PATIENT: key.untold,
        Cause.RETRIEVAL: key.unbrought,
    }[cause]
    if not turn_of:
        return StoredExplanation(cause, None, (), _UNNAMED[cause])
    names = []
    for name, turn in turn_of.items():
        place = f"turn {turn}" if turn > 0 else "earlier visit"
        names.append(f"{name} ({place})")
    line = _LINES[cause].format(names=_first_names(names))
    first_turn = next(iter(turn_of.values()))
    return StoredExplanation(cause, first_turn, tuple(turn_of), line)


def _first_names(names: Sequence[str]) -> str:
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
    key = needed(lost.record)
    disclosed = lost.disclosed_entries
    retrieved = lost.retrieved_entries
    correct = _correctly_told(lost, wrong)
    handed = {
        name: turn
        for name, turn in retrieved.items()
        if name in lost.entries_to_tell or name in asked
    }
    disclosed_keys = [entry.name for entry in key if entry.name in disclosed]
    unrecalled = [name for name in disclosed_keys if not _is_recalled(name, lost)]
    if not unrecalled:
        unrecalled = [name for name in disclosed_keys if not _is_recalled(name, lost, in_full=True)]
    return KeyEntries(
        unrecalled=_where(key, disclosed, unrecalled),
        untold=_where(key, handed, set(handed) - correct),
        unbrought=_where(key, asked, set(asked) - set(retrieved)),
        unasked=tuple(
            entry.name for entry in key if entry.name not in {*disclosed, *handed, *asked}
        ),
    )


def _where(
    key: Sequence[Entry], turn_of: Mapping[str, int], names: Collection[str]
) -> dict[str, int]:
    """The key entries of these names with their turns, those that decide first, then by turn."""
    entries = [entry for entry in key if entry.name in names]
    entries.sort(key=lambda entry: (entry.relevance is not Relevance.DECIDING, turn_of[entry.name]))
    return {entry.name: turn_of[entry.name] for entry in entries}


def needed(record: PatientRecord) -> list[Entry]:
    """The entries that a diagnosis rests on, those that decide it first.

    What was not done cannot be missed.
    """
    entries = key_elements(record, Part.DIAGNOSIS)
    present = [entry for entry in entries if entry.status is not Status.NOT_DONE]
    return sorted(present, key=lambda entry: entry.relevance is not Relevance.DECIDING)


def _correctly_told(lost: LostConsultation, wrong: Collection[int]) -> set[str]:
    """Return the entries that replies disclosed, without replies that contradict an entry."""
    names = set(lost.entries_of_visits)
    for exchange in lost.course.exchanges:
        if exchange.answer is not None and exchange.turn not in wrong:
            names.update(exchange.answer.disclosed)
    return names


def _is_recalled(name: str, lost: LostConsultation, *, in_full: bool = False) -> bool:
    """Check whether the doctor had an entry at the end.

    It is in the last exchange, or recalled from a turn that told it.
    """
    recall = lost.last_recall
    language = lost.record.language
    whole = {turn.number for turn in recall.exchanges if turn.reply or turn.results}
    for turn, reply, entries in lost.replies_about(name):
        if 0 < turn == lost.last_turn - 1 or turn in whole:
            return True
        facts = [fact_text(fact, language) for fact in recall.facts if fact.turn == turn]
        text = "\n".join(facts) if recall.facts or recall.exchanges else recall.text
        if in_full:
            is_in_text = set(content(reply, language)) <= set(content(text, language))
        else:
            is_in_text = name in disclosed_entries(text, entries, language)
        if text and is_in_text:
            return True
    return False
