"""The thesaurus: what doctors ask about, each thing with the phrases that mention it, in both languages."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from operator import add
from typing import Any, NamedTuple

import yaml

from osler.language.base import Language
from osler.language.words import canonical, content, words
from osler.private import private_cache, write_private

_NAMES = ("symptoms.yaml", "history.yaml", "further.yaml")
_IDIOMS = "idioms.yaml"
_CODE = ("words.py", "lexicon/thesaurus.py", "stopwords/{}.txt", "cues/en/synonyms.txt", "cues/en/spelling.txt")
"""What the terms of a phrase depend on, besides the thesaurus."""
LONGEST_RUN = 4
"""Words of a phrase that can be one term."""
_COMMON = 8
"""A term in phrases for more things than this does not name any of them."""

QUALITIES = frozenset(
    {
        *("onset-time", "onset-mode", "course", "constant-or-intermittent", "episode-duration-frequency"),
        *("previous-episodes", "aggravating-factors", "relieving-factors", "triggers", "relation-to-meals"),
        *("relation-to-exertion", "relation-to-position", "time-of-day-pattern", "pain-location", "pain-character"),
        *("pain-severity", "pain-radiation", "pain-migration"),
    }
)
"""Concepts that name no single thing: what a symptom is like, which may be asked of any of them."""

Terms = list[tuple[frozenset[str], str]]
"""The terms of each phrase, and its concept."""


class ThesaurusTerms(NamedTuple):
    """All phrases of the thesaurus in one language, as terms."""

    names: Terms
    idioms: Terms


@cache
def load(name: str) -> Any:
    """Read a file of the thesaurus; everything in these files is text."""
    text = (files("osler.language.lexicon") / "thesaurus" / name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506


def names(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept): the usual names."""
    return [
        (phrase, concept["id"])
        for name in _NAMES
        for concept in load(name)
        for phrase in (
            *((concept["id"].replace("-", " "),) if language is Language.EN else ()),
            *concept[language.value],
        )
    ]


def idioms(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept): phrases that avoid the names."""
    return [(phrase, thing) for thing, row in load(_IDIOMS).items() for phrase in row[language.value]]


@cache
def answered_by(concept: str) -> tuple[str, ...]:
    """Return what else an entry about a concept answers, if the record has no entry of its own for it."""
    near = {other for group in load("related.yaml") if concept in group for other in group}
    apart = load("apart.yaml")
    not_by = {other for one, other in apart["one_way"] if one == concept}
    not_by.update(other for pair in apart["both"] if concept in pair for other in pair)
    return tuple(sorted(near - not_by - {concept}))


@lru_cache(maxsize=1024)
def terms(text: str, language: Language) -> frozenset[str]:
    """Return the units that phrases are compared by: words; in Chinese pairs of characters too."""
    row = tuple(map(canonical, content(text, language)))
    if language is Language.EN:
        return frozenset(row)
    level = "".join([word for word in row if "\u4e00" <= word[0] <= "\u9fff"])
    return frozenset(row).union(map(add, level, level[1:]))


def phrase_terms(phrase: str, language: Language) -> frozenset[str]:
    """A phrase's terms. `Throw up` is not `throw`: if one word has all the meaning, the run of words is the term."""
    found = terms(phrase, language)
    run = tuple(map(canonical, words(phrase, language)))
    if len(found) == 1 and 1 < len(run) <= LONGEST_RUN:
        return frozenset({" ".join(run)})
    # A single Chinese character on its own says nothing.
    return found if language is Language.EN or any(len(term) > 1 for term in found) else frozenset()


@cache
def thesaurus_terms(language: Language) -> ThesaurusTerms:
    """The terms of all phrases, from the user's cache: to work them out anew takes seconds."""
    folder = private_cache("thesaurus")
    path = folder / f"{language.value}-{_fingerprint(language)}.json" if folder else None
    if path and path.exists():
        called, said = json.loads(path.read_text(encoding="utf-8"))
        return ThesaurusTerms(_from_json(called), _from_json(said))
    made = _made(language)
    if path:
        write_private(path, json.dumps([[[sorted(row), thing] for row, thing in part] for part in made]).encode())
    return made


def _made(language: Language) -> ThesaurusTerms:
    called, said = (
        [(found, thing) for phrase, thing in phrases if (found := phrase_terms(phrase, language))]
        for phrases in (names(language), idioms(language))
    )
    return ThesaurusTerms(called, _telling(said, called))


def _telling(said: Terms, called: Terms) -> Terms:
    """Keep idioms with enough terms left: "your family says it is" would match any mention of a family."""
    things: dict[str, set[str]] = defaultdict(set)
    for row, thing in [*called, *said]:
        for term in row:
            things[term].add(thing)
    taken: dict[frozenset[str], set[str]] = defaultdict(set)
    for row, thing in called:
        taken[row].add(thing)

    def tells(row: frozenset[str], thing: str) -> bool:
        is_common = len(row) == 1 and any(len(things[term]) > _COMMON for term in row)
        return not is_common and taken[row] <= {thing}

    return [(row, thing) for row, thing in said if tells(row, thing)]


def _from_json(rows: list[tuple[list[str], str]]) -> Terms:
    return [(frozenset(row), thing) for row, thing in rows]


def _fingerprint(language: Language) -> str:
    """A mark of all that the terms depend on."""
    here = files("osler.language")
    parts = [(here / "lexicon" / "thesaurus" / name).read_bytes() for name in (*_NAMES, _IDIOMS)]
    parts += [(here / name.format(language.value)).read_bytes() for name in _CODE]
    parts += [version(package).encode() for package in ("jieba", "pystemmer")]
    return sha256(b"\0".join(parts)).hexdigest()[:16]
