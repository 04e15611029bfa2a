"""Slips of the pen: what is one name miswritten, and what is another name."""

from __future__ import annotations

from rapidfuzz.distance import OSA

from osler.eval.lexicon import read


def slip(written: str, meant: str) -> bool:
    """Whether one word is the other misspelt: one edit in five letters, two in nine, and no change of meaning."""
    allowed = 2 if len(meant) >= 9 else 1 if len(meant) >= 5 else 0
    if not allowed or OSA.distance(written, meant, score_cutoff=allowed) > allowed:
        return False
    for one, other in read("variants")["contrast"]:
        for here, there in ((one, other), (other, one)):
            if here in written and there in meant and here not in meant:
                return False
    return True


def slipped(written: str, meant: str, real: frozenset[str]) -> bool:
    """Whether one Chinese name is the other miswritten: one character in three, two in eight.

    What makes a pair of characters that is real, or changes the meaning, is another name.
    """
    off = [place for place, (here, there) in enumerate(zip(written, meant, strict=True)) if here != there]
    if not off or len(off) > (2 if len(meant) >= 8 else 1):
        return False
    for place in off:
        if {written[place], meant[place]} in (
            {*pair} for pair in read("variants")["contrast_zh"].split()
        ) or not written[place].isalpha():
            return False
        around = (written[max(0, place - 1) : place + 1], written[place : place + 2])
        if any(len(pair) == 2 and pair in real for pair in around):
            return False
    return True
