"""Results in an English reply: a name, a number with its unit, and the verdict on it."""

from __future__ import annotations

import re
from typing import NamedTuple

from osler.memory.tim.extract.clauses import listed
from osler.memory.tim.extract.english_grammar import find_verb
from osler.memory.tim.extract.english_words import DETERMINERS, DURATION, PREPOSITIONS, PRONOUNS

_VERDICT = (
    r"(?:(?:very|too|slightly|a bit|a little|rather|quite|markedly) )?"
    r"(?:high|low|normal|fine|raised|elevated|positive|negative|abnormal|borderline|okay|ok|good|in range|on target|"
    r"within (?:the )?(?:normal )?(?:limits|range)|above normal|below normal|increased|decreased|clear)"
)
_JUDGED = re.compile(
    rf"^(?:which (?:is|are|was)|that(?:'s| is| was)|so that(?:'s| is)|it(?:'s| is| was)|they(?:'re| are|"
    rf" were) (?:both|all)|"
    rf"marked(?: as)?|flagged(?: as)?|they (?:said|say)(?: it(?:'s| is| was))?)?\s*(?:(?:all|both|so)(?: are|"
    rf" were)? )?(?P<v>{_VERDICT})$",
    re.IGNORECASE,
)
_NUMBER = r"\d+(?:[.,/]\d+)*\+?(?:\s*(?:over|to|-|–|/|x|×)\s*\d+(?:[.]\d+)?[⁰¹²³⁴⁵⁶⁷⁸⁹]*)*"
_DIGIT = re.compile(r"\d")
_ONE = re.compile(
    rf"^(?:(?P<name>[A-Za-z][\w'()%/+ -]{{0,100}}?)"
    rf"\s*(?:\b(?:is|was|are|were|came back|came out)\b|:|=)?\s+(?:of\s+)?)?"
    rf"(?P<value>(?:(?:about|around|approximately|roughly|nearly|almost|below|above|over|under|up to|"
    rf"less than|more than)\s+|[<>≤≥~]\s*)?{_NUMBER}"
    rf"(?:\s*[^\s,]+(?:\s+[^\s,]+){{0,4}})?)$"
)
_WORDED = re.compile(
    rf"^(?P<name>[A-Za-z][\w'()/+ -]{{0,100}}?)\s+(?:(?:is|was|are|were|came back|came out|tests|"
    rf"tested)\s+)(?P<value>{_VERDICT})$"
    rf"|^(?P<title>[A-Za-z][\w'()/+-]*(?: [\w'()/+-]+){{0,3}})\s+(?P<bare>positive|negative|normal|high|low)$",
    re.IGNORECASE,
)
_NO_NAME = (
    PREPOSITIONS
    | PRONOUNS
    | DETERMINERS
    | listed(
        "times about only stopped gave aged age every last first another bottles type grade stage almost nearly "
        "just around "
        "exactly roughly maybe perhaps"
    )
)
_PERSONS = PRONOUNS | {"i"}
_UNITS_OF_TIME = re.compile(
    r"^\d+(?:\.\d+)?\s*(?:to \d+ )?(?:minute|hour|day|night|week|month|year|time)s?\b", re.IGNORECASE
)
_OWN = re.compile(r"^(?:(?:my|his|her|the|then|and|a|an|our|their|says|say)\s+)+", re.IGNORECASE)
_DEGREES = re.compile(r"(?:3[4-9]|4[0-2])(?:\.\d)?(?![\d%./])")
_FEVER = re.compile(r"\b(?:fever|feverish|chills|hot)\b", re.IGNORECASE)
_SPECIMEN = re.compile(
    r"\b(?:urine|stool|sputum|semen|(?:spinal|cerebrospinal|joint|synovial|pleural|ascitic|peritoneal) fluid)\b",
    re.IGNORECASE,
)
_MEASURES = (
    (re.compile(r"\d\s*(?:°\s*[CF]\b|degrees\b)", re.IGNORECASE), "temperature"),
    (re.compile(r"\d\s*mm\s?Hg\b", re.IGNORECASE), "blood pressure"),
)


class Result(NamedTuple):
    """One measured value; a name that is empty is the question's topic."""

    name: str
    value: str


def verdict_of(text: str) -> str:
    """`high` of `that is high`; empty when it is no verdict."""
    found = _JUDGED.match(text.strip(" .!"))
    return found["v"] if found else ""


def measure_of(value: str, topic: str) -> str:
    """What was measured, where the unit tells: degrees are a temperature, and so is 38.2 when a fever was asked for."""
    if _DEGREES.match(value) and _FEVER.search(topic):
        return "temperature"
    return next((name for unit, name in _MEASURES if unit.search(value) and name not in topic), "")


def of_specimen(name: str, topic: str) -> str:
    """`urine white cells` when urine was tested: without it a count of the blood would take its place."""
    found = _SPECIMEN.search(topic)
    if not found or _SPECIMEN.search(name):
        return name
    within = name[0].lower() + name[1:] if re.match(r"[A-Z][a-z]+\b", name) else name
    return f"{found[0].lower()} {within}"


def read_results(text: str) -> list[Result]:
    """All results of a clause, or none when a part of it is something else."""
    results = []
    for part in re.split(r"\s+(?:and|then|and then)\s+(?=[A-Za-z])", text.strip(" .!")):
        result = _one(part.strip(" ."))
        if not result:
            whole = _one(text.strip(" .!"))
            return [whole] if whole else []
        results.append(result)
    return results


def _one(part: str) -> Result | None:
    found = _ONE.match(part) if _DIGIT.search(part) else None
    if found:
        name, value = _OWN.sub("", found["name"] or "").strip(), found["value"].strip()
        if _UNITS_OF_TIME.match(value) or DURATION.match(part) or find_verb(value):
            return None
        if not found["name"]:
            return Result("", value) if len(value.split()) <= 3 else None
        return Result(name, value) if _names(name) else None
    worded = _WORDED.match(part)
    if worded:
        name = _OWN.sub("", worded["name"] or worded["title"]).strip()
        return Result(name, worded["value"] or worded["bare"]) if _names(name) else None
    return None


def _names(name: str) -> bool:
    words = re.sub(r"(?<= )[A-Z]$", "kind", name).lower().split()
    if not words or len(words) > 6 or words[0].split("'")[0] in _NO_NAME or words[-1] in _NO_NAME:
        return False
    return _PERSONS.isdisjoint(words) and find_verb(name) is None
