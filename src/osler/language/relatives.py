"""Who a text is about: the names of relatives, and whether it is about one of them instead of the patient.

Who speaks decides who that is: of a wife who answers for her husband, "your husband" is the patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, finder, groups, pattern
from osler.language.times_and_values import time_finder

_PATIENT_OF: dict[Speaker, tuple[str, ...]] = {
    Speaker.PATIENT: (),
    Speaker.MOTHER: ("child", "son", "daughter"),
    Speaker.FATHER: ("child", "son", "daughter"),
    Speaker.WIFE: ("husband", "partner"),
    Speaker.HUSBAND: ("wife", "partner"),
    Speaker.DAUGHTER: ("mother", "father", "parent"),
    Speaker.SON: ("mother", "father", "parent"),
    Speaker.SIBLING: ("sibling",),
}
"""The groups of names that this speaker, and the doctor who speaks to them, uses for the patient."""
_NOT_NAMED_BY_THE_DOCTOR = ("child", "family")
"""Of a patient's own "child" a doctor says son or daughter; a family is not a person."""


_KIN_OF = {Language.EN: "'s ", Language.ZH: "的"}
_TOGETHER = re.compile(r"\W*(?:with|for|to|from)\b", re.IGNORECASE)
"""Opens a statement in which a relative is not who it is about: "with my husband"."""


class RelativeOf(NamedTuple):
    """Who a statement is about, and the statement without them."""

    whose: str
    """Empty if they are the patient, or only report about the patient."""
    rest: str


def relative_at_start(text: str, language: Language, speaker: Speaker) -> RelativeOf | None:
    """The relative whom a statement begins with: "my late father had a stroke"."""
    if finder("not_relatives", language).search(text) or _TOGETHER.match(text):
        return None
    found = _subject(language).match(text)
    if found is None:
        return None
    behind = text[found.end() :]
    rest = f"{found['denial'] or ''} {behind}" if language is Language.EN else behind
    time = time_finder(language).match(behind)
    start = time.end() if time else 0
    if told := _telling(language).match(behind[start:]):
        return RelativeOf("", f"{behind[:start]} {behind[start + told.end() :]}")
    called = {name for group in _PATIENT_OF.get(speaker, ()) for name in groups("relatives", language).get(group, ())}
    return RelativeOf("" if found["who"].lower() in called else found["who"].lower(), rest)


def relative_within(text: str, language: Language, speaker: Speaker) -> RelativeOf | None:
    """The relative in whom something is: "diabetes on my mother's side", "it was my aunt", "中风的是我外婆"."""
    if finder("not_relatives", language).search(text):
        return None
    found = _within(language).search(text)
    called = {name for group in _PATIENT_OF.get(speaker, ()) for name in groups("relatives", language).get(group, ())}
    if found is None or not called.isdisjoint(map(str.lower, filter(None, found.groups()))):
        return None
    who = next(filter(None, found.groups()))
    return RelativeOf(who.lower(), f"{text[: found.start()]} {text[found.end() :]}")


def own_name(text: str, language: Language, speaker: Speaker) -> str:
    """Return what a relative who answers for the patient is called when they mention themselves; empty otherwise."""
    if speaker is Speaker.PATIENT or not finder("own_state", language).match(text):
        return ""
    return "" if finder("the_patient", language).search(text) else groups("speakers", language)[speaker.value][0]


def relative_asked_about(question: str, speaker: Speaker, language: Language) -> str:
    """Return who is asked about if it is not the patient, as they are called; empty otherwise.

    A relative who saw or heard something reports on the patient. "And do you yourself smoke?" asks about who answers.
    """
    if speaker not in _PATIENT_OF:
        return ""
    if speaker is not Speaker.PATIENT and finder("yourself", language).search(question):
        return groups("speakers", language)[speaker.value][0]
    found = _asked_about(speaker, language).search(question)
    return next(filter(None, found.groups()), "").lower() if found else ""


