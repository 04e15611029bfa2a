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
_CHINESE_YES_OR_NO = re.compile(f"吗[？?]?$|是不是|是否|{_A_NOT_A}|有无")
_CHINESE_ENDING = re.compile("(?:吗|呢|么|没有|过没有|过|了|的)+$")
"""Finds what ends a question, and is no part of the thing that it asks about."""
_EXPECTS_NO = {
    Language.EN: re.compile(
        r"^\W*(?:(?:and|so|but|you|he|she|it|there)\W+)*(?:no|not|never|\w+n't)\b", re.IGNORECASE
    ),
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
        if self.topics:
            return self.topics[0]
        return ""


@lru_cache(maxsize=1024)
def read_questions(
    text: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> tuple[ReadQuestion, ...]:
    """The questions of a text; a statement between them is none."""
    parts = sentences(text.replace("’", "'"), language)
    marked = [part for part in parts if part.rstrip().endswith(("?", "？"))]
    # Typed questions may have no mark: then the last sentence is the question.
    read: list[ReadQuestion] = []
    for sentence in marked or parts[-1:]:
        read += _questions_of(sentence, language, speaker)
    return tuple(read)


def _questions_of(sentence: str, language: Language, speaker: Speaker) -> Iterator[ReadQuestion]:
    """The questions of a sentence; in Chinese the second drops a subject that it shares."""
    whose = ""
    for part in _split(sentence, language):
        question = _question(part, language, speaker)
        if language is Language.ZH and not question.whose and not _names_anybody(part):
            question = replace(question, whose=whose)
        whose = question.whose
        yield question


def _names_anybody(part: str) -> bool:
    """Check whether a part of a Chinese sentence says whom it is about."""
    if re.search("[您你]", part):
        return True
    kinds = ("relatives", "the_patient", "yourself")
    return any(finder(kind, Language.ZH).search(part) for kind in kinds)


def about_another(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> bool:
    """Check whether a text only asks about a relative: "does your husband smoke?"."""
    questions = read_questions(text, language, speaker)
    return bool(questions) and all(question.whose for question in questions)


def names_family(text: str, language: Language) -> bool:
    """Check whether a text speaks of the family."""
    return finder("family", language).search(text) is not None


def _split(sentence: str, language: Language) -> list[str]:
    """A sentence with two questions ("When did it start, and does it hurt?") as two."""
    if language is Language.EN:
        return [part for part in _next_question().split(sentence) if part.strip(EDGE)]
    parts = [part for part in re.split("[，,](?=.*[？?])", sentence) if part.strip(EDGE)]
    # Only if each part asks: a comma of a list does not begin another question.
    if len(parts) > 1 and all(_is_asked(part, language) for part in parts):
        return parts
    return [sentence]


@cache
def _next_question() -> re.Pattern[str]:
    """Finds what joins two English questions."""
    english = Language.EN
    verbs = ("do you", "does it", "have you", "are you", "is it", "did you")
    opening = any_of((*cues("question_words", english), *verbs), english)
    return re.compile(rf",?\s+and\s+(?={opening})", re.IGNORECASE)


def _is_asked(part: str, language: Language) -> bool:
    if finder("question_words", language).search(part):
        return True
    return re.search(f"吗|是不是|是否|{_A_NOT_A}|还是", part) is not None


def _question(text: str, language: Language, speaker: Speaker) -> ReadQuestion:
    whose = relative_asked_about(text, speaker, language)
    asks = _asks(text, language)
    # What is left of the question without question word, time and relative are its topics.
    bare = text
    when = ""
    if asks not in (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE):
        bare = _question_word(language).sub(" ", bare)
    time = time_finder(language).search(text)
    if time and asks is not AnswerWanted.WHEN:
        bare = bare.replace(time[0], " ")
        when = time[0].strip(EDGE)
    if whose:
        bare = re.sub(re.escape(whose), " ", bare, flags=re.IGNORECASE)
    if asks is AnswerWanted.CHOICE:
        return _choice(bare, language, speaker, whose)
    topics = _topics(bare, language, speaker)
    is_negated = _EXPECTS_NO[language].search(text) is not None
    return ReadQuestion(asks, topics, whose=whose, when=when, is_negated=is_negated)


@cache
def _question_word(language: Language) -> re.Pattern[str]:
    """Finds a question word, with the verb that is shortened behind it."""
    question_word = pattern("question_words", language)
    return re.compile(rf"{question_word}(?:'(?:s|re|d|ve|ll)\b)?", re.IGNORECASE)


@cache
def _question_kinds(language: Language) -> dict[str, re.Pattern[str]]:
    """Finds the question words of each kind."""
    finders: dict[str, re.Pattern[str]] = {}
    for kind, listed in groups("question_words", language).items():
        finders[kind] = re.compile(any_of(listed, language), re.IGNORECASE)
    return finders


def _asks(text: str, language: Language) -> AnswerWanted:
    if language is Language.ZH:
        if "还是" in text:
            return AnswerWanted.CHOICE
        if _CHINESE_YES_OR_NO.search(text.strip()):
            return AnswerWanted.YES_OR_NO
    elif _OPPOSED.search(text):
        return AnswerWanted.CHOICE
    for kind, finds in _question_kinds(language).items():
        match = finds.search(text)
        if match and (language is Language.ZH or _opens(text[: match.start()])):
            if kind == "how":
                return AnswerWanted.WHAT
            return AnswerWanted(kind)
    return AnswerWanted.YES_OR_NO


_OPPOSED = re.compile(
    r"^\W*(?:is|are|was|does|did|would you say)\s+(?:the|your|it|this|that|his|her)\b.*\bor\b",
    re.IGNORECASE,
)
"""Finds a choice between what one thing is: "Is the pain sharp or dull?".

"any fever or cough" asks for each.
"""
_SUBJECT = re.compile(
    r"\W*(?:is|are|was|does|did|would you say)\s+(?:the|your|his|her|this|that)?\s*(\w+)\s+",
    re.IGNORECASE,
)
"""Finds what a choice is about."""


def _opens(before: str) -> bool:
    """Check whether a question word is where it asks: at the beginning or after a word or two."""
    return len(before.split()) <= 3


def _choice(text: str, language: Language, speaker: Speaker, whose: str) -> ReadQuestion:
    is_chinese = language is Language.ZH
    between = "还是" if is_chinese else r",\s*(?:or\s+)?|\s+or\s+"
    options = re.split(between, text.strip(EDGE))
    topics = [_topic(option, language, speaker) for option in options]
    # The first option has the subject of the question before it: "is the pain sharp".
    if is_chinese:
        before, verb, after = topics[0].partition("是")
        topics[0] = after if verb else before
    else:
        subject = _SUBJECT.match(text)
        if subject and subject[1].lower() not in cues("subjects", language):
            option = re.sub(rf"^{subject[1]}\b", "", topics[0], flags=re.IGNORECASE)
            topics[0] = thing(option, language)
    return ReadQuestion(AnswerWanted.CHOICE, tuple(filter(None, topics)), whose=whose)


def _topics(text: str, language: Language, speaker: Speaker) -> tuple[str, ...]:
    """The things asked about; of "other symptoms, such as a cough" only the cough."""
    topics = [_topic(segment.text, language, speaker) for segment in segments(text, language)]
    topics = [topic for topic in topics if topic]
    vague = cues("vague", language)
    telling = [topic for topic in topics if topic.lower() not in vague]
    return tuple(dict.fromkeys(telling or topics))


def _topic(text: str, language: Language, speaker: Speaker) -> str:
    text = text.strip(EDGE)
    person = relative_at_start(_opening(language).sub("", text), language, speaker)
    if person and not person.whose:
        text = person.rest.strip(EDGE)
    before = None
    # What is cut off at one end may uncover more at the other.
    while text != before:
        before = text
        text = _opening(language).sub("", text).strip(EDGE)
        if language is Language.ZH:
            text = _CHINESE_ENDING.sub("", text)
            text = re.sub(_A_NOT_A, r"\1", text)
    return thing(text, language)


@cache
def _opening(language: Language) -> re.Pattern[str]:
    small = pattern("question_openings", language)
    each = rf"(?:{small}(?:\s+|$))" if language is Language.EN else small
    return re.compile(f"^{each}+", re.IGNORECASE)
