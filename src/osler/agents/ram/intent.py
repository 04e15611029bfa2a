"""What a doctor's question asks for: its separate asks, each with concepts and categories."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from osler.agents.ram.meaning import meant
from osler.agents.ram.talk import is_talk
from osler.language import Language
from osler.language.lexicon import broad_parts, categories, concepts
from osler.language.lexicon.asides import asides
from osler.language.lexicon.asks import taken_apart
from osler.language.lexicon.courtesy import to_the_point
from osler.language.relatives import either
from osler.language.words import content
from osler.ranking import reaches

_ASKING = re.compile(r"[?？吗呢]|^\s*(?:since when|when|how long|tell me|describe)\b|什么时候|多久", re.IGNORECASE)
_RELATIVES = (
    r"mum|mom|mother|dad|father|parents?|sisters?|brothers?|siblings?|aunts?|uncles?|cousins?|grand\w+|gran|granny|nan"
    r"|relatives?|relations?|kin|folks|famil\w+"
)
_KIN = {
    Language.EN: re.compile(rf"\b{either(_RELATIVES.split('|'))}\b", re.IGNORECASE),
    Language.ZH: re.compile(
        "家里|家人|家族|亲戚|亲属|父母|爸|妈|父亲|母亲|兄弟|姐妹|姐姐|哥哥|妹妹|弟弟|姨|叔|姑|舅|伯父|婶"
        "|爷爷|奶奶|祖父|祖母|姥姥|姥爷|外公|外婆|老人(?!家)|长辈"
    ),
}

_TALKS, _SURELY_TALKS = ("none", "reassurance", "plan-consent", "paperwork"), 0.9
"""Heard where the doctor greets, calms, plans or writes something down; and from when on nothing else is meant."""
_ALL = 0.999
_BROAD = 0.78
"""How much of an ask a broad phrase has to be: "was an HIV test done" is not broad, though "test done" is."""


@dataclass(frozen=True)
class Ask:
    """One thing that a question asks for."""

    text: str
    words: frozenset[str]
    concepts: dict[str, float]
    """By phrases."""
    named: dict[str, float]
    """Those of them whose phrase is all there, however long the ask is around it."""
    meant: dict[str, float]
    """By the model of worded examples: probabilities."""
    categories: dict[str, float]
    parts: frozenset[str]
    """Whole parts of the record it asks for: categories, `chief`, `others`."""
    is_broad: bool
    """Whether it asks for these and for nothing in particular within them."""


@dataclass(frozen=True)
class Intent:
    """A question taken apart. The first ask is the whole of it; the others are its parts, where it has several."""

    asks: tuple[Ask, ...]
    asides: int
    """How many of its first parts only lead to what is asked."""
    is_asking: bool
    """Whether it is put as a question: who says "I'll dim the lamp" asks for nothing."""
    names_kin: bool
    """Whether it names a relative: somebody else's illness, or the patient by who speaks for them."""
    is_talk: bool
    """Whether it tells or announces something, and only waits for a yes."""

    @property
    def is_broad(self) -> bool:
        """Whether it asks for whole parts of the record and for nothing in particular."""
        whole, *parts = self.asks
        return whole.is_broad or (bool(parts) and all(ask.is_broad for ask in parts))


@lru_cache(maxsize=1024)
def read_intent(question: str, language: Language) -> Intent:
    """Take a question apart."""
    point = to_the_point(question, language)
    texts, core = taken_apart(point, language)
    # Every part asks for more than a result: only the whole may be less without asking for one.
    read = zip(texts, (core, *texts[1:]), meant(texts, language), strict=True)
    asks = tuple([_ask(text, own, means, language) for text, own, means in read])
    talks = sum(asks[0].meant.get(name, 0.0) for name in _TALKS)
    talk = is_talk(question, language) or reaches(talks, _SURELY_TALKS)
    is_asking = _ASKING.search(question) is not None and not talk
    return Intent(asks, asides(point, texts[1:], language), is_asking, bool(_KIN[language].search(question)), talk)


def _ask(text: str, core: str, means: dict[str, float], language: Language) -> Ask:
    """What a text asks for; its core is what is left without asking how something came out."""
    there = concepts(language).there(text)
    parts = broad_parts(core, language)
    return Ask(
        text,
        frozenset(content(text, language)),
        {name: score for name, _, score in there},
        {name: share for name, share, _ in there if reaches(share, _ALL)},
        means,
        categories(language).find(text),
        parts,
        bool(parts) and bool(broad_parts(core, language, _BROAD)),
    )
