"""What a question says to whoever remembers: "do you remember", "as we discussed". No turn is found by it.

Words such as `talk` and `mention` are rare where people talk of something else, and would outweigh what is asked for.
"""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import content

_TALK = (
    r"(?:our|the|your|this|my) (?:previous |earlier |past |last |whole )?"
    r"(?:dialogue|conversation|discussion|chat|talk|answer|message)s?(?: history)?"
)
_SAID = (
    r"(?:told you|shared with you|consulted with you|mentioned(?: to you)?|talked(?: (?:with|to) you)?"
    r"|discussed(?: with you)?)"
)
_REMINDER = {
    Language.EN: re.compile(
        rf"\b(?:based on|according to|from|in) {_TALK}\b,?"
        r"|\b(?:(?:are|is|was|were) )?(?:mentioned|discussed|referred to)(?= (?:in|during) (?:our|the|this) )"
        rf"|\bas (?:we|i|you) {_SAID}(?: before| earlier)?\b,?"
        r"|\b(?:do|can|could) you (?:still )?(?:remember|recall)\b|\b(?:please )?(?:tell|remind) me\b"
        rf"|\b(?:i|we)(?:['’]ve| have)? (?:once |already )?{_SAID}(?: a lot| before| earlier)?(?: that| about)?\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "(?:请你?)?(?:根据|基于|按照)(?:我们)?(?:之前|刚才)?的?(?:聊天|对话|谈话|讨论)(?:内容|历史|记录)?[，,]?"
        "|请?你?再?(?:回忆|回想)(?:一下)?(?:并?回答我的问题)?|[，,]?你?还?记得吗?|请?你?告诉我"
        "|(?:之前|曾经?|以前|刚才)?(?:和|跟|向|同)你(?:说|提|提到|分享|聊|讨论|讲)过?了?"
    ),
}


def without_reminder(question: str, language: Language) -> str:
    """The question itself; as it is where nothing of weight is left."""
    asked = _REMINDER[language].sub(" " if language is Language.EN else "", question)
    return asked if content(asked, language) else question
