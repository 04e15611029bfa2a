"""Replies that say not to know what they were given."""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.measures.asking import is_result
from osler.eval.oracle.clauses import clauses, has, statements
from osler.eval.oracle.names import mentions, own_words, tells
from osler.language import Language
from osler.language.words import numbers, plain
from osler.records.schema import Entry, Status


def refuses(reply: str, entries: Sequence[Entry], language: Language) -> bool:
    """Whether a reply only says not to know, or that nothing was done, although an entry has something to tell.

    That nothing was done refuses a result, not a symptom or a history: those it denies. Nor does a `no` refuse what
    is absent.
    """
    said = statements(reply, language)
    ignorant = any(has("unknown", one, language) for one in said)
    undone = any(has("not_done", one, language) for one in said)
    known = [entry for entry in entries if _has_content(entry, language)]
    if not any(ignorant or (undone and is_result(entry)) for entry in known):
        return False
    first = next(iter(clauses(reply, language)))
    if has("says_no", first.text, language) and any(entry.status is Status.ABSENT for entry in known):
        return False
    rest = " ".join(one.text for one in clauses(reply, language) if not _is_ignorant(one.text, language))
    told = f"{rest} {' '.join(numbers(reply))}"
    return not any(mentions(rest, entry.name, language) or tells(told, entry, language) for entry in known)


def _is_ignorant(text: str, language: Language) -> bool:
    return has("unknown", text, language) or has("not_done", text, language)


def _has_content(entry: Entry, language: Language) -> bool:
    """Whether the record knows something of it, and its own words do not say otherwise."""
    return entry.status is not Status.NOT_DONE and not _is_ignorant(plain(own_words(entry)), language)
