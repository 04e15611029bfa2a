"""Read which whole categories of a record a question asks for: "what medicines do you take?", "any other illnesses?".

A question asks for a category if all it says is what the category is called, with words that narrow nothing down
(`cues/LANGUAGE/categories.txt`), or if it most likely means that and names no single thing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues, groups, pattern
from osler.language.lexicon.concept_model import likely
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
_NAME, _PART = 2, 1
"""What a name and a part count towards a category, which takes as much as a name."""
_LONGEST = {Language.EN: 5, Language.ZH: 8}
"""Words, and characters, of the longest phrase."""
_UNIT = {Language.EN: re.compile("[a-z0-9]+"), Language.ZH: re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")}
_JOINER = {Language.EN: " ", Language.ZH: ""}


@dataclass(frozen=True)
class _CategoryWords:
    """What a question for one category may say."""

    names: frozenset[str]
    counted: Mapping[str, int]
    """All its phrases, each with what it counts towards the category: nothing for a word that narrows nothing down."""

    def covers(self, units: Sequence[str], language: Language) -> bool:
        """Check whether the phrases make up the whole text and count enough."""
        most = [0] + [-1] * len(units)
        for start, counted in enumerate(most):
            if counted < 0:
                continue
            for end in range(start + 1, min(start + _LONGEST[language], len(units)) + 1):
                worth = self.counted.get(_JOINER[language].join(units[start:end]))
                if worth is not None:
                    most[end] = max(most[end], counted + worth)
        return most[-1] >= _NAME


@lru_cache(maxsize=1024)
def categories_asked(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> frozenset[str]:
    """Return the categories of a record that a question asks for as a whole, by their values in the schema."""
    found = frozenset(category for part in _asked_parts(text, language) for category in _by_words(part, language))
    found = found or _by_meaning(text, language)
    if about_another(text, language, speaker):
        found = frozenset("family_history" if category in _OF_RELATIVES else category for category in found)
        return found & OF_OTHERS
    if names_family(text, language):
        found = frozenset("family_history" if category in _OF_RELATIVES else category for category in found)
    if "medication_history" in found and likely(text, language).get(_NO_MEDICINES, 0.0) >= _LIKELY:
        return found - {"medication_history"}
    return found


def _asked_parts(text: str, language: Language) -> Iterator[str]:
    """The questions of a text, without examples and exceptions; a statement between them is none."""
    parts = sentences(text.replace("’", "'"), language)
    for part in [part for part in parts if part.rstrip().endswith(("?", "？"))] or parts[-1:]:
        yield _left_out(language).sub(" ", part)


def _by_words(sentence: str, language: Language) -> frozenset[str]:
    """Return what a sentence asks for as a whole, or what each part of its list does."""
    whole = _covered(sentence, language)
    parts = [part for part in _joint(language).split(sentence) if _units(part, language)]
    if len(parts) < 2:
        return whole
    by_part = {part: _covered(part, language) for part in parts}
    if not all(by_part.values()):
        # "Is it better with rest or tablets?" is no question for the tablets; "…, or any other illness?" is one.
        by_part = {part: found for part, found in by_part.items() if _is_general(part, language)}
    return whole.union(*by_part.values())


def _covered(text: str, language: Language) -> frozenset[str]:
    units = _units(text, language)
    joined = _JOINER[language].join(units)
    return frozenset(
        category
        for category, words in _vocabulary(language).items()
        if any(name in joined for name in words.names) and words.covers(units, language)
    )


def _by_meaning(text: str, language: Language) -> frozenset[str]:
    """Return the category that a question most likely means, if it names no single thing of it."""
    meaning = likely(text, language)
    found = [category for category, concept in _MEANINGS.items() if reaches(meaning.get(concept, 0.0), _LIKELY)]
    if not found or drugs_in(text):
        return frozenset()
    named = things(text, language) - frozenset(_MEANINGS.values())
    return frozenset() if any(_NARROW.search(concept) for concept in named) else frozenset(found)


def _units(text: str, language: Language) -> list[str]:
    return _UNIT[language].findall(plain(text))


def _is_general(text: str, language: Language) -> bool:
    return _general(language).search(text) is not None


@cache
def _general(language: Language) -> re.Pattern[str]:
    return re.compile(any_of(groups("categories", language)["general words"], language), re.IGNORECASE)


@cache
def _joint(language: Language) -> re.Pattern[str]:
    return re.compile(rf"[,;，；]|{pattern('joints', language)}", re.IGNORECASE)


@cache
def _left_out(language: Language) -> re.Pattern[str]:
    """Finds examples and what a question says it does not ask for: "such as asthma", "apart from the warfarin"."""
    examples, exception = any_of(cues("examples", language), language), pattern("exception", language)
    if language is Language.EN:
        return re.compile(rf"(?:{examples}).*|{exception}[^,?]*", re.IGNORECASE)
    return re.compile(rf"[，,]?{examples}.*|^[^，,]*、.*等(?=.*\w)|除[了开]?[^，,？?还]+?(?=[，,还])")


@cache
def _vocabulary(language: Language) -> dict[str, _CategoryWords]:
    """The phrases of each category, from the cue file."""
    listed = groups("categories", language)
    small = dict.fromkeys((*listed[""], *cues("relatives", language)), 0)
    made = {}
    for category in (name for name in listed if name and " " not in name):
        names, parts = listed[category], listed.get(f"{category} parts", ())
        counted = small | dict.fromkeys(listed.get(f"{category} words", ()), 0)
        counted |= dict.fromkeys(parts, _PART) | dict.fromkeys(names, _NAME)
        made[category] = _CategoryWords(frozenset((*names, *parts)), counted)
    return made
