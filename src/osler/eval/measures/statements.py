"""What a reply says to be so or not so, statement by statement; only what is plain counts as either."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.eval.measures.negation import KIN, NEGATION
from osler.language import Language
from osler.language.words import content, numbers, plain, sentences, words
from osler.records.schema import Entry

_REMEMBERED = 2048
"""Texts: every name of every entry is held against the same few statements."""
_BUT = {
    Language.EN: re.compile(r"\b(?:but|however|although|though|except|while|whereas)\b"),
    Language.ZH: re.compile(r"但是?|不过(?!敏)|可是|只是|就是"),
}
_CLAUSE = {
    Language.EN: re.compile(r"[,;:.!?()]+(?:\s+|$)|\b(?:and|or|nor)\b"),
    Language.ZH: re.compile(r"[，、；：。！？,;:.!?（）()]+|或者?|和"),
}
_MORE_NEGATION = {
    Language.EN: re.compile(r"\b(?:none|nil|nope|hardly|rarely|barely|normal|negative)\b"),
    Language.ZH: re.compile(r"很少|正常|阴性"),
}
"""Words that deny in a reply, beside the negations that memory knows."""
_UNREAL = {
    Language.EN: re.compile(
        r"\?|\b(?:if|whether|would|could|might|may|maybe|perhaps|worr\w+|afraid|scared|fear\w*|think|thought|wonder\w*|guess|"
        r"used to|(?:years|months) ago|last (?:year|month)|as a child|before|past|once|heard|read about|risk|test\w*|"
        r"rul\w+ out|stopped|gone|like)\b"
    ),
    Language.ZH: re.compile(
        r"[？?吗]|如果|要是|怕|担心|以前|过去|小时候|可能|好像|也许|曾|听说|年前|月前|像|风险|检查|排除|已经好"
    ),
}
"""What is feared, was once, or is only asked: no statement of what is."""
_HAVING = {
    Language.EN: frozenset(
        words(
            "yes yeah yep have has had having got get gets getting i've he's she's they've there is was been feel felt"
            " feeling notice noticed experience experienced experiencing suffer take taking took am definitely",
            Language.EN,
        )
    ),
    Language.ZH: ("有", "出现", "感到", "感觉", "觉得", "发生", "确实", "会", "患", "得了", "一直", "经常", "老是"),
}
"""Words before a thing that say it is there."""
_NEAR_EN, _NEAR_ZH = 4, 8
"""How many words, in Chinese characters, before the thing these are looked for."""
_FILLING_EN = frozenset(
    words(
        "no not never none don't doesn't didn't haven't hasn't hadn't isn't wasn't aren't weren't any a an the i he she"
        " we it they you your my his her their do does did have has had having been be is was are were there got get"
        " feel felt feeling notice noticed experience experienced experiencing suffer suffering of from with at all"
        " really definitely certainly actually kind sort sign signs symptom symptoms problem problems issue issues"
        " known that know aware take taking took use so this well oh ever i've we've they've he's she's there's",
        Language.EN,
    )
)
_FILLING_ZH = re.compile(
    r"(?>请问|那|你|您|他|她|孩子|宝宝|患者|自己|现在|最近|平时|有没有|有|是否|是不是|会不会|会|曾经|过|吗|呢|么|的|了|出现|什么"
    r"|任何|症状|情况|觉得|感到|感觉|[，？?。,\s])*+"
)
"""What may stand beside a thing and leaves a denial of it, or a question for it, as plain as it was."""
_DENIES_ZH = (
    r"^(?:医生|嗯|哦|我|他|她|孩子|宝宝|自己|也|都|并|从来|从|一直|真的)*+(?:没有|没|无|未|不|否认)"
    r"(?:什么|任何|过|出现|感到|觉得|感觉|发生|有|发现|明显)*{}(?:过|了|的|啊|呀|呢|症状|情况|现象|病史|史)*+$"
)


@lru_cache(maxsize=_REMEMBERED)
def level(text: str, language: Language) -> str:
    """A text in the form in which names are looked for: stems between spaces; in Chinese characters without any."""
    if language is Language.ZH:
        return re.sub(r"\s+", "", plain(text)).replace("疼", "痛")
    return f" {' '.join(words(text, language))} "


def mentions(text: str, name: str, language: Language) -> bool:
    """Whether a text has the name, word for word. One Chinese character is no name: others are made of it."""
    wanted = level(name, language)
    return len(wanted.strip()) > 1 and wanted in level(text, language)


@lru_cache(maxsize=_REMEMBERED)
def statements(text: str, language: Language) -> tuple[str, ...]:
    """Sentences, parted where a `but` turns them."""
    said = (plain(sentence) for sentence in sentences(text, language))
    return tuple(part.strip() for sentence in said for part in _BUT[language].split(sentence) if part.strip())


@lru_cache(maxsize=_REMEMBERED)
def clauses(text: str, language: Language) -> tuple[str, ...]:
    """Statements, parted further at commas and between the things of a list."""
    parts = (part for one in statements(text, language) for part in _CLAUSE[language].split(one))
    return tuple(part.strip() for part in parts if part.strip())


@lru_cache(maxsize=_REMEMBERED)
def negative(text: str, language: Language) -> bool:
    """Whether anything in a levelled text denies."""
    return bool(NEGATION[language].search(text) or _MORE_NEGATION[language].search(text))


def real(text: str, language: Language) -> bool:
    """Whether a levelled text speaks of how things are, and of the patient."""
    return not (_UNREAL[language].search(text) or KIN[language].search(text))


def _naming(text: str, name: str, language: Language) -> list[str]:
    if not mentions(text, name, language):
        return []
    return [one for one in statements(text, language) if mentions(one, name, language)]


def speaks_of(text: str, name: str, language: Language) -> bool:
    """Whether a statement names a thing and denies nothing."""
    return any(not negative(one, language) for one in _naming(text, name, language))


def denies_some(text: str, name: str, language: Language) -> bool:
    """Whether a statement names a thing and denies something, be it this or another."""
    return any(negative(one, language) for one in _naming(text, name, language))


def affirms(text: str, name: str, language: Language) -> bool:
    """Whether a statement says plainly that a thing is there."""
    for one in _naming(text, name, language):
        rest = one.replace(plain(name), " ")
        if not negative(rest, language) and real(rest, language):
            before = level(one, language).split(level(name, language))[0]
            near = before[-_NEAR_ZH:] if language is Language.ZH else before.split()[-_NEAR_EN:]
            if any(word in near for word in _HAVING[language]):
                return True
    return False


def denies(text: str, name: str, language: Language) -> bool:
    """Whether a clause says that a thing is not there, and says nothing else: `no fever`, not `no fever today`."""
    if not mentions(text, name, language):
        return False
    return any(_denies(one, name, language) for one in clauses(text, language) if mentions(one, name, language))


def _denies(clause: str, name: str, language: Language) -> bool:
    if language is Language.ZH:
        pattern = _DENIES_ZH.format(re.escape(level(name, language)))
        return re.search(pattern, level(clause, language)) is not None and real(clause, language)
    return negative(clause.replace(plain(name), " "), language) and only_besides(clause, name, language)


def only_besides(text: str, name: str, language: Language) -> bool:
    """Whether a text holds a name and nothing else of weight."""
    if not mentions(text, name, language):
        return False
    rest = level(text, language).replace(level(name, language), " ")
    return _FILLING_ZH.fullmatch(rest) is not None if language is Language.ZH else _FILLING_EN.issuperset(rest.split())


def own_words(entry: Entry) -> str:
    """What the record says of an entry."""
    return f"{entry.report}\n{entry.said}"


def tells(text: str, entry: Entry, language: Language) -> bool:
    """Whether a text has a number of the entry, or a word of it that is more than its name."""
    own = own_words(entry)
    if set(numbers(own)) & set(numbers(text)):
        return True
    names = {word for name in (entry.name, *entry.aliases) for word in content(name, language)}
    return bool((set(content(own, language)) - names) & set(content(text, language)))
