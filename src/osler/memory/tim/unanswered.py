"""Thoughts that tell nothing of what was asked: it is not known, or never examined. Naming the question is enough."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.memory.tim.extract.english_question import TESTED
from osler.memory.tim.thought import Thought

_HAS_NOT = frozenset({"does not have", "has not had", "没有"})
_WOULD_KNOW = frozenset({"would know", "would remember"})
_MADE = r"(?:查|做|拍|测|量|验|抽|照)"
_TEST = r"(?:CT|MRI|B超|核磁|彩超|超声|造影|\S*(?:片子?|镜|图|检查|化验|培养|活检|肺功能))"
_NOT_DONE = re.compile(
    r"(?:has|have|was|were) not been (?:done|tested|measured|checked|examined|scanned)\b|is not done\b|"
    r"nobody has (?:ever )?(?:done|tested|measured|checked|examined|scanned|looked at)\b|"
    rf"没有?\S{{0,2}}{_MADE}过|没有 (?:给\S{{1,2}}{_MADE}过|{_MADE}过?(?:{_TEST}|\S?)$)|"
    rf"显示 \S{{0,4}}?还?没有?{_MADE}过?{_TEST}?$",
    re.IGNORECASE,
)
"""Said of a test. That a thing was not done that is no test, such as an operation, is an answer."""
_NOT_TAKEN = re.compile(r"(?:has|have|was|were) not been (?:taken|made)\b", re.IGNORECASE)
"""Said of an X-ray, or of a medicine."""


def tells_nothing(thought: Thought) -> bool:
    """Whether a thought only says that something is not known or was never examined."""
    if thought.certainty == 0:
        return True
    if thought.relation in _HAS_NOT | _WOULD_KNOW and TESTED.search(thought.object):
        return True
    return _is_not_done(thought.subject, f"{thought.relation} {thought.object}")


@lru_cache(maxsize=8192)
def _is_not_done(subject: str, told: str) -> bool:
    if _NOT_TAKEN.match(told):
        return TESTED.search(subject) is not None
    return _NOT_DONE.match(f"{subject} {told}" if subject == "nobody" else told) is not None
