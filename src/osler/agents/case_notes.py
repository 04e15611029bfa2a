"""What a doctor concludes from: the facts of its memory, or the talk as it went.

Nothing is written down again in between: a model that does so loses some of it, a decisive scan as easily as a heart
rate, takes what was asked for what was found, and stops when its answer is full.
"""

from __future__ import annotations

import re

from osler.agents.guards.known import facts, listed
from osler.agents.participant import Briefing
from osler.agents.rules.reading import Polarity, polarity
from osler.agents.wording import briefing_slots
from osler.records.language import Language
from osler.words import sentences

_SAID = {Language.EN: re.compile(r"^patient says "), Language.ZH: re.compile(r"^患者 说 ")}
_MY = re.compile(r"\bmy\b")
_NOT_KNOWN = {
    Language.EN: re.compile(r"\bdoes not know\b|\bhas not been (?:done|made|taken|tested|measured|checked|examined)\b"),
    Language.ZH: re.compile(r"不知道|没有?查过"),
}
_JUST_NOW = {
    Language.EN: re.compile(
        r"^(?!patient |complaint )"
        r"(.* (?:shows?|showed) .*|.* (?:is|was|are|were) .*(?:\d|normal|negative|positive).*),\s*"
        r"(?:just now|(?:earlier )?today|this (?:morning|afternoon|evening)|\d+ (?:minutes?|hours?) ago)$",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"^(?!患者|症状)(.* 显示 .*|.* (?:为|是) .*(?:\d|正常|阴性|阳性).*)，"
        r"(?:刚才|刚刚|今早|今天(?:早上|上午|中午|下午|晚上)?|\d+个?(?:分钟|小时)前)$"
    ),
}
"""A result that is as new as the visit. Behind each of twenty results the time of day hides what they say; when a
complaint came it tells."""
_TALK = {
    Language.EN: "{recall}\n\nYour last question: {question}\nThe reply: {reply}",
    Language.ZH: "{recall}\n\n你的上一个问题：{question}\n对方的回答：{reply}",
}


def known(briefing: Briefing) -> str:
    """The case: one line for each fact, or what the memory tells of the talk and what was said last."""
    return noted(briefing) or _TALK[briefing.case.language].format(**briefing_slots(briefing))


def noted(briefing: Briefing) -> str:
    """One line for each fact that tells something; empty where the memory tells of a talk, which has to be read first.

    The reply that came last is not a fact yet and stands as it was said.
    """
    language = briefing.case.language
    told, lists = facts(briefing), listed(briefing)
    if not told or len(told) + len(lists) < len(briefing.recall.splitlines()):
        return ""
    lines = [_lean(fact.text, language) for fact in told if not _NOT_KNOWN[language].search(fact.text)]
    lines += [f"{one.verdict}: {one.things}" for one in lists if one.verdict]
    if any(polarity(said, language) is not Polarity.UNKNOWN for said in sentences(briefing.reply, language)):
        lines.append(briefing.reply)
    return "\n".join(f"- {line}" for line in dict.fromkeys(lines))


def _lean(fact: str, language: Language) -> str:
    """A fact without the frame of its triple, about somebody else than the reader."""
    bare = _JUST_NOW[language].sub(r"\1", _SAID[language].sub("", fact))
    return _MY.sub("the", bare) if language is Language.EN else bare.replace(" ", "")
