"""Whether a question asks again for what the doctor has before it, be it that it was asked for or that it was told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import takewhile

from osler.agents.guards.known import facts, known_questions, told
from osler.agents.lexicon import broad_parts
from osler.agents.lexicon.aspects import aspects
from osler.agents.lexicon.qualities import ALL_RESULTS, QUALITIES
from osler.agents.lexicon.spoken import called_by_name, meant, things
from osler.agents.participant import Briefing
from osler.agents.ram.intent import Ask, read_intent
from osler.ranking import reaches
from osler.records.language import Language
from osler.words import alike, content, sentences

# Words that make a question sound medical and ask for nothing.
_VAGUE = {
    Language.EN: "medical history current condition symptoms details information describe explain more further provide"
    " present illness health status situation additional specific concerns help bring today discuss question"
    " main major primary chief common complaint nature worry experience condition concern current symptom regarding",
    Language.ZH: "病史 症状 详细 具体 描述 病情 信息 目前 身体 状况 健康 情况 不舒服 了解 提供"
    " 主要 主要症状 主诉 担心 问题 疾病 是否 有无 能否 是不是 这些",
}
_LIKELY = 0.5
_WHOLE_PARTS = ALL_RESULTS | {"associated-symptoms", "chief-complaint"}
"""What a question for a whole part names: the blood tests are no answer to a question for the scans."""
_PERSONS = frozenset({"patient", "child", "baby", "infant", "son", "daughter", "boy", "girl", "患者", "孩子", "宝宝"})
# Age and sex stand at the head of every briefing; a lump's age, or how old a wound is, does not.
_STATED = {
    Language.EN: re.compile(
        r"^(?:and )?(?:how old (?:are you|is (?:he|she|the patient))\b(?! when| at)"
        r"|what is (?:your|his|her|the patient['’]s) (?:current |exact )?(?:age|sex|gender)\b(?! when| at))",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"^(?:请问)?(?:您|你|他|她|孩子|患者|病人)?(?:今年)?(?:的)?(?:多大年纪|多大了|几岁|年龄是?多[少大]|性别)"
    ),
}


@cache
def vague(language: Language) -> frozenset[str]:
    """Words that ask for nothing by themselves."""
    # When it is first needed: Chinese words cost a dictionary, which an English consultation does not have to load.
    return frozenset(content(_VAGUE[language], language))


def repeats(question: str, briefing: Briefing) -> str | None:
    """The line of what the doctor has before it that the question would ask for again."""
    language = briefing.case.language
    words = frozenset(content(question, language))
    if _STATED[language].search(question):
        return briefing.case.age
    asked, stated = known_questions(briefing), [fact.text for fact in facts(briefing)]
    parts = broad_parts(question, language)
    asks_for = meant(question, language)
    # One fact of a part does not answer a question for the whole of it: "no blood in it" is not the blood tests.
    for line in asked if parts else (*asked, *stated):
        if alike(words, frozenset(content(line, language))):
            return line
        if (asks_for and asks_for == meant(line, language)) or (parts and parts <= broad_parts(line, language)):
            return line
    if (earlier := _asked_of_the_same(question, asked, briefing.case.complaint, language)) is not None:
        return earlier
    if parts:
        return None
    whole, *several = read_intent(question, language).asks
    told_so = [sentence for text in told(briefing) for sentence in sentences(text, language)]
    asks = several or [whole]
    # One that is new is enough for the question to be.
    found = list(takewhile(bool, (_known(ask, asked, told_so, language) for ask in asks)))
    if len(found) == len(asks):
        return found[0]
    return _each_before(question, (*asked, *(told_so if briefing.question else ())), language)


def _each_before(question: str, lines: tuple[str, ...], language: Language) -> str | None:
    """Where the last of the things came up that it names, when all of them have: in one breath or one by one."""
    left = things(question, language) - _WHOLE_PARTS
    if not left or aspects(question, language):
        return None
    for line in lines:
        left -= things(line, language)
        if not left:
            return line
    return None


def _asked_of_the_same(question: str, asked: list[str], complaint: str, language: Language) -> str | None:
    """Where the same was asked of the same thing; a question that names none is about what the patient came with."""
    wanted, named = aspects(question, language), things(question, language)
    if not wanted:
        return None
    for line in asked:
        about = things(line, language) or things(complaint, language)
        if wanted <= aspects(line, language) and named <= about:
            return line
    return None


def _known(ask: Ask, asked: list[str], told_so: list[str], language: Language) -> str | None:
    """Where one thing was asked for before, or told without being asked for."""
    words = ask.words - vague(language) - _PERSONS
    heard = _likeliest((ask,))
    named = called_by_name(ask.text, language)
    wanted = named - QUALITIES
    for line in asked:
        if words and words <= frozenset(content(line, language)):
            return line
        # A cough was asked for; whether a fever came with it was not.
        if heard and heard <= _surely_heard(line, language) and wanted <= (things(line, language) or wanted):
            return line
    # Whether blood was taken says nothing of the scans, though both are results.
    has_name = wanted == named and not wanted <= _WHOLE_PARTS
    for sentence in told_so:
        if has_name and wanted <= called_by_name(sentence, language):
            return sentence
        # A sentence that begins with all that is asked for is about it: "temperature is 38 °C".
        about = [word for word in content(sentence, language) if word not in _PERSONS][: len(words)]
        if words and not heard & QUALITIES and words == frozenset(about):
            return sentence
    return None


@lru_cache(maxsize=1024)
def _surely_heard(text: str, language: Language) -> frozenset[str]:
    """What a text most likely means, by the reader that the retrieval module has."""
    return _likeliest(read_intent(text, language).asks)


def _likeliest(asks: Iterable[Ask]) -> frozenset[str]:
    shares = [share for ask in asks for share in ask.meant.items()]
    return frozenset(name for name, share in shares if reaches(share, _LIKELY) and name not in {"none", "other"})
