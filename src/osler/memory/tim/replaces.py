"""Why a new thought takes the place of an old one: it corrects it, says the opposite, or gives a newer value."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language
from osler.language.words import content, numbers, plain
from osler.memory.tim.alike import bare_relation, sideless, weighty
from osler.memory.tim.relations import contrast, is_protected, is_single, same_subject
from osler.memory.tim.thought import Draft, Thought

RECENT = 2
"""Turns whose thoughts are fresh: they can be corrected by a word, and are never forgotten."""
_CORRECTED = re.compile(
    r"\bactually\b|\bi meant?\b|\bi was wrong\b|\bmy mistake\b|\bmistaken\b|\bmisspoke\b|\bcorrection\b|"
    r"\bi said .{0,30}\bbut\b|"
    r"\bsorry,|\bnot the (?:left|right)\b|\brather than\b|不是[^，。]{0,12}[，,]\s*是|不对[，,]|"
    r"(?<!没)(?<!没有)[说记搞弄]错|其实|更正|应该是[^，。]*才对"
)
_NO_BUT = re.compile(r"^(?:[^:：]{1,40}[:：]\s*)?(?:no|不是|不)\s*[,，]\s*\S")
_RECURRED = re.compile(
    r"\bcame back\b|\bcome back\b|\bagain\b|\breturned\b|\bwent away\b|\bgone\b|\bno longer\b|"
    r"\bnot any ?more\b|\bstopped\b|\bstarted again\b|"
    r"\bused to\b|\bcleared\b|\bsettled\b|\bsince then\b|\bbefore\b|又|再次|复发|反复|好了|消失|退了|没了|"
    r"不再|停了|原来|以前|后来"
)
_ASKED = re.compile(r":\s|：")
"""Between a question and the words that answer it, in the sentence that a thought rests on."""
_MEASURE = re.compile(
    r"(?:(?:[a-z]+\W+){0,3}|[\u4e00-\u9fff]{0,4})\W*\d++(?:\.\d++)?+(?!-\d{4}|\s*(?:元|块|人民币|美元|dollars?|yuan))"
)
"""What was measured begins with its number. An address, a telephone or a price is not the patient's: each thing that is
talked of has its own."""
_NAMELESS = frozenset({"complaint", "症状"})
"""Subjects of answers to questions that named none; what was meant may be something else each time."""
_POINTING = re.compile(r"\bit(?:s|self)?\b|它")
"""Words in a subject that point at what was just talked of, which is another thing some turns later."""
_SAYS_MORE = re.compile(r"[,，;；]")
"""An object that goes on after its value: with the value, what else it says would be lost."""
_ADDED = re.compile(r"\balso\b|\btoo\b|\bas well\b|\banother\b|\bin addition\b|\bother\b|也|还有|另外|又|再加")
_IS = frozenset({"is", "was", "are", "were", "为", "是", "was measured at"})
_PEAK = re.compile(r"\bhighest\b|\blowest\b|\bpeak(?:ed)?\b|最高|最低")
_ONSET = re.compile(r"\b(?:began|begins?|started|starts|onset)\b|开始于|始于|起病")


@lru_cache(maxsize=8192)
def is_correction(sentence: str) -> bool:
    """Whether the words of the answer say so; a question may begin with `actually` and corrects nothing."""
    return _CORRECTED.search(plain(_ASKED.split(sentence, maxsplit=1)[-1])) is not None


@lru_cache(maxsize=8192)
def _turns_down(sentence: str) -> bool:
    """`no, the right knee`: a correction of the side, though not of anything else."""
    return _NO_BUT.search(plain(sentence)) is not None


def replaces(draft: Draft, old: Thought, language: Language) -> str:
    """Why the new thought takes the place of the old one; empty when both stay."""
    corrects = is_correction(draft.sentence)
    if 0.0 in (draft.certainty, old.certainty) or (draft.certainty < old.certainty and not corrects):
        return ""
    if bare_relation(draft, language) != bare_relation(old, language):
        return ""
    if (corrects or (not draft.negated and _turns_down(draft.sentence))) and _but_for_a_side(draft, old, language):
        return "corrected"
    if not same_subject(draft.subject, old.subject, language):
        return ""
    return _opposes(draft, old, corrects, language) or _has_another_value(draft, old, corrects, language)


def points_elsewhere(draft: Draft, old: Thought, turn: int, language: Language) -> str:
    """`No, the right knee` when asked which: corrects what was just said of the left one, whatever that was."""
    asked_which = draft.subject in _NAMELESS or draft.relation in {"says", "说"}
    if not asked_which or draft.negated or old.negated or old.turn < turn - RECENT or draft.certainty < old.certainty:
        return ""
    if not (is_correction(draft.sentence) or _turns_down(draft.sentence)) or not contrast(draft.object, old.triple):
        return ""
    shared = sideless(draft.object, language)
    return "corrected" if shared and shared <= sideless(old.triple, language) else ""


def _but_for_a_side(draft: Draft, old: Thought, language: Language) -> bool:
    """Whether both say one thing of left and right, or of two numbers."""
    if draft.negated != old.negated or not contrast(draft.triple, old.triple):
        return False
    mine, its = weighty(draft.triple, language), weighty(old.triple, language)
    return 2 * len(mine & its) >= min(len(mine), len(its))


def _opposes(draft: Draft, old: Thought, corrects: bool, language: Language) -> str:
    if draft.negated == old.negated or weighty(draft.object, language) != weighty(old.object, language):
        return ""
    if corrects:
        return "corrected"
    if is_protected(old, language) or at_other_times(draft, old):
        return ""
    return "the opposite is said now"


def at_other_times(draft: Draft, old: Thought) -> bool:
    """Whether both may be true, one after the other."""
    if draft.reported and old.reported and plain(draft.reported) != plain(old.reported):
        return True
    return any(_recurs(f"{one.triple} {one.sentence}") for one in (draft, old))


@lru_cache(maxsize=8192)
def _recurs(said: str) -> bool:
    return _RECURRED.search(plain(said)) is not None


def _has_another_value(draft: Draft, old: Thought, corrects: bool, language: Language) -> str:
    mine, its = weighty(draft.object, language), weighty(old.object, language)
    if draft.negated or old.negated or mine == its:
        return ""
    measured = plain(draft.relation) in _IS
    if corrects and (_share_most(draft, old, language) or (measured and numbers(draft.object) and numbers(old.object))):
        return "corrected"
    if measured and not (_MEASURE.match(plain(draft.object)) and _MEASURE.match(plain(old.object))):
        return ""
    if not measured and not is_single(draft.relation, language):
        return ""
    if corrects:
        return "corrected"
    if draft.subject in _NAMELESS or _POINTING.search(plain(draft.subject)):
        return ""
    if _ADDED.search(plain(draft.sentence)) or _dated_apart(draft, old, measured) or _SAYS_MORE.search(old.object):
        return ""
    if measured and (contrast(draft.object, old.object) or _is_peak(draft) != _is_peak(old)):
        return ""
    return "a newer value"


def _is_peak(draft: Draft) -> bool:
    """Whether it is the highest or lowest that a value ever was: one measured later is beside it."""
    return _PEAK.search(plain(draft.object)) is not None


def _share_most(draft: Draft, old: Thought, language: Language) -> bool:
    """Whether two objects speak of one thing: a correction says most of what it corrects over again."""
    mine, its = set(content(draft.object, language)), set(content(old.object, language))
    return bool(mine & its) and 2 * len(mine & its) >= min(len(mine), len(its))


def _dated_apart(draft: Draft, old: Thought, measured: bool) -> bool:
    """Whether the two values are of different times; an onset is itself a time, and there is only one."""
    if _ONSET.search(plain(draft.relation)):
        return draft.subject in {"patient", "患者"} or not (_timed(draft) and _timed(old))
    if measured:
        return plain(draft.reported) != plain(old.reported) or draft.subject in {"patient", "患者"}
    return bool(draft.reported and old.reported and plain(draft.reported) != plain(old.reported))


def _timed(draft: Draft) -> bool:
    return bool(draft.reported or numbers(draft.object))
