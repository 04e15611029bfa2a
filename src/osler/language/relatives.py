"""Whom a text is about: the patient, or a relative.

Who speaks decides who that is: of a wife who answers for her husband, "your husband" is the
patient.
"""

from __future__ import annotations

import re
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
"""The groups of names for the patient, by who speaks; the doctor uses the same to them."""
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
    subject = _subject(language).match(text)
    if subject is None:
        return None
    behind = text[subject.end() :]
    time = time_finder(language).match(behind)
    start = time.end() if time else 0
    telling = _telling(language).match(behind[start:])
    if telling:  # "my wife says I snore" is about who speaks
        statement = behind[start + telling.end() :]
        return RelativeOf("", f"{behind[:start]} {statement}")
    rest = f"{subject['denial'] or ''} {behind}" if language is Language.EN else behind
    who = subject["who"].lower()
    return RelativeOf("" if who in _names_of_patient(speaker, language) else who, rest)


@cache
def _names_of_patient(speaker: Speaker, language: Language) -> frozenset[str]:
    """Return what this speaker calls the patient."""
    listed = groups("relatives", language)
    names: set[str] = set()
    for group in _PATIENT_OF.get(speaker, ()):
        names.update(listed.get(group, ()))
    return frozenset(names)


def relative_within(text: str, language: Language, speaker: Speaker) -> RelativeOf | None:
    """The relative in whom something is.

    "diabetes on my mother's side", "it was my aunt", "中风的是我外婆".
    """
    if finder("not_relatives", language).search(text):
        return None
    match = _within(language).search(text)
    if match is None:
        return None
    # Each way of saying it has a group of its own for the relative.
    named = [name for name in match.groups() if name]
    if not _names_of_patient(speaker, language).isdisjoint(name.lower() for name in named):
        return None
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return RelativeOf(named[0].lower(), rest)


def own_name(text: str, language: Language, speaker: Speaker) -> str:
    """Return what a relative is called who answers for the patient and speaks of themselves.

    It is empty otherwise.
    """
    if speaker is Speaker.PATIENT or not finder("own_state", language).match(text):
        return ""
    if finder("the_patient", language).search(text):
        return ""
    return groups("speakers", language)[speaker.value][0]


def relative_asked_about(question: str, speaker: Speaker, language: Language) -> str:
    """Return who is asked about if it is not the patient, as they are called; empty otherwise.

    A relative who saw or heard something reports on the patient. "And do you yourself smoke?" asks
    about who answers.
    """
    if speaker not in _PATIENT_OF:
        return ""
    if speaker is not Speaker.PATIENT and finder("yourself", language).search(question):
        return groups("speakers", language)[speaker.value][0]
    match = _asked_about(speaker, language).search(question)
    if match is None:
        return ""
    return next(filter(None, match.groups()), "").lower()


@cache
def _kin(speaker: Speaker, language: Language) -> str:
    """A pattern for everybody whom the doctor may name but the patient.

    "太太" of "老太太" is nobody's wife: a name within a longer one of the patient does not count.
    """
    patient_groups = _PATIENT_OF.get(speaker, ())
    patient_names = _names_of_patient(speaker, language)
    names: list[str] = []
    for group, listed in groups("relatives", language).items():
        if group not in patient_groups and group not in _NOT_NAMED_BY_THE_DOCTOR:
            names += [name for name in listed if name not in patient_names]
    longer: list[str] = []
    if language is Language.ZH:
        for patient_name in sorted(patient_names):
            if any(name in patient_name for name in names):
                longer.append(patient_name)
    if not longer:
        return any_of(names, language)
    endings = [name for name in longer if name.endswith(tuple(names))]
    not_behind = "".join(f"(?<!{name})" for name in endings)
    return f"(?:(?!{any_of(longer, language)}){any_of(names, language)}){not_behind}"


@cache
def _subject(language: Language) -> re.Pattern[str]:
    each = pattern("relatives", language)
    # "my father's brother" is not about the father: it is taken as a whole.
    who = f"(?P<who>{each}(?:{_KIN_OF[language]}{each})*)"
    opening = pattern("relative_openings", language)
    if language is Language.ZH:
        return re.compile(f"(?:{opening}){{0,4}}{who}(?:的|他|她|那边)?")
    small = pattern("fillers", language)
    denial = (
        r"(?P<denial>(?:no|none|nobody|no one|neither)"
        r"(?= (?:one )?(?:of|in|else in|else|family|relative)))?"
        r"(?: (?:one )?(?:of|in|else in))?\s*"
    )
    behind = r"(?!\s+history)(?:'s?)?(?:\s+side)?\s*"
    return re.compile(
        rf"\W*(?:{small},?\s+){{0,4}}{denial}(?:{opening}\s+){{0,4}}{who}{behind}", re.IGNORECASE
    )


@cache
def _within(language: Language) -> re.Pattern[str]:
    who = f"({pattern('relatives', language)})"
    if language is Language.ZH:
        return re.compile(f"的是我的?{who}$")
    whose = r"(?:my|his|her|the|our|their)\s+(?:immediate\s+|close\s+)?"
    ways = (
        rf"(?:\b(?:was|is)|'s) my {who}(?: who| that)?\b",
        rf"\b(?:in|on)\s+{whose}{who}(?:'s?)?(?:\s+side)?(?:\s+of the family)?",
        r"(family)\s+history\b(?:\s+of)?",
    )
    return re.compile("|".join(ways), re.IGNORECASE)


@cache
def _telling(language: Language) -> re.Pattern[str]:
    tells = pattern("tells", language)
    if language is Language.ZH:
        return re.compile(f"(?:也|都|经常|老|总|就)?{tells}(?:过|了)?(?=[我他她]|$)")
    return re.compile(
        rf"\W*(?:has |have |had |also |just |always |often )*{tells}"
        r"(?:\s+(?:that|me|us|to me|in))*\s*",
        re.IGNORECASE,
    )


@cache
def _asked_about(speaker: Speaker, language: Language) -> re.Pattern[str]:
    """Finds a question about a relative, and not about what they say of the patient."""
    who = f"({_kin(speaker, language)})"
    tells = pattern("tells", language)
    if language is Language.ZH:
        often = "(?:有没有|是不是|也|都|经常|老|总)?"
        before = "(?:^|[，。？！、]|[您你他她家]|孩子|宝宝)(?:的|他|她)?"
        return re.compile(rf"{before}{who}(?![您你]|的话|{often}{tells})[^，。？]{{1,12}}")
    whose = (
        r"(?:(?:any|one|either|some) of )?(?:your|his|her|their|the (?:baby|child|boy|girl)['’]s)"
    )
    subject = rf"{whose} (?:own |late |elder |older |younger |little |big |dear )?{who}"
    verb = "(?:does|do|did|has|have|had|is|are|was|were|can|could|will|would|about)"
    ways = (
        rf"\b{verb} {subject}(?! (?:ever |also |been |have |had )?{tells})",
        rf"{subject}['’]s?\b (?!idea|opinion|view|side|word)",
    )
    return re.compile("|".join(ways), re.IGNORECASE)
