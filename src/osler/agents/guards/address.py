"""Who a question speaks to, and about whom.

A model that asks about "the patient" means the person in front of it. A mother who answers for her son is asked about
him: "Do you smoke?" would ask for her.
"""

from __future__ import annotations

import re

from osler.records.language import Language
from osler.records.schema import Sex, Speaker

_YOURS = re.compile(r"\bthe patient['’]s\b", re.IGNORECASE)
_ASKED = re.compile(r"\b(is|was|has|does|did|can|could|will|would) the patient\b", re.IGNORECASE)
_STATED = re.compile(r"\bthe patient (is|was|has)\b", re.IGNORECASE)
_ANY = re.compile(r"\bthe patient\b", re.IGNORECASE)
_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_ZH = re.compile(r"(?:这位|该)?(?:患者|病人)(?!家属)")

_ABOUT_ANOTHER = {
    Language.EN: re.compile(
        r"\b(?:he|she|his|her|him|they|their|the (?:patient|child|baby|boy|girl)|your (?:son|daughter|child|baby|wife"
        r"|husband|mother|father|mum|dad|parent|partner))\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"[他她]|孩子|宝宝|患者|病人|[您你]的?(?:儿子|女儿|闺女|爱人|丈夫|妻子|父亲|母亲|爸|妈|老伴)"
    ),
}
"""Questions that are about the patient already, or about both."""
_OF_THEIRS = {"are": "is", "were": "was", "have": "has", "do": "does"}
_ASKS_YOU = re.compile(r"\b(are|were|have|do|did|can|could|will|would|had) you\b", re.IGNORECASE)
_YOU_ARE = re.compile(r"\byou (are|were|have)\b", re.IGNORECASE)
_YOU, _YOUR = re.compile(r"\byou\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
_YOU_ZH = re.compile(r"[您你](?!好|们)")
_PRONOUNS = {Sex.FEMALE: ("she", "her", "她"), Sex.MALE: ("he", "his", "他"), Sex.UNKNOWN: ("they", "their", "他")}


def addressed(question: str, speaker: Speaker, sex: Sex, language: Language) -> str:
    """The question, spoken to the patient where the patient answers; others are asked about the patient."""
    if speaker is not Speaker.PATIENT:
        return _about(question, sex, language)
    if language is Language.ZH:
        return _ZH.sub("您", question)
    question = _YOURS.sub("your", question)
    question = _ASKED.sub(lambda hit: f"{_like(hit[1], _VERBS.get(hit[1].lower(), hit[1]))} you", question)
    question = _STATED.sub(lambda hit: f"you {_VERBS[hit[1].lower()]}", question)
    return _ANY.sub("you", question)


def _about(question: str, sex: Sex, language: Language) -> str:
    """A question to the patient as one about the patient."""
    if _ABOUT_ANOTHER[language].search(question):
        return question
    he, his, zh = _PRONOUNS[sex]
    if language is Language.ZH:
        return _YOU_ZH.sub(zh, question)
    verbs = {} if he == "they" else _OF_THEIRS
    question = _ASKS_YOU.sub(lambda hit: f"{_like(hit[1], verbs.get(hit[1].lower(), hit[1]))} {he}", question)
    question = _YOU_ARE.sub(lambda hit: f"{he} {verbs.get(hit[1].lower(), hit[1])}", question)
    question = _YOUR.sub(lambda hit: _like(hit[0], his), question)
    return _YOU.sub(lambda hit: _like(hit[0], he), question)


def _like(before: str, now: str) -> str:
    return now.capitalize() if before[0].isupper() else now
