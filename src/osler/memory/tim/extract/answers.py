"""What a yes or no means when a question asks for several things, in both languages.

`Yes, weakness` to `any other symptoms, such as …?` affirms the weakness. `No, no swelling. … Yes, a rash.` neither
denies nor affirms the whole question.
"""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import UNKNOWN, Reading, Sketch
from osler.memory.tim.extract.english_words import ADVERBS, DEGREES, PREPOSITIONS
from osler.records.language import Language
from osler.words import content

_SEVERAL = {
    Language.EN: re.compile(
        r"^complaint$|,|\bor\b|\band\b|^other\b|\belse\b|\b(?:symptoms|illnesses|conditions|diseases|operations|problems|findings)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"^症状$|[、，或和]|以及|别的|其他|其它|另外|症状|哪些|疾病"),
}
_OTHERS = {
    Language.EN: re.compile(r"(?:other|different|new|additional|more|further)\b", re.IGNORECASE),
    Language.ZH: re.compile(r"(?:别的|其他|其它|另外|另有|更多)"),
}
_HAS = {Language.EN: ("patient", "says", "has"), Language.ZH: ("患者", "说", "有")}
_MANNER = re.compile(
    r"^(?:偶尔|经常|有时|一点|有点|很|挺|特别|就|只|在|从|当|每|夜里|晚上|早上|白天|比较|大概|差不多|\d)"
)


def several(asked: str, language: Language) -> bool:
    """Whether a yes or no is about more than one thing, or about things that were not named."""
    return _SEVERAL[language].search(asked) is not None


def others(asked: str, language: Language) -> bool:
    """Whether the question is for whatever else there is."""
    return _OTHERS[language].match(asked) is not None


def picks(made: Sketch, answer: Sketch, reading: Reading, language: Language) -> bool:
    """Whether what follows a yes or no is all it means: `Yes, weakness` to several things, a later `No, no rash`."""
    if made.negated != answer.negated or made.certainty == UNKNOWN:
        return False
    if answer.negated:
        return len(reading.sketches) > 1
    asked = reading.question.object
    if not several(asked, language):
        return False
    patient, says, has = _HAS[language]
    if made.subject != patient or made.relation != says:
        return made.subject == patient or others(asked, language)
    if not weighty(language, made.object) or _says_how(made.object, language):
        return False
    made.relation = has
    return True


def _says_how(text: str, language: Language) -> bool:
    """Whether the words name nothing, and only say how much, how often or when."""
    if language is Language.ZH:
        return _MANNER.match(text) is not None or text.endswith(("了", "着"))
    return text.split()[0].lower() in PREPOSITIONS | ADVERBS | DEGREES


def weighty(language: Language, *parts: str) -> set[str]:
    """The words that carry meaning, but for the patient."""
    return set(content(" ".join(parts), language)) - {_HAS[language][0]}


def settled(sketches: list[Sketch], mark: str, language: Language) -> list[Sketch]:
    """A yes or no to `A or B?` is taken back when the reply then tells them apart, or says both yes and no."""
    both = {sketch.negated for sketch in sketches if sketch.answer} == {True, False}
    kept: list[Sketch] = []
    for place, sketch in enumerate(sketches):
        later = sketches[place + 1 :]
        open_ = sketch.answer and several(sketch.object, language)
        heir = next(iter(later), None) or (kept[-1] if kept else None)
        if open_ and heir and (both or _told_apart(sketch, later, language)):
            heir.sentence = f"{sketch.sentence}{mark}{heir.sentence}"
        else:
            kept.append(sketch)
    return kept


def _told_apart(answer: Sketch, later: list[Sketch], language: Language) -> bool:
    """Whether what follows a yes denies something, or what follows a no has a part of what was asked."""
    if not answer.negated:
        return any(other.negated for other in later)
    there = [other for other in later if not other.negated and other.certainty == 1.0]
    asked = weighty(language, answer.object)
    shared = any(asked & weighty(language, other.object) for other in there)
    return shared or bool(others(answer.object, language) and there)
