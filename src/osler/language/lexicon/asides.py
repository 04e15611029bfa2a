"""What a question only mentions on the way to what it asks: "I've seen your ESR. With that pulse, was an ECG done?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from osler.language import Language

_ASIDE = {
    Language.EN: re.compile(
        r"^(?:and |so |but |now |well )*(?:after|since(?! when)|with|while"
        r"|when(?:ever)?(?! (?:exactly|precisely|did|do|does|was|were|is|are|have|has|had|will|would|abouts))"
        r"|before|during|once|now that|given|because|if"
        r"|back (?:when|in|then)|apart from|aside from|besides|other than|as well as|along with|instead of|seeing"
        r"|in the (?:days?|weeks?|months?|hours?) (?:before|after|since)|on top of"
        r"|you(?:['’]ve| have)? (?:said|say|told|mentioned|mention)|as you)\b(?!.*\?$)",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "^(?:那|那么)?(?:先不说|先不管|除了|除去|除开|自从|自打|因为|既然|听说|听[您你]说|[您你](?:刚才?|刚刚)?说|如果|要是|比起)"
        "|(?:的时候|时候|时|那阵(?:儿|子)?|那会儿|那时|那天|以后|之后|过后|后|以前|之前|前|期间|当中|这样|这么厉害|的话|之外|以外)$"
    ),
}
"""Begins or ends a part that only says when, beside what or why something is asked."""
_SEEN = {
    Language.EN: re.compile(
        r"\bi(?:['’]ve| have| can|['’]d)?(?: already| just| got)* "
        r"(?:saw|see|seen|know|read|heard|understand|gather|noted|got|have (?:it|that|them|those|your|his|her))\b"
        r"|\b(?:on my screen|in front of me|behind us|clear to me)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "我.{0,6}(?:看到|看见|看着|看过|瞧见|瞧过|瞅见|翻到|读过|知道|晓得|听到|了解|收到|明白|记下|记住|有数|清楚|有)了?$"
        "|^我(?:看到|看见|知道|晓得|记得|明白)|(?:不用|甭)(?:念|说|报)"
    ),
}
"""A part that says the doctor knows of something: what stands before it is not asked for either."""
_MARK = re.compile("[?？]")
_ENDS = re.compile(r"[.;:!]\s+|[。；：！]")


def asides(question: str, parts: Sequence[str], language: Language) -> int:
    """How many of the first parts of a question only lead to what is asked."""
    if not parts:
        return 0
    before = _statements(question)
    count = place = 0
    for number, part in enumerate(parts[:-1], start=1):
        place = question.index(part, place)
        leads = place < before or (count == number - 1 and _ASIDE[language].search(part.strip()))
        if leads or _SEEN[language].search(part.strip()):
            count = number
    return count


def _statements(question: str) -> int:
    """Where the first sentence begins that asks; without a mark that is the last one."""
    asks = _MARK.search(question)
    head = question[: asks.start()] if asks else question.rstrip(" .。！!")
    return max((end.end() for end in _ENDS.finditer(head)), default=0)
