"""Who a question speaks to, and about whom.

A model that asks about "the patient" means the person in front of it. A mother who answers for her son is asked about
him: "Do you smoke?" would ask for her.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.records.schema import Sex

_YOURS = re.compile(r"\bthe patient['’]s\b", re.IGNORECASE)
_ASKED = re.compile(r"\b(is|was|has|does|did|can|could|will|would) the patient\b", re.IGNORECASE)
_STATED = re.compile(r"\bthe patient (is|was|has)\b", re.IGNORECASE)
_ANY = re.compile(r"\bthe patient\b", re.IGNORECASE)
_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_ZH = re.compile(r"(?:这位|该)?(?:患者|病人)(?!家属)")

_ABOUT_ANOTHER = {
    Language.EN: re.compile(
        r"\b(?:he|she|his|her|him|the (?:patient|child|baby|boy|girl)|your (?:son|daughter|child|baby|wife"
        r"|husband|mother|father|mum|dad|parent|partner))\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"[他她]|孩子|宝宝|患者|病人|[您你]的?(?:儿子|女儿|闺女|爱人|丈夫|妻子|父亲|母亲|爸|妈|老伴)"
    ),
}
"""Questions that are about the patient already, or about both."""
_OF_THEIRS = {"are": "is", "were": "was", "have": "has", "do": "does", "go": "goes"}
_ASKS_YOU = re.compile(r"\b(are|were|have|do|did|can|could|will|would|had) you\b", re.IGNORECASE)
_TO_YOU = re.compile(
    r"\b(examined|told|tell|gave|given|asked|bothers?|wakes?|woke|makes?|made|helps?|hurts?|lets?|keeps?|kept|laid|stops?"
    r"|for|to|with|of|at|on|about|around|near|from|by|in) you\b(?! (?:have|are|were|can|could)\b)",
    re.IGNORECASE,
)
_YOU_DO = re.compile(r"\b(you) (\w+)", re.IGNORECASE)
_TAKES_NO_S = re.compile(
    r"(?:can|cannot|could|will|would|should|may|might|must|had|did|never|ever|also|usually|often|always|or|and|to|in|at"
    r"|on|was|ate|took|felt|went|came|got|saw|lost|began|fell|woke|threw|ran|slept|drank|said|gave|left|lay"
    r"|\w+(?:ed|ing|ly))$"
)
"""What may stand after "you" and stays as it is."""
_YOU, _YOUR = re.compile(r"\byou\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
_YOURSELF = re.compile(r"\byourself\b", re.IGNORECASE)
_YOU_ZH = re.compile(r"[您你](?!好|们)")


class _Pronouns(NamedTuple):
    he: str
    his: str
    him: str
    himself: str
    zh: str


_PRONOUNS = {
    Sex.FEMALE: _Pronouns("she", "her", "her", "herself", "她"),
    Sex.MALE: _Pronouns("he", "his", "him", "himself", "他"),
    Sex.UNKNOWN: _Pronouns("they", "their", "them", "themselves", "他"),
}


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
    said = _PRONOUNS[sex]
    question = _spoken_of(question, said, language)
    if _ABOUT_ANOTHER[language].search(question):
        return question
    if language is Language.ZH:
        return _YOU_ZH.sub(said.zh, question)
    several = said.he == "they"
    verbs = {} if several else _OF_THEIRS
    question = _ASKS_YOU.sub(lambda hit: f"{_like(hit[1], verbs.get(hit[1].lower(), hit[1]))} {said.he}", question)
    question = _TO_YOU.sub(lambda hit: f"{hit[1]} {said.him}", question)
    question = _YOU_DO.sub(
        lambda hit: f"{_like(hit[1], said.he)} {hit[2] if several else _of_one(hit[2])}",
        question,
    )
    question = _YOURSELF.sub(said.himself, question)
    question = _YOUR.sub(lambda hit: _like(hit[0], said.his), question)
    return _YOU.sub(lambda hit: _like(hit[0], said.he), question)


def _spoken_of(question: str, said: _Pronouns, language: Language) -> str:
    """Before those who know the patient, nobody calls the patient one."""
    if language is Language.ZH:
        return _ZH.sub(said.zh, question)
    question = _YOURS.sub(said.his, question)
    verbs = _VERBS if said.he == "they" else {}
    return _ASKED.sub(lambda hit: f"{_like(hit[1], verbs.get(hit[1].lower(), hit[1]))} {said.he}", question)


def _of_one(verb: str) -> str:
    """What "you" do as what one does: "you sit" becomes "he sits"."""
    if verb in _OF_THEIRS:
        return _OF_THEIRS[verb]
    if _TAKES_NO_S.match(verb):
        return verb
    return f"{verb}es" if verb.endswith(("sh", "ch", "ss", "x")) else f"{verb}s"


def _like(before: str, now: str) -> str:
    return now.capitalize() if before[0].isupper() else now
