"""What needs no reader.

An answer that is exactly one of the names that the record lists, right or unsafe.
"""

from __future__ import annotations

import re
import unicodedata

from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import Diagnosis, Treatment

RUNG = "exact"
"""Marks verdicts on answers that are exactly what the record names."""
_IN_BRACKETS = re.compile(r"^(?P<name>[^()]+)\((?P<other>[^()]+)\)$")


def exact_opinion(truth: Diagnosis | Treatment, answer: str) -> Opinion | None:
    """Judge an answer that is exactly a name of the record.

    It is None for any other, which has to be read.
    """
    if _is_named(answer, _names(truth)):
        return Opinion(Verdict.CORRECT, "exactly a name that the record lists", rung=RUNG)
    if isinstance(truth, Treatment):
        for unsafe in truth.unsafe:
            if _is_named(answer, frozenset(map(bare, unsafe.names))):
                return Opinion(
                    Verdict.UNSAFE, f"exactly {unsafe.name}, which is unsafe here", rung=RUNG
                )
    return None


def _names(truth: Diagnosis | Treatment) -> frozenset[str]:
    listed = list(truth.names)
    if isinstance(truth, Treatment):
        listed += truth.alternatives
    elif truth.icd10:
        listed.append(truth.icd10)
    return frozenset(bare(name) for name in listed)


def _is_named(answer: str, names: frozenset[str]) -> bool:
    if bare(answer) in names:
        return True
    found = _IN_BRACKETS.match(unicodedata.normalize("NFKC", answer).strip())
    return found is not None and bare(found["name"]) in names and bare(found["other"]) in names


def bare(text: str) -> str:
    """A text without case, width, accents, spaces and punctuation.

    Two names are exactly equal if these are.
    """
    return "".join(
        char for char in unicodedata.normalize("NFKD", text).casefold() if char.isalnum()
    )
