"""What an English patient reads out of a result, as a report has it: by its name, and without the reading out.

`The nurse took my temperature, it was 36.6` and `I have the sheet here, white cells 14.6` tell of a temperature and of
white cells. Who measured, where it is written and what the patient thinks while looking for it are in the sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace

from osler.language.words import numbers
from osler.memory.tim.extract.clauses import Sketch, listed
from osler.memory.tim.extract.english_grammar import find_verb
from osler.memory.tim.extract.english_results import verdict_of
from osler.memory.tim.extract.english_topic import PATIENT
from osler.memory.tim.extract.english_words import PAPER

_STAFF = (
    r"(?:they|we|he|she|i|somebody|someone|(?:the|a|my|his|her|our) "
    r"(?:doctors?|nurse|specialist|surgeon|consultant|technician|midwife|lab|hospital))"
)
_SAID_SO = (
    rf"(?:that's |that is )?what {PAPER} says|{PAPER} says(?: here)?|i (?:think|believe|guess|suppose)"
    r"|they (?:said|told me|called it|counted|measured)"
)
_BETWEEN = re.compile(
    rf"(?:^|,\s*)(?:{_SAID_SO}"
    r"|let me (?:think|see|read it(?: out)?)|hang on|wait|where is it|can you imagine|you know|you see"
    r"|i have (?:it|the sheet|the report|the paper|the results?) (?:right )?here|i (?:wrote|noted) it down"
    r"|here(?: it is)?|that's what they (?:said|told me)"
    r"|(?:is|isn't) (?:that|it) (?:too |so )?(?:bad|high|low|normal|serious|dangerous)"
    r"|as far as i (?:know|remember|can tell))(?=,|$)",
    re.IGNORECASE,
)
"""What is said between two commas, or at an end, while a result is read out."""
_BEHIND = re.compile(rf"(?<=[\w%)]) (?:{_SAID_SO})(?=,|$)", re.IGNORECASE)
"""The same right behind a result: `grade B it says`. `Right here` says where, and stays."""
_READ_OUT = re.compile(
    r"^(?:and |but |so |with the (?:lamp|camera) )?(?:i (?:think|believe|guess|suppose) (?:that )?)?(?:"
    rf"(?:{_STAFF}|{PAPER}|sheet|report|slip) (?:just |also |only )?"
    r"(?:says?|said|told (?:me|us)|wrote|read(?:s| out)?|noted|reported)"
    r"|i (?:was|have been|'ve been) (?:also )?told"
    rf"|{_STAFF} (?:just |also |only )?(?:found|saw|heard|measured)|it (?:also )?(?:showed|shows)"
    r"|the (?:doctor|nurse|specialist) who \w+ said"
    r")\b(?: here)?(?: that\b)?[.,]*\s+",
    re.IGNORECASE,
)
_ITS_PICTURE = re.compile(
    r"^(?:the|that|this) (?:scan|picture|film|tracing|test|camera) (?:says|showed|shows|said)(?: that)? ", re.IGNORECASE
)
"""Under the name of the test, the test once more."""
_NO_ONE = re.compile(
    rf"^(?:no, )?(?:(?:nobody|no one|none of them) (?:has |have |ever )*"
    rf"|{_STAFF} (?:haven't|hasn't|have not|has not|never|did not|didn't) (?:yet |ever )?)"
    r"(?:(?:done|do|did|taken|take|took|tested|test|measured|measure|checked|check|examined|examine|scanned|scan)\b"
    r"|put (?:me|him|her) in\b|(?:had|have) (?:one|it|that|this)\b)",
    re.IGNORECASE,
)
"""`No, nobody has scanned my head`: of a test that was asked for, that it was not done."""
_MEASURES = (
    (re.compile(r"\b(?:temperature|thermometer|degrees)\b", re.IGNORECASE), "temperature"),
    (re.compile(r"\b(?:blood pressure|cuff)\b|\d over \d", re.IGNORECASE), "blood pressure"),
    (re.compile(r"\bbreaths (?:a|per|in a|each) minute|\bbreathing (?:rate|at)\b", re.IGNORECASE), "breathing rate"),
    (
        re.compile(r"\bfinger clip|\bclip on (?:my|his|her) finger|\boxygen (?:level|saturation)", re.IGNORECASE),
        "oxygen saturation",
    ),
    (re.compile(r"\bpulse\b|\bheart (?:rate|was|is|going|beats)\b", re.IGNORECASE), "heart rate"),
)
"""What was measured, by the words that a patient has for it."""
_LABORATORY = "blood tests or other laboratory tests"
_WHOLE_PARTS = frozenset({"physical examination", "imaging", _LABORATORY, "examination"})
"""Subjects that only say what was asked for: whatever is named in the answer is told under its own name."""
_VALUE = re.compile(r"\d[\d./]*(?: over \d+)?")
_MEASURING = listed(
    "they we he she i somebody someone the a my his her our this that it it's is was were at and so of only just now "
    "took taken measured counted checked read got put wrote told me him said says going on little time pulse heart "
    "rate temperature thermometer blood pressure cuff finger clip oxygen level saturation nurse doctor sheet monitor"
)
"""Words before a value that only say who measured it, and with what."""
_TAKEN = re.compile(
    r",? (?:it was|it is|they said|when (?:they|the nurse|the doctor|we|he|she) (?:took|measured|checked|counted) it"
    r"|just now|this time|on the monitor|they counted|here)(?=,|$)",
    re.IGNORECASE,
)
_TEST = (
    r"(?P<test>(?!normal |negative |positive )(?:[\w-]+ ){0,3}"
    r"(?:tracing|scan|ct|mri|x-ray|ultrasound|echocardiogram|electrocardiogram|ecg|eeg|biopsy|tests?|screen|culture|swab"
    r"|endoscopy|gastroscopy|colonoscopy|count|examination))"
)
_DONE = re.compile(
    rf"^{_STAFF} (?:also |just )?(?:did|had|made|took|got|have had|has had) (?:an? |the |my |his |her |some )?{_TEST}"
    r"(?: (?:as well|too|done))?"
    r"(?:,? (?:that|which|and (?:it|they|that))|,(?: (?:it|they))?(?= (?:was|were|showed|shows|says)\b)|,)"
    r"\s+(?:showed(?: that)?|shows(?: that)?|says)?\s*(?P<found>.+)$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"^(?:the |my |his |her |an? )?{_TEST} (?:showed|shows|says|said|saw)(?: that)? (?P<found>.+)$", re.IGNORECASE
)
_TESTED_FOR = re.compile(
    rf"^{_STAFF} (?:also )?tested (?:the |my |his |her )?(?P<what>[\w ]{{1,30}}?) for (?P<sought>[\w ]{{1,30}}?)"
    r"(?:,|,? and) (?:it |that )?(?:was |came back |is )?(?P<found>.+)$",
    re.IGNORECASE,
)
_READERS = frozenset({"nurse", "doctor", "staff", "specialist", "sheet", "report"})
_PERSON = frozenset({"me", "him", "her", "us", "them"})
_IS = re.compile(
    r"^(?:(?:the|my|his|her) )?(?P<name>[A-Za-z][\w'-]*(?: [\w'-]+){0,3}?)(?:, that's [^,\d]+,)? "
    r"(?:is|was|are|were|came back) "
    r"(?P<value>(?:(?:about|only|below|above|under|over) )?\d.*|(?:normal|negative|positive|high|low|raised)\b.*)$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"\b(?:it|that|this|they|i|he|she|there|everything|all|both|one|which|when|as|and)\b", re.IGNORECASE
)
_MORE = re.compile(rf"(?:,|;| and| but)(?: and| but)? (?!{PAPER} says)(?:the|my|his|her|there) ", re.IGNORECASE)
"""Another thing is told of behind the first."""
_CALLED = re.compile(
    r"^(?:there(?:'s| is| was) )?(?:one called )?(?P<name>(?!no |nothing |none )[A-Za-z][\w-]*(?: [\w-]+){0,2}?)"
    r"(?: (?P<verdict>positive|negative|normal|high|low|raised))?, (?P<value>\d[\d.]*(?:,.*)?)$",
    re.IGNORECASE,
)
"""`Cortisol, 412, normal`. On a tracing, `sinus rhythm, 96` is no rhythm of 96."""
_LEFT_OPEN = re.compile(r"\b(for|about|since|of|at|in), (?=\d)")


def as_reported(sketch: Sketch, topic: str) -> Sketch:
    """The sketch of a result as a report words it; as it is where a number of it would be lost.

    The topic is what was asked for: a result that only has the name of who read it out is of that.
    """
    told = _reworded(sketch, topic)
    kept = set(numbers(f"{sketch.subject} {sketch.object}")) <= set(numbers(f"{told.subject} {told.object}"))
    return told if kept else sketch


def _reworded(sketch: Sketch, topic: str) -> Sketch:
    underwent = f"I {sketch.relation} {sketch.object}"
    if sketch.subject == PATIENT and not sketch.negated and (test := _test_of(underwent)):
        return _shown(sketch, *test)
    if sketch.relation != "shows" or sketch.negated:
        return replace(sketch, object=_without_asides(sketch.object))
    if sketch.subject in _READERS:
        sketch = replace(sketch, subject=topic)
    if _NO_ONE.match(sketch.object) and not numbers(sketch.object):
        return replace(sketch, relation="has not been", object="done", negated=True)
    said = _READ_OUT.sub("", _without_asides(sketch.object))
    asked_for_all = sketch.subject.lower() in _WHOLE_PARTS
    said = said if asked_for_all else _ITS_PICTURE.sub("", said)
    named = said if asked_for_all else sketch.subject
    measure = next((name for words, name in _MEASURES if words.search(named)), "")
    if measure and (value := _value(said)):
        return replace(sketch, subject=measure, relation="is", object=value, result=True)
    told = replace(sketch, object=said)
    return _under_its_name(told) if asked_for_all else told


def _without_asides(said: str) -> str:
    return _LEFT_OPEN.sub(r"\1 ", _BEHIND.sub("", _BETWEEN.sub("", said))).strip(" ,") or said


def _value(said: str) -> str:
    """`37.8` of `it was 37.8 when they took it`; empty where more stands before the number than who measured it."""
    found = _VALUE.search(said)
    if not found or not set(re.findall(r"[\w']+", said[: found.start()].lower())) <= _MEASURING:
        return ""
    return _TAKEN.sub("", said[found.start() :]).strip(" ,")


def _test_of(said: str) -> tuple[str, str] | None:
    """The name of a test in the words, and what it found."""
    done = _DONE.match(said) or _NAMED.match(_READ_OUT.sub("", said))
    return (done["test"], _READ_OUT.sub("", done["found"])) if done else None


def _under_its_name(sketch: Sketch) -> Sketch:
    """A result under the name of its test, where the words have one."""
    if test := _test_of(sketch.object):
        return _shown(sketch, *test)
    sought = _TESTED_FOR.match(sketch.object)
    if sought:
        of = "" if sought["what"].lower() in _PERSON else f"{sought['what']} "
        return _shown(sketch, f"{of}{sought['sought']} test", sought["found"])
    named = _IS.match(sketch.object)
    of_one = named and not _NO_NAME.search(named["name"]) and not _MORE.search(named["value"])
    called = _CALLED.match(sketch.object) if sketch.subject.lower() == _LABORATORY else None
    if called and not find_verb(called["name"]):
        value = ", ".join(filter(None, (called["verdict"], called["value"])))
        return replace(sketch, subject=called["name"], relation="is", object=value, result=True)
    if named and of_one and not find_verb(named["name"]):
        return replace(sketch, subject=named["name"], relation="is", object=named["value"], result=True)
    return sketch


def _shown(sketch: Sketch, test: str, found: str) -> Sketch:
    bare = re.sub(r"^(?:it |they )?(?:was|were|is|are) ", "", found)
    relation = "is" if verdict_of(bare) else "shows"
    return replace(sketch, subject=test, relation=relation, object=bare if relation == "is" else found)
