"""The organizer by rules: what becomes of the thoughts of a group when new ones arrive.

Newer wins where only one value can hold; everything else is kept. When in doubt, both stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osler.memory.tim.relations import contrast, is_protected, is_single, same_subject
from osler.memory.tim.thought import Draft, Status, Thought
from osler.records.language import Language
from osler.words import numbers, plain, words

_RECENT = 2
"""Thoughts of so many turns before this one are never forgotten."""
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


Action = Insert | Again | Supersede | Merge | Forget

_CORRECTED = re.compile(
    r"\bactually\b|\bi meant?\b|\bi was wrong\b|\bmy mistake\b|\bmistaken\b|\bmisspoke\b|\bcorrection\b|"
    r"\bi said .{0,30}\bbut\b|"
    r"\bsorry,|\bnot the (?:left|right)\b|\brather than\b|说错了?|不是[^，。]{0,12}[，,]\s*是|不对[，,]|"
    r"记错了?|其实|更正|搞错了?|弄错了?|应该是[^，。]*才对"
)
_NO_BUT = re.compile(r"^(?:[^:：]{1,40}[:：]\s*)?(?:no|不是|不)\s*[,，]\s*\S")
_RECURRED = re.compile(
    r"\bcame back\b|\bcome back\b|\bagain\b|\breturned\b|\bwent away\b|\bgone\b|\bno longer\b|"
    r"\bnot any ?more\b|\bstopped\b|\bstarted again\b|"
    r"\bused to\b|\bcleared\b|\bsettled\b|\bsince then\b|\bbefore\b|又|再次|复发|反复|好了|消失|退了|没了|"
    r"不再|停了|原来|以前|后来"
)
_ADDED = re.compile(r"\balso\b|\btoo\b|\bas well\b|\banother\b|\bin addition\b|\bother\b|也|还有|另外|又|再加")
_IS = frozenset({"is", "was", "are", "were", "为", "是", "was measured at"})
_ONSET = re.compile(r"\b(?:began|begins?|started|starts|onset)\b|开始于|始于|起病")
_UNKNOWN = frozenset({"does not know", "不知道"})
_OF_NO_WEIGHT = frozenset(
    {"a", "an", "the", "any", "my", "his", "her", "some", "of", "whether", "patient", "is", "has"}
)
_LISTED = re.compile(r",\s*(?:or |and )?| or | and |、|，|或者|或|以及")
_TENSE = frozenset({"do", "did", "doe", "not", "never", "been", "any"})


def arrange(new: Sequence[Draft], group: Sequence[Thought], turn: int, language: Language) -> list[Action]:
    """What to do with the new thoughts of a turn and with the old ones of their group.

    A draft that only repeats an active thought makes nothing new: that thought was said once more.
    """
    live = sorted((old for old in group if old.status is Status.ACTIVE), key=lambda old: (old.turn, old.id))
    gone: set[int] = set()
    actions: list[Action] = []
    taken: list[Draft] = []
    for draft in new:
        here = [old for old in live if old.id not in gone]
        if any(_repeats(draft, other, language) for other in taken):
            continue
        told = next((old for old in here if _repeats(draft, old, language)), None)
        if told:
            actions += [Again(told.id)] if turn not in told.turns else []
            continue
        taken.append(draft)
        grown = next((old for old in here if _elaborates(draft, old, language)), None)
        index = sum(isinstance(action, Insert) for action in actions)
        actions.append(Insert(_joined_to(draft, grown) if grown else draft))
        if grown:
            gone.add(grown.id)
            actions.append(Supersede(grown.id, index, "the same with more detail"))
        for old in (old for old in here if old.id not in gone):
            found = _replaces(draft, old, language) or _points_elsewhere(draft, old, turn, language)
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


def _words(text: str, language: Language) -> frozenset[str]:
    return frozenset(word for word in words(text, language) if word not in _OF_NO_WEIGHT)


def _relation(draft: Draft, language: Language) -> frozenset[str]:
    """The relation without its polarity, tense and person."""
    level = plain(draft.relation)
    if language is Language.ZH:
        level = re.sub(r"[了过着]$", "", level)
        level = {"没有": "有", "服用": "吃", "服": "吃"}.get(level, re.sub(r"^(?:从来|从)?[不没未](?!知道)", "", level))
        return frozenset({level})
    kept = {"have" if word in {"has", "had", "hav", "got"} else word for word in words(level, language)}
    bare = kept - _TENSE
    if "have" in bare and len(bare) > 1:
        bare -= {"have"}
    return frozenset({"is" if word in {"are", "was", "were", "wa", "i"} else word for word in bare})


def _repeats(draft: Draft, old: Draft, language: Language) -> bool:
    return (
        (same_subject(draft.subject, old.subject, language) or _in_the_same_words(draft, old))
        and draft.negated == old.negated
        and draft.certainty == old.certainty
        and plain(draft.reported) == plain(old.reported)
        and plain(draft.relation) == plain(old.relation)
        and words(draft.object, language) == words(old.object, language)
        and numbers(draft.object) == numbers(old.object)
    )


def _in_the_same_words(draft: Draft, old: Draft) -> bool:
    """Whether both rest on the same words, and only the question that was asked names their subjects differently."""
    mine, its = (re.split(r":\s|：", one.sentence, maxsplit=1) for one in (draft, old))
    return len(mine) == len(its) == 2 and mine[1] == its[1]


def _elaborates(draft: Draft, old: Thought, language: Language) -> bool:
    """Whether the new thought begins with the whole of the old one and goes on."""
    after = plain(draft.object).removeprefix(plain(old.object))
    return (
        bool(old.object)
        and plain(draft.object).startswith(plain(old.object))
        and re.match(r"\s*[,，（;]|\s+(?:for|since|at|in|on|with|every|after|when)\b", after) is not None
        and plain(draft.relation) == plain(old.relation)
        and not (draft.negated or old.negated)
        and draft.certainty == old.certainty
        and (not old.reported or old.reported == draft.reported)
        and same_subject(draft.subject, old.subject, language)
    )


def _joined_to(draft: Draft, old: Thought) -> Draft:
    sentences = draft.sentence if old.sentence in draft.sentence else f"{old.sentence} / {draft.sentence}"
    return draft.model_copy(update={"sentence": sentences})


def _corrects(draft: Draft) -> bool:
    said = plain(draft.sentence)
    return bool(_CORRECTED.search(said))


def _turns_down(draft: Draft) -> bool:
    """`no, the right knee`: a correction of the side, though not of anything else."""
    return not draft.negated and bool(_NO_BUT.search(plain(draft.sentence)))


def _replaces(draft: Draft, old: Thought, language: Language) -> str:
    """Why the new thought takes the place of the old one; empty when both stay."""
    corrects = _corrects(draft)
    if 0.0 in (draft.certainty, old.certainty) or (draft.certainty < old.certainty and not corrects):
        return ""
    if _relation(draft, language) != _relation(old, language):
        return ""
    if (corrects or _turns_down(draft)) and _but_for_a_side(draft, old, language):
        return "corrected"
    if not same_subject(draft.subject, old.subject, language):
        return ""
    return _opposes(draft, old, corrects, language) or _has_another_value(draft, old, corrects, language)


def _points_elsewhere(draft: Draft, old: Thought, turn: int, language: Language) -> str:
    """`No, the right knee` when asked which: corrects what was just said of the left one, whatever that was."""
    asked_which = draft.subject in {"complaint", "症状"} or draft.relation in {"says", "说"}
    if not asked_which or draft.negated or old.negated or old.turn < turn - _RECENT or draft.certainty < old.certainty:
        return ""
    if not (_corrects(draft) or _turns_down(draft)) or not contrast(draft.object, old.triple):
        return ""
    shared = _sideless(draft.object, language)
    return "corrected" if shared and shared <= _sideless(old.triple, language) else ""


def _sideless(text: str, language: Language) -> frozenset[str]:
    """Its words, left and right aside."""
    return _words(re.sub(r"\b(?:left|right|no|sorry|meant|mean|i|actually)\b|[左右]边?", " ", plain(text)), language)


def _but_for_a_side(draft: Draft, old: Thought, language: Language) -> bool:
    """Whether both say one thing of left and right, or of two numbers."""
    if draft.negated != old.negated or not contrast(draft.triple, old.triple):
        return False
    mine, its = _words(draft.triple, language), _words(old.triple, language)
    return 2 * len(mine & its) >= min(len(mine), len(its))


def _opposes(draft: Draft, old: Thought, corrects: bool, language: Language) -> str:
    if draft.negated == old.negated or _words(draft.object, language) != _words(old.object, language):
        return ""
    if corrects:
        return "corrected"
    if is_protected(old, language) or _at_other_times(draft, old):
        return ""
    return "the opposite is said now"


def _at_other_times(draft: Draft, old: Thought) -> bool:
    """Whether both may be true, one after the other."""
    if draft.reported and old.reported and plain(draft.reported) != plain(old.reported):
        return True
    return any(_RECURRED.search(plain(f"{one.triple} {one.sentence}")) for one in (draft, old))


def _has_another_value(draft: Draft, old: Thought, corrects: bool, language: Language) -> str:
    mine, its = _words(draft.object, language), _words(old.object, language)
    if draft.negated or old.negated or mine == its:
        return ""
    measured = plain(draft.relation) in _IS
    if corrects and (mine & its or (measured and numbers(draft.object) and numbers(old.object))):
        return "corrected"
    if measured and not (numbers(draft.object) and numbers(old.object)):
        return ""
    if not measured and not is_single(draft.relation, language):
        return ""
    if corrects:
        return "corrected"
    if _ADDED.search(plain(draft.sentence)) or _dated_apart(draft, old, measured):
        return ""
    if measured and contrast(draft.object, old.object):
        return ""
    return "a newer value"


def _dated_apart(draft: Draft, old: Thought, measured: bool) -> bool:
    """Whether the two values are of different times; an onset is itself a time, and there is only one."""
    if _ONSET.search(plain(draft.relation)):
        return draft.subject in {"patient", "患者"} or not (_timed(draft) and _timed(old))
    if measured:
        return plain(draft.reported) != plain(old.reported) or draft.subject in {"patient", "患者"}
    return bool(draft.reported and old.reported and plain(draft.reported) != plain(old.reported))


def _timed(draft: Draft) -> bool:
    return bool(draft.reported or numbers(draft.object))


def _left_over(draft: Draft, old: Thought, language: Language) -> Draft | None:
    """What stays of a list (`fever or chills`) when the new thought says the opposite of one item."""
    items = [item.strip() for item in _LISTED.split(old.object) if item.strip()]
    if len(items) < 2 or draft.negated == old.negated or 0.0 in (draft.certainty, old.certainty):
        return None
    if draft.certainty < old.certainty or is_protected(old, language) or _at_other_times(draft, old):
        return None
    if numbers(old.object) or _relation(draft, language) != _relation(old, language):
        return None
    mine = _words(draft.object, language)
    rest = [item for item in items if _words(item, language) != mine]
    if len(rest) != len(items) - 1 or not same_subject(draft.subject, old.subject, language):
        return None
    return Draft(**old.model_dump(include=set(Draft.model_fields)) | {"object": _list(rest, old.negated, language)})


def _list(items: Sequence[str], negated: bool, language: Language) -> str:
    return ("、" if language is Language.ZH else " or " if negated else ", ").join(items)


def _answers(draft: Draft, old: Thought, turn: int, language: Language) -> bool:
    """Whether an old `does not know` is settled by the new thought."""
    if old.relation not in _UNKNOWN or draft.relation in _UNKNOWN or draft.certainty < 1.0:
        return False
    if old.turn >= turn - _RECENT or is_protected(old, language):
        return False
    asked = _words(old.object, language)
    return bool(asked) and asked <= _words(draft.triple, language)


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
    return plainly_said and brief and many and old.turn < turn - _RECENT and not is_protected(old, language)
