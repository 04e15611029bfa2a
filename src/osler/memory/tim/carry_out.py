"""Carries out what was planned after a turn, and says what it changed."""

from __future__ import annotations

from collections import Counter

from osler.language import Language
from osler.memory.base import Change, Turn
from osler.memory.embedders.base import Embedder
from osler.memory.tim.arrange import Again, Forget, Insert, Merge, Supersede
from osler.memory.tim.plan import Plan
from osler.memory.tim.space import Space, wording
from osler.memory.tim.telling import dated
from osler.memory.tim.thought import Thought


async def carry_out(plan: Plan, turn: Turn, group: int, space: Space, embedder: Embedder) -> Change:
    """Do what a plan says, in its order. New thoughts go into the group of their turn."""
    new = [action.draft for action in plan.actions if isinstance(action, Insert | Merge)]
    vectors = iter(await embedder.embed([wording(draft) for draft in new]) if new else ())
    inserted: list[Thought] = []
    superseded: list[Thought] = []
    merged: list[Thought] = []
    forgotten: list[Thought] = []
    newest: Thought | None = None
    retired: int | None = None
    for action in plan.actions:
        match action:
            case Insert():
                # What is left over of a list was said when the list was.
                said = space[retired].turn if action.is_rest and retired else turn.number
                thought = space.insert(action.draft, said, next(vectors), group)
                inserted.append(thought)
                # What is left over of an older thought is put in again, and takes the place of nothing.
                newest = newest if action.is_rest else thought
            case Merge():
                newest = space.insert(action.draft, turn.number, next(vectors), group, merged=action.ids)
                inserted.append(newest)
                merged += [space.merge(part, newest.id, action.why) for part in action.ids]
            case Again():
                space.again(action.id, turn.number)
            case Supersede() if newest is not None:
                retired = action.old_id
                retire = space.outgrow if action.is_grown else space.supersede
                superseded.append(retire(action.old_id, newest.id, action.why))
            case Forget() if action.by is not None:
                superseded.append(space.supersede(action.id, action.by, action.why))
            case Forget():
                forgotten.append(space.forget(action.id, action.why))
            case _:
                pass

    def lines(thoughts: list[Thought]) -> tuple[str, ...]:
        return tuple(_line(thought, space.language) for thought in thoughts)

    return Change(
        group=group,
        inserted=lines(inserted),
        makers=dict(Counter(thought.maker.value for thought in inserted)),
        superseded=lines(superseded),
        merged=lines(merged),
        forgotten=lines(forgotten),
        refused=plan.refused,
        proposed=plan.proposed,
        requests=plan.requests,
    )


def _line(thought: Thought, language: Language) -> str:
    by = f" → #{thought.by}" if thought.by else ""
    because = f" ({thought.because})" if thought.because else ""
    return f"#{thought.id} {dated(thought, language)}{by}{because}"
