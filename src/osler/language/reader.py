"""Reads a text without a model: sentences, clauses, and in each clause what is affirmed, denied, dated or measured."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language.base import Language
from osler.language.cues import finder
from osler.language.reading import Clause, Mention, Reading, Sentence
from osler.language.words import sentences

_SPLIT = {Language.EN: re.compile(r"\s*[,;:]\s+|\s+-\s+"), Language.ZH: re.compile(r"[，；：,;]\s*")}
_LISTED = {
    Language.EN: re.compile(r"\s*(?:,|\bor\b|\bnor\b|\band\b)\s*"),
    Language.ZH: re.compile("、|或者?|以及|和|及"),
}
_EDGE = " \t.,;:!?。，；：！？、"
_VALUE = re.compile(
    r"\d+(?:[.,/]\d+)*\s*(?:%|°\s?[CF]|[A-Za-zμµ]+(?:/[A-Za-z0-9]+)*|毫克|克|次|天|周|月|年|岁|度|支|包)?"
)


@lru_cache(maxsize=4096)
def read(text: str, language: Language) -> Reading:
    """A text as sentences, clauses and mentions."""
    return Reading(language, tuple(_sentence(part, language) for part in sentences(text, language)))


def _sentence(text: str, language: Language) -> Sentence:
    parts = [part for half in finder("contrast", language).split(text) for part in _SPLIT[language].split(half)]
    clauses = tuple(_clause(part.strip(_EDGE), language) for part in parts if part.strip(_EDGE))
    return Sentence(text, clauses, text.rstrip().endswith(("?", "？")))


def _clause(text: str, language: Language) -> Clause:
    before = finder("negation", language).search(text)
    after = finder("negation_after", language).search(text)
    unsure = finder("unsure", language).search(text)
    person = finder("relatives", language).search(text)
    when = finder("time", language).search(text)
    value = _VALUE.search(text)
    rest = text
    for found in filter(None, (before, after, unsure)):
        rest = rest.replace(found[0], " ")
    things = [thing.strip(_EDGE) for thing in _LISTED[language].split(rest)]
    return Clause(
        text,
        tuple(
            Mention(
                what=" ".join(thing.split()),
                denied=bool(before or after),
                unsure=bool(unsure),
                whose=person[0].lower() if person else "",
                when=when[0] if when else "",
                value=value[0] if value else "",
            )
            for thing in things
            if thing
        ),
    )
