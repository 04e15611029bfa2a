"""Words that a note does without: who read a result out, how sure somebody is of having said it, articles.

What says whether a thing is so, how much of it there is, where and since when, stays as it was said.
"""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language

_TOLD = r"(?!(?:day|night|week|month|year|minute|hour|second|bit|little|few|lot|while|time|way|blue)s?\b)"
"""`20 a day`, `all the time`: here the article is a part of what is said."""
_READER = (
    r"(?:they|he|she|it|i|we|(?:the|my|his|her|their|a) (?:[\w-]+ ){0,2}"
    r"(?:sheet|slip|paper|report|result|results|scan|ct|mri|x-ray|camera|tracing|ultrasound|doctor|nurse|tests?))"
)
_TALK = r"(?:您放心|说实话|说真的|不瞒您说|我觉得|我感觉|您看)"
_DROPPED = {
    Language.EN: (
        re.compile(
            rf"(?<![^.,;]\s)(?:and |but )?(?:with \w+ \w+ )?\b{_READER} "
            r"(?:says?|said|showed|shows|saw|found|told (?:me|him|her|us))\b(?: that\b)?(?! (?:no|nothing|not)\b\s*$)",
            re.IGNORECASE,
        ),
        re.compile(
            r",?\s*\b(?:let me think|let me see|i (?:think|believe|guess|suppose|mean)|as far as i (?:know|remember)|"
            r"to be honest|you know|it says|please tell me|to tell you the truth|so to speak)\b,?",
            re.IGNORECASE,
        ),
        re.compile(
            r"(?<![^.,;]\s)(?:it's|it is|it was|there's|there is|there are|there was|there were) (?!not?\b)",
            re.IGNORECASE,
        ),
        re.compile(rf"\b(?:the|my|his|her|their|your|our) {_TOLD}(?=[^\W\d])", re.IGNORECASE),
        re.compile(r"(?<!\bnot )(?<!n't )\b(?:really|actually|simply|just|quite) (?=\w)", re.IGNORECASE),
    ),
    Language.ZH: (
        re.compile(
            r"(?:^|(?<=[，。；]))(?:大夫|医生|护士|人家)(?:说是?|讲)(?=.{2})|(?:^|(?<=[，。；]))(?:\S{0,3}单子|报告|片子)上?写(?:着|的是?)?"
        ),
        re.compile(rf"，{_TALK}(?=，|$)|{_TALK}，?"),
        re.compile(r"(?<=[\u4e00-\u9fff])(?:呢|啊|呀|嘛|哦|啦|吧)(?=[，。；]|$)"),
    ),
}
_SHOULD = {
    Language.EN: re.compile(
        r",? (?:and )?(?:it|that|which)? ?(?:should|ought to) be "
        r"(?:below|under|less than|up to|(?P<over>above|over|at least)) (?P<limit>\d[\d.]*)",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"，?(?:正常|应该|该)(?:是|在|应该|要)*(?:低于|小于|不超过|(?P<over>高于|大于))(?P<limit>\d[\d.]*)"
    ),
}
"""`it should be below 0.50`, which a sheet prints as `(<0.50)`."""
_SPACES = re.compile(r"\s{2,}")
_EDGE = " ,;，；"


@lru_cache(maxsize=8192)
def terse(text: str, language: Language) -> str:
    """A statement as a note has it; as it is where nothing would be left."""
    short = _SHOULD[language].sub(_limit, text)
    for pattern in _DROPPED[language]:
        short = pattern.sub("" if language is Language.ZH else " ", short)
    short = _SPACES.sub(" ", short).replace(" ,", ",").strip(_EDGE)
    return short or text


def _limit(found: re.Match[str]) -> str:
    return f" ({'>' if found['over'] else '<'}{found['limit'].rstrip('.')})"
