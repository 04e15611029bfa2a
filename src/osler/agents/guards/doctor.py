"""A doctor's question: one, about something, and not what the doctor already knows."""

from __future__ import annotations

import re

from osler.agents.guards.known import told
from osler.agents.guards.repeats import repeats, vague
from osler.agents.lexicon import broad_parts
from osler.agents.lexicon.qualities import QUALITIES
from osler.agents.lexicon.spoken import meant
from osler.agents.participant import Briefing
from osler.records.language import Language
from osler.words import content

_STATEMENT = re.compile(r"[。！]\s*|(?<=[a-z]{3}[.!])\s+(?=[A-Z])")
_LONGEST = {Language.EN: 320, Language.ZH: 120}
# An illness by the way it is called; what its symptoms are, a patient does not know.
_ILLNESS = {
    Language.EN: r"[\w'’-]*(?:itis|osis|a?emia|oma|thyroidism|disease|disorder|syndrome|failure|diabetes|cancer"
    r"|ulcers?|infection|infarction|embolism|thrombosis|stroke|asthma|gout|pneumonia|migraines?|hypertension)\b",
    Language.ZH: r"(?:炎|癌|瘤|综合征|综合症|突出症?|狭窄症?|减退症?|亢进症?|溃疡|结石|梗[死塞]"
    r"|栓塞|血栓|卒中|中风|哮喘|痛风|高血压|贫血|感染|[^么种些生毛疾]病)",
}
# A patient can say what it feels and what was found; what that means is for the doctor to find out.
_JUDGES = {
    Language.EN: re.compile(
        r"\b(?:symptoms?|signs?|concerns?|complaints?|anything)\b[^,?]*\b(?:suggest|indicat|distinguish|differentiat|point)"
        r"|\b(?:distinguish|differentiat)\w*\b|\bdetermine the cause\b|\bunderstand the cause\b|\bdifferent diagnosis\b"
        r"|\b(?:symptom|what|which)\b[^?]*\bdo you (?:think|believe|suspect)\b[^?]*"
        r"\b(?:caus|due|likely|consistent|diagnos)"
        r"|\b(?:most|more) (?:common|consistent|typical|likely|concerning|significant)\b"
        r"|\bmain (?:symptom|concern|complaint|problem)\b"
        r"|\bwhat (?:could|might|may|do you think) (?:be |is )?(?:the )?caus"
        r"|\bdo you (?:think|believe|suspect) (?:you|he|she|they|it|this)\b[^?]*\b(?:have|has|is|are|be)\b"
        rf"|\b(?:symptoms?|signs?) of (?:an? |the )?(?:[\w'’-]+ ){{0,2}}?{_ILLNESS[Language.EN]}",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"(?:可能)?(?:是|由|因)(?:什么|哪种|哪些)(?:原因|病|疾病|因素)?(?:引起|导致|造成)|什么原因(?:引起|导致|造成)?的?[?？]?$"
        r"|(?:是|得了?|患了?)(?:什么|哪种|哪一种)(?:病|疾病)|(?:你|您)(?:认为|觉得|怀疑|判断).{0,6}(?:是|得)"
        r"|区分|鉴别|(?:症状|表现).{0,8}(?:提示|说明|表明|判断)|(?:你|您)(?:是不是|是否)(?:因为|得了|患了?)"
        r"|(?:是否|是不是|会不会)(?:可能)?(?:是|与|和|跟|由).{1,14}(?:症状|有关|引起|导致|所致)"
        r"|(?:与|和|跟|在)(?:哪些|什么|哪种)(?:疾病|病)|帮助.{0,4}(?:确定|判断|诊断)|相似之处|有(?:关系?|联系)吗"
        rf"|{_ILLNESS[Language.ZH]}(?:形成)?(?:的|有关的|相关的)?(?:症状|表现)"
        rf"|{_ILLNESS[Language.ZH]}(?:时|中|里)(?:是否|是不是|会不会|能不能).{{0,6}}(?:出现|发生)"
    ),
}
_ASKS = {
    Language.EN: re.compile(
        r"\?|^(?:and |so |but )*(?:please|tell|describe|explain|show|let|can|could|do|does|did|is|are|was|were"
        r"|have|has|had|what|when|where|which|who|why|how|any|since)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"[?？吗呢]|什么|哪|怎|多[久少大长高]|是否|是不是|有没有|有无|能否|几|请|说说|讲讲"),
}
_SUCH_AS = {
    Language.EN: re.compile(r"\b(?:such as|like|for example|e\.g\.)\b"),
    Language.ZH: re.compile(r"比如|例如|像是?"),
}
"""A question that goes on to name things can be answered after all."""


def one_question(text: str) -> str:
    """The first sentence of a text that asks: models like to say over what they heard before they ask."""
    text = " ".join(text.split()).strip("\"'“”")
    found = re.match(r"^(.*?[?？])", text)
    return _STATEMENT.split(found[1])[-1] if found else text


def check_question(question: str, briefing: Briefing) -> tuple[str, ...]:
    """Why a question should not be asked; empty when it should."""
    language = briefing.case.language
    english = language is Language.EN
    words = frozenset(content(question, language))
    reasons = []
    if not _ASKS[language].search(question):
        reasons.append("it is not a question" if english else "这不是一个问题")
    if not words - vague(language):
        reasons.append("it asks for nothing in particular" if english else "问得太笼统")
    elif _only_what_is_known(question, words, briefing):
        reasons.append("it names only what you know already" if english else "问的都是已经知道的情况")
    if _JUDGES[language].search(question) and not _SUCH_AS[language].search(question):
        reasons.append(
            "a patient cannot judge that; ask for something felt, seen, done or measured"
            if english
            else "病人自己判断不了；请问感觉到的、看到的、做过的或测到的"
        )
    if len(question) > _LONGEST[language]:
        reasons.append("it is too long" if english else "问题太长")
    if (earlier := repeats(question, briefing)) is not None:
        reasons.append(f"you already know this: {earlier}" if english else f"这个你已经知道了：{earlier}")
    return tuple(reasons)


def _only_what_is_known(question: str, words: frozenset[str], briefing: Briefing) -> bool:
    """Whether it names what was told and asks nothing of it: "What is your main worry about the rash?"."""
    language = briefing.case.language
    rest = words - vague(language)
    known = frozenset(word for text in (briefing.case.complaint, *told(briefing)) for word in content(text, language))
    asks = broad_parts(question, language) or meant(question, language) & QUALITIES
    return rest < words and rest <= known and not asks
