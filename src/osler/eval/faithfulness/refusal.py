"""Find replies that claim not to know something they were given."""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.reply_parser import clauses, has, mentions, only, own_words, statements, tells
from osler.language import Language
from osler.language.words import numbers, plain
from osler.records.schema import RESULTS, Entry, Status


def refuses(reply: str, entries: Sequence[Entry], language: Language) -> bool:
    """Check whether a reply only says not to know, or not done, although an entry has something to tell.

    Saying that nothing was done refuses a result, not a symptom or a history: those it denies. Nor does a `no` refuse
    what is absent.
    """
    said = statements(reply, language)
    ignorant = any(has("unknown", one, language) for one in said)
    undone = any(has("not_done", one, language) for one in said)
    if not ignorant and not undone:
        return False
    known = [entry for entry in entries if _has_content(entry, language)]
    if not any(ignorant or entry.category in RESULTS for entry in known):
        return False
    every = [one for one in clauses(reply, language) if not only(("courtesy",), one.text, language)]
    answered = [one.text for one in every if not has("unknown", one.text, language)]
    says_no = any(has("says_no", text, language) for text in answered[:1])
    if says_no and any(entry.status is Status.ABSENT for entry in known):
        return False
    rest = " ".join(one.text for one in every if not _is_ignorant(one.text, language))
    told = f"{rest} {' '.join(numbers(reply))}"
    return not any(mentions(rest, entry.name, language) or tells(told, entry, language) for entry in known)


def _is_ignorant(text: str, language: Language) -> bool:
    return has("unknown", text, language) or has("not_done", text, language)


def _has_content(entry: Entry, language: Language) -> bool:
    """Check whether the record knows something of it, and its own words do not say otherwise."""
    return entry.status is not Status.NOT_DONE and not _is_ignorant(plain(own_words(entry)), language)
