"""A thought turned into what it is not: denied, with another object, with another subject."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from osler.memory.tim.relations import says
from osler.memory.tim.thought import Thought
from osler.records.language import Language
from osler.words import plain

NEGATION = {
    Language.EN: re.compile(
        r"\b(?:not(?! only)|no(?! doubt)|nothing|nobody|never|without|den(?:y|ies|ied)|neither|nor|cannot|\w+n't|"
        r"free of|lacks?|none of|absence of|rul(?:es?|ed) out|excluded?s?)\b"
    ),
    Language.ZH: re.compile(
        r"否认|排除|没有|并无|未见|未|没(?!事|关系|错)|无(?!力|法|需)|并?非(?!常)|"
        r"不是|(?<![受吸看躺压睡吃止喘控说想记听走站动咽憋忍停退消得肿挪松差])不(?!舒服|适|仅|但|过(?!敏)|断|停|同|错|好|少|良|足|稳|止|久|全|明|如|管|论|是很)"
    ),
}
KIN = {
    Language.EN: re.compile(
        r"\b(?:mother|father|mum|mom|dad|sister|brother|grand\w+|uncle|aunt|parents?|family|relatives?|wife|husband)\b"
    ),
    Language.ZH: re.compile(
        r"妈妈|母亲|爸爸|父亲|姐姐|妹妹|哥哥|弟弟|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姑姑|家人|家属|家族|父母|丈夫|妻子"
    ),
}
SIDES = {
    Language.EN: (("left", "right"), ("upper", "lower"), ("inner", "outer"), ("front", "back")),
    Language.ZH: (("左", "右"), ("上", "下"), ("内", "外"), ("前", "后")),
}
"""A side belongs to the word after it."""
VALUES = {
    Language.EN: (("positive", "negative"), ("normal", "abnormal"), ("high", "low"), ("better", "worse")),
    Language.ZH: (("阳性", "阴性"), ("正常", "异常"), ("偏高", "偏低"), ("加重", "减轻"), ("升高", "降低")),
}
"""A value belongs to its subject."""


def perturb(thought: Thought, language: Language) -> tuple[str, str, str]:
    """The thought denied, with another object, and with another subject."""
    subject, relation, thing = thought.subject, spoken_relation(thought, language), thought.object
    other = _swapped(thing, language) or _OTHER[language].format(thing) if thing else ""
    swapped = _swapped(subject, language)
    whom = swapped or (_SOMEBODY if _is_person(subject, language) else _OTHER)[language].format(subject)
    opposite = turned(relation, language)
    return (
        joined((subject, opposite, thing), language),
        joined((subject, relation, other), language) if other else joined((subject, opposite), language),
        joined((whom, relation, thing), language),
    )


_OTHER = {Language.EN: "something other than {}", Language.ZH: "{}以外的"}
_SOMEBODY = {Language.EN: "somebody other than {}", Language.ZH: "{}以外的人"}
_PERSON = {Language.EN: re.compile(r"\b(?:patient|he|she|i|you)\b"), Language.ZH: re.compile(r"患者|病人|我|他|她")}
_DENIED_EN = (
    (
        r"\b(is|are|was|were|can|could|will|would|should|must) not\b|\b(is|are|was|were|could|would|should)n't\b",
        r"\1\2",
    ),
    (r"\b(?:does|do|did)(?: not|n't) have\b", "has"),
    (r"\b(?:does|do|did)(?: not|n't) (\w+(?:ss|sh|ch|x|o))\b", r"\1es"),
    (r"\b(?:does|do|did)(?: not|n't) (\w+)", r"\1s"),
    (r"\b(has|have|had)(?: not|n't)\b|\b(has|have|had) never\b", r"\1\2"),
    (r"\b(has|have|had) no\b", r"\1"),
    (r"\b(?:denies|denied|lacks|never|no|not|without)\b", "has"),
)
_AFFIRMED_EN = (
    (r"^(is|are|was|were|can|could|will|would|should|must)\b", r"\1 not"),
    (r"^(has|have|had) (?=\w+(?:ed|en)\b|been\b|got\b|done\b|gone\b|become\b|lost\b)", r"\1 not "),
    (r"^(?:has|have|had)\b", "does not have"),
    (r"^(\w+)ies\b", r"does not \1y"),
    (r"^(\w+(?:ss|sh|ch|x|o))es\b", r"does not \1"),
    (r"^(\w+?)s\b", r"does not \1"),
    (r"^(\w+)", r"not \1"),
)
_DENIED_ZH = (
    (r"^(?:没有|没|无|未见|否认|未|从不|从未|不|并无)(?=$)", "有"),
    (r"^(?:没有|没|未|从不|从未|不|无)(?=.)", ""),
    (r"^否认", "有"),
)
_AFFIRMED_ZH = (
    (r"^有(?=$)", "没有"),
    (r"^(?:为|是)$", "不是"),
    (r"^有", "没有"),
    (r"^(?=服|做|得|查|用过|出现)", "没有"),
    (r"^", "不"),
)


def spoken_relation(thought: Thought, language: Language) -> str:
    """The relation with the negation in its words, also where only the flag tells it."""
    if thought.negated and not NEGATION[language].search(plain(thought.relation)):
        return turned(thought.relation, language)
    return thought.relation


@lru_cache(maxsize=1024)
def turned(relation: str, language: Language) -> str:
    """The relation with the opposite polarity."""
    level = plain(relation).strip()
    english = language is Language.EN
    denies = NEGATION[language].search(level) is not None
    table = (_DENIED_EN if english else _DENIED_ZH) if denies else (_AFFIRMED_EN if english else _AFFIRMED_ZH)
    for pattern, instead in table:
        instead_of_it, count = re.subn(pattern, instead, level, count=1)
        if count:
            return instead_of_it
    return f"not {level}".strip() if english else f"不{level}"


def _swapped(text: str, language: Language) -> str:
    """The text with the first side or value turned round; empty when it has none."""
    level = plain(text)
    for pair in (*SIDES[language], *VALUES[language]):
        for this, that in (pair, pair[::-1]):
            if says(level, this) and not says(level, that):
                return re.sub(rf"\b{this}\b", that, level) if language is Language.EN else level.replace(this, that)
    return ""


def _is_person(subject: str, language: Language) -> bool:
    level = plain(subject)
    return bool(_PERSON[language].search(level) or KIN[language].search(level))


def joined(parts: Iterable[str], language: Language) -> str:
    """Parts of a sentence in a row, as the language writes them."""
    return (" " if language is Language.EN else "").join(part for part in parts if part)


def told(thought: Thought, language: Language) -> str:
    """The thought as one text."""
    return joined((thought.subject, spoken_relation(thought, language), thought.object), language)
