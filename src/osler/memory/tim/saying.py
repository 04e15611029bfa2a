"""What a draft says to be so and not to be so, clause by clause; what it only asks, plans or advises is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from osler.memory.tim.perturb import KIN, NEGATION
from osler.memory.tim.terms import canonical, terms_of
from osler.records.language import Language
from osler.words import sentences

TIME = "time"
"""The kind of every length of time, and the mark of an age."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that has one polarity."""

    sentence: str
    text: str
    affirmed: str
    """What it says to be so."""
    denied: tuple[str, ...]
    """What it says not to be so, each alternative with what stands before the negation."""
    gives: bool
    """Whether a treatment is given in it."""
    real: bool
    """Whether it says how things are; a plan, a condition and advice do not."""
    kin: frozenset[str]
    marks: frozenset[str]
    """What it has in common with whatever it may be about; see `marks_of`."""


_AFTERWARDS = {
    Language.EN: re.compile(
        r"\b(?:is|are|was|were|has been|have been) (?:absent|not (?:present|there|found|seen|detected)|ruled out|"
        r"excluded|denied)\b"
    ),
    Language.ZH: re.compile(r"(?:均|都|已)?(?:没有|无|不存在|被?排除了?)$"),
}
_LASTS_ON = {
    Language.EN: re.compile(
        r"(?:\bnot|n't|\bno)\b.{0,14}\b(?:gone|resolv\w+|improv\w+|settl\w+|stopp?\w*|better|worse\w*|"
        r"come down|chang\w+|relie\w+|clear\w*)\b"
    ),
    Language.ZH: re.compile(r"(?:没有?|未|不)(?:见|再)?(?:明显)?(?:退|消|好转|缓解|减轻|改善|停|变|加重|变化)"),
}
"""A thing that has not gone is there."""
_OF_SOMETHING_ELSE = {
    Language.EN: re.compile(
        r"\bno (?:reason|cause|explanation|need|point|idea|danger|harm|wonder)\b"
        r"|\bnot (?:because|due|from|sure|certain|know)\b|\b(?:has|have) (?:gone|resolved|settled|stopped|cleared)\b"
    ),
    Language.ZH: re.compile(
        r"不(?:清楚|确定|知道|明确|支持|像|太像|考虑|符合)|没有?(?:必要|原因|关系)|(?:已经?)(?:退|消|好)了"
    ),
}
"""Negations that leave open whether the thing is there."""
_UNREAL = {
    Language.EN: re.compile(
        r"\b(?:if|unless|whether|should|must|may|might|could|would|can|will|shall|let's|avoid|prevent\w*|"
        r"watch(?: out)? for|in case|risk of|once|aim\w*|target|goal|keep|below|normal(?:ly)? (?:is|range)|stop)\b"
        r"|^(?:please |then |and )*(?:do not|don't|never|take|start|give|stop|continue|avoid|come|return|use)\b"
    ),
    Language.ZH: re.compile(
        r"如果|要是|若|假如|万一|一旦|除非|是否|可能|也许|应该|建议|避免|预防|防止|以免|注意|不要|别(?!的)|不能|不可|不宜|停用|停止|停服|"
        r"将|会(?!议)|目标|控制在|以下|风险|请(?!问)"
    ),
}
_GIVES = {
    Language.EN: re.compile(
        r"\b(?:give|start|prescribe|take|begin|treat\w* with|treatment\W|put you on|continue|inject|receive)\b"
    ),
    Language.ZH: re.compile(r"给予|给您|给你|予|开(?!始|车)|服用|口服|静滴|静脉|输|治疗[:为用]|使用|用(?!力)"),
}
_CLAUSE = {
    Language.EN: re.compile(
        r"[,;:.!?()]+(?:\s+|$)|\b(?:but|because|since|although|though|while|whereas|so|"
        r"which|that|however|therefore|given|as(?= (?:you|your|there|it|the)\b))\b"
        r"|\band (?=(?:no|not|without|you|your|have|has|had|the|there|it|i|we|is|are|take|do)\b)"
    ),
    Language.ZH: re.compile(
        r"[，；：。！？,;:!?（）()]+|但是?|因为|由于|所以|因此|虽然|而且|不过(?!敏)|既然|而(?=[没不无])"
    ),
}
_OPEN_QUESTION = {
    Language.EN: re.compile(
        r"^(?:and |so |then )*(?:how (?:long|high|bad|often|severe|many|much)|when|where|since when)\b"
    ),
    Language.ZH: re.compile(r"多久|多长时间|什么时候|何时|多少度|几度|多高|多严重|多厉害|几次"),
}
"""Questions that take the thing they ask about for granted."""
_POLAR = re.compile(
    r"^(?:and |so |then )*(?:do|does|did|have you|has|is|are|was|were|can|could|any|what|which|who|why|tell me|would)\b"
)
ALTERNATIVE = {
    Language.EN: re.compile(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*"),
    Language.ZH: re.compile(r"[、，或和及与]|以及|还是"),
}
OLD = re.compile(r"\b(?:years? old|year-old|aged?)\b|岁|年龄")


def clauses_of(draft: str, language: Language) -> list[Clause]:
    """What the draft says to be so; what it asks is left out, but not what a question takes for granted."""
    found: list[Clause] = []
    for sentence in sentences(draft, language):
        asks = sentence.rstrip().endswith(("?", "？"))
        parts = [
            part.strip() for part in _CLAUSE[language].split(canonical(sentence, language)) if part and part.strip()
        ]
        for place, part in enumerate(parts):
            asked = (asks and place == len(parts) - 1) or bool(_POLAR.search(part))
            if not asked or _OPEN_QUESTION[language].search(part):
                found.append(_clause(sentence, part, language))
    return found


def _clause(sentence: str, part: str, language: Language) -> Clause:
    affirmed, denied = _sides(part, language)
    return Clause(
        sentence=sentence,
        text=part,
        affirmed=affirmed,
        denied=denied,
        gives=_GIVES[language].search(part) is not None,
        real=_UNREAL[language].search(part) is None,
        kin=frozenset(KIN[language].findall(part)),
        marks=marks_of(part, language),
    )


def _sides(part: str, language: Language) -> tuple[str, tuple[str, ...]]:
    """What a clause affirms and what it denies."""
    negation, after = NEGATION[language].search(part), _AFTERWARDS[language].search(part)
    if negation and _LASTS_ON[language].search(part):
        return part[: negation.start()], ()
    if _OF_SOMETHING_ELSE[language].search(part):
        return "", ()
    if after and after.start():
        return "", tuple(ALTERNATIVE[language].split(part[: after.start()]))
    if not negation:
        return part, ()
    before, behind = part[: negation.start()], part[negation.end() :]
    return "", tuple(f"{before} {one}" for one in ALTERNATIVE[language].split(behind))


def marks_of(text: str, language: Language) -> frozenset[str]:
    """Beginnings of words, in Chinese characters: texts that share none have no word in common, in whatever form."""
    terms = terms_of(text, language)
    marks = frozenset("".join(terms)) if language is Language.ZH else frozenset(term[:4] for term in terms)
    return marks | {TIME} if OLD.search(text) else marks
