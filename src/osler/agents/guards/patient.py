"""A patient's reply: in its own voice, without the diagnosis, and with nothing that it was not given."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.agents.guards.course import turned_round
from osler.agents.guards.given import figures, given
from osler.agents.guards.grounding import (
    CLAUSE,
    as_own,
    goes_round,
    invented,
    of_another_family,
    turned,
    without_kin,
)
from osler.agents.guards.measured import miscompared
from osler.agents.guards.overall import normal_overall
from osler.agents.guards.spoken import called_by_name, meant, opened_up, touched_on
from osler.agents.lexicon.qualities import ALL_RESULTS
from osler.agents.participant import Selection
from osler.ranking import reaches
from osler.records.language import Language
from osler.records.schema import RESULTS, Diagnosis, Entry, Sex, Speaker, Status
from osler.words import content, numbers, plain, sentences

_MOST_SENTENCES = 4
_LONGEST = {Language.EN: 600, Language.ZH: 220}
_CLINICIAN = {
    Language.EN: re.compile(
        r"\b(?:the|this) patient\b|\bpatient (?:reports|denies|presents|states|has)\b|\bas an ai\b|\blanguage model\b"
    ),
    Language.ZH: re.compile(r"患者|该病人|病人(?:否认|诉|出现)|作为.{0,4}(?:ai|人工智能)|语言模型"),
}
_THIRD_PERSON = {
    Language.EN: re.compile(r"^(?:yes,? |no,? |well,? )?(?:he|she)\b"),
    Language.ZH: re.compile(r"^(?:是的?，|没有，|嗯，)?[他她]"),
}
# A relative who says "I have a fever" has taken the patient's place.
_AS_PATIENT = {
    Language.EN: re.compile(
        r"\bi(?: have| had|'ve had| am having|'m having| take| feel| started| was given| get| am allergic|'m allergic"
        r"| smoke| drink| vomited| cough| did not have| didn't have)\b"
        r"(?! (?:it|the|them|that|noticed|seen|to) )"
        r"|\bmy (?:own |latest |last )?(?:heart rate|pulse|blood pressure|temperature|fever|breathing|respirat\w+"
        r"|oxygen|saturation|weight|height|bmi|ha?emoglobin|platelets?|white (?:blood )?cell|scores?|results?|labs?"
        r"|blood tests?|urine|ecg|electrocardiogram|x-ray|mri|ct|scan|chest|stomach|belly|abdomen|headaches?|pain|cough"
        r"|vision|rash|symptoms?|medical history|medications?|condition)\b"
        r"|\bi am (?:her|him)\b"
    ),
    Language.ZH: re.compile(
        r"我(?:大概|约|是|从|自)*\d+\s*(?:分钟|个?小时|天|周|个?星期|个?月|年)前"
        r"|我的(?:心率|脉搏|血压|体温|呼吸|血氧|体重|身高|体重指数|血红蛋白|白细胞|血小板|血|尿|化验|检查|结果|心电图|胸|肚子|腹部"
        r"|头|视力|皮肤|皮疹|症状|病史|用药)"
        r"|我(?:自己|昨天|今天|最近|之前|以前|平时|曾经?|也|还|一直|现在|每天|刚|确实|经常|这次|正?在|从来|从|没有?|未)*"
        r"(?:有|得过|患|发烧|发热|咳|疼|痛|吃|喝|服|用过|用了|做过|做了|感到|感觉|出现|对.{1,8}过敏)(?!.{0,4}[他她孩宝娃])"
    ),
}
_PRONOUN = {
    Language.EN: {Sex.FEMALE: "she", Sex.MALE: "he", Sex.UNKNOWN: "they"},
    Language.ZH: {Sex.FEMALE: "她", Sex.MALE: "他", Sex.UNKNOWN: "他"},
}
_DOCTOR = {
    Language.EN: re.compile(
        r"^(?:doctor|patient)\s*:|\bhow can i help you\b|\bi (?:recommend|suggest|advise) (?:you|that you)\b"
        r"|\bi (?:did|performed|conducted|carried out|made) (?:an? |the )?(?:\w+ )?examination\b"
    ),
    Language.ZH: re.compile(
        r"^(?:医生|患者)\s*[:：]|建议您|我建议你|我[给对为][他她孩宝老患我].{0,6}(?:体格检查|查体|听诊|触诊|叩诊)"
        r"|我(?:听诊|触诊|叩诊|查体)[了过到]"
    ),
}
_IGNORANCE = {
    Language.EN: re.compile(
        r"\b(?:don't know|not sure|no idea|can't (?:tell|say|remember)|couldn't tell|don't recall|wish i knew)\b"
    ),
    Language.ZH: re.compile(r"不太?清楚|不知道|说不上来|记不得|想不起|不好说"),
}
_SAYS_UNKNOWN = {
    Language.EN: re.compile(
        r"\b(?:don't|do not|didn't|not|no|never|nobody|can't|cannot|couldn't|haven't|hasn't|wasn't|isn't|unsure|sorry"
        r"|nothing)\b"
    ),
    Language.ZH: re.compile(r"不|没|无|未|记不|说不"),
}


def leaks(reply: str, diagnosis: Diagnosis, language: Language) -> tuple[str, ...]:
    """Names of the diagnosis that the reply gives away."""
    level = plain(reply)
    return tuple(name for name in diagnosis.names if _mentions(level, plain(name), language))


@lru_cache(maxsize=128)
def fabrications(reply: str, selection: Selection) -> tuple[str, ...]:
    """Numbers and things spoken of in the reply that neither the entries nor the doctor brought up.

    Remembered for a moment: a reply that the guard lets pass is looked at once more for the ledger.
    """
    case, language = selection.case, selection.case.language
    entries = [given(entry, language) for entry in selection.entries]
    said = numbers(reply)
    known = said and figures(selection.question).union(
        figures(case.complaint), figures(case.age), *(entry.figures for entry in entries)
    )
    foreign = tuple(number for number in said if number not in known)
    # What only the question names is not known either: a patient that echoes it has made it up.
    sources = (case.complaint, *(entry.text for entry in entries))
    allowed = opened_up(case.complaint, language).union(*(entry.things for entry in entries))
    told = [sentence for sentence in sentences(reply, language) if not _IGNORANCE[language].search(plain(sentence))]
    spoken = {name for sentence in told for name in called_by_name(sentence, language)}
    frames = ALL_RESULTS if any(entry.category in RESULTS for entry in selection.entries) else frozenset()
    named = sorted(spoken - allowed - _EVERYDAY - frames)
    words = invented(told, (*sources, case.age), language)
    sourced = frozenset(content(case.complaint, language)).union(*(entry.words for entry in entries))
    return (*foreign, *named, *_unfounded(told, sourced, allowed, language), *words)


def _unfounded(told: list[str], words: frozenset[str], allowed: frozenset[str], language: Language) -> tuple[str, ...]:
    """Sentences that hang on nothing given: neither a word nor a thing of the entries is in them."""

    def founded(sentence: str) -> bool:
        own = frozenset(content(sentence, language))
        # What is looked up first is what costs least.
        if not own or own & words or _SAYS_UNKNOWN[language].search(plain(sentence)):
            return True
        return bool(allowed & touched_on(sentence, language))

    return tuple(sentence for sentence in told if not founded(sentence))


def omissions(reply: str, selection: Selection) -> tuple[str, ...]:
    """Entries that were asked for and that the reply does not tell.

    Told is what the reply says in the record's words, by a number of the report, or by naming the same thing in
    others. A denial counts for everything that is denied: "no, none of that".
    """
    language = selection.case.language
    words, spoken = frozenset(content(reply, language)), frozenset(numbers(reply))
    denies = _SAYS_UNKNOWN[language].search(plain(reply)) is not None
    # The answer to a question for one thing is about that thing, however loosely it is told.
    needed = _TOLD if len(selection.entries) > 1 else 0.0

    def told(entry: Entry) -> bool:
        if entry.status in (Status.ABSENT, Status.NOT_DONE) and denies:
            return True
        known = given(entry, language)
        if spoken & known.results or any(
            reaches(len(one & words), max(1, needed * len(one))) for one in known.versions
        ):
            return True
        # Last, because it costs most: few replies are told in words of their own alone.
        return bool(meant(entry.name, language) & meant(reply, language))

    return tuple(entry.name for entry in selection.entries if not told(entry))


_TOLD = 0.34
_EVERYDAY = frozenset(
    {"worries", "own-idea-of-cause", "expectations", "daily-activities", "onset", "course", "duration", "triggers"}
)


def _whose(reply: str, selection: Selection) -> list[str]:
    """What is wrong about whose illness it is."""
    language = selection.case.language
    english = language is Language.EN
    reasons = []
    if without_kin(reply, selection.entries, language):
        reasons.append("say which relative has it" if english else "请说清楚是哪位家人得的")
    if selection.case.speaker is Speaker.PATIENT and as_own(reply, selection.entries, language):
        reasons.append("a relative has that, not you" if english else "那是家人得的病，不是你的")
    return reasons


def check_reply(reply: str, selection: Selection, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Why a reply cannot stand; empty when it can. The reasons are what the patient is told."""
    language = selection.case.language
    english = language is Language.EN
    level = plain(reply)
    reasons = []
    if leaks(reply, diagnosis, language):
        reasons.append(
            "it names an illness; only tell what you feel and what was found"
            if english
            else "说出了病名；只说感受和检查结果"
        )
    if invented := fabrications(reply, selection):
        told = ", ".join(invented[:5])
        reasons.append(
            f"it tells things you were not given ({told}); leave them out"
            if english
            else f"说了没有给你的内容（{told}），请去掉"
        )
    entries = selection.entries
    if opposite := (
        *turned(reply, entries, language),
        *turned_round(reply, entries, language),
        *miscompared(reply, entries, language),
        *normal_overall(reply, entries, language),
    ):
        told = ", ".join(opposite[:5])
        reasons.append(
            f"it says the opposite of what you know about: {told}" if english else f"和你知道的情况相反：{told}"
        )
    reasons += _whose(reply, selection)
    outsider = selection.case.speaker is Speaker.PATIENT and _THIRD_PERSON[language].search(level)
    if _CLINICIAN[language].search(level) or outsider:
        reasons.append(
            "it does not speak as the person in the room; speak of yourself as one does"
            if english
            else "不像当事人在说话；请用“我”来说"
        )
    for_another = selection.case.speaker is not Speaker.PATIENT
    if for_another and (_AS_PATIENT[language].search(level) or of_another_family(reply, selection.entries, language)):
        he = _PRONOUN[language][selection.case.sex]
        reasons.append(f"you are not the patient; say {he}" if english else f"你不是患者本人；请用“{he}”来说")
    if _DOCTOR[language].search(level):
        reasons.append(
            "it speaks for the doctor; only give your own answer" if english else "替医生说话了；只回答自己的部分"
        )
    if omitted := omissions(reply, selection):
        left = ", ".join(omitted[:5])
        reasons.append(f"you left out: {left}" if english else f"漏说了：{left}")
    if _asks_back(level, plain(selection.question)):
        reasons.append("it asks the doctor's question back; answer it" if english else "把医生的问题又问了一遍；请回答")
    if goes_round(CLAUSE.split(level)) or _reads_a_form(reply, selection):
        reasons.append("say it once, as one speaks" if english else "用平常说话的方式，只说一遍")
    length = sum(len(given(entry, language).text) for entry in selection.entries)
    too_many = len(sentences(reply, language)) > max(_MOST_SENTENCES, len(selection.entries) + 1)
    if too_many or len(reply) > max(_LONGEST[language], length):
        reasons.append("it is too long; at most three short sentences" if english else "太长了，最多三句短话")
    if not selection.entries and not _SAYS_UNKNOWN[language].search(level):
        reasons.append("you know nothing about this; say so" if english else "你并不知道这件事，请直接说不知道")
    return tuple(reasons)


def _asks_back(reply: str, question: str) -> bool:
    """Whether it ends with a part of the question."""
    said = reply.rstrip()
    last = _PAUSE.split(said[:-1])[-1].strip() if said.endswith(("?", "？")) else ""
    return bool(last) and last in question


_PAUSE = re.compile(r"[,.;!?，。；！？]")


def _reads_a_form(reply: str, selection: Selection) -> bool:
    """Whether it copies a line of its notes, "Smoking: no.", of what nobody has on paper."""
    felt = [entry.name for entry in selection.entries if entry.category not in RESULTS]
    return any(f"{name}{colon}" in reply for name in felt for colon in ":：")


def _mentions(level: str, name: str, language: Language) -> bool:
    if language is Language.ZH:
        return name in level
    return name in level and re.search(rf"\b{re.escape(name)}\b", level) is not None
