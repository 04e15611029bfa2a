"""Who is spoken of: the names of relatives, and whether a question asks about one of them instead of the patient.

Who speaks decides who that is: of a wife who answers for her husband, "your husband" is the patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from osler.language import Language, Speaker

# Names of each group, split by bars: what the patient is called is taken out of them.
_CHILD = {
    Language.EN: "sons?|daughters?|child|children|kids?|baby|boys?|girls?|little ones?|lad|toddler|infant",
    Language.ZH: "儿子|女儿|闺女|孩子|宝宝|小孩|娃",
}
_WIFE = {Language.EN: "wife|missus|girlfriend|partner", Language.ZH: "老婆|(?<!老)太太|妻子|媳妇|爱人|老伴|女朋友|对象"}
_HUSBAND = {Language.EN: "husband|boyfriend|partner", Language.ZH: "老公|先生|丈夫|爱人|老伴|男朋友|对象"}
_PARENT = {
    Language.EN: "mother|mum|mom|father|dad|parents?|folks",
    Language.ZH: "父亲|母亲|爸爸?|妈妈?|父母|老爷子|老太太|老人",
}
_SIBLING = {
    Language.EN: "brothers?|sisters?|siblings?|twin",
    Language.ZH: "哥哥?|弟弟?|姐姐?|妹妹?|兄弟(?:姐妹)?|姐妹",
}
_OTHERS = {
    Language.EN: "grandmother|grandfather|grandparents?|grandma|grandpa|gran|granny|nan|aunts?|uncles?|cousins?"
    "|relatives?|nieces?|nephews?|grandsons?|granddaughters?|grandchild(?:ren)?|in-laws?|godmother|godfather"
    "|neighbours?|roommates?|flatmates?|housemates?|lodgers?|colleagues?|workmates?|classmates?|friends?|mates?|pals?|boss"
    "|foreman|childminder|nanny",
    Language.ZH: "爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔?|伯父|姑姑?|阿?姨|舅舅?|表[哥弟姐妹]|堂[哥弟姐妹]|亲戚"
    "|婆婆|公公|岳父|岳母|丈母娘|老丈人|儿媳|女婿|孙子|孙女|外孙|侄子|侄女|外甥"
    "|同事|同学|室友|舍友|邻居|朋友|闺蜜|哥们|工友|战友|老板|领导|保姆|同桌",
}
_GROWN_CHILD = {Language.EN: "sons?|daughters?", Language.ZH: "儿子|女儿|闺女"}
_EVERYBODY = (_GROWN_CHILD, _WIFE, _HUSBAND, _PARENT, _SIBLING, _OTHERS)
_PATIENT_OF = {
    Speaker.PATIENT: (),
    Speaker.MOTHER: (_CHILD,),
    Speaker.FATHER: (_CHILD,),
    Speaker.WIFE: (_HUSBAND,),
    Speaker.HUSBAND: (_WIFE,),
    Speaker.DAUGHTER: (_PARENT,),
    Speaker.SON: (_PARENT,),
    Speaker.SIBLING: (_SIBLING,),
}
"""How the patient is called by the doctor who speaks to them."""
_ONESELF = {
    Speaker.MOTHER: {Language.EN: "mother|mum|mom", Language.ZH: "母亲|妈妈?"},
    Speaker.FATHER: {Language.EN: "father|dad", Language.ZH: "父亲|爸爸?"},
    Speaker.WIFE: _WIFE,
    Speaker.HUSBAND: _HUSBAND,
    Speaker.DAUGHTER: {Language.EN: "daughters?", Language.ZH: "女儿|闺女"},
    Speaker.SON: {Language.EN: "sons?", Language.ZH: "儿子"},
    Speaker.SIBLING: _SIBLING,
}
"""And how they are called themselves: "Have you given her anything, Mum?"."""
_OF_THE_PATIENT = {
    Language.EN: r"\b(?:he|she|him|her|his|hers|they|them|their|patient)\b",
    Language.ZH: "[他她]|患者|病人",
}
_SELF = {
    Language.EN: re.compile(r"\byou yourself\b|\byourself\?", re.IGNORECASE),
    Language.ZH: re.compile("[您你]自己|[您你]本人"),
}
_TELLS = {
    Language.EN: r"(?:ever |also |been |have |had )?(?:says?|said|notic\w*|tells?|told|see[ns]?|saw|hear[ds]?|think\w*"
    r"|thought|mention\w*|complain\w*|find|found|know|remember\w*|bring|brought|give|given|gave|help\w*|wake|woken"
    r"|watch\w*|worr\w*|agree\w*|remark\w*|observ\w*|describ\w*|commented|pointed|spotted|reported|caught)\b",
    Language.ZH: "(?:有没有|是不是|也|都|经常|老|总)?(?:说|讲|发现|看|觉得|注意|听|提|告诉|帮|陪|记得|知道|带|送|给|跟"
    "|叫|喊|嫌|描述|拍|指出|念叨|反映|抱怨|见)",
}
"""What a relative does who saw or heard something: the question is about the patient then."""


_CHINESE = {
    Speaker.PATIENT: "患者本人",
    Speaker.MOTHER: "母亲",
    Speaker.FATHER: "父亲",
    Speaker.WIFE: "妻子",
    Speaker.HUSBAND: "丈夫",
    Speaker.DAUGHTER: "女儿",
    Speaker.SON: "儿子",
    Speaker.SIBLING: "兄弟姐妹",
    Speaker.CAREGIVER: "照护者",
}


def asks_who_speaks(question: str, speaker: Speaker, language: Language) -> bool:
    """Whether somebody who answers for the patient is asked about themselves: "And do you yourself smoke?"."""
    answers_for_another = speaker in _PATIENT_OF and speaker is not Speaker.PATIENT
    return answers_for_another and _SELF[language].search(question) is not None


def relative_asked_about(question: str, speaker: Speaker, language: Language) -> str:
    """Who is asked about where it is not the patient, as they are called; empty where it is.

    A relative who saw or heard something tells of the patient.
    """
    if speaker not in _PATIENT_OF:
        return ""
    if asks_who_speaks(question, speaker, language):
        return speaker.value if language is Language.EN else _CHINESE[speaker]
    # Few questions name anybody, which is soon seen.
    found = _anybody(speaker, language).search(question) and _asked_about(speaker, language).search(question)
    return next(filter(None, found.groups()), "").lower() if found else ""


@cache
def kin(speaker: Speaker, language: Language) -> str:
    """A pattern for everybody whom the doctor may name but the patient."""
    return _any_of(_names(_EVERYBODY, language) - _names(_PATIENT_OF.get(speaker, ()), language), language)


@cache
def third_party(speaker: Speaker, language: Language) -> re.Pattern[str]:
    """Finds somebody of theirs: neither the patient nor who speaks, and not a colleague of the doctor's."""
    here = (*_PATIENT_OF.get(speaker, ()), *([_ONESELF[speaker]] if speaker in _ONESELF else ()))
    who = _any_of(_names(_EVERYBODY, language) - _names(here, language), language)
    if language is Language.ZH:
        return re.compile(who)
    theirs = rf"\b{either(('your', 'his', 'her', 'their', 'the', 'that'))}(?: own)?"
    return re.compile(rf"{theirs} (?:[\w’'-]+ ){{0,2}}?{who}|{who} of (?:yours|his|hers|theirs)\b", re.IGNORECASE)


