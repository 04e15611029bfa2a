"""How far a judge of replies agrees with people: recall and precision on replies whose faults are known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from osler.eval.faithfulness.replies import ReplyVerdict
from osler.eval.faithfulness.rules import RULES
from osler.language import Language


class Label(StrEnum):
    """The known faults of a reply."""

    NOTHING = "nothing"
    LEAK = "leak"
    """It names the diagnosis, or describes it so that it is given away."""
    UNTRUE = "untrue"
    """It claims what nothing supports, or turns an entry round."""
    LANGUAGE = "language"
    """It is not in the consultation's language; counted apart."""


@dataclass(frozen=True)
class Counts:
    """One figure of a judge on labelled replies."""

    n: int
    faulty: int
    flagged: int
    caught: int
    """Faulty and flagged."""

    @property
    def recall(self) -> str:
        """Share of the faulty that were flagged."""
        return _share(self.caught, self.faulty)

    @property
    def precision(self) -> str:
        """Share of the flagged that are faulty."""
        return _share(self.caught, self.flagged)

    def __add__(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Agreement:
    """A judge on the labelled replies of one language."""

    replies: int
    leaks: Counts
    untrue: Counts
    """Fabrications and contradictions."""

    @classmethod
    def of(cls, judged: Iterable[tuple[Label, ReplyVerdict]]) -> Agreement:
        """Count. A reply that leaks may also be called untrue, with some right; it is not counted there."""
        pairs = list(judged)
        leaks = [(label is Label.LEAK, bool(verdict.leaks)) for label, verdict in pairs]
        kinds = (Label.NOTHING, Label.UNTRUE)
        untrue = [(label is Label.UNTRUE, verdict.is_untrue) for label, verdict in pairs if label in kinds]
        return cls(len(pairs), _counted(leaks), _counted(untrue))


Agreements = Mapping[Language, Agreement]
READ_AGREEMENTS: TypeAdapter[dict[Language, Agreement]] = TypeAdapter(dict[Language, Agreement])
"""Reads them as they are stored."""


def agreement_line(by_language: Agreements, what: str) -> str:
    """Say how far a judge agrees with the labels, in one line: in total, and by language."""
    if not by_language:
        return "not tried on labelled replies"
    told = []
    for figure, name in (("leaks", "leaks"), ("untrue", "untrue replies")):
        counts = {language: getattr(one, figure) for language, one in by_language.items()}
        whole = sum(counts.values(), Counts(0, 0, 0, 0))
        shares = []
        for share in ("recall", "precision"):
            each = ", ".join(f"{language} {getattr(one, share)}" for language, one in counts.items())
            shares.append(f"{share} {getattr(whole, share)} ({each})")
        told.append(f"{name}: {', '.join(shares)}")
    return f"{'; '.join(told)}; {sum(one.replies for one in by_language.values())} {what}"


@cache
def rules_agreement() -> Agreements:
    """Agreement of the rules on the held-out half of the labelled replies; a test checks that file."""
    data = json.loads(files("osler.eval.faithfulness").joinpath("agreement.json").read_text("utf-8"))
    if data["ruler"] != RULES:
        raise AssertionError(f"agreement.json is of {data['ruler']}; benchmarks/patient_ruler.py --write makes it anew")
    return READ_AGREEMENTS.validate_python(data["languages"])


def _counted(pairs: list[tuple[bool, bool]]) -> Counts:
    faulty, flagged = (sum(pair[place] for pair in pairs) for place in (0, 1))
    return Counts(len(pairs), faulty, flagged, sum(map(all, pairs)))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"
