"""Who a question speaks to: a model that asks about "the patient" means the person in front of it."""

from __future__ import annotations

import re

from osler.records.language import Language
from osler.records.schema import Speaker

_YOURS = re.compile(r"\bthe patient['’]s\b", re.IGNORECASE)
_ASKED = re.compile(r"\b(is|was|has|does|did|can|could|will|would) the patient\b", re.IGNORECASE)
_STATED = re.compile(r"\bthe patient (is|was|has)\b", re.IGNORECASE)
_ANY = re.compile(r"\bthe patient\b", re.IGNORECASE)
_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_ZH = re.compile(r"(?:这位|该)?(?:患者|病人)(?!家属)")


def addressed(question: str, speaker: Speaker, language: Language) -> str:
    """The question, spoken to the patient where the patient answers; others are asked about the patient."""
    if speaker is not Speaker.PATIENT:
        return question
    if language is Language.ZH:
        return _ZH.sub("您", question)
    question = _YOURS.sub("your", question)
    question = _ASKED.sub(lambda hit: f"{_like(hit[1], _VERBS.get(hit[1].lower(), hit[1]))} you", question)
    question = _STATED.sub(lambda hit: f"you {_VERBS[hit[1].lower()]}", question)
    return _ANY.sub("you", question)


def _like(before: str, now: str) -> str:
    return now.capitalize() if before[0].isupper() else now
