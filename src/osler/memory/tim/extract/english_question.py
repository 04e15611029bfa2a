"""What an English question asks, so that `No.` or `Three weeks.` can be understood."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from osler.language import Language
from osler.language.words import sentences
from osler.memory.tim.extract.clauses import Question
from osler.memory.tim.extract.english_attribute import asks_names, asks_value
from osler.memory.tim.extract.english_polar import asks_to_confirm, asks_whether
from osler.memory.tim.extract.english_topic import COMPLAINT, PATIENT, short

_LEAD = re.compile(
    r"^(?:(?:and|so|ok|okay|thank you|thanks|alright|all right|well|now|i see|sorry|then|also|please)[,.]?\s+)*"
    r"(?:(?:can|could|would) you (?:please )?(?:tell|describe|say)(?: me)?(?: about)?,?\s+|do you know\s+|"
    r"tell me(?: about)?\s+)?",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r",? (?:and )?(?:if so,? )?(?:what|which|how) (?:did|was|were|is|are|does|do|has|much|high)\b.*$|"
    r",? and (?:was|were|did|do|does|is|are)\b.*$",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r",? (?:and|or) (?:what|which|how|when|where|why|who|if|does|do|did|is|are|has|have|was|were|can)\b.*$",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r",|\bsuch as\b|^other\b|^(?:nature|location|cause|type|kind|character|quality) of\b|"
    r"\b(?:symptoms?|illnesses|operations|medicines|allergies|that|what)\b",
    re.IGNORECASE,
)
_PHRASE = 6
"""Words that a name may have."""
_OF_LIFE = re.compile(r"\band what (?:is|are) your\b", re.IGNORECASE)
_OR = re.compile(
    r",? or (?:have|do|did|are|is|was|could|has|does|can) (?:you|it|there|he|she|others|anyone|the|your)\b.*$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"^(?:when|if|after|while|before)\b[^,]*, (?=(?:do|did|does|is|are|has|have|was)\b)", re.IGNORECASE
)
TESTED = re.compile(
    r"\b(?:checked|measured|tested|examined|x-ray|scan|ct|mri|ecg|ultrasound|test|tests|biopsy|puncture|swab|culture)\b"
    r"|\w+(?:scopy|graphy|gram)\b",
    re.IGNORECASE,
)
"""Words that name a test, or say that one was made."""
_SOME_OF = re.compile(
    r"\b(?:any|either|one|some) of (?:your|his|her|their) (?:relatives|relations|parents|family(?: members)?|siblings|"
    r"(?:brothers|sisters)(?: (?:or|and) (?:brothers|sisters))?|grandparents)\b",
    re.IGNORECASE,
)
_EXAMINED = re.compile(rf"(?:have|has|did|was|were)\b.*{TESTED.pattern}", re.IGNORECASE)


@lru_cache(maxsize=1024)
def read_question(text: str) -> Question:
    """How a reply that leaves things out is completed. Many patients are asked the same."""
    question = _understood(text)
    topic = question.topic
    whole = _WHOLE.search(topic) or len(topic.split()) > _PHRASE
    return replace(question, thing=COMPLAINT if whole else topic)


def _understood(text: str) -> Question:
    asked = [part for part in sentences(text, Language.EN) if part.endswith("?")] or sentences(text, Language.EN)
    if not asked:
        return _loose("")
    line = _LEAD.sub("", asked[0].strip()).rstrip("?!. ").strip()
    line = re.sub(r"\s*\([^)]*\)", "", line)
    line = _SOME_OF.sub("anyone in the family", _BEFORE.sub("", line))
    if line.lower().startswith(("what", "which", "how", "when", "where", "since when", "why", "who")):
        question = asks_value(_SECOND.sub("", line)) or asks_names(line) or _loose(_SECOND.sub("", line))
        return replace(question, is_open=True)
    body = _OR.sub("", _RESULT.sub("", line))
    examined = body != line and _RESULT.search(line) is not None and not _OF_LIFE.search(line)
    examined = examined or _EXAMINED.match(body) is not None
    question = asks_to_confirm(body) or asks_value(body) or asks_whether(body, examined) or _loose(body)
    # Of two questions in one, a bare value may answer either.
    return replace(question, value="says") if _OF_LIFE.search(line[len(body) :]) else question


def _loose(line: str) -> Question:
    topic = (
        short(re.sub(r"^(?:(?:what|how) about|what|which|how|why|who)\b\s*", "", line, flags=re.IGNORECASE))
        or COMPLAINT
    )
    return Question(topic, PATIENT, "says yes to", "says no to", topic, topic, "says", topic)
