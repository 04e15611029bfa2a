"""What a question lent to a fact: a subject and a verb that the patient did not say."""

from __future__ import annotations

import re

from osler.agents.rules.asked import restates, words_of_weight
from osler.agents.rules.knowledge import Item
from osler.language import Language
from osler.language.words import content

_ANYBODY = re.compile(r"^(?:patient|complaint|患者|症状)$", re.IGNORECASE)
_TAKES = re.compile(r" (?!is|was|says|shows|has|does)[a-z]+s ")
_SHOWS = re.compile(r" (?:shows|显示) ")
_MEASURED = frozenset({"test", "examination"})
_KEPT = {
    Language.EN: re.compile(
        r"(?:(?:is|was|are|were|do|does|did|has|have|had|can|could|would|will|says|shows)(?:n't)?|not?|never)$"
    ),
    Language.ZH: re.compile(r".*[不没无未否]|有$"),
}
"""Words that say whether it is so: the question does not lend these."""
_EMPTY_VERB = {
    Language.EN: re.compile(r" (?:is|was|are|were|says|shows) (?!not\b|no\b)"),
    Language.ZH: re.compile(r" (?:说|显示|为|是) "),
}
_ENOUGH = {Language.EN: 3, Language.ZH: 2}
"""Words that a statement needs to be one by itself: of `appetite is good`, `good` is not."""


def unlent(text: str, item: Item, language: Language) -> str:
    """A fact without the subject and the verb that only the question lent it.

    `severe pain is here at the top` says nothing of severe pain when that is what was asked, and `patient takes
    amlodipine` is no yes to whether warfarin is taken. What says the question over again stays whole, and so does a
    result: a number needs its name.
    """
    asked = words_of_weight(item.ask[language], language)
    size = _lent(text, asked, language)
    verb = _EMPTY_VERB[language].match(text[size:]) if size else None
    if size and item.kind in _MEASURED and not _SHOWS.match(text[size:]):
        return text
    rest = text[verb.end() + size if verb else size :].strip()
    numbered = any(finding.numbers for finding in item.findings) and re.search(r"\d", rest)
    if numbered or restates(item, rest, language):
        return text
    said = content(rest, language) if language is Language.ZH else rest.split()
    return rest if len(said) >= _ENOUGH[language] else text


def _lent(text: str, asked: frozenset[str], language: Language) -> int:
    """Where the words end that a fact begins with and that the question named, or that only say whose it is."""
    size = 0
    for place, word in enumerate(re.finditer(r"\S+", text)):
        anybody = _ANYBODY.match(word[0]) is not None
        own = words_of_weight(word[0], language)
        if not anybody and (not own <= asked or _KEPT[language].match(word[0])):
            break
        size = word.end()
        # Of the patient the question names the verb as well: `patient takes`.
        if language is Language.ZH or (not place and anybody and not _TAKES.match(text[size:])):
            break
        if place and _TAKES.match(f" {word[0]} "):
            break
    return size
