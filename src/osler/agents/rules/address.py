"""Rephrase the built-in questions when a relative answers for the patient.

A mother who answers for her son is asked about him: "Do you smoke?" would ask about her.
"""

from __future__ import annotations

import re

from osler.language import Language, Speaker
from osler.records.schema import Sex

_VERBS = {"are": "is", "were": "was", "have": "has", "do": "does"}
_ASKS_YOU = re.compile(r"\b(are|were|have|do|did|can|could) you\b", re.IGNORECASE)
_TO_YOU = re.compile(r"\b(examined|told|bothers?|wakes?|makes?|helps?|hurts?|laid|for|to|with|around|near) you\b")
_YOU_DO = re.compile(r"\byou (\w+)")
_TAKES_NO_S = re.compile(r"cannot|can|could|or|and|lay|felt|\w+(?:ed|ing)")
"""Words that may follow "you" and stay as they are."""
_PRONOUNS = {
    Sex.FEMALE: ("she", "her", "her", "herself", "她"),
    Sex.MALE: ("he", "his", "him", "himself", "他"),
    Sex.UNKNOWN: ("they", "their", "them", "themselves", "他"),
}


def addressed(question: str, speaker: Speaker, sex: Sex, language: Language) -> str:
    """Return the question as the speaker is asked it: unchanged for the patient, about the patient for others."""
    if speaker is Speaker.PATIENT:
        return question
    he, his, him, himself, zh = _PRONOUNS[sex]
    if language is Language.ZH:
        return re.sub(r"[您你](?!好|们)", zh, question)
    is_one = he != "they"

    def asks(hit: re.Match[str]) -> str:
        verb = _VERBS.get(hit[1].lower(), hit[1].lower()) if is_one else hit[1].lower()
        return f"{verb.capitalize() if hit[1][0].isupper() else verb} {he}"

    question = _ASKS_YOU.sub(asks, question)
    question = _TO_YOU.sub(rf"\1 {him}", question)
    question = _YOU_DO.sub(lambda hit: f"{he} {_of_one(hit[1]) if is_one else hit[1]}", question)
    return re.sub(r"\byour\b", his, question.replace("yourself", himself))


def _of_one(verb: str) -> str:
    """Change a verb after "you" to the third person: "you sit" becomes "he sits"."""
    if verb in _VERBS or _TAKES_NO_S.fullmatch(verb):
        return _VERBS.get(verb, verb)
    return f"{verb}es" if verb.endswith(("sh", "ch", "ss", "x")) else f"{verb}s"
