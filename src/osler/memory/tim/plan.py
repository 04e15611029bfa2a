"""What is to be done after a turn: new thoughts, and actions on old ones; and what of it may be done.

What a model proposes is checked here. An action may only name thoughts that are there; a merge may not lose a number, a
denial or a name of its parts; what a treatment hangs on, a number, and what was said in the last two turns, is not
forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from osler.memory.tim.arrange import Action, Forget, Insert, Merge, Supersede
from osler.memory.tim.relations import is_protected
from osler.memory.tim.space import wording
from osler.memory.tim.thought import Draft, Thought
from osler.records.language import Language
from osler.words import content, numbers

RECENT = 2
"""Turns whose words are too fresh to be forgotten."""


@dataclass(frozen=True)
class Plan:
    """What somebody proposes to do."""

    actions: list[Action] = field(default_factory=list)
    requests: int = 0
    """Model requests it took."""
    refused: tuple[str, ...] = ()
    """What was proposed and may not be done, each with the reason."""
    proposed: int = 0
    """Actions that a model named, good and bad."""


def permitted(
    actions: Sequence[Action], there: Mapping[int, Thought], turn: int, language: Language
) -> tuple[list[Action], tuple[str, ...]]:
    """The actions that may be done, and the reasons against the others."""
    kept: list[Action] = []
    refused: list[str] = []
    gone: set[int] = set()
    for action in actions:
        reason = _against(action, there, gone, turn, language)
        if reason:
            refused.append(reason)
            continue
        kept.append(action)
        gone |= set(_named(action))
    return kept, tuple(refused)


def _named(action: Action) -> tuple[int, ...]:
    match action:
        case Forget():
            return (action.id,)
        case Merge():
            return tuple(action.ids)
        case Supersede():
            return (action.old_id,)
        case _:
            return ()


def _against(
    action: Action,
    there: Mapping[int, Thought],
    gone: set[int],
    turn: int,
    language: Language,
) -> str:
    for number in _named(action):
        if number not in there:
            return f"there is no active thought #{number}"
        if number in gone:
            return f"#{number} was already dealt with"
    match action:
        case Insert():
            return "" if action.draft.object.strip() or action.draft.subject.strip() else "the thought is empty"
        case Forget():
            thought = there[action.id]
            if is_protected(thought, language):
                return f"#{action.id} is never forgotten: {thought.triple}"
            if thought.certainty and numbers(thought.object):
                return f"#{action.id} holds a number: {thought.triple}"
            return f"#{action.id} was said only just now" if turn - thought.turn < RECENT else ""
        case Merge():
            return _merge_loses([there[number] for number in action.ids], action.draft, language)
    return ""


def _merge_loses(parts: list[Thought], draft: Draft, language: Language) -> str:
    if len({part.negated for part in parts}) > 1 or draft.negated != parts[0].negated:
        return f"the merge loses a denial: {draft.triple}"
    whole = wording(draft)
    for part in parts:
        if missing := set(numbers(part.triple)) - set(numbers(whole)):
            return f"the merge loses {', '.join(sorted(missing))}"
        if lost := set(content(f"{part.subject} {part.object}", language)) - set(content(whole, language)):
            return f"the merge loses {', '.join(sorted(lost)[:3])}"
    return ""
