"""Rephrase the built-in questions when a relative answers for the patient.

A mother who answers for her son is asked about him: "Do you smoke?" would ask about her.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.records.schema import Sex


class _Pronouns(NamedTuple):
    """The words that replace "you" and "your"."""

    subject: str
    possessive: str
    object: str
    reflexive: str
    zh: str


_PRONOUNS = {
    Sex.FEMALE: _Pronouns("she", "her", "her", "herself", "她"),
    Sex.MALE: _Pronouns("he", "his", "him", "himself", "他"),
    Sex.UNKNOWN: _Pronouns("they", "their", "them", "themselves", "他"),
}
_THIRD_PERSON = {"are": "is", "were": "was", "have": "has", "do": "does"}
_ASKS_YOU = re.compile(r"\b(are|were|have|do|did|can|could) you\b", re.IGNORECASE)
_TO_YOU = re.compile(
    r"\b(examined|told|bothers?|wakes?|makes?|helps?|hurts?|laid|for|to|with|around|near) you\b"
)
_YOU_DO = re.compile(r"\byou (\w+)")
_TAKES_NO_S = re.compile(r"cannot|can|could|or|and|lay|felt|\w+(?:ed|ing)")
"""Words that may follow "you" and stay as they are."""


def rephrase_for_speaker(question: str, speaker: Speaker, sex: Sex, language: Language) -> str:
    """Return the question as the speaker is asked it: anybody but the patient about the patient."""
    if speaker is Speaker.PATIENT:
        return question
    pronouns = _PRONOUNS[sex]
    if language is Language.ZH:
        return re.sub(r"[您你](?!好|们)", pronouns.zh, question)
    # The order matters: "are you" and "to you" must be gone before any other "you" is a subject.
    question = _ASKS_YOU.sub(lambda match: _verb_and_subject(match[1], pronouns), question)
    question = _TO_YOU.sub(rf"\1 {pronouns.object}", question)
    question = _YOU_DO.sub(lambda match: _subject_and_verb(match[1], pronouns), question)
    question = question.replace("yourself", pronouns.reflexive)
    return re.sub(r"\byour\b", pronouns.possessive, question)


def _is_singular(pronouns: _Pronouns) -> bool:
    return pronouns.subject != "they"


def _verb_and_subject(verb: str, pronouns: _Pronouns) -> str:
    """Return the opening of a question: "Are you" becomes "Is he"."""
    replaced = verb.lower()
    if _is_singular(pronouns):
        replaced = _THIRD_PERSON.get(replaced, replaced)
    if verb[0].isupper():
        replaced = replaced.capitalize()
    return f"{replaced} {pronouns.subject}"


def _subject_and_verb(verb: str, pronouns: _Pronouns) -> str:
    """Return what follows for a statement: "you sit" becomes "he sits"."""
    if _is_singular(pronouns):
        verb = _third_person(verb)
    return f"{pronouns.subject} {verb}"


def _third_person(verb: str) -> str:
    if verb in _THIRD_PERSON:
        return _THIRD_PERSON[verb]
    if _TAKES_NO_S.fullmatch(verb):
        return verb
    ending = "es" if verb.endswith(("sh", "ch", "ss", "x")) else "s"
    return verb + ending
