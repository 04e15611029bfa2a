"""Spelling mistakes: what is one name misspelt, and what is another name."""

from __future__ import annotations

from rapidfuzz.distance import OSA

from osler.eval.vocabulary import read


def is_misspelt(written: str, meant: str) -> bool:
    """Whether one English word is the other misspelt: one edit in five letters, two in nine, no change of meaning."""
    allowed = 2 if len(meant) >= 9 else 1 if len(meant) >= 5 else 0
    if not allowed or OSA.distance(written, meant, score_cutoff=allowed) > allowed:
        return False
    contrasts = [pair for one, other in read("variants")["contrast"] for pair in ((one, other), (other, one))]
    return not any(here in written and there in meant and here not in meant for here, there in contrasts)


def is_miswritten(written: str, meant: str, real: frozenset[str]) -> bool:
    """Whether one Chinese name is the other miswritten: one character in three, two in eight.

    What makes a pair of characters that is real, or changes the meaning, is another name.
    """
    off = [place for place, (here, there) in enumerate(zip(written, meant, strict=True)) if here != there]
    if not off or len(off) > (2 if len(meant) >= 8 else 1):
        return False
    contrasts = [{*pair} for pair in read("variants")["contrast_zh"].split()]
    for place in off:
        if {written[place], meant[place]} in contrasts or not written[place].isalpha():
            return False
        around = (written[max(0, place - 1) : place + 1], written[place : place + 2])
        if any(len(pair) == 2 and pair in real for pair in around):
            return False
    return True
