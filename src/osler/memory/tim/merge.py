"""Merge thoughts without a model: decide whether a new thought repeats, extends or replaces an old one.

A model's merges are in `model_answer`; `actions` applies both. If two thoughts cannot both be true, the newer one wins:
it negates the same words, gives a new value, or is an explicit correction. Otherwise both are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content, numbers, plain
from osler.memory.tim.actions import Action, Again, Insert, Merge, Supersede
from osler.memory.tim.fact_lines import topic_of
from osler.memory.tim.thought import PATIENT, Draft, Thought, ThoughtStatus

CORRECTED = "corrected"
_RECENT = 2
"""How many turns back a correction reaches if it does not name what it corrects."""


class _Content(NamedTuple):
    """What a thought says, apart from whether it is so."""

    subject: str
    topic: frozenset[str]
    """Words of weight of what was asked, or of what was measured."""
    words: frozenset[str]
    numbers: frozenset[str]


def merge_thoughts(new: Sequence[Draft], old: Sequence[Thought], turn: int, language: Language) -> list[Action]:
    """Decide what to do with a turn's new thoughts and with old ones that may be about the same things."""
    live = [one for one in old if one.status is ThoughtStatus.ACTIVE]
    actions: list[Action] = []
    for draft in _distinct(new, language):
        repeated = [one for one in live if repeats(draft, one, language)]
        if repeated:
            actions += [Again(one.id) for one in repeated if turn not in one.turns]
            continue
        grown = [one for one in live if adds_to(draft, one, language)]
        if grown:
            draft = _joined(draft, grown[-1])
            actions.append(Merge(tuple(one.id for one in grown), draft, "the same with more detail", is_said_now=True))
            live = [one for one in live if one not in grown]
        else:
            actions.append(Insert(draft))
        replaced = {
            one.id: why for one in live if (why := replaces(draft, one, language, is_recent=one.turn >= turn - _RECENT))
        }
        actions += [Supersede(number, why) for number, why in replaced.items()]
        live = [one for one in live if one.id not in replaced]
    return actions


def _distinct(new: Sequence[Draft], language: Language) -> list[Draft]:
    """The new thoughts without what another one of them says too, and without what a later one takes back."""
    kept: list[Draft] = []
    for draft in new:
        if any(repeats(draft, one, language) for one in kept):
            continue
        for one in [one for one in kept if adds_to(draft, one, language)]:
            draft = _joined(draft, one)
            kept.remove(one)
        kept = [one for one in kept if replaces(draft, one, language, is_recent=True) != CORRECTED]
        kept.append(draft)
    return kept


def repeats(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether the old thought says all that the new one says. Nothing of a denial may be left out."""
    mine, its = _content(draft, language), _content(old, language)
    return (
        draft.negated == old.negated
        and draft.certainty <= old.certainty
        and mine.subject == its.subject
        and (mine.words == its.words if draft.negated else mine.words <= its.words)
        and (mine.topic <= its.topic | its.words or _is_same_sentence(mine, its))
        and mine.numbers <= its.numbers
        and bool(mine.words or mine.numbers or mine == its)
        and (not draft.reported or plain(draft.reported) == plain(old.reported))
    )


def _is_same_sentence(mine: _Content, its: _Content) -> bool:
    """Check whether the same words answer two questions; a value belongs to what was asked for."""
    return mine.words == its.words and len(mine.words) > 1 and not mine.numbers


def adds_to(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether the new thought says all that the old one says, and more; a denial adds nothing."""
    mine, its = _content(draft, language), _content(old, language)
    return (
        not (draft.negated or old.negated)
        and draft.certainty >= old.certainty
        and draft.kind is old.kind
        and mine.subject == its.subject
        and bool(its.words)
        and its.words <= mine.words
        and its.numbers <= mine.numbers
        and its.topic <= mine.topic | mine.words
        and not _at_other_times(draft, old)
    )


def replaces(draft: Draft, old: Draft, language: Language, *, is_recent: bool) -> str:
    """Return why the new thought replaces the old one, or an empty text if both are kept."""
    mine, its = _content(draft, language), _content(old, language)
    if mine.subject != its.subject or _at_other_times(draft, old):
        return ""
    if finder("correction", language).search(draft.sentence) and not (draft.negated or old.negated):
        on_one_topic = is_recent and bool(mine.topic) and mine.topic == its.topic
        is_shared = _share_half(mine.words | mine.topic, its.words | its.topic)
        if mine.words != its.words and (on_one_topic or is_shared):
            return CORRECTED
    if draft.certainty < old.certainty or (mine.topic and its.topic and mine.topic != its.topic):
        return ""
    if draft.negated != old.negated:
        # A denial takes back the same words; what is there, any denial of a part of it.
        opposed = mine.words == its.words if draft.negated else bool(its.words) and its.words <= mine.words
        return "the opposite is said now" if opposed and (mine.words or mine == its) else ""
    named = mine.words | mine.topic
    is_measured = bool(mine.numbers and its.numbers) and mine.numbers != its.numbers and not draft.negated
    return "a newer value" if is_measured and named and named == its.words | its.topic else ""


def _share_half(mine: frozenset[str], its: frozenset[str]) -> bool:
    """Check whether two thoughts are about the same thing: a correction repeats most of what it corrects."""
    return bool(mine & its) and 2 * len(mine & its) >= min(len(mine), len(its))


def _at_other_times(draft: Draft, old: Draft) -> bool:
    """Check whether both may be true, one after the other."""
    return bool(draft.reported and old.reported) and plain(draft.reported) != plain(old.reported)


def _joined(draft: Draft, old: Draft) -> Draft:
    """A thought with the time that the old one has."""
    sentence = draft.sentence if old.sentence in draft.sentence else f"{old.sentence} / {draft.sentence}"
    return draft.model_copy(update={"reported": draft.reported or old.reported, "sentence": sentence})


@lru_cache(maxsize=8192)
def _content(draft: Draft, language: Language) -> _Content:
    object_ = finder("correction", language).sub(" ", draft.object)
    said = frozenset(numbers(object_))
    level = plain(draft.subject)
    return _Content(
        subject="patient" if level in PATIENT else level,
        topic=frozenset(content(topic_of(draft), language)),
        words=frozenset(content(object_, language)) - said,
        numbers=said,
    )
