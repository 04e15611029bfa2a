"""Count what each model, rule or person produced, what was changed in it, and what calls used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from pydantic import TypeAdapter

from osler import row_labels
from osler.language import Language
from osler.locale import load_texts
from osler.models.completion import SHARED_SOURCES
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Intervened,
    Intervention,
    Maker,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.transcript import Transcript
from osler.runs.turns import total
from osler.settings.names import HUMAN, RULES

SEATS = (Role.DOCTOR, Role.PATIENT, Role.RAM, Role.MEMORY, Role.EXPERIENCE)
"""Roles that may have a model."""
_ABOUT = {
    Maker.MODEL: "a model's first answer",
    Maker.RETRIED: "its second, after the first was refused or could not be read",
    Maker.CUT: "its answer with a part cut out",
    Maker.STRATEGY: "asked by the doctor's strategy",
    Maker.RULES: "made by rules",
    Maker.SILENT: "the model said nothing",
    Maker.HUMAN: "a person",
}


class Product(StrEnum):
    """What a participant produces in a consultation."""

    QUESTIONS = "questions"
    RETRIEVALS = "retrievals"
    REPLIES = "replies"
    THOUGHTS = "thoughts"


@dataclass(frozen=True)
class Usage:
    """What model calls used. None: a part of it is unknown."""

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    """Time that the models took, not that of the consultation: calls overlap."""
    saved_calls: int = 0
    """Calls among these that were given an answer which another consultation had paid for."""
    saved_tokens: int | None = 0
    """Tokens of these answers. They are counted above, as if nothing were shared, and were not
    spent again."""
    saved_cost: float | None = 0.0

    @classmethod
    def of(cls, calls: Sequence[Called]) -> Self:
        """Add up; what a failed call used is not known, and counts only if all failed."""
        answered = [call for call in calls if call.failure is None]
        used = cls.together(list(map(cls._of_answer, answered)))
        unknown = bool(calls and not answered)
        seconds = round(sum(call.seconds for call in calls), 4)
        return replace(used, calls=len(calls), cost=None if unknown else used.cost, seconds=seconds)

    @classmethod
    def _of_answer(cls, call: Called) -> Self:
        """What one call used, without its time."""
        used = cls(1, call.tokens_in, call.tokens_out, call.cost)
        if call.source not in SHARED_SOURCES:
            return used
        return replace(used, saved_calls=1, saved_tokens=used.tokens, saved_cost=used.cost)

    @classmethod
    def together(cls, several: Sequence[Self]) -> Self:
        """The sum of several."""
        return cls(
            calls=sum(one.calls for one in several),
            tokens_in=total(one.tokens_in for one in several),
            tokens_out=total(one.tokens_out for one in several),
            cost=total(one.cost for one in several),
            seconds=sum(one.seconds for one in several),
            saved_calls=sum(one.saved_calls for one in several),
            saved_tokens=total(one.saved_tokens for one in several),
            saved_cost=total(one.saved_cost for one in several),
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
    """How many of these the memory did not carry out."""
    usage: dict[str, Usage] = field(default_factory=dict)
    """By seat; only those that called a model."""

    @classmethod
    def of(cls, transcript: Transcript) -> Self:
        """Count."""
        changes = [event.change for event in transcript.of(Remembered)]
        made: Counts = {
            Product.QUESTIONS.value: Counter(event.maker.value for event in transcript.of(Asked)),
            Product.RETRIEVALS.value: Counter(
                event.maker.value for event in transcript.of(Retrieved)
            ),
            Product.REPLIES.value: Counter(event.maker.value for event in transcript.of(Answered)),
        }
        thoughts: list[Counts] = [{Product.THOUGHTS.value: change.makers} for change in changes]
        interventions: list[Counts] = [
            {event.role.value: {event.kind.value: 1}} for event in transcript.of(Intervened)
        ]
        calls: defaultdict[str, list[Called]] = defaultdict(list)
        for call in transcript.of(Called):
            calls[call.role.value].append(call)
        return cls(
            made=_added([made, *thoughts]),
            interventions=_added(interventions),
            proposed=sum(change.proposed for change in changes),
            refused=sum(len(change.refused) for change in changes),
            usage={seat: Usage.of(some) for seat, some in calls.items()},
        )

    @classmethod
    def read(cls, measures: Mapping[str, Any]) -> Makers:
        """From the measures as they are stored.

        Nothing if stored without, a ValueError if damaged.
        """
        stored = measures.get("makers")
        return _STORED.validate_python(stored) if stored else Makers()

    @classmethod
    def together(cls, several: Iterable[Self]) -> Self:
        """The counts of many consultations as those of one."""
        some = list(several)
        usages = {
            seat.value: [one.usage[seat] for one in some if seat in one.usage] for seat in SEATS
        }
        return cls(
            made=_added(one.made for one in some),
            interventions=_added(one.interventions for one in some),
            proposed=sum(one.proposed for one in some),
            refused=sum(one.refused for one in some),
            usage={seat: Usage.together(used) for seat, used in usages.items() if used},
        )

    @property
    def is_by_rules_alone(self) -> bool:
        """Whether no model was called and no person took part."""
        return not self.usage and all(set(counts) == {Maker.RULES} for counts in self.made.values())

    def count(self, product: Product, maker: Maker) -> int:
        """Count how many of a product a maker made."""
        return self.made.get(product, {}).get(maker, 0)

    def number(self, product: Product) -> int:
        """Count a product, whoever made it."""
        return sum(self.made.get(product, {}).values())

    def shares(self, product: Product) -> dict[Maker, float]:
        """The share of every maker that occurs, in their order."""
        counts = {maker: self.count(product, maker) for maker in Maker}
        return {maker: count / self.number(product) for maker, count in counts.items() if count}

    def interventions_of(self, seat: Role, kind: Intervention) -> int:
        """Count how often the words of a role's model were changed."""
        return self.interventions.get(seat, {}).get(kind, 0)

    def flat(self) -> dict[str, float | None]:
        """All of it as one row of a table, with a zero for what never occurred."""
        made = {
            f"{product}_{maker}": self.count(product, maker)
            for product in Product
            for maker in Maker
        }
        done = {
            f"interventions_{seat}_{kind}": self.interventions_of(seat, kind)
            for seat in SEATS
            for kind in Intervention
        }
        row: dict[str, float | None] = {**made, **done}
        row |= {"thoughts_proposed": self.proposed, "thoughts_refused": self.refused}
        for seat in SEATS:
            row |= {
                f"{name}_{seat}": value
                for name, value in asdict(self.usage.get(seat, Usage())).items()
            }
        return row


