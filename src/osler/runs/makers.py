"""Who made what in a consultation, what was done to models' words, and what each seat's model used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Self

from pydantic import TypeAdapter

from osler.runs.events import Answered, Asked, Called, Intervened, Intervention, Maker, Remembered, Retrieved, Role
from osler.runs.transcript import Transcript, total

SEATS = (Role.DOCTOR, Role.PATIENT, Role.RAM, Role.MEMORY)
"""Who may have a model behind it."""


class Product(StrEnum):
    """What somebody makes in a consultation."""

    QUESTIONS = "questions"
    RETRIEVALS = "retrievals"
    REPLIES = "replies"
    THOUGHTS = "thoughts"


@dataclass(frozen=True)
class Usage:
    """What calls of models used. None: a part of it is not known."""

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    """That models took, which is not the time of the consultation: calls overlap."""

    @classmethod
    def of(cls, calls: Sequence[Called]) -> Self:
        """Add up; what a failed call used is not known, and counts only where all failed."""
        answered = [call for call in calls if call.failure is None]
        costs = [call.cost for call in answered]
        unpriced = None in costs or bool(calls and not answered)
        return cls(
            calls=len(calls),
            tokens_in=total(call.tokens_in for call in answered),
            tokens_out=total(call.tokens_out for call in answered),
            cost=None if unpriced else sum(one for one in costs if one is not None),
            seconds=round(sum(call.seconds for call in calls), 4),
        )

    @property
    def tokens(self) -> int | None:
        """Read and written."""
        return total((self.tokens_in, self.tokens_out))


Counts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Makers:
    """Counts of one consultation or of many. What never occurred has no count."""

    made: Counts = field(default_factory=dict)
    """By product and maker."""
    interventions: Counts = field(default_factory=dict)
    """By seat and kind."""
    proposed: int = 0
    """Thoughts and actions that the memory's model proposed."""
    refused: int = 0
    """Of these, what the memory did not carry out."""
    usage: dict[str, Usage] = field(default_factory=dict)
    """By seat; only those that called a model."""

    @classmethod
    def of(cls, transcript: Transcript) -> Self:
        """Count."""
        changes = [event.change for event in transcript.of(Remembered)]
        thoughts: Counter[str] = Counter()
        for change in changes:
            thoughts.update(change.makers)
        made = {
            Product.QUESTIONS: _by_maker(transcript.of(Asked)),
            Product.RETRIEVALS: _by_maker(transcript.of(Retrieved)),
            Product.REPLIES: _by_maker(transcript.of(Answered)),
            Product.THOUGHTS: dict(thoughts),
        }
        interventions: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for event in transcript.of(Intervened):
            interventions[event.role.value][event.kind.value] += 1
        calls: defaultdict[str, list[Called]] = defaultdict(list)
        for call in transcript.of(Called):
            calls[call.role.value].append(call)
        return cls(
            made={product.value: counts for product, counts in made.items() if counts},
            interventions={seat: dict(kinds) for seat, kinds in interventions.items()},
            proposed=sum(change.proposed for change in changes),
            refused=sum(len(change.refused) for change in changes),
            usage={seat: Usage.of(some) for seat, some in calls.items()},
        )

    @classmethod
    def read(cls, measures: Mapping[str, Any]) -> Makers:
        """From the measures as they are stored; nothing where they were stored without.

        Raises:
            ValueError: What is stored is damaged.
        """
        stored = measures.get("makers")
        return _stored().validate_python(stored) if stored else Makers()

    @classmethod
    def together(cls, several: Iterable[Self]) -> Self:
        """The counts of many consultations as those of one."""
        some = list(several)
        return cls(
            made=_added(one.made for one in some),
            interventions=_added(one.interventions for one in some),
            proposed=sum(one.proposed for one in some),
            refused=sum(one.refused for one in some),
            usage={seat.value: _used(found) for seat in SEATS if (found := _usages(some, seat))},
        )

    @property
    def is_by_rules_alone(self) -> bool:
        """Whether no model was called, no person took part, and nothing is to be told that the names do not tell."""
        return not self.usage and all(set(counts) == {Maker.RULES.value} for counts in self.made.values())

    def shares(self, product: Product) -> dict[Maker, float]:
        """The share of every maker that occurs, in their order."""
        counts = self.made.get(product.value, {})
        whole = sum(counts.values())
        return {maker: counts[maker.value] / whole for maker in Maker if counts.get(maker.value)}

    def number(self, product: Product) -> int:
        """How many there are, whoever made them."""
        return sum(self.made.get(product.value, {}).values())

    def flat(self) -> dict[str, float | None]:
        """All of it as one row of a table, with a zero for what never occurred."""
        row: dict[str, float | None] = {
            f"{product}_{maker}": self.made.get(product.value, {}).get(maker.value, 0)
            for product in Product
            for maker in Maker
        }
        row |= {
            f"interventions_{seat}_{kind}": self.interventions.get(seat.value, {}).get(kind.value, 0)
            for seat in SEATS
            for kind in Intervention
        }
        row |= {"thoughts_proposed": self.proposed, "thoughts_refused": self.refused}
        for seat in SEATS:
            row |= {f"{name}_{seat}": value for name, value in asdict(self.usage.get(seat.value, Usage())).items()}
        return row


@cache
def _stored() -> TypeAdapter[Makers]:
    return TypeAdapter(Makers)


def occurring(several: Sequence[Makers], product: Product) -> list[Maker]:
    """The makers of a product that a table needs rows for."""
    return [maker for maker in Maker if any(one.made.get(product.value, {}).get(maker.value) for one in several)]


def _by_maker(events: Iterable[Asked | Retrieved | Answered]) -> dict[str, int]:
    return dict(Counter(event.maker.value for event in events))


def _added(several: Iterable[Counts]) -> Counts:
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for counts in several:
        for name, some in counts.items():
            sums[name].update(some)
    return {name: dict(counts) for name, counts in sums.items()}


def _usages(several: Iterable[Makers], seat: Role) -> list[Usage]:
    return [one.usage[seat.value] for one in several if seat.value in one.usage]


def _used(known: list[Usage]) -> Usage:
    costs = [one.cost for one in known]
    return Usage(
        calls=sum(one.calls for one in known),
        tokens_in=total(one.tokens_in for one in known),
        tokens_out=total(one.tokens_out for one in known),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=sum(one.seconds for one in known),
    )
