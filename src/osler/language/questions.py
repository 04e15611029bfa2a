"""Read a doctor's question: what it asks about, and what kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues, finder, groups, pattern
from osler.language.reader import thing
from osler.language.relatives import relative_asked_about, relative_at_start
from osler.language.segments import EDGE, segments
from osler.language.times_and_values import time_finder
from osler.language.words import sentences

_A_NOT_A = r"(.)[不没]\1"
"""How Chinese asks: "疼不疼", "吐没吐", "有没有"."""
_EXPECTS_NO = {
    Language.EN: re.compile(r"^\W*(?:(?:and|so|but|you|he|she|it|there)\W+)*(?:no|not|never|\w+n't)\b", re.IGNORECASE),
    Language.ZH: re.compile("[没不].*吧"),
}
"""Finds a question that expects a no."""


class AnswerWanted(StrEnum):
    """The kind of answer a question wants."""

    YES_OR_NO = "yes or no"
    CHOICE = "one of several"
    WHEN = "when"
    VALUE = "value"
    WHERE = "where"
    WHO = "who"
    WHAT = "what"


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """One question of a doctor's turn."""

    asks: AnswerWanted
    topics: tuple[str, ...]
    """What it asks about, each in its own words; of a choice, what there is to choose from."""
    whose: str = ""
    """The relative it asks about; empty for the patient."""
    when: str = ""
    is_negated: bool = False
    """Whether it expects that something is not so: "No fever?"."""

    @property
    def topic(self) -> str:
        """What it is about, in one phrase."""
        return self.topics[0] if self.topics else ""


