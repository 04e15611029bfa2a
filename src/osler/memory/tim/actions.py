"""Actions on the thoughts after a turn, and carrying them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from osler.language import Language
from osler.memory.base import Change, Turn
from osler.memory.core.fact import Fact, FactStatus
from osler.memory.core.fact_lines import dated
from osler.memory.embedders.base import Embedder
from osler.memory.tim.thought_space import ThoughtSpace, Vector, wording


class Insert(NamedTuple):
    """A new thought takes its place."""

    fact: Fact


class Again(NamedTuple):
    """An old thought was said once more."""

    id: int


class Supersede(NamedTuple):
    """Another thought takes the place of an old one."""

    id: int
    why: str
    by: int | None = None
    """That thought; None means the last one inserted before this action, whose number rules do not
    know."""


class Merge(NamedTuple):
    """Old thoughts become one that holds them all."""

    ids: tuple[int, ...]
    fact: Fact
    why: str


class Forget(NamedTuple):
    """An old thought is wrong, or has nothing more to say."""

    id: int
    why: str


Action = Insert | Again | Supersede | Merge | Forget


@dataclass
class ActionPlan:
    """The actions to carry out.

    New thoughts get the next numbers of the ledger, in the order of their actions.
    """

    actions: list[Action] = field(default_factory=list)
    requests: int = 0
    """Model requests it took."""
    refused: list[str] = field(default_factory=list)
    """Proposals of a model that are refused, each with the reason."""
    proposed: int = 0
    """Thoughts and actions that a model proposed; an answer that could not be read counts as
    one."""
    is_unread: bool = False
    """Whether a model was asked for thoughts and no answer of it could be read: the turn is only in
    the bank."""


async def carry_out(
    plan: ActionPlan, turn: Turn, group: int, space: ThoughtSpace, embedder: Embedder
) -> Change:
    """Carry out a plan, in its order. New thoughts go into the group of their turn."""
    vectors = await _vectors_of_new(plan.actions, embedder)
    inserted: list[Fact] = []
    superseded: list[Fact] = []
    merged: list[Fact] = []
    forgotten: list[Fact] = []
    for place, action in enumerate(plan.actions):
        match action:
            case Insert():
                inserted.append(space.insert(action.fact, turn.number, vectors[place], group))
            case Merge():
                # It was said in the turns of its parts.
                whole = space.insert(action.fact, None, vectors[place], group, merged=action.ids)
                inserted.append(whole)
                for part in action.ids:
                    merged.append(space.retire(part, FactStatus.MERGED, action.why, whole.id))
            case Again():
                space.again(action.id, turn.number)
            case Supersede():
                by = inserted[-1].id if action.by is None else action.by
                superseded.append(space.retire(action.id, FactStatus.SUPERSEDED, action.why, by))
            case Forget():
                forgotten.append(space.retire(action.id, FactStatus.FORGOTTEN, action.why))

    def lines(thoughts: list[Fact]) -> tuple[str, ...]:
        return tuple(_line(thought, space.language) for thought in thoughts)

    noted = [thought for thought in inserted if not thought.is_doctors]
    makers = Counter("model" if thought.is_by_model else "rules" for thought in noted)
    return Change(
        group=group,
        inserted=lines(inserted),
        makers=dict(makers),
        superseded=lines(superseded),
        merged=lines(merged),
        forgotten=lines(forgotten),
        refused=tuple(plan.refused),
        proposed=plan.proposed,
        requests=plan.requests,
    )


async def _vectors_of_new(actions: Sequence[Action], embedder: Embedder) -> dict[int, Vector]:
    """The vectors of new thoughts, by the place of their action in the plan."""
    new = {
        place: action.fact
        for place, action in enumerate(actions)
        if isinstance(action, Insert | Merge)
    }
    if not new:
        return {}
    vectors = await embedder.embed([wording(fact) for fact in new.values()])
    return dict(zip(new, vectors, strict=True))


def _line(thought: Fact, language: Language) -> str:
    by = f" → #{thought.by}" if thought.by else ""
    because = f" ({thought.because})" if thought.because else ""
    return f"#{thought.id} {dated(thought, language)}{by}{because}"
