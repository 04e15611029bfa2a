"""Osler's measures over pairs of twins."""

from __future__ import annotations

from collections.abc import Iterator

from osler.eval.measures.definition import (
    EVERYWHERE,
    Higher,
    Label,
    Measure,
    Unit,
    ValueOfPair,
)
from osler.eval.verdict import Verdict
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredPair

_ZH = {DIAGNOSIS: "诊断", TREATMENT: "治疗"}


def _both_are(kind: str, *verdicts: Verdict) -> ValueOfPair:
    """Whether both verdicts are one of these; None if the pair does not differ in this."""

    def value(pair: ScoredPair) -> float | None:
        both = (pair.base.verdict(kind), pair.twin.verdict(kind))
        if kind not in pair.differs_in or None in both:
            return None
        return float(all(verdict in verdicts for verdict in both))

    return value


def sensitivity() -> Iterator[Measure]:
    """The share of pairs in which both halves are right, and its upper bound."""
    for kind in (DIAGNOSIS, TREATMENT):
        denominator = (
            f"Pairs of twins whose right {kind} differs, and in which the judge has judged the"
            f" {kind} of both; a pair with a failed half is left out and counted."
        )
        yield Measure(
            f"sensitivity_{kind}",
            Label(f"sensitivity: {kind}", f"敏感性：{_ZH[kind]}"),
            Unit.SHARE,
            f"1 if the judge calls the {kind} of both twins correct, 0 if not.",
            denominator,
            Higher.BETTER,
            of_pair=_both_are(kind, Verdict.CORRECT),
            places=EVERYWHERE,
            is_tested=True,
        )
        yield Measure(
            f"sensitivity_{kind}_at_most",
            Label(f"sensitivity: {kind} at most", f"敏感性：{_ZH[kind]}的上限"),
            Unit.SHARE,
            f"1 if the judge calls the {kind} of both twins correct or leaves it undecided, 0 if"
            " not.",
            denominator,
            Higher.BETTER,
            of_pair=_both_are(kind, Verdict.CORRECT, Verdict.UNDECIDED),
            places=EVERYWHERE,
            upper_bound_of=f"sensitivity_{kind}",
        )