@lru_cache(maxsize=1024)
def read_questions(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> tuple[ReadQuestion, ...]:
    """The questions of a text; a statement between them is none."""
    parts = sentences(text.replace("’", "'"), language)
    asked = [part for part in parts if part.rstrip().endswith(("?", "？"))] or parts[-1:]
    return tuple(question for sentence in asked for question in _questions_of(sentence, language, speaker))


def _questions_of(sentence: str, language: Language, speaker: Speaker) -> Iterator[ReadQuestion]:
    """The questions of a sentence. In Chinese the second one drops its subject where it is that of the first."""
    whose = ""
    for part in _each(sentence, language):
        question = _question(part, language, speaker)
        names_nobody = not any(finder(kind, language).search(part) for kind in ("relatives", "the_patient", "yourself"))
        if language is Language.ZH and not question.whose and names_nobody and not re.search("[您你]", part):
            question = replace(question, whose=whose)
        whose = question.whose
        yield question


def about_another(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> bool:
    """Check whether a text only asks about a relative of the patient: "does your husband smoke?"."""
    asked = read_questions(text, language, speaker)
    return bool(asked) and all(one.whose for one in asked)


def names_family(text: str, language: Language) -> bool:
    """Check whether a text speaks of the family."""
    return finder("family", language).search(text) is not None


def _each(sentence: str, language: Language) -> list[str]:
    """A sentence with two questions ("When did it start, and does it hurt?") as two."""
    if language is Language.ZH:
        parts = [part for part in re.split("[，,](?=.*[？?])", sentence) if part.strip(EDGE)]
        own = [part for part in parts if _is_asked(part, language)]
        return own if len(own) > 1 and len(own) == len(parts) else [sentence]
    return [part for part in _next_question().split(sentence) if part.strip(EDGE)]


@cache
def _next_question() -> re.Pattern[str]:
    """Finds what joins two English questions."""
    english = Language.EN
    opened = any_of(
        (*cues("question_words", english), "do you", "does it", "have you", "are you", "is it", "did you"), english
    )
    return re.compile(rf",?\s+and\s+(?={opened})", re.IGNORECASE)


def _is_asked(part: str, language: Language) -> bool:
    return bool(finder("question_words", language).search(part) or re.search(f"吗|是不是|是否|{_A_NOT_A}|还是", part))


def _question(text: str, language: Language, speaker: Speaker) -> ReadQuestion:
    whose = relative_asked_about(text, speaker, language)
    asks = _asks(text, language)
    time = time_finder(language).search(text) if asks is not AnswerWanted.WHEN else None
    bare = text
    if asks not in (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE):
        bare = _question_word(language).sub(" ", text)
    if time:
        bare = bare.replace(time[0], " ")
    when = time[0].strip(EDGE) if time else ""
    if whose:
        bare = re.sub(re.escape(whose), " ", bare, flags=re.IGNORECASE)
    if asks is AnswerWanted.CHOICE:
        return _choice(bare, language, speaker, whose)
    negated = _EXPECTS_NO[language].search(text) is not None
    return ReadQuestion(asks, _topics(bare, language, speaker), whose=whose, when=when, is_negated=negated)


@cache
def _question_word(language: Language) -> re.Pattern[str]:
    """Finds a question word, with the verb that is shortened behind it."""
    return re.compile(rf"{pattern('question_words', language)}(?:'(?:s|re|d|ve|ll)\b)?", re.IGNORECASE)


@cache
def _question_kinds(language: Language) -> dict[str, re.Pattern[str]]:
    """Finds the question words of each kind."""
    kinds = groups("question_words", language).items()
    return {kind: re.compile(any_of(listed, language), re.IGNORECASE) for kind, listed in kinds}


def _asks(text: str, language: Language) -> AnswerWanted:
    if "还是" in text if language is Language.ZH else _OPPOSED.search(text):
        return AnswerWanted.CHOICE
    if language is Language.ZH and re.search(f"吗[？?]?$|是不是|是否|{_A_NOT_A}|有无", text.strip()):
        return AnswerWanted.YES_OR_NO
    for kind, finds in _question_kinds(language).items():
        found = finds.search(text)
        if found and (language is Language.ZH or _opens(text[: found.start()])):
            return AnswerWanted(kind) if kind != "how" else AnswerWanted.WHAT
    return AnswerWanted.YES_OR_NO


_OPPOSED = re.compile(
    r"^\W*(?:is|are|was|does|did|would you say)\s+(?:the|your|it|this|that|his|her)\b.*\bor\b", re.IGNORECASE
)
"""A choice is between what one thing is: "Is the pain sharp or dull?"; "any fever or cough" asks for each."""


_SUBJECT = re.compile(
    r"\W*(?:is|are|was|does|did|would you say)\s+(?:the|your|his|her|this|that)?\s*(\w+)\s+", re.IGNORECASE
)
"""Finds what a choice is about."""


def _opens(before: str) -> bool:
    """Check whether a question word is where it asks: at the beginning or after a word or two."""
    return len(before.split()) <= 3


def _choice(text: str, language: Language, speaker: Speaker, whose: str) -> ReadQuestion:
    options = re.split("还是" if language is Language.ZH else r",\s*(?:or\s+)?|\s+or\s+", text.strip(EDGE))
    cleaned = [_topic(option, language, speaker) for option in options]
    if language is Language.ZH:
        before, is_, after = cleaned[0].partition("是")
        cleaned[0] = after if is_ else before
    elif (found := _SUBJECT.match(text)) and found[1].lower() not in cues("subjects", language):
        cleaned[0] = thing(re.sub(rf"^{found[1]}\b", "", cleaned[0], flags=re.IGNORECASE), language)
    return ReadQuestion(AnswerWanted.CHOICE, tuple(filter(None, cleaned)), whose=whose)


def _topics(text: str, language: Language, speaker: Speaker) -> tuple[str, ...]:
    """The things asked about; of "other symptoms, such as a cough" only the cough."""
    found = [_topic(segment.text, language, speaker) for segment in segments(text, language)]
    named = [topic for topic in found if topic and topic.lower() not in cues("vague", language)]
    return tuple(dict.fromkeys(named or filter(None, found)))


def _topic(text: str, language: Language, speaker: Speaker) -> str:
    person = relative_at_start(_opening(language).sub("", text.strip(EDGE)), language, speaker)
    text, before = (person.rest if person and not person.whose else text).strip(EDGE), None
    while text != before:
        before = text
        text = _opening(language).sub("", text).strip(EDGE)
        text = re.sub("(?:吗|呢|么|没有|过没有|过|了|的)+$", "", text) if language is Language.ZH else text
        text = re.sub(_A_NOT_A, r"\1", text) if language is Language.ZH else text
    return thing(text, language)


@cache
def _opening(language: Language) -> re.Pattern[str]:
    small = pattern("question_openings", language)
    return re.compile(rf"^(?:{small}(?:\s+|$))+" if language is Language.EN else f"^{small}+", re.IGNORECASE)
