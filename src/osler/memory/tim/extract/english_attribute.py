"""English questions for a value (how long, when, where, how bad) or for names (which illnesses)."""

from __future__ import annotations

import re
from dataclasses import replace

from osler.memory.tim.extract.clauses import Question
from osler.memory.tim.extract.english_topic import COMPLAINT, PATIENT, WHO, short

_WORDED = (
    (
        rf"(?:for )?how (?:long|many (?:days|weeks|months|years|hours)) (?:have|has|had|did|does|do|is|are|"
        rf"was) (?:{WHO} )?(?:had |been having |been )?(?P<t>.*)",
        "lasts",
    ),
    (r"how old\b.*", "is aged"),
    (r"how much (?:do|does) \w+ weigh\b.*", "weighs"),
    (r"how tall\b.*", "has height"),
    (r"how (?:bad|severe|strong|intense|painful) (?:is|was|are) (?P<t>.*)", "has severity"),
    (r"how often (?:do|does|did|have|has|is|are) (?:you )?(?:have )?(?P<t>.*)", "happens"),
    (
        r"(?:when|since when) (?:did|was|were|has|have|is) (?:you (?:first )?(?:notice|get|have|"
        r"have had) )?(?P<t>.*?)(?: first)?(?: start(?:ed)?| begin| began| come on| appear|"
        r" happen)?(?: first)?",
        "began",
    ),
    (r"where (?:exactly )?(?:is|are|does|do|was|did) (?P<t>.*?)(?: hurt)?", "is located"),
    (r"what (?:dose|amount) of (?P<t>.*?)(?: do| are| did) .*", "has dose"),
    (r"(?:what|which) (?:other )?(?:medicines?|medications?|tablets|pills|drugs|treatment)\b.*", "takes"),
    (r"which (?P<p>\w+(?: \w+)?) (?:hurts?|aches|is (?:painful|affected|swollen))", "is"),
    (r"what (?:did|does|do) (?P<t>.*?) (?:show|reveal|find|say|tell)\b.*", "shows"),
    (
        r"(?:what|how) (?:brings|can i|seems|are you|do you feel|is wrong|is the (?:matter|problem|trouble)|"
        r"is bothering|happened)\b.*",
        "says",
    ),
    (r"(?:what|which) (?:is|was|are|were) (?P<t>.*?)(?: like)?(?: when\b.*| now)?", "is"),
    (
        r"(?:(?:what|how) about|how(?:['’]s| is| are| was| were| has| have)) (?P<t>(?:your|the|his|her|their) "
        r"[\w' -]{2,40}?)(?: been| doing| now| today| lately| recently| these days| at the moment)*",
        "is",
    ),
    (r"how (?:many|much) (?P<t>.*?)(?: do| did| have| are| is)(?: .*)?", "is"),
)
_ATTRIBUTES = tuple((re.compile(pattern, re.IGNORECASE), relation) for pattern, relation in _WORDED)
_THINGS = re.compile(
    r"(?:what|which) (?P<what>(?:other |previous |serious )*(?:illness(?:es)?|disease|condition|operation|"
    r"surger(?:y|ies)|symptom|problem|complaint|injur(?:y|ies)|allerg(?:y|ies)|finding|test)s?)\b(?P<more>.*)",
    re.IGNORECASE,
)
_BY_WHOM = re.compile(
    r"(?<=\w)\s+(?:you|he|she|they)(?:['’](?:re|ve|s)| are| is| have| has| feel\w*| experience\w*)\b.*$", re.IGNORECASE
)
"""`the symptom you are experiencing` is the symptom."""
_CLAUSE = re.compile(r",? (?:that|which|who|such as)\b.*$", re.IGNORECASE)
_OF_PATIENT = {
    "takes": "medicines",
    "is aged": "age",
    "weighs": "weight",
    "has height": "height",
    "says": COMPLAINT,
}
_POINTERS = frozenset({"", "it", "this", "that", "hurt", "been going on", "it been"})


def asks_value(line: str) -> Question | None:
    """`How long have you had the cough?`: the relation and the thing whose value is asked for."""
    for pattern, relation in _ATTRIBUTES:
        found = pattern.fullmatch(line)
        if found:
            parts = found.groupdict()
            named = f"painful {parts['p']}" if parts.get("p") else short(_BY_WHOM.sub("", parts.get("t") or ""))
            if relation in _OF_PATIENT:
                return _value(_OF_PATIENT[relation], relation, PATIENT)
            if named.lower() in _POINTERS:
                named = COMPLAINT
            named = re.sub(r"\bbeen\s+", "", _CLAUSE.sub("", named))
            return replace(_value(named, relation), examined=relation == "shows")
    return None


def _value(topic: str, relation: str, holder: str = "") -> Question:
    topic = topic or COMPLAINT
    return Question(topic, PATIENT, "has", "does not have", topic, holder or topic, relation, topic)


def asks_names(line: str) -> Question | None:
    """`Which illnesses have you had in the past?`: things to be named, or none."""
    found = _THINGS.fullmatch(line)
    if not found:
        return None
    where = re.search(r"\bin (?:the|your) (?:past|family)\b|\bin childhood\b", found["more"], re.IGNORECASE)
    family = re.search(r"\bfamily\b", found["more"], re.IGNORECASE)
    place = " in the family" if family else f" {short(where[0])}" if where else ""
    topic = f"{found['what'].lower()}{place}"
    return Question(topic, PATIENT, "has", "does not have", topic, topic, "says", topic)
