"""Whether a reply turns round what makes it better and what makes it worse.

All its words are in the record, and none is denied: only which of them belong together is wrong. "It gets worse after
some hours of rest" sends a doctor the wrong way where the record has rest as what helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from osler.records.language import Language
from osler.records.schema import Entry
from osler.words import content, plain

_WORSE = {
    Language.EN: re.compile(r"\b(?:wors\w+|aggravat\w+|exacerbat\w+|intensif\w+)\b"),
    Language.ZH: re.compile(r"加重|加剧|恶化|更(?:疼|痛|厉害|严重|重|难受|明显)|越[疼痛]|变(?:重|厉害)"),
}
_BETTER = {
    Language.EN: re.compile(r"\b(?:better|improv\w+|reliev\w+|eas(?:e|es|ed|ing)|lessen\w*|subsid\w+|alleviat\w*)\b"),
    Language.ZH: re.compile(r"减轻|缓解|好转|改善|(?:好|轻|舒服)一?[点些]"),
}
_CLAUSE = {
    Language.EN: re.compile(r"[,.;:!?]\s*|\b(?:but|and|while|whereas)\b"),
    Language.ZH: re.compile(r"[，。；：！？、,.;:!?]|但是?|不过|却|而"),
}
_NOT = {
    Language.EN: re.compile(r"\b(?:not|no|never|nothing|neither|nor|without)\b|n't\b"),
    Language.ZH: re.compile(r"[不没无未]"),
}


class _Course(NamedTuple):
    """Which way it goes, and with what."""

    worse: bool
    words: frozenset[str]


def turned_round(reply: str, entries: Iterable[Entry], language: Language) -> tuple[str, ...]:
    """What a reply says makes it worse where the entries say better, or the other way round, as words."""
    told = [course for entry in entries for course in _of_entry(entry, language)]
    found: dict[str, None] = {}
    for mine in _courses(reply, language):
        against = max((mine.words & one.words for one in told if one.worse is not mine.worse), key=len, default=None)
        along = max((len(mine.words & one.words) for one in told if one.worse is mine.worse), default=0)
        if against and len(against) > along:
            found.update(dict.fromkeys(sorted(against)))
    return tuple(found)


@lru_cache(maxsize=4096)
def _of_entry(entry: Entry, language: Language) -> tuple[_Course, ...]:
    return tuple(_courses(f"{entry.name}: {entry.report}. {entry.said or ''}", language))


def _courses(text: str, language: Language) -> Iterator[_Course]:
    for clause in _CLAUSE[language].split(plain(text)):
        worse, better = (kind[language].search(clause) is not None for kind in (_WORSE, _BETTER))
        if worse is not better and not _NOT[language].search(clause):
            circumstances = (_WORSE if worse else _BETTER)[language].sub(" ", clause)
            yield _Course(worse, frozenset(content(circumstances, language)))
