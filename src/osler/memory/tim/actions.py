"""Actions on the thoughts after a turn, and carrying them out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from osler.language import Language
from osler.memory.base import Change, Turn
from osler.memory.embedders.base import Embedder
from osler.memory.tim.fact_lines import dated
from osler.memory.tim.thought import Draft, Thought, ThoughtStatus
from osler.memory.tim.thought_space import ThoughtSpace, wording


class Insert(NamedTuple):
    """A new thought takes its place."""

    draft: Draft


class Again(NamedTuple):
    """An old thought was said once more."""

    id: int


class Supersede(NamedTuple):
    """Another thought takes the place of an old one."""

    id: int
    why: str
    by: int | None = None
    """That thought; None means the last one inserted."""


class Merge(NamedTuple):
    """Old thoughts become one that holds them all."""

    ids: tuple[int, ...]
    draft: Draft
    why: str


class Forget(NamedTuple):
    """An old thought is wrong, or has nothing more to say."""

    id: int
    why: str


Action = Insert | Again | Supersede | Merge | Forget


@dataclass
class ActionPlan:
    """The actions to carry out. New thoughts get the next numbers of the ledger, in the order of their actions."""

    actions: list[Action] = field(default_factory=list)
    requests: int = 0
    """Model requests it took."""
    refused: list[str] = field(default_factory=list)
    """Proposals of a model that are refused, each with the reason."""
    proposed: int = 0
    """Thoughts and actions that a model proposed; an answer that could not be read counts as one."""
    is_unread: bool = False
    """Whether a model was asked for thoughts and no answer of it could be read: the turn is only in the bank."""


async def carry_out(plan: ActionPlan, turn: Turn, group: int, space: ThoughtSpace, embedder: Embedder) -> Change:
    """Carry out a plan, in its order. New thoughts go into the group of their turn."""
    new = [action.draft for action in plan.actions if isinstance(action, Insert | Merge)]
    vectors = iter(await embedder.embed([wording(draft) for draft in new]) if new else ())
    inserted: list[Thought] = []
    superseded: list[Thought] = []
    merged: list[Thought] = []
    forgotten: list[Thought] = []
    for action in plan.actions:
        match action:
            case Insert():
                inserted.append(space.insert(action.draft, turn.number, next(vectors), group))
            case Merge():
                # It was said in the turns of its parts.
                inserted.append(space.insert(action.draft, None, next(vectors), group, merged=action.ids))
                merged += [space.retire(part, ThoughtStatus.MERGED, action.why, inserted[-1].id) for part in action.ids]
            case Again():
                space.again(action.id, turn.number)
            case Supersede():
                by = action.by or inserted[-1].id
                superseded.append(space.retire(action.id, ThoughtStatus.SUPERSEDED, action.why, by))
            case Forget():
                forgotten.append(space.retire(action.id, ThoughtStatus.FORGOTTEN, action.why))

    def lines(thoughts: list[Thought]) -> tuple[str, ...]:
        return tuple(_line(thought, space.language) for thought in thoughts)

    return Change(
        group=group,
        inserted=lines(inserted),
        makers=dict(Counter("model" if one.is_by_model else "rules" for one in inserted if not one.is_doctors)),
        superseded=lines(superseded),
        merged=lines(merged),
        forgotten=lines(forgotten),
        refused=tuple(plan.refused),
        proposed=plan.proposed,
        requests=plan.requests,
    )


def _line(thought: Thought, language: Language) -> str:
    by = f" → #{thought.by}" if thought.by else ""
    because = f" ({thought.because})" if thought.because else ""
    return f"#{thought.id} {dated(thought, language)}{by}{because}"
