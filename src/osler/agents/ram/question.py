"""What a doctor's question asks for: its separate asks, each with its words, concepts and categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from osler.agents.ram.concept_model import meant
from osler.language import Language, Speaker
from osler.language.lexicon import categories, concepts, terms
from osler.language.lexicon.phrases import Spoken
from osler.language.questions import read_questions
from osler.language.words import content


@dataclass(frozen=True)
class Ask:
    """One thing that a question asks for."""

    text: str
    words: frozenset[str]
    letters: frozenset[str]
    phrases: tuple[Spoken, ...]
    """Concepts, by phrases of the thesaurus."""
    meant: dict[str, float]
    """Concepts, by the fitted model: probabilities."""
    categories: dict[str, float]


@lru_cache(maxsize=1024)
def read_asks(question: str, language: Language, speaker: Speaker) -> tuple[Ask, ...]:
    """The whole question first; then its topics, where it has several."""
    topics = [topic for one in read_questions(question, language, speaker) for topic in one.topics]
    parts = [topic for topic in dict.fromkeys(topics) if content(topic, language)]
    texts = [question, *(parts if len(parts) > 1 else ())]
    return tuple(
        Ask(
            text,
            terms(text, language),
            letters(text, language),
            concepts(language).there(text),
            means,
            categories(language).find(text),
        )
        for text, means in zip(texts, meant(texts, language), strict=True)
    )


def asks_about_another(question: str, language: Language, speaker: Speaker) -> bool:
    """Whether all that is asked is about somebody else: "does your husband smoke?" is not about the patient."""
    asked = read_questions(question, language, speaker)
    return bool(asked) and all(one.whose for one in asked)


def letters(text: str, language: Language) -> frozenset[str]:
    """Runs of letters within its words: what spelling variants and Chinese compounds share."""
    row = content(text, language)
    if language is Language.ZH:
        level = "".join(row)
        return frozenset(level) | frozenset(map(str.__add__, level, level[1:]))
    return frozenset(f"^{word}$"[start : start + 4] for word in row for start in range(max(1, len(word) - 1)))
