"""Whether a reply rests on what the patient was given: each word of weight comes from there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from osler.agents.lexicon import concepts
from osler.agents.lexicon.spoken import called_by_name, touched_on
from osler.records.language import Language
from osler.words import content, plain, words

_STORY = 2
"""Foreign words in one sentence that make it a story, though none of them speaks of an illness."""
_ALIKE, _SHORTEST = 0.75, 4
"""Share of the longer of two English words that both must begin with to be forms of one, and letters at least."""


@cache
def _everyday(language: Language) -> frozenset[str]:
    text = (files("osler.agents.guards") / "everyday" / f"{language}.txt").read_text(encoding="utf-8")
    lines = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(words(lines, language)) if language is Language.EN else frozenset(lines.split())


def invented(reply: Iterable[str], sources: Iterable[str], language: Language) -> tuple[str, ...]:
    """The words in these sentences of a reply that come from nowhere.

    A word that speaks of illness is enough; of others it takes some in one sentence. A thing may be called by another
    of its usual names.
    """
    told = " ".join(sources)
    known, things = _told_in(told, language)
    illness, everyday = concepts(language).idf, _everyday(language)

    def foreign(word: str, sentence: str) -> bool:
        if word in known or word in everyday or word.replace(".", "").isdigit() or _near(word, known, language):
            return False
        if language is Language.ZH and _cut_otherwise(word, sentence, told):
            return False
        named = called_by_name(word, language)
        return not named or not named <= things

    found: dict[str, None] = {}
    for sentence in reply:
        strange = [word for word in dict.fromkeys(content(sentence, language)) if foreign(word, sentence)]
        telling = strange if len(strange) >= _STORY else [word for word in strange if word in illness]
        found.update(dict.fromkeys(telling))
    return tuple(found)


@lru_cache(maxsize=1024)
def _told_in(sources: str, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Every word, and the things that are touched on: two drafts of a reply, and its ledger, ask for the same."""
    return frozenset(words(sources, language)), touched_on(sources, language)


def _near(word: str, known: frozenset[str], language: Language) -> bool:
    """Whether it is another form of a word that was given, or in Chinese a part or a compound of one."""
    if language is Language.ZH:
        return len(word) > 1 and any(len(one) > 1 and (word in one or one in word) for one in known)
    begins = word[:_SHORTEST]
    for one in known:
        if not one.startswith(begins):  # most do not, and this is soon seen
            continue
        most = max(_SHORTEST, int(_ALIKE * max(len(one), len(word))))
        if len(one) >= most <= len(word) and one[:most] == word[:most]:
            return True
    return False


def _cut_otherwise(word: str, sentence: str, told: str) -> bool:
    """Whether what was given has each piece of it, and only the segmentation made a word of them: 踝|骨折, 踝骨|折."""
    level = plain(sentence)
    given = plain(told)
    start = level.find(word)
    places = range(start, start + len(word))
    return start >= 0 and all(level[at - 1 : at + 1] in given or level[at : at + 2] in given for at in places if at)
