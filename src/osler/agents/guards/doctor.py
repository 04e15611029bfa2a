"""A doctor's question: one, about something, and not what the doctor already knows."""

from __future__ import annotations

import re
from functools import cache

from osler.agents.guards.spoken import called_by_name, meant
from osler.agents.lexicon import broad_parts
from osler.agents.participant import Briefing
from osler.records.language import Language
from osler.words import alike, content, sentences

# Words that make a question sound medical and ask for nothing.
_VAGUE = {
    Language.EN: "medical history current condition symptoms details information describe explain more further provide"
    " present illness health status situation additional specific concerns help bring today discuss question"
    " main major primary chief common complaint nature worry experience condition",
    Language.ZH: "病史 症状 详细 具体 描述 病情 信息 目前 身体 状况 健康 情况 不舒服 了解 提供"
    " 主要 主要症状 主诉 担心 问题 疾病",
}
_LONGEST = {Language.EN: 320, Language.ZH: 120}
_REPLY = re.compile(r"^(?:patient|患者)\s*[:：]\s*(.+)$", re.IGNORECASE)
# How a symptom is, and not which: these may be asked of what was told.
_QUALITIES = frozenset(
    {
        *("onset-time", "onset-mode", "course", "constant-or-intermittent", "episode-duration-frequency"),
        *("previous-episodes", "aggravating-factors", "relieving-factors", "triggers", "relation-to-meals"),
        *("relation-to-exertion", "relation-to-position", "time-of-day-pattern", "pain-location", "pain-character"),
        *("pain-severity", "pain-radiation", "pain-migration"),
    }
)
_QUESTION = re.compile(
    r"^(?:doctor|医生|q|question|问题|asked in turn|第\d+轮问过)\s*(?:\d+)?\s*[:：]\s*(.+)$", re.IGNORECASE
)

# Age and sex stand at the head of every briefing; a lump's age, or how old a wound is, does not.
_STATED = {
    Language.EN: re.compile(
        r"^(?:and )?(?:how old (?:are you|is the patient)"
        r"|what is (?:your|the patient['’]s) (?:current )?(?:age|sex|gender)\b)",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"^(?:请问)?(?:您|你|患者|病人)?(?:今年)?(?:的)?(?:多大年纪|多大了|几岁|年龄是?多[少大]|性别)"
    ),
}
_TOPIC = re.compile(r"[\[［]([^\]］]+)[\]］]")
_EACH = re.compile(r"[;；]\s*")
# A fact as a memory tells it, without its number, the question it answered and its turn.
_FACT = re.compile(
    r"^(?:fact|事实)\s*#?\d*\s*[:：]\s*(.+?)\s*(?:[\[［].*)?(?:[(（](?:turn|第)[^()（）]*[)）])?$", re.IGNORECASE
)
_LISTED = re.compile(r"^(?:also asked|还问过)\s*[:：]\s*(.+)$", re.IGNORECASE)


@cache
def _vague(language: Language) -> frozenset[str]:
    # When it is first needed: Chinese words cost a dictionary, which an English consultation does not have to load.
    return frozenset(content(_VAGUE[language], language))


def one_question(text: str) -> str:
    """The first question of a text; what stands before it stays, what comes after goes."""
    text = " ".join(text.split()).strip("\"'“”")
    found = re.match(r"^(.*?[?？])", text)
    return found[1] if found else text


def check_question(question: str, briefing: Briefing) -> tuple[str, ...]:
    """Why a question should not be asked; empty when it should."""
    language = briefing.case.language
    english = language is Language.EN
    words = frozenset(content(question, language))
    reasons = []
    if not words - _vague(language) or _only_the_complaint(question, words, briefing):
        reasons.append("it asks for nothing in particular" if english else "问得太笼统")
    if len(question) > _LONGEST[language]:
        reasons.append("it is too long" if english else "问题太长")
    if (earlier := _repeats(question, words, briefing)) is not None:
        reasons.append(f"you already know this: {earlier}" if english else f"这个你已经知道了：{earlier}")
    return tuple(reasons)


def _only_the_complaint(question: str, words: frozenset[str], briefing: Briefing) -> bool:
    """Whether it names what the patient came with and asks nothing of it: "What is your main worry about the rash?"."""
    language = briefing.case.language
    rest = words - _vague(language)
    known = frozenset(content(briefing.case.complaint, language))
    asks = broad_parts(question, language) or meant(question, language) & _QUALITIES
    return rest < words and rest <= known and not asks


def _repeats(question: str, words: frozenset[str], briefing: Briefing) -> str | None:
    """The line of what the doctor has before it that the question would ask for again."""
    language = briefing.case.language
    if _STATED[language].search(question):
        return briefing.case.age
    parts = broad_parts(question, language)
    asks_for = meant(question, language)
    for line in known_questions(briefing):
        if alike(words, frozenset(content(line, language))):
            return line
        if (asks_for and asks_for == meant(line, language)) or (parts and parts <= broad_parts(line, language)):
            return line
    named = called_by_name(question, language)
    wanted = named - _QUALITIES
    if parts or not wanted or wanted < named:
        # One fact of a part does not answer a question for the whole of it, nor that there is a pain how it is.
        return None
    for sentence in (s for reply in known_replies(briefing) for s in sentences(reply, language)):
        if wanted <= called_by_name(sentence, language):
            return sentence
    return None


def known_replies(briefing: Briefing) -> list[str]:
    """What the patient said, as far as the doctor's memory shows it, and the last reply."""
    told = [found[1] for line in briefing.recall.splitlines() if (found := _REPLY.match(line.strip()))]
    return [text for text in (*told, briefing.reply) if text]


def known_questions(briefing: Briefing) -> list[str]:
    """What the doctor can see it has asked for: questions in its memory's text, in full or as topics, and the last one.

    A fact shows that it was asked for, too.
    """
    lines = [line.strip() for line in briefing.recall.splitlines()]
    seen = [found[1] for line in lines if (found := _QUESTION.match(line))]
    facts = [found[1] for line in lines if (found := _FACT.match(line))]
    topics = [topic for line in lines for several in _TOPIC.findall(line) for topic in _EACH.split(several)]
    listed = [topic for line in lines if (found := _LISTED.match(line)) for topic in _EACH.split(found[1])]
    return [text for text in (*seen, *facts, *topics, *listed, briefing.question) if text]
