"""The terms of the thesaurus, kept beside it: to take its 25,000 phrases apart would cost every run a second.

After the thesaurus, or how words are read, was changed, `write` keeps them anew:

    python -c "from osler.language.lexicon.kept import write; write()"

Terms that are older than the thesaurus, the stop words or jieba are not used.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from osler.language import Language
from osler.language.lexicon.terms import phrase_terms
from osler.language.lexicon.thesaurus_files import IDIOMS, NAMED, folder, idioms, names

Terms = list[tuple[frozenset[str], str]]
"""Of each phrase its terms, and the concept it stands for."""
_COMMON = 8
"""A term in phrases for more things than this is none of their names."""


class ThesaurusTerms(NamedTuple):
    """All phrases of the thesaurus in one language."""

    names: Terms
    idioms: Terms


@cache
def thesaurus_terms(language: Language) -> ThesaurusTerms:
    """The terms as they are kept, or else made anew."""
    return kept_terms(language) or taken_apart(language)


def kept_terms(language: Language) -> ThesaurusTerms | None:
    """The terms as they are kept; None where they are of another thesaurus."""
    kept = json.loads((folder() / _file(language)).read_text(encoding="utf-8"))
    current = kept["made_of"] == _made_of(language)
    return ThesaurusTerms(_read(kept["names"]), _read(kept["idioms"])) if current else None


def taken_apart(language: Language) -> ThesaurusTerms:
    """The terms of every phrase."""

    def each(phrases: list[tuple[str, str]]) -> Terms:
        return [(found, thing) for phrase, thing in phrases if (found := phrase_terms(phrase, language))]

    called, said = each(names(language)), each(idioms(language))
    return ThesaurusTerms(called, _telling(said, called))


def _telling(said: Terms, called: Terms) -> Terms:
    """Idioms of which enough is left as terms: "your family says it is" would make every family one's own idea."""
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


def _read(rows: Iterable[list[str]]) -> Terms:
    return [(frozenset(phrase.split("|")), thing) for thing, *phrases in rows for phrase in phrases]


def _rows(found: Terms) -> list[list[str]]:
    """One row for each concept: its name, then its phrases."""
    rows: dict[str, list[str]] = {}
    for row, thing in found:
        rows.setdefault(thing, [thing]).append("|".join(sorted(row)))
    return list(rows.values())


def _file(language: Language) -> str:
    return f"terms.{language}.json"


def _made_of(language: Language) -> str:
    """A mark of all that the terms depend on, besides the code."""
    parts = [(folder() / name).read_bytes() for name in (*NAMED, IDIOMS)]
    parts.append((files("osler.language") / "stopwords" / f"{language}.txt").read_bytes())
    parts.append(version("jieba").encode() if language is Language.ZH else b"")
    return sha256(b"\0".join(parts)).hexdigest()


def write() -> None:
    """Keep the terms."""
    for language in Language:
        found = taken_apart(language)
        kept = {"made_of": _made_of(language), "names": _rows(found.names), "idioms": _rows(found.idioms)}
        text = json.dumps(kept, ensure_ascii=False, indent=0)
        (Path(str(folder())) / _file(language)).write_text(f"{text}\n", encoding="utf-8")
