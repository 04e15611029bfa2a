"""What a yes or no means beside what is said after it, in both languages.

`Yes, weakness` to `any other symptoms, such as …?` affirms the weakness. `No, no swelling. … Yes, a rash.` neither
denies nor affirms the whole question.
"""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import content, words
from osler.memory.tim.extract.clauses import UNKNOWN, Question, Reading, Sketch
from osler.memory.tim.extract.english_words import ADVERBS, DEGREES, PASTS, PREPOSITIONS, PRONOUNS, THIRDS

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
_VAGUE = {
    Language.EN: frozenset(
        words("anything something medicine medicines drug food allergy allergies antibiotic pet", Language.EN)
    ),
    Language.ZH: frozenset({"药", "药物", "东西", "食物", "什么", "什么药", "药物过敏", "过敏", "抗生素"}),
}
"""What is asked for without a name, so that the name that follows a yes is the answer."""
_ITEMS = {
    Language.EN: re.compile(r",\s*(?:or |and )?|\bor\b|\band\b"),
    Language.ZH: re.compile(r"[、，或和]|以及|还是"),
}
_COLON = {Language.EN: ": ", Language.ZH: "："}
_HAS = {Language.EN: ("patient", "says", "has"), Language.ZH: ("患者", "说", "有")}
_ONE_NAME = {"allergic": "allergy"}
_ANY = frozenset(words("symptom history problem sign other recent new has had have takes does", Language.EN))
"""Words of a list that are none of its things."""
_HOW = PREPOSITIONS | ADVERBS | DEGREES | PRONOUNS | PASTS.keys() | THIRDS.keys()
_NAME = 8
"""Characters of a Chinese name of a symptom."""
_MANNER = re.compile(
    r"^(?:偶尔|经常|有时|一点|有点|很|挺|特别|就|只|在|从|当|每|夜里|晚上|早上|白天|比较|大概|差不多|\d|[穿窜串连]|放射|牵扯|[^，]{0,3}到)"
)


def repeated(made: list[Sketch], reading: Reading, language: Language) -> None:
    """Drop a bare yes or no when the clause after it says the same in full: `No, he has no asthma`."""
    answer, question = reading.last, reading.question
    if not answer or not answer.answer:
        return
    asked, said = _asked(question, language), _told(made, language)
    same = made[0].negated == answer.negated
    if language is Language.EN and same and answer.negated and _is_narrowed(said, question, language):
        # `No, no fever` to a list denies the fever, and `No, I never smoked` nothing that was drunk.
        reading.sketches.pop()
        return
    # A no denies all that was asked, so that only a clause that names all of it can stand for it.
    enough = len(asked) if answer.negated else len(asked) / 2
    part = answer.negated and said < asked and not others(question.object, language)
    if same and part and not made[0].reported:
        answer.hear(reading.mark.join(sketch.sentence for sketch in made), reading.mark)
        made.clear()
        return
    vague = not answer.negated and _unnamed(question.object, language)
    # `picks` comes first: it makes a bare name what the patient has.
    if picks(made[0], answer, reading, language) or vague or (same and asked and len(asked & said) >= enough):
        reading.sketches.pop()
    elif not answer.negated:
        return
    heard = answer.sentence.removeprefix(f"{question.topic}{_COLON[language]}")
    made[0].sentence = f"{heard}{reading.mark}{made[0].sentence}"


def _is_narrowed(said: set[str], question: Question, language: Language) -> bool:
    """Whether a denial names some of the things of a list and leaves others out.

    Where two questions were asked in one, it may name none of them and answer the other.
    """
    items = [weighty(language, item) - _ANY for item in _ITEMS[language].split(f"{question.yes} {question.object}")]
    named = [bool(item & said) for item in items if item]
    return len(named) > 1 and not all(named) and (any(named) or question.value == "says")


def _asked(question: Question, language: Language) -> set[str]:
    """The words that a full answer names; in Chinese without the relation, which a sentence words in many ways."""
    if language is Language.ZH:
        return weighty(language, question.subject, question.object)
    return weighty(language, question.subject, question.yes, question.object)


def _told(made: list[Sketch], language: Language) -> set[str]:
    """The words that were said; Chinese ones are read off the sentence, since a triple cuts them otherwise."""
    if language is Language.ZH:
        return {word for sketch in made for word in content(sketch.sentence, language)}
    return {word for sketch in made for word in weighty(language, sketch.subject, sketch.relation, sketch.object)}


def _unnamed(asked: str, language: Language) -> bool:
    """Whether the question named nothing: `any medicine?`."""
    if language is Language.ZH:
        return asked in _VAGUE[language]
    return bool(asked) and set(content(asked, language)) <= _VAGUE[language]


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
    if language is Language.EN or len(made.object) <= _NAME:
        made.relation = has  # a longer one is a clause of its own
    return True


def _says_how(text: str, language: Language) -> bool:
    """Whether the words name nothing, and only say how much, how often or when."""
    if language is Language.ZH:
        return _MANNER.match(text) is not None or text.endswith(("了", "着"))
    return text.split()[0].lower() in _HOW


def weighty(language: Language, *parts: str) -> set[str]:
    """The words that carry meaning, but for the patient; an allergy by one name."""
    named = {_ONE_NAME.get(word, word) for word in content(" ".join(parts), language)}
    return named - {_HAS[language][0], "known"}


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
