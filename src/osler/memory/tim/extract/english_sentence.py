"""An English reply cut into sentences and clauses, so that no clause loses the denial or the name it stands under."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import sentences
from osler.memory.tim.extract.clauses import Titled, listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_topic import lowered
from osler.memory.tim.extract.english_words import DENIES, DETERMINERS, DURATION, PREPOSITIONS, PRONOUNS

MARK = ", "
"""What stands between two parts of one sentence."""
LEAD = re.compile(
    r"^(?:(?:and|but|so|then|well|oh|yes|yeah|no(?=\s+(?:i|he|she|it|they|we|there|my|his|her|does|do|did|has|have)\b)|"
    r"just|only|funny thing is|honestly|you know|actually|although|"
    r"i (?:do |also )?know that(?= \w+ )|"
    r"i (?:do |also )?know(?= (?:the|my|his|her|it|there|he|she|i|[a-z-]+ (?:test|scan|ct|mri|x-ray))\b)|"
    r"i told (?:the doctor|you|them) that(?=\s)|"
    r"though|even though|because|also|additionally|furthermore|moreover|i mean|sorry|at first|maybe|perhaps|probably)"
    r"\b[, ]*)+(?=\S)",
    re.IGNORECASE,
)
YES = re.compile(
    r"^(?:oh |and |well )?(?:yes|yeah|yep|i do|i have|it does|it is|that's right|correct|sure|of course)[.! ]*$",
    re.IGNORECASE,
)
NO = re.compile(
    r"^(?:oh |and |well )?(?:no|nope|not at all|no no|none|never|i don't|i haven't|not really|nothing|no never|"
    r"(?:none of (?:them|us)|nobody|no one)(?: (?:do|does|did|has|have|had|is|was))?|"
    r"(?:i (?:do|have|had) )?neither(?: of (?:them|these|those|the two))?)[.! ]*$",
    re.IGNORECASE,
)
NONE = re.compile(r"^(?:no|without|never any|never had any)\s+(?!one\b|longer\b|idea\b)(?P<what>.+)$", re.IGNORECASE)
TAIL = re.compile(r"[\s,.;:!?]+$")
_SPLIT = re.compile(r"[,;:]\s+|\s+[-–—]\s+|\s+(?=(?:but|although|though|even though)\s)", re.IGNORECASE)
_AND = re.compile(
    r"\s+(?=(?:and|so|then)\s+(?:then\s+)?(?:i|he|she|it|they|we|there|my|his|her|its|the|no|never|now|both|that)\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^(?P<name>(?:[A-Z0-9]|[a-z](?=[A-Z]))[\w'’()/&+.-]*(?: [\w'’()/&+.-]+){0,6}):\s+(?P<said>\S.*)$", re.DOTALL
)
_TALK = re.compile(r"(?:i|i'm|i've|my|he|she|it|it's|they|we|you|yes|no,|well|there)\b", re.IGNORECASE)
_REPORTED = re.compile(rf"{_TALK.pattern}|(?:the|a) (?:doctor|nurse)\b", re.IGNORECASE)
_SIDE = re.compile(
    r"(?:and )?(?:the |my |his |her )?(?P<side>left|right)(?: one)?\s+(?=\d|(?:is|was|are|were)\b)", re.IGNORECASE
)
_LEANING = listed(
    "it that this which they and should must ought the upper lower normal limit range reference left right my his her "
    "since when whenever while until after"
)
"""How a sentence begins that may belong to the one before it."""
_OTHER_SIDE = {"left": "right", "right": "left"}
RANGE = re.compile(
    r"(?:(?:it|that|this|which|they|and)\s+)*(?:(?:should|must|ought to) (?:not )?be\b|"
    r"(?:the )?(?:(?:upper|lower|normal) )?(?:limit|range|normal|reference)(?: value| range)? "
    r"(?:is|was|below|above|under|up to|\d))",
    re.IGNORECASE,
)
"""What a value is measured against."""
_SIZE = re.compile(r"\d[\d.]*\s*(?:mm|cm|ml|kg|g|%)[.! ]*", re.IGNORECASE)
_WHEN_ONLY = re.compile(r"(?:since|when|whenever|while|until|after)\b(?:\s[^\s,.;]+){1,7}[.! ]*", re.IGNORECASE)
_JUDGED = re.compile(r"\b(?:positive|negative|normal|abnormal|high|low|raised|elevated)[.! ]*$", re.IGNORECASE)
_VALUE = re.compile(r"\d[\d.]*(?: ?(?:%|[a-zA-Zµ]{1,5}(?:/[a-zA-Zµ]{1,5})?))?[.! ]*")
"""`68.4`, behind `TSH is high`: how high it is."""
_RESULT = re.compile(
    r"\b(?:is|was|are|were) (?:\w+ )?(?:positive|negative|normal|abnormal|high|low|raised|elevated|\d)", re.IGNORECASE
)
_CLOSES = re.compile(r"^(?:or|nor)\b|\bor\b", re.IGNORECASE)
_JOINS = re.compile(r"^(?:and|or|nor)\s+(?P<first>[\w'-]+)", re.IGNORECASE)
_WHEN = PREPOSITIONS | {"recently", "initially", "the"}
_OPENERS = PRONOUNS | DETERMINERS | listed("then so now even also sometimes no never not")


def cut(reply: str) -> list[str]:
    """The sentences. A lone yes or no belongs to the one after it, and a title to all parts of its statement."""
    joined: list[str] = []
    for part in sentences(reply, Language.EN):
        before = joined[-1] if joined else ""
        if (YES.match(before) or NO.match(before)) and not (YES.match(part) or NO.match(part)):
            joined[-1] = f"{TAIL.sub('', before)}, {part}"
        elif before.endswith(";") and titled(before) and not titled(part):
            joined[-1] = f"{before} {part}"
        elif before and _completes(part, before):
            joined[-1] = f"{TAIL.sub('', before)}; {lowered(part)}"
        else:
            joined.append(part)
    return joined


def _completes(part: str, before: str) -> bool:
    """Whether a sentence says nothing without the one before: the other side, the range, more of a finding."""
    if ": " in part:
        return False
    first = part.split(maxsplit=1)[0].lower()
    if first[0].isdigit():
        return _JUDGED.search(before) is not None or bool(_SIZE.fullmatch(part) and not re.search(r"\d", before))
    if first in _LEANING:
        side = _SIDE.match(part)
        if side:
            return re.search(rf"\b{_OTHER_SIDE[side['side'].lower()]}\b", before, re.IGNORECASE) is not None
        if RANGE.match(part) or (_WHEN_ONLY.fullmatch(part) and not before.endswith("?")):
            return True
    title = titled(before, examined=True) if ": " in before else None
    if not title or re.match(r"[<>~]?\s*\d", title.said):
        return False
    if NONE.match(part):
        return True
    loose = re.search(r"\d|\?", part) or _TALK.match(part) or find_verb(expand(part))
    return _REPORTED.match(title.said) is not None and not loose


def titled(sentence: str, examined: bool = False) -> Titled | None:
    """A title and its statement. What a person says after a colon is talk, unless results are being read out."""
    found = _TITLE.match(sentence) if ": " in sentence else None
    if not found or YES.match(found["name"]) or NO.match(found["name"]):
        return None
    # `Liver Function Tests` is a name, written as one.
    if not found["name"].istitle() and find_verb(expand(found["name"])):
        return None
    if _TALK.match(found["said"]) and not examined and not re.search(r"\d", found["said"]):
        return None
    words = found["name"].split()
    name = " ".join(word.lower() if re.fullmatch(r"[A-Z][a-z'’-]+", word) else word for word in words)
    return Titled(name, TAIL.sub("", found["said"]))


def pieces(sentence: str) -> list[str]:
    """The clauses of a sentence: cut at commas, and at `and` where a clause of its own follows."""
    cuts: list[str] = []
    for part in _SPLIT.split(sentence):
        for piece in _AND.split(part):
            alone = cuts and (_says(LEAD.sub("", piece)) or NONE.match(LEAD.sub("", piece)))
            if cuts and _VALUE.fullmatch(piece) and _JUDGED.search(cuts[-1]):
                cuts[-1] = f"{cuts[-1]}, {piece}"
            elif cuts and not part.startswith(piece) and (not alone or _begins_a_subject(cuts[-1], piece)):
                cuts[-1] = f"{cuts[-1]} {piece}"
            elif piece.strip():
                cuts.append(piece.strip())
    return _listed_again(cuts)


def leads(parts: list[str]) -> bool:
    """Whether the first piece only says when or where the second holds: `On review, there is no cough`."""
    if len(parts) < 2 or _says(parts[0]) or DURATION.match(parts[0]) or DENIES.search(parts[0]):
        return False
    opens = parts[0].split()[0].lower() in _WHEN
    when = opens and (parts[0].split()[0].lower() != "the" or re.match(r"the (?:next|following|same) ", parts[0], re.I))
    return bool(when) and _says(parts[1]) and parts[1].split()[0].lower() not in {"or", "nor", "which", "who"}


def _begins_a_subject(before: str, piece: str) -> bool:
    """`My womb` before `and both ovaries were normal`: two things of which one thing is said."""
    things = r"(?:my|his|her|the|our|both)\b"
    named = re.match(things, before, re.IGNORECASE) and re.match(rf"and {things}", piece, re.IGNORECASE)
    return bool(named) and not _says(before)


def _says(text: str) -> bool:
    """Whether it is a clause; a word alone (`sweats`) is a thing in a list."""
    return len(text.split()) > 1 and find_verb(expand(text)) is not None


def _listed_again(cuts: list[str]) -> list[str]:
    """Lists put together again: `no A, B, or C was seen` denies all three, `I have A, B, and C and take D` is one."""
    whole: list[str] = []
    for piece in cuts:
        start = _list_start(whole, piece)
        if start is None:
            whole.append(piece)
        else:
            whole[start:] = [", ".join([*whole[start:], piece])]
    return whole


def _list_start(before: list[str], piece: str) -> int | None:
    """Where the list begins that this piece closes."""
    joins = _JOINS.match(piece)
    if not before or DENIES.search(piece) or (joins and re.split("['’]", joins["first"].lower())[0] in _OPENERS):
        return None
    start = len(before) - 1
    while start > 0 and not _says(before[start]) and not DENIES.search(before[start]):
        start -= 1
    denied = DENIES.search(before[start]) is not None and not NO.match(before[start])
    closes = _CLOSES.match(piece) if _says(piece) else _CLOSES.search(piece)
    if denied:
        return start if closes else None
    if _RESULT.search(piece) and _RESULT.search(before[start]):
        return None  # two results are not one list
    return start if joins and _says(piece) and _says(before[start]) else None
