"""A doctor's question: one, about something, and not what the doctor already knows."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from osler.agents.guards.spoken import called_by_name, meant
from osler.agents.lexicon import broad_parts
from osler.agents.participant import Briefing
from osler.agents.ram.intent import Ask, read_intent
from osler.records.language import Language
from osler.words import alike, content, sentences

# Words that make a question sound medical and ask for nothing.
_VAGUE = {
    Language.EN: "medical history current condition symptoms details information describe explain more further provide"
    " present illness health status situation additional specific concerns help bring today discuss question"
    " main major primary chief common complaint nature worry experience condition concern current symptom regarding",
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
_LIKELY = 0.5
_PERSONS = frozenset({"patient", "child", "baby", "infant", "son", "daughter", "boy", "girl", "患者", "孩子", "宝宝"})
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
_TURNS = re.compile(r"[(（](?:turn|第)\s*([\d, 、]+)轮?[)）]\s*$", re.IGNORECASE)
# A patient can say what it feels and what was found; what that means is for the doctor to find out.
_JUDGES = {
    Language.EN: re.compile(
        r"\b(?:symptoms?|signs?|concerns?|complaints?|anything)\b[^,?]*\b(?:suggest|indicat|distinguish|differentiat|point)"
        r"|\b(?:distinguish|differentiat)\w*\b|\bdetermine the cause\b|\bunderstand the cause\b|\bdifferent diagnosis\b"
        r"|\b(?:symptom|what|which)\b[^?]*\bdo you (?:think|believe|suspect)\b[^?]*"
        r"\b(?:caus|due|likely|consistent|diagnos)"
        r"|\bwhat (?:could|might|may|do you think) (?:be |is )?(?:the )?caus"
        r"|\bdo you (?:think|believe|suspect) (?:you|he|she|they|it|this)\b[^?]*\b(?:have|has|is|are|be)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"(?:可能)?(?:是|由|因)(?:什么|哪种|哪些)(?:原因|病|疾病|因素)?(?:引起|导致|造成)|什么原因(?:引起|导致|造成)?的?[?？]?$"
        r"|(?:是|得了?|患了?)(?:什么|哪种|哪一种)(?:病|疾病)|(?:你|您)(?:认为|觉得|怀疑|判断).{0,6}(?:是|得)"
        r"|区分|鉴别|(?:症状|表现).{0,8}(?:提示|说明|表明|判断)|(?:你|您)(?:是不是|是否)(?:因为|得了|患了?)"
        r"|(?:是否|是不是|会不会)(?:可能)?(?:是|与|和|跟|由).{1,14}(?:症状|有关|引起|导致|所致)"
    ),
}
_SUCH_AS = {
    Language.EN: re.compile(r"\b(?:such as|like|for example|e\.g\.)\b"),
    Language.ZH: re.compile(r"比如|例如|像是?"),
}
"""A question that goes on to name things can be answered after all."""
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
    if not words - _vague(language) or _only_what_is_known(question, words, briefing):
        reasons.append("it asks for nothing in particular" if english else "问得太笼统")
    if _JUDGES[language].search(question) and not _SUCH_AS[language].search(question):
        reasons.append(
            "a patient cannot judge that; ask for something felt, seen, done or measured"
            if english
            else "病人自己判断不了；请问感觉到的、看到的、做过的或测到的"
        )
    if len(question) > _LONGEST[language]:
        reasons.append("it is too long" if english else "问题太长")
    if (earlier := _repeats(question, words, briefing)) is not None:
        reasons.append(f"you already know this: {earlier}" if english else f"这个你已经知道了：{earlier}")
    return tuple(reasons)


def _only_what_is_known(question: str, words: frozenset[str], briefing: Briefing) -> bool:
    """Whether it names what was told and asks nothing of it: "What is your main worry about the rash?"."""
    language = briefing.case.language
    rest = words - _vague(language)
    known = frozenset(word for text in (briefing.case.complaint, *told(briefing)) for word in content(text, language))
    asks = broad_parts(question, language) or meant(question, language) & _QUALITIES
    return rest < words and rest <= known and not asks


def _repeats(question: str, words: frozenset[str], briefing: Briefing) -> str | None:
    """The line of what the doctor has before it that the question would ask for again."""
    language = briefing.case.language
    if _STATED[language].search(question):
        return briefing.case.age
    asked, facts = known_questions(briefing), [fact.text for fact in _facts(briefing)]
    parts = broad_parts(question, language)
    asks_for = meant(question, language)
    for line in (*asked, *facts):
        if alike(words, frozenset(content(line, language))):
            return line
        if (asks_for and asks_for == meant(line, language)) or (parts and parts <= broad_parts(line, language)):
            return line
    if parts:
        # One fact of a part does not answer a question for the whole of it.
        return None
    whole, *several = read_intent(question, language).asks
    told_so = [sentence for text in told(briefing) for sentence in sentences(text, language)]
    found = [_known(ask, asked, told_so, language) for ask in several or (whole,)]
    return found[0] if all(found) else None


def _known(ask: Ask, asked: list[str], told_so: list[str], language: Language) -> str | None:
    """Where one thing was asked for before, or told without being asked for."""
    words = ask.words - _vague(language) - _PERSONS
    heard = surely_heard(ask.text, language)
    for line in asked:
        if words and words <= frozenset(content(line, language)):
            return line
        if heard and heard <= surely_heard(line, language):
            return line
    named = called_by_name(ask.text, language)
    wanted = named - _QUALITIES
    for sentence in told_so:
        if wanted and wanted == named and wanted <= called_by_name(sentence, language):
            return sentence
        # A sentence that begins with all that is asked for is about it: "temperature is 38 °C".
        about = [word for word in content(sentence, language) if word not in _PERSONS][: len(words)]
        if words and not heard & _QUALITIES and words == frozenset(about):
            return sentence
    return None


@lru_cache(maxsize=4096)
def surely_heard(text: str, language: Language) -> frozenset[str]:
    """What a question most likely means, by the reader that the retrieval module has."""
    shares = [share for ask in read_intent(text, language).asks for share in ask.meant.items()]
    return frozenset(name for name, share in shares if share >= _LIKELY and name not in {"none", "other"})


class _Fact(NamedTuple):
    """A fact as a memory tells it."""

    text: str
    turns: tuple[str, ...]
    topics: tuple[str, ...]
    """What it answered, where it does not show that by itself."""


def _facts(briefing: Briefing) -> list[_Fact]:
    found = []
    for line in map(str.strip, briefing.recall.splitlines()):
        if match := _FACT.match(line):
            turns = _TURNS.search(line)
            topics = [topic for several in _TOPIC.findall(line) for topic in _EACH.split(several)]
            found.append(_Fact(match[1], tuple(re.findall(r"\d+", turns[1])) if turns else (), tuple(topics)))
    return found


def told(briefing: Briefing) -> list[str]:
    """What the patient said, as far as the doctor's memory shows it, in words or as facts, and the last reply."""
    lines = map(str.strip, briefing.recall.splitlines())
    replies = [found[1] for line in lines if (found := _REPLY.match(line))]
    return [text for text in (*replies, *(fact.text for fact in _facts(briefing)), briefing.reply) if text]


def known_questions(briefing: Briefing) -> list[str]:
    """What the doctor can see it has asked for: questions in its memory's text, in full or as topics, and the last one.

    The first fact of a turn that names no topic is its own: it says what was asked.
    """
    lines = [line.strip() for line in briefing.recall.splitlines()]
    seen = [found[1] for line in lines if (found := _QUESTION.match(line))]
    topics = [topic for line in lines for several in _TOPIC.findall(line) for topic in _EACH.split(several)]
    listed = [topic for line in lines if (found := _LISTED.match(line)) for topic in _EACH.split(found[1])]
    plainly, answered = [], set[str]()
    for fact in _facts(briefing):
        if not fact.topics and not answered.issuperset(fact.turns or ("",)):
            plainly.append(fact.text)
        answered.update(fact.turns)
    return [text for text in (*seen, *plainly, *topics, *listed, briefing.question) if text]
