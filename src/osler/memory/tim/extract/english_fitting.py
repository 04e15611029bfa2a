"""What can be the value that an English question asked for: a time is a number, a day or a season."""

from __future__ import annotations

import re

from osler.memory.tim.extract.english_words import TIME

_OPENING = 3
"""Words within which a value shows what it is."""
_TIMES = re.compile(
    rf"\d|{TIME.pattern}|\b(?:second|minute|hour|day|night|week|month|year|decade|morning|afternoon|evening|noon|midnight|"
    r"birth|childhood|young|always|ago|since|after|before|when|while|during|until|on and off|once|twice|times|"
    r"suddenly|gradually|recently|long|spring|summer|autumn|fall|winter)s?\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b(?:level|count|rate|pressure|temperature|pulse|weight|height|saturation|size)\b", re.IGNORECASE
)
_OF_LIFE = re.compile(r"\b(?:habits|conditions|lifestyle|history)\b", re.IGNORECASE)
"""What no single value is of."""
_KIND = re.compile(r"\b(?:type|grade|stage) \d\b", re.IGNORECASE)
"""Numbers that measure nothing."""
_MEASURED = re.compile(
    r"\d|\b(?:high\w*|low\w*|normal\w*|fine|raised|elevated|increased|decreased|good|bad|big|large|small|fast|slow|regular|irregular|mild|"
    r"moderate|severe|positive|negative|one|two|three|four|five|six|seven|eight|nine|ten|hundred)\b",
    re.IGNORECASE,
)
_FITTING = {
    "began": _TIMES,
    "lasts": _TIMES,
    "happens": re.compile(
        rf"{_TIMES.pattern}|\b(?:daily|weekly|monthly|constantly|rarely|sometimes|often|all)\b", re.IGNORECASE
    ),
    "has severity": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|mild\w*|moderate\w*|severe\w*|bad\w*|worst|strong\w*|"
        r"intense|terrible|awful|unbearable|bearable|slight\w*|little|very|extreme\w*|excruciating|agonizing|light)\b",
        re.IGNORECASE,
    ),
}


def fits(relation: str, value: str, topic: str) -> bool:
    """Whether words without a verb can be the value that was asked for; if not, they are only what was said."""
    if relation == "is" and _MEASURE.search(topic):
        return _MEASURED.search(_KIND.sub("", value)) is not None
    if relation == "is" and _OF_LIFE.search(topic):
        return False
    pattern = _FITTING.get(relation)
    return pattern is None or pattern.search(" ".join(value.split()[:_OPENING])) is not None
