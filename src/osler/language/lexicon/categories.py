"""Read which whole parts of a record a question asks for: "what medicines do you take?".

A part is a category, or the symptoms: the chief one, or the others. A question asks for a part if
all it says is what the part is called, with words that narrow nothing down
(`cues/LANGUAGE/categories.txt`), or if it most likely means a category and names no single thing of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues, groups, pattern
from osler.language.lexicon.concept_model import TALK, likely_concepts
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import things
from osler.language.questions import about_another, names_family
from osler.language.words import plain, sentences
from osler.ranking import reaches

_LIKELY = 0.5
_MEANINGS = {
    "medication_history": "medicines",
    "medical_history": "past-illnesses",
    "allergy": "drug-allergy",
    "surgical_history": "operations",
    "family_history": "family-illnesses",
    "concern": "worries",
}
"""For each category the concept that means all of it, if the concept is as likely as `_LIKELY`."""
_NARROW = re.compile(r"-(?:history|tablets|allergy)$")
"""Concepts that are a single illness, kind of medicine or allergy."""
_NO_MEDICINES = "recreational-drugs"
"""What "drugs" may mean besides medicines."""
OF_OTHERS = frozenset({"family_history", "birth_history", "marital_childbearing", "concern"})
"""Categories that are about somebody other than the patient."""
_OF_RELATIVES = frozenset({"medical_history", "allergy", "surgical_history"})
"""Categories that are the family history if the question is about relatives."""
CHIEF, OTHERS = "chief", "others"
"""The parts that are symptoms: what brings the patient, and what came along with it."""
_ALL_TESTS = frozenset({"test", "examination"})
"""Categories of which a question for tests of any kind asks for both, and for those before an
operation."""
_BEFORE_OPERATION = "preoperative_test"
_NAME, _PART = 2, 1
"""What a name and a part count towards a category, which takes as much as a name."""
_LONGEST = {Language.EN: 5, Language.ZH: 8}
"""Words, and characters, of the longest phrase."""
_UNIT = {
    Language.EN: re.compile("[a-z0-9]+"),
    Language.ZH: re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]"),
}
_JOINER = {Language.EN: " ", Language.ZH: ""}
_HE_OR_SHE = {
    Language.EN: re.compile(r"\b(?:he|she|his|her|him|hers)\b", re.IGNORECASE),
    Language.ZH: re.compile("(?<!其)[他她]"),
}
"""Finds somebody other than a patient who speaks for themselves; "they" may be doctors."""
_A_NOT_A = re.compile(r"([\u4e00-\u9fff])[没不]\1")
"""Finds how Chinese asks whether: 抽不抽烟, 做没做过."""
_WITHIN_VERB = re.compile(r"(?<=[\u4e00-\u9fff])(?:过|了|着|一下|几次|几个)+(?=[\u4e00-\u9fff])")
"""Finds what Chinese puts between a verb and its object: 抽过血, 检查一下身体, 怀过几次孕."""


@dataclass(frozen=True)
class _Phrases:
    """What a question for one part of the record may say."""

    names: frozenset[str]
    counted: Mapping[str, int]
    """All its phrases, each with what it counts towards the part.

    A word that narrows nothing down counts nothing.
    """

    def cover(self, units: Sequence[str], language: Language) -> int:
        """Return what the phrases that make up a text count at most; -1 if none make it up."""
        # For each position what the phrases up to it count at most; -1 where no phrase ends.
        most = [0] + [-1] * len(units)
        for start, counted in enumerate(most):
            if counted < 0:
                continue
            longest = min(start + _LONGEST[language], len(units))
            for end in range(start + 1, longest + 1):
                phrase = _JOINER[language].join(units[start:end])
                if phrase in self.counted:
                    most[end] = max(most[end], counted + self.counted[phrase])
        return most[-1]


class _Vocabulary(NamedTuple):
    """The phrases of one part of the record."""

    anywhere: _Phrases
    """For one of several things that a question asks for."""
    alone: _Phrases
    """For a question that asks for nothing else: "what did they find?" may ask for all tests, but
    not after a question for the knee."""


def categories_asked(
    text: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> frozenset[str]:
    """Return the categories that a question asks for as a whole, by their values in the schema."""
    return parts_asked(text, language, speaker) - {CHIEF, OTHERS}


@lru_cache(maxsize=1024)
def parts_asked(
    text: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> frozenset[str]:
    """Return the categories that a question asks for as a whole, and `CHIEF` and `OTHERS`."""
    parts = frozenset[str]()
    is_alone = _stands_alone(text, language, speaker)
    for sentence in _questions(text, language):
        parts |= _by_words(sentence, language, is_alone=is_alone)
    parts = parts or _by_meaning(text, language)
    if parts >= _ALL_TESTS:
        parts |= {_BEFORE_OPERATION}
    if about_another(text, language, speaker):
        return _of_relatives(parts) & OF_OTHERS
    if names_family(text, language):
        parts = _of_relatives(parts)
    other_drugs = likely_concepts(text, language).get(_NO_MEDICINES, 0.0)
    if "medication_history" in parts and other_drugs >= _LIKELY:
        return parts - {"medication_history"}
    return parts


def _of_relatives(categories: frozenset[str]) -> frozenset[str]:
    """Return what these categories are if the question is about relatives."""
    if categories.isdisjoint(_OF_RELATIVES):
        return categories
    return (categories - _OF_RELATIVES) | {"family_history"}


def _questions(text: str, language: Language) -> Iterator[str]:
    """The questions of a text, without examples and exceptions."""
    all_sentences = sentences(text.replace("’", "'"), language)
    marked = [sentence for sentence in all_sentences if _is_marked(sentence)]
    for question in marked or all_sentences[-1:]:
        yield _left_out(language).sub(" ", question)


def _is_marked(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？"))


def _stands_alone(text: str, language: Language, speaker: Speaker) -> bool:
    """Check whether a text asks for nothing but whole parts of the patient's record.

    It matters only for a text that has a name which counts alone.
    """
    if not _has_name_alone(text, language):
        return False
    if speaker is Speaker.PATIENT and _HE_OR_SHE[language].search(text):
        return False
    for sentence in sentences(text.replace("’", "'"), language)[:-1]:
        if not _is_marked(sentence) and not _is_talk(sentence, language):
            return False
    for question in _questions(text, language):
        listed = [question] if _fits(question, language) else _list_of(question, language)
        if not all(_fits(part, language) for part in listed):
            return False
    return True


def _has_name_alone(text: str, language: Language) -> bool:
    for written in _as_written(text, language):
        joined = _JOINER[language].join(_units(written, language))
        if any(name in joined for name in _names_alone(language)):
            return True
    return False


def _is_talk(sentence: str, language: Language) -> bool:
    """Check whether a sentence greets or reassures, and so is about nothing."""
    shares = likely_concepts(sentence, language)
    talk = sum(share for concept, share in shares.items() if concept in TALK)
    return reaches(talk, _LIKELY) or _fits(sentence, language)


def _fits(text: str, language: Language) -> bool:
    """Check whether a text says nothing that a question for some part of the record may not."""
    for written in _as_written(text, language):
        units = _units(written, language)
        for vocabulary in _vocabularies(language).values():
            if vocabulary.alone.cover(units, language) >= 0:
                return True
    return False


def _list_of(sentence: str, language: Language) -> list[str]:
    return [part for part in _joint(language).split(sentence) if _units(part, language)]


def _by_words(sentence: str, language: Language, *, is_alone: bool) -> frozenset[str]:
    """Return what a sentence asks for as a whole, or what each part of its list does."""
    whole = _covered(sentence, language, is_alone=is_alone)
    listed = _list_of(sentence, language)
    if len(listed) < 2:
        return whole
    by_part = {part: _covered(part, language, is_alone=is_alone) for part in listed}
    if not all(by_part.values()):
        # "Is it better with rest or tablets?" is no question for the tablets; "…, or any other
        # illness?" is one.
        by_part = {part: by_part[part] for part in by_part if _general(language).search(part)}
    return whole.union(*by_part.values())


def _covered(text: str, language: Language, *, is_alone: bool) -> frozenset[str]:
    """Return the parts of the record whose phrases make up a whole text."""
    covered = set[str]()
    for written in _as_written(text, language):
        covered |= _covered_as_written(written, language, is_alone=is_alone)
    if CHIEF in covered:
        covered.remove(CHIEF)
        # "Anything else wrong?" asks for the symptoms beside the chief one.
        if _others(language).search(text):
            covered.add(OTHERS)
        elif is_alone:
            covered.add(CHIEF)
    return frozenset(covered)


def _as_written(text: str, language: Language) -> tuple[str, ...]:
    """Return a text, and in Chinese also its verbs without what stands within them."""
    if language is Language.EN:
        return (text,)
    without_infixes = _WITHIN_VERB.sub("", _A_NOT_A.sub(r"\1", text))
    return (text,) if without_infixes == text else (text, without_infixes)


def _covered_as_written(text: str, language: Language, *, is_alone: bool) -> set[str]:
    units = _units(text, language)
    joined = _JOINER[language].join(units)
    covered = set()
    for part, vocabulary in _vocabularies(language).items():
        phrases = vocabulary.alone if is_alone else vocabulary.anywhere
        # The quick check first: nearly no text has a name of the part.
        has_name = any(name in joined for name in phrases.names)
        if has_name and phrases.cover(units, language) >= _NAME:
            covered.add(part)
    return covered


def _by_meaning(text: str, language: Language) -> frozenset[str]:
    """Return the category that a question most likely means, if it names no single thing of it."""
    shares = likely_concepts(text, language)
    categories = frozenset(
        category
        for category, concept in _MEANINGS.items()
        if reaches(shares.get(concept, 0.0), _LIKELY)
    )
    if not categories or drugs_in(text):
        return frozenset()
    single_things = things(text, language) - frozenset(_MEANINGS.values())
    if any(_NARROW.search(concept) for concept in single_things):
        return frozenset()
    return categories


def _units(text: str, language: Language) -> list[str]:
    return _UNIT[language].findall(plain(text))


@cache
def _general(language: Language) -> re.Pattern[str]:
    general_words = groups("categories", language)["general words"]
    return re.compile(any_of(general_words, language), re.IGNORECASE)


@cache
def _others(language: Language) -> re.Pattern[str]:
    other_words = groups("categories", language)["other words"]
    return re.compile(any_of(other_words, language), re.IGNORECASE)


@cache
def _joint(language: Language) -> re.Pattern[str]:
    return re.compile(rf"[,;，；]|{pattern('joints', language)}", re.IGNORECASE)


@cache
def _left_out(language: Language) -> re.Pattern[str]:
    """Finds what a question does not ask for: "such as asthma", "apart from the warfarin"."""
    examples = pattern("examples", language)
    exception = pattern("exception", language)
    if language is Language.EN:
        return re.compile(rf"(?:{examples}).*|{exception}[^,?]*", re.IGNORECASE)
    return re.compile(
        rf"[，,]?{examples}.*|^[^，,]*、.*等(?=.*\w)|除[了开]?[^，,？?还]+?(?=[，,还])"
    )


@cache
def _names_alone(language: Language) -> frozenset[str]:
    """The names that only count alone."""
    listed = groups("categories", language)
    names = set(listed[CHIEF])
    for group in listed:
        if group.endswith(" alone"):
            names.update(listed[group])
    return frozenset(names)


@cache
def _vocabularies(language: Language) -> dict[str, _Vocabulary]:
    """The phrases of each part of the record, from the cue file."""
    listed = groups("categories", language)
    small = dict.fromkeys((*listed[""], *cues("relatives", language)), 0)
    vocabularies = {}
    # A group with a blank in its name ("allergy parts") adds to a part of the record.
    for part in [name for name in listed if name and " " not in name]:
        names, alone = listed[part], listed.get(f"{part} alone", ())
        kinds_of = listed.get(f"{part} parts", ())
        words = (*listed.get(f"{part} words", ()), *alone)
        # From the least to the most, as the later ones replace the earlier.
        counted = small | dict.fromkeys(words, 0)
        counted |= dict.fromkeys(kinds_of, _PART)
        counted |= dict.fromkeys(names, _NAME)
        named = frozenset((*names, *kinds_of))
        vocabularies[part] = _Vocabulary(
            _Phrases(named, counted),
            _Phrases(named.union(alone), counted | dict.fromkeys(alone, _NAME)),
        )
    return vocabularies
