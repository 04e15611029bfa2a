"""What a patient's reply tells beyond what it was given: the diagnosis, numbers and things from nowhere."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.agents.guards.given import figures, given
from osler.agents.guards.grounding import invented
from osler.agents.lexicon.qualities import ALL_RESULTS
from osler.agents.lexicon.spoken import called_by_name, opened_up, touched_on
from osler.agents.participant import Selection
from osler.records.language import Language
from osler.records.schema import RESULTS, Diagnosis
from osler.words import content, numbers, plain, sentences

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
_EVERYDAY = frozenset(
    {"worries", "own-idea-of-cause", "expectations", "daily-activities", "onset", "course", "duration", "triggers"}
)


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


def _mentions(level: str, name: str, language: Language) -> bool:
    if language is Language.ZH:
        return name in level
    return name in level and re.search(rf"\b{re.escape(name)}\b", level) is not None