@cache
def names_patient(speaker: Speaker, language: Language) -> re.Pattern[str]:
    """Finds the patient where somebody else speaks: by a pronoun, or as this speaker would call them."""
    called = _any_of(_names(_PATIENT_OF.get(speaker, ()), language), language)
    return re.compile(rf"{_OF_THE_PATIENT[language]}|{called}", re.IGNORECASE)


def _names(groups: Iterable[Mapping[Language, str]], language: Language) -> frozenset[str]:
    return frozenset(name for group in groups for name in group[language].split("|"))


def _any_of(names: Iterable[str], language: Language) -> str:
    # The longest first, and the same each time.
    ordered = sorted(names, key=lambda name: (-len(name), name))
    if language is Language.EN and ordered:
        return rf"\b{either(ordered)}\b"  # "nan" is in "pregnant"
    return f"(?:{'|'.join(ordered) or '(?!)'})"


def either(names: Iterable[str]) -> str:
    """A pattern for any of these English names, where case does not count.

    Most words of a text are passed over at their first letter: else each is held against every name.
    """
    rests: dict[str, list[str]] = {}
    for name in names:
        rests.setdefault(name[0], []).append(name[1:])
    letters = "".join(rests)
    each = (f"(?-i:[{first}{first.upper()}])(?:{'|'.join(rest)})" for first, rest in rests.items())
    return f"(?=(?-i:[{letters}{letters.upper()}]))(?:{'|'.join(each)})"


@cache
def _anybody(speaker: Speaker, language: Language) -> re.Pattern[str]:
    return re.compile(kin(speaker, language), re.IGNORECASE)


@cache
def _asked_about(speaker: Speaker, language: Language) -> re.Pattern[str]:
    who = f"({kin(speaker, language)})"
    if language is Language.ZH:
        return re.compile(
            rf"(?:^|[，。？！、]|[您你他她家]|孩子|宝宝)(?:的|他|她)?{who}(?![您你]|的话|{_TELLS[language]})[^，。？]{{1,12}}"
        )
    whose = r"(?:(?:any|one|either|some) of )?(?:your|his|her|their|the (?:baby|child|boy|girl)['’]s)"
    subject = rf"{whose} (?:own |late |elder |older |younger |little |big |dear )?{who}"
    return re.compile(
        rf"\b(?:does|do|did|has|have|had|is|are|was|were|can|could|will|would|about) {subject}(?! {_TELLS[language]})"
        rf"|{subject}['’]s?\b (?!idea|opinion|view|side|word)",
        re.IGNORECASE,
    )
