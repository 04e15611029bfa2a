"""Merge thoughts without a model: decide whether a new thought repeats, extends or replaces an old one.

A model's merges are in `model_answer`; `actions` applies both. If two thoughts cannot both be true, the newer one wins:
it denies or ends what the old one says, gives a new value of the same thing, or differs from it in a detail that has
one value, in a reply that says it corrects or changes something. Otherwise both are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.language import Language
from osler.memory.base import Turn
from osler.memory.tim.actions import Action, Again, Insert, Merge, Supersede
from osler.memory.tim.gist import Exchange, exchange_of, gist, says
from osler.memory.tim.thought import Draft, Thought, ThoughtStatus

CORRECTED = "corrected"
_OPPOSITE = "the opposite is said now"


def merge_thoughts(new: Sequence[Draft], old: Sequence[Thought], turn: Turn, language: Language) -> list[Action]:
    """Decide what to do with a turn's new thoughts and with old ones that may be about the same things."""
    live = [one for one in old if one.status is ThoughtStatus.ACTIVE]
    exchange = exchange_of(turn, language)
    actions: list[Action] = []
    for draft in _distinct(new, exchange):
        repeated = [one for one in live if repeats(draft, one, language)]
        if repeated:
            actions += [Again(one.id) for one in repeated if turn.number not in one.turns]
            continue
        grown = [one for one in live if adds_to(draft, one, language)]
        if grown:
            draft = _joined(draft, grown[-1])
            actions.append(Merge(tuple(one.id for one in grown), draft, "the same with more detail", is_said_now=True))
            live = [one for one in live if one not in grown]
        else:
            actions.append(Insert(draft))
        replaced = _replaced(draft, live, exchange)
        actions += [Supersede(number, why) for number, why in replaced.items()]
        live = [one for one in live if one.id not in replaced]
    return actions


def _replaced(draft: Draft, live: Sequence[Thought], exchange: Exchange) -> dict[int, str]:
    """Return which old thoughts a new one replaces, and why.

    A correction is about one thing that was said: of the turns that it may correct, the one with most in common.
    """
    found = {one.id: why for one in live if (why := replaces(draft, one, exchange))}
    corrected = {one.id: one for one in live if one.id not in found and corrects(draft, one, exchange)}
    if corrected:
        turns = {one.turn: 0 for one in corrected.values()}
        for one in corrected.values():
            turns[one.turn] = max(turns[one.turn], len(exchange.shared(gist(one, exchange.language))))
        best = max(turns, key=lambda turn: (turns[turn], turn))
        found |= {number: CORRECTED for number, one in corrected.items() if one.turn == best}
    return found


def _distinct(new: Sequence[Draft], exchange: Exchange) -> list[Draft]:
    """The new thoughts without what another one of them says too, and without what a later one takes back."""
    kept: list[Draft] = []
    for draft in new:
        if any(repeats(draft, one, exchange.language) for one in kept):
            continue
        for one in [one for one in kept if adds_to(draft, one, exchange.language)]:
            draft = _joined(draft, one)
            kept.remove(one)
        opening = draft.sentence[: draft.sentence.find(draft.object) + len(draft.object) // 2]
        marked = says("correction", opening, exchange.language)
        kept = [one for one in kept if not (marked and corrects(draft, one, exchange))]
        kept.append(draft)
    return kept


def repeats(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether the old thought says all that the new one says. Nothing of a denial may be left out."""
    mine, its = gist(draft, language), gist(old, language)
    return (
        draft.negated == old.negated
        and mine.is_ended == its.is_ended
        and draft.certainty <= old.certainty
        and mine.subject == its.subject
        and (mine.words == its.words if draft.negated else mine.words <= its.words)
        and mine.topic <= its.topic | its.words
        and mine.numbers <= its.numbers
        and bool(mine.words or mine.numbers or mine == its)
        and (not draft.reported or mine.when == its.when)
        and mine.times <= its.times
    )


def adds_to(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether the new thought says all that the old one says, and more; a denial adds nothing."""
    mine, its = gist(draft, language), gist(old, language)
    return (
        not (draft.negated or old.negated)
        and mine.is_ended == its.is_ended
        and draft.certainty >= old.certainty
        and draft.kind is old.kind
        and mine.subject == its.subject
        and bool(its.words)
        and its.words <= mine.words
        and its.numbers <= mine.numbers
        and its.topic <= mine.topic | mine.words
        and not mine.is_at_other_time(its)
    )


def replaces(draft: Draft, old: Draft, exchange: Exchange) -> str:
    """Return why two thoughts cannot both be true, or an empty text if they can."""
    mine, its = gist(draft, exchange.language), gist(old, exchange.language)
    if mine.subject != its.subject or mine.is_at_other_time(its) or draft.certainty < old.certainty:
        return ""
    if old.negated or its.is_ended:
        # What is there takes back any denial of a part of it.
        if draft.negated or mine.is_ended or mine.is_on_other_topic(its):
            return ""
        is_named = its.names and its.names == mine.names and its.words <= mine.words
        return _OPPOSITE if its.words == mine.words or is_named else ""
    if draft.negated and not mine.is_on_other_topic(its) and mine.words == its.words and (mine.words or mine == its):
        return _OPPOSITE
    if mine.denies(its, is_contrast=exchange.is_contrast):
        return _OPPOSITE
    if mine.ends(its):
        return "it has ended"
    return "a newer value" if not draft.negated and mine.is_newer_value(its) else ""


def corrects(draft: Draft, old: Draft, exchange: Exchange) -> bool:
    """Check whether a reply that corrects or changes something may mean the old thought.

    Both are about the same thing, and differ in a side, a person, a drug, a time or an amount.
    """
    mine, its = gist(draft, exchange.language), gist(old, exchange.language)
    if not exchange.is_change or draft.negated or old.negated or draft.sentence == old.sentence != "":
        return False
    shared = exchange.shared(its).difference(*mine.denied)
    if mine.subject != its.subject:
        return len(shared) > 1 and mine.differs(its, ("person",)) and exchange.is_correction
    is_related = bool(shared) if exchange.is_correction else mine.is_about_same(its)
    if is_related:
        return mine.differs(its)
    is_other_drug = mine.differs(its, ("drug",))
    is_same_kind = draft.is_protected and draft.kind is old.kind
    if is_other_drug:
        return exchange.is_switch and is_same_kind
    return (is_same_kind or mine.has_unit_of(its)) and mine.differs(its, ("amount",))


def _joined(draft: Draft, old: Draft) -> Draft:
    """A thought with the time that the old one has."""
    sentence = draft.sentence if old.sentence in draft.sentence else f"{old.sentence} / {draft.sentence}"
    return draft.model_copy(update={"reported": draft.reported or old.reported, "sentence": sentence})