@cache
def kin(speaker: Speaker, language: Language) -> str:
    """A pattern for everybody whom the doctor may name but the patient."""
    return _everybody_but(_PATIENT_OF.get(speaker, ()), language)


def _everybody_but(without: Iterable[str], language: Language) -> str:
    """A pattern for the names of all groups but these; "太太" of "老太太" is nobody's wife."""
    left_out = {*without, *_NOT_NAMED_BY_THE_DOCTOR}
    listed = groups("relatives", language)
    taken = [name for group in without for name in listed.get(group, ())]
    names = [name for group, each in listed.items() if group not in left_out for name in each if name not in taken]
    longer = [other for other in taken if language is Language.ZH and any(name in other for name in names)]
    if not longer:
        return any_of(names, language)
    return f"(?:(?!{any_of(longer, language)}){any_of(names, language)})" + "".join(
        f"(?<!{other})" for other in longer if any(other.endswith(name) for name in names)
    )


@cache
def _subject(language: Language) -> re.Pattern[str]:
    each = pattern("relatives", language)
    who = f"(?P<who>{each}(?:{_KIN_OF[language]}{each})*)"  # "my father's brother" is not about the father
    opening = pattern("relative_openings", language)
    if language is Language.ZH:
        return re.compile(f"(?:{opening}){{0,4}}{who}(?:的|他|她|那边)?")
    small = pattern("fillers", language)
    denial = (
        r"(?P<denial>(?:no|none|nobody|no one|neither)(?= (?:one )?(?:of|in|else in|else|family|relative)))?"
        r"(?: (?:one )?(?:of|in|else in))?\s*"
    )
    return re.compile(
        rf"\W*(?:{small},?\s+){{0,4}}{denial}(?:{opening}\s+){{0,4}}{who}(?!\s+history)(?:'s?)?(?:\s+side)?\s*",
        re.IGNORECASE,
    )


@cache
def _within(language: Language) -> re.Pattern[str]:
    who = f"({pattern('relatives', language)})"
    if language is Language.ZH:
        return re.compile(f"的是我的?{who}$")
    return re.compile(
        rf"(?:\b(?:was|is)|'s) my {who}(?: who| that)?\b"
        rf"|\b(?:in|on)\s+(?:my|his|her|the|our|their)\s+(?:immediate\s+|close\s+)?{who}(?:'s?)?(?:\s+side)?"
        r"(?:\s+of the family)?|(family)\s+history\b(?:\s+of)?",
        re.IGNORECASE,
    )


@cache
def _telling(language: Language) -> re.Pattern[str]:
    told = pattern("tells", language)
    if language is Language.ZH:
        return re.compile(f"(?:也|都|经常|老|总|就)?{told}(?:过|了)?(?=[我他她]|$)")
    return re.compile(
        rf"\W*(?:has |have |had |also |just |always |often )*{told}(?:\s+(?:that|me|us|to me|in))*\s*", re.IGNORECASE
    )


@cache
def _asked_about(speaker: Speaker, language: Language) -> re.Pattern[str]:
    who, tells = f"({kin(speaker, language)})", pattern("tells", language)
    if language is Language.ZH:
        often = "(?:有没有|是不是|也|都|经常|老|总)?"
        return re.compile(
            rf"(?:^|[，。？！、]|[您你他她家]|孩子|宝宝)(?:的|他|她)?{who}(?![您你]|的话|{often}{tells})[^，。？]{{1,12}}"
        )
    whose = r"(?:(?:any|one|either|some) of )?(?:your|his|her|their|the (?:baby|child|boy|girl)['’]s)"
    subject = rf"{whose} (?:own |late |elder |older |younger |little |big |dear )?{who}"
    return re.compile(
        rf"\b(?:does|do|did|has|have|had|is|are|was|were|can|could|will|would|about) {subject}"
        rf"(?! (?:ever |also |been |have |had )?{tells})|{subject}['’]s?\b (?!idea|opinion|view|side|word)",
        re.IGNORECASE,
    )
