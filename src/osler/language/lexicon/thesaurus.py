"""The thesaurus: what doctors ask about, with the phrases that mention it, in both languages."""

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
_CODE = (
    "words.py",
    "lexicon/thesaurus.py",
    "stopwords/{}.txt",
    "cues/en/synonyms.txt",
    "cues/en/spelling.txt",
)
"""What the terms of a phrase depend on, besides the thesaurus."""
LONGEST_RUN = 4
"""Words of a phrase that can be one term."""
_COMMON = 8
"""A term in phrases for more things than this does not name any of them."""

QUALITIES = frozenset(
    {
        "onset-time",
        "onset-mode",
        "course",
        "constant-or-intermittent",
        "episode-duration-frequency",
        "previous-episodes",
        "aggravating-factors",
        "relieving-factors",
        "triggers",
        "relation-to-meals",
        "relation-to-exertion",
        "relation-to-position",
        "time-of-day-pattern",
        "pain-location",
        "pain-character",
        "pain-severity",
        "pain-radiation",
        "pain-migration",
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
    pairs: list[tuple[str, str]] = []
    for file in _NAMES:
        for concept in load(file):
            if language is Language.EN:
                pairs.append((concept["id"].replace("-", " "), concept["id"]))
            pairs += [(phrase, concept["id"]) for phrase in concept[language.value]]
    return pairs


def idioms(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept): phrases that avoid the names."""
    pairs: list[tuple[str, str]] = []
    for concept, row in load(_IDIOMS).items():
        pairs += [(phrase, concept) for phrase in row[language.value]]
    return pairs


@cache
def answered_by(concept: str) -> tuple[str, ...]:
    """Return what else an entry about a concept answers, where the record has nothing closer."""
    near: set[str] = set()
    for group in load("related.yaml"):
        if concept in group:
            near.update(group)
    apart = load("apart.yaml")
    excluded = {concept}
    excluded.update(other for answering, other in apart["one_way"] if answering == concept)
    for pair in apart["both"]:
        if concept in pair:
            excluded.update(pair)
    return tuple(sorted(near - excluded))


@lru_cache(maxsize=1024)
def terms(text: str, language: Language) -> frozenset[str]:
    """Return the units that phrases are compared by: words; in Chinese pairs of characters too."""
    row = tuple(map(canonical, content(text, language)))
    if language is Language.EN:
        return frozenset(row)
    level = "".join([word for word in row if "\u4e00" <= word[0] <= "\u9fff"])
    return frozenset(row).union(map(add, level, level[1:]))


def phrase_terms(phrase: str, language: Language) -> frozenset[str]:
    """A phrase's terms.

    `Throw up` is not `throw`: if one word has all the meaning, the run of words is the term.
    """
    own = terms(phrase, language)
    run = tuple(map(canonical, words(phrase, language)))
    if len(own) == 1 and 1 < len(run) <= LONGEST_RUN:
        return frozenset({" ".join(run)})
    # A single Chinese character on its own says nothing.
    if language is Language.ZH and all(len(term) == 1 for term in own):
        return frozenset()
    return own


@cache
def thesaurus_terms(language: Language) -> ThesaurusTerms:
    """The terms of all phrases, from the user's cache: to work them out anew takes seconds."""
    folder = private_cache("thesaurus")
    path = folder / f"{language.value}-{_fingerprint(language)}.json" if folder else None
    if path and path.exists():
        name_rows, idiom_rows = json.loads(path.read_text(encoding="utf-8"))
        return ThesaurusTerms(_from_json(name_rows), _from_json(idiom_rows))
    computed = _compute_terms(language)
    if path:
        write_private(path, json.dumps([_to_json(part) for part in computed]).encode())
    return computed


def _compute_terms(language: Language) -> ThesaurusTerms:
    name_terms = _terms_of(names(language), language)
    idiom_terms = _terms_of(idioms(language), language)
    return ThesaurusTerms(name_terms, _telling(idiom_terms, name_terms))


def _terms_of(pairs: list[tuple[str, str]], language: Language) -> Terms:
    rows = [(phrase_terms(phrase, language), concept) for phrase, concept in pairs]
    return [(row, concept) for row, concept in rows if row]


def _telling(idiom_terms: Terms, name_terms: Terms) -> Terms:
    """Keep idioms with enough terms left.

    "your family says it is" would match any mention of a family.
    """
    concepts_of_term: dict[str, set[str]] = defaultdict(set)
    for row, concept in (*name_terms, *idiom_terms):
        for term in row:
            concepts_of_term[term].add(concept)
    named_by: dict[frozenset[str], set[str]] = defaultdict(set)
    for row, concept in name_terms:
        named_by[row].add(concept)

    def is_telling(row: frozenset[str], concept: str) -> bool:
        if len(row) == 1 and any(len(concepts_of_term[term]) > _COMMON for term in row):
            return False
        # What is a name of another concept is no idiom for this one.
        return named_by[row] <= {concept}

    return [(row, concept) for row, concept in idiom_terms if is_telling(row, concept)]


def _to_json(part: Terms) -> list[tuple[list[str], str]]:
    return [(sorted(row), concept) for row, concept in part]


def _from_json(rows: list[tuple[list[str], str]]) -> Terms:
    return [(frozenset(row), concept) for row, concept in rows]


def _fingerprint(language: Language) -> str:
    """A mark of all that the terms depend on."""
    here = files("osler.language")
    parts = [(here / "lexicon" / "thesaurus" / name).read_bytes() for name in (*_NAMES, _IDIOMS)]
    parts += [(here / name.format(language.value)).read_bytes() for name in _CODE]
    parts += [version(package).encode() for package in ("jieba", "pystemmer")]
    return sha256(b"\0".join(parts)).hexdigest()[:16]