_STORED = TypeAdapter(Makers)


def _added(several: Iterable[Counts]) -> Counts:
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for counts in several:
        for name, some in counts.items():
            sums[name].update(some)
    return {name: dict(counts) for name, counts in sums.items() if counts}


def maker_rows(columns: Sequence[Makers]) -> list[list[str]]:
    """Shares and interventions as rows of a table, or none if rules did everything."""
    if all(column.is_by_rules_alone for column in columns):
        return []
    return [*share_rows(columns), *intervention_rows(columns)]


def share_rows(columns: Sequence[Makers]) -> Iterator[list[str]]:
    """For each product how many there were, and the share of every maker in the table."""
    for product in Product:
        shares = [column.shares(product) for column in columns]
        if not any(shares):
            continue
        yield [
            row_labels.total(product.value),
            *(str(column.number(product)) for column in columns),
        ]
        for maker in Maker:
            if any(maker in one for one in shares):
                told = (f"{100 * one.get(maker, 0.0):.1f}" if one else "–" for one in shares)
                yield [f"{product}: {maker} %", *told]


def intervention_rows(columns: Sequence[Makers]) -> Iterator[list[str]]:
    """Rows that count what was done to whose words, and which of a memory's proposals were refused.

    Which column was given an answer again depends on which came first, so that is told of the run
    as a whole: see `saved_note`.
    """
    for seat in SEATS:
        for kind in Intervention:
            counts = [column.interventions_of(seat, kind) for column in columns]
            if any(counts) and kind is not Intervention.REUSED:
                yield [row_labels.total(f"{seat_name(seat)}: {kind}"), *map(str, counts)]
    if any(column.proposed for column in columns):
        yield [row_labels.total("memory: proposed"), *(str(column.proposed) for column in columns)]
        yield [
            row_labels.total("memory: proposed, refused"),
            *(str(column.refused) for column in columns),
        ]


def saved_usage(several: Iterable[Makers]) -> Usage:
    """What all seats of some consultations used together; in it, what sharing answers saved."""
    return Usage.together([used for makers in several for used in makers.usage.values()])


def saved_note(several: Iterable[Makers]) -> list[str]:
    """The note under a table whose consultations were given answers that others had paid for."""
    used = saved_usage(several)
    if not used.saved_calls:
        return []
    tokens = (
        "an unknown number of tokens"
        if used.saved_tokens is None
        else f"{used.saved_tokens:,} tokens"
    )
    price = "" if used.saved_cost is None else f" and {used.saved_cost:.4f} USD"
    calls = f"{used.saved_calls:,} of {used.calls:,} calls"
    told = (
        f"{calls} were given an answer that the model had given before, which saved {tokens}{price}"
    )
    return [f"{told}; every column is charged in full"]


def own_merit(columns: Iterable[Makers]) -> list[str]:
    """The note under measures of asking, if somebody else asked for the doctor."""
    asked = {maker for column in columns for maker in column.shares(Product.QUESTIONS)}
    if all(maker.is_own for maker in asked):
        return []
    told = (
        "key elements, order, repeats, deciding finding and tests count only what the doctor itself"
        " asked"
    )
    return [f"{told}, not the questions of its strategy"]


def maker_note(columns: Sequence[Makers]) -> str:
    """Explain the makers of a table in one line."""
    there = {maker for column in columns for product in Product for maker in column.shares(product)}
    return "; ".join(f"{maker}: {_ABOUT[maker]}" for maker in Maker if maker in there)


def seat_name(seat: Role) -> str:
    """A seat as tables write it."""
    return "RAM" if seat is Role.RAM else seat.value


def mark(maker: Maker, backbone: str, language: Language) -> str:
    """Return the remark behind a speaker's name, or an empty text if their first try was used."""
    expected = {RULES: Maker.RULES, HUMAN: Maker.HUMAN}.get(backbone, Maker.MODEL)
    return "" if maker is expected else f" ({load_texts(language, 'makers')[maker]})"


def making_lines(transcript: Transcript) -> Iterator[str]:
    """Lines for the end of a page: who made what, and what each role used.

    None if rules did everything.
    """
    makers = Makers.of(transcript)
    if makers.is_by_rules_alone:
        return
    made = (
        f"{product} {', '.join(f'{makers.count(product, maker)} {maker}' for maker in shares)}"
        for product in Product
        if (shares := makers.shares(product))
    )
    yield f"made by: {'; '.join(made)}"
    if used := [
        (seat_name(seat), makers.usage[seat].tokens) for seat in SEATS if seat in makers.usage
    ]:
        told = (
            f"{name} {'unknown' if tokens is None else format(tokens, ',')}"
            for name, tokens in used
        )
        yield f"tokens: {'; '.join(told)}"
