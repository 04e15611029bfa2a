"""The organizer by rules: what becomes of the thoughts of a group when new ones arrive.

Newer wins where only one value can hold; everything else is kept. When in doubt, both stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from osler.language import Language
from osler.language.words import numbers, plain
from osler.memory.tim.again import holds
from osler.memory.tim.alike import bare_relation, elaborates, repeats, weighty
from osler.memory.tim.clausewise import tellers
from osler.memory.tim.relations import is_protected, same_subject
from osler.memory.tim.replaces import RECENT, at_other_times, points_elsewhere, replaces
from osler.memory.tim.thought import Draft, Status, Thought

_LIST = 4
"""Thoughts that are merged into one at most."""
_BRIEF = 24
"""Characters of an object that may go into a list."""


@dataclass(frozen=True)
class Insert:
    """A new thought takes its place."""

    draft: Draft
    is_rest: bool = False
    """Whether it is only what stays of an older one."""


@dataclass(frozen=True)
class Again:
    """An old thought was said once more."""

    id: int


@dataclass(frozen=True)
class Supersede:
    """A new thought takes the place of an old one; `draft_index` counts the `Insert`s of the same list of actions."""

    old_id: int
    draft_index: int
    why: str
    is_grown: bool = False
    """Whether the new one is the old one with more detail."""


@dataclass(frozen=True)
class Merge:
    """Old thoughts become one that holds them all."""

    ids: tuple[int, ...]
    draft: Draft
    why: str


@dataclass(frozen=True)
class Forget:
    """An old thought has nothing more to say."""

    id: int
    why: str
    by: int | None = None
    """The thought that takes its place, where a model names one."""


Action = Insert | Again | Supersede | Merge | Forget
_UNKNOWN = frozenset({"does not know", "不知道"})
_WHETHER = re.compile(r"^(?:有没有|是否)")
_LISTED = re.compile(r",\s*(?:or |and )?| or | and |、|，|或者|或|以及")


def arrange(new: Sequence[Draft], group: Sequence[Thought], turn: int, language: Language) -> list[Action]:
    """What to do with the new thoughts of a turn and with the old ones of their group.

    A draft that only repeats an active thought makes nothing new: that thought was said once more.
    """
    live = sorted((old for old in group if old.status is Status.ACTIVE), key=lambda old: (old.turn, old.id))
    gone: set[int] = set()
    actions: list[Action] = []
    taken: list[Draft] = []
    for draft in _fullest(new, language):
        here = [old for old in live if old.id not in gone]
        if any(repeats(draft, other, language) for other in taken):
            continue
        told = _told_by(draft, here, language)
        if told:
            actions += [Again(old.id) for old in told if turn not in old.turns]
            continue
        taken.append(draft)
        grown = [old for old in here if elaborates(draft, old, language) or holds(draft, old, language)]
        index = sum(isinstance(action, Insert) for action in actions)
        actions.append(Insert(reduce(_joined_to, grown, draft)))
        for old in grown:
            gone.add(old.id)
            actions.append(Supersede(old.id, index, "the same with more detail", is_grown=True))
        for old in (old for old in here if old.id not in gone):
            found = replaces(draft, old, language) or points_elsewhere(draft, old, turn, language)
            if found:
                gone.add(old.id)
                actions.append(Supersede(old.id, index, found))
                continue
            rest = _left_over(draft, old, language)
            if rest:
                gone.add(old.id)
                actions += [Supersede(old.id, index, "a part of it is now said otherwise"), Insert(rest, is_rest=True)]
            elif _answers(draft, old, turn, language):
                gone.add(old.id)
                actions.append(Forget(old.id, "it is known now"))
    actions += _lists([old for old in live if old.id not in gone], turn, language)
    return actions


def _told_by(draft: Draft, olds: Sequence[Thought], language: Language) -> list[Thought]:
    """The old thoughts that say all of a new one; several where a Chinese reply sums up what was told apart."""
    told = next((old for old in olds if repeats(draft, old, language) or holds(old, draft, language)), None)
    if told:
        return [told]
    return tellers(draft, olds) if language is Language.ZH else []


def _fullest(new: Sequence[Draft], language: Language) -> list[Draft]:
    """The new thoughts without those that another of them holds; of two that hold each other the first stays."""
    kept: list[Draft] = []
    for place, draft in enumerate(new):
        later = any(holds(other, draft, language) and not holds(draft, other, language) for other in new[place + 1 :])
        if not later and not any(holds(other, draft, language) for other in kept):
            kept.append(draft)
    return kept


def _joined_to(draft: Draft, old: Thought) -> Draft:
    sentences = draft.sentence if old.sentence in draft.sentence else f"{old.sentence} / {draft.sentence}"
    return draft.model_copy(update={"sentence": sentences})


def _left_over(draft: Draft, old: Thought, language: Language) -> Draft | None:
    """What stays of a list (`fever or chills`) when the new thought says the opposite of one item."""
    if draft.negated == old.negated or 0.0 in (draft.certainty, old.certainty) or draft.certainty < old.certainty:
        return None
    if numbers(old.object) or bare_relation(draft, language) != bare_relation(old, language):
        return None
    items = [item.strip() for item in _LISTED.split(old.object) if item.strip()]
    if len(items) < 2 or is_protected(old, language) or at_other_times(draft, old):
        return None
    mine = weighty(draft.object, language)
    rest = [item for item in items if weighty(item, language) != mine]
    if len(rest) != len(items) - 1 or not same_subject(draft.subject, old.subject, language):
        return None
    return Draft(**old.model_dump(include=set(Draft.model_fields)) | {"object": _list(rest, old.negated, language)})


def _list(items: Sequence[str], negated: bool, language: Language) -> str:
    return ("、" if language is Language.ZH else " or " if negated else ", ").join(items)


def _answers(draft: Draft, old: Thought, turn: int, language: Language) -> bool:
    """Whether an old `does not know` is settled by the new thought."""
    if old.relation not in _UNKNOWN or draft.relation in _UNKNOWN or draft.certainty < 1.0:
        return False
    if old.turn >= turn - RECENT or is_protected(old, language):
        return False
    asked = weighty(_WHETHER.sub("", old.object), language)
    return bool(asked) and asked <= weighty(draft.triple, language)


def _lists(live: Sequence[Thought], turn: int, language: Language) -> list[Action]:
    """Short facts with one head and one relation, told some turns ago, become one thought."""
    heads: dict[tuple[str, str, bool], list[Thought]] = {}
    for old in live:
        if _may_be_listed(old, turn, language):
            heads.setdefault((plain(old.subject), plain(old.relation), old.negated), []).append(old)
    merges: list[Action] = []
    for (_, _, negated), members in heads.items():
        chosen = members[:_LIST]
        if len(chosen) < 2:
            continue
        draft = Draft(
            subject=chosen[0].subject,
            relation=chosen[0].relation,
            object=_list([old.object for old in chosen], negated, language),
            sentence=" / ".join(old.sentence for old in chosen if old.sentence),
            negated=negated,
        )
        merges.append(Merge(tuple(old.id for old in chosen), draft, "the same head and relation"))
    return merges


def _may_be_listed(old: Thought, turn: int, language: Language) -> bool:
    plainly_said = old.certainty == 1.0 and not old.reported and not old.parts
    brief = 0 < len(old.object) <= _BRIEF and not numbers(old.object) and not _LISTED.search(old.object)
    many = old.relation in {"has", "does not have", "has had", "has not had", "有", "没有"}
    return plainly_said and brief and many and old.turn < turn - RECENT and not is_protected(old, language)
