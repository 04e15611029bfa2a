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
        usage = cls.together([cls._of_answer(call) for call in answered])
        all_failed = bool(calls and not answered)
        cost = None if all_failed else usage.cost
        seconds = round(sum(call.seconds for call in calls), 4)
        return replace(usage, calls=len(calls), cost=cost, seconds=seconds)

    @classmethod
    def _of_answer(cls, call: Called) -> Self:
        """What one call used, without its time."""
        usage = cls(1, call.tokens_in, call.tokens_out, call.cost)
        if call.source not in SHARED_SOURCES:
            return usage
        return replace(usage, saved_calls=1, saved_tokens=usage.tokens, saved_cost=usage.cost)

    @classmethod
    def together(cls, usages: Sequence[Self]) -> Self:
        """The sum of several."""
        return cls(
            calls=sum(usage.calls for usage in usages),
            tokens_in=total(usage.tokens_in for usage in usages),
            tokens_out=total(usage.tokens_out for usage in usages),
            cost=total(usage.cost for usage in usages),
            seconds=sum(usage.seconds for usage in usages),
            saved_calls=sum(usage.saved_calls for usage in usages),
            saved_tokens=total(usage.saved_tokens for usage in usages),
            saved_cost=total(usage.saved_cost for usage in usages),
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
        products: _Sums = defaultdict(Counter)
        for question in transcript.of(Asked):
            products[Product.QUESTIONS.value][question.maker.value] += 1
        for retrieval in transcript.of(Retrieved):
            products[Product.RETRIEVALS.value][retrieval.maker.value] += 1
        for answer in transcript.of(Answered):
            products[Product.REPLIES.value][answer.maker.value] += 1
        for change in changes:
            products[Product.THOUGHTS.value].update(change.makers)
        interventions: _Sums = defaultdict(Counter)
        for intervention in transcript.of(Intervened):
            interventions[intervention.role.value][intervention.kind.value] += 1
        calls: defaultdict[str, list[Called]] = defaultdict(list)
        for call in transcript.of(Called):
            calls[call.role.value].append(call)
        return cls(
            made=_without_empty(products),
            interventions=_without_empty(interventions),
            proposed=sum(change.proposed for change in changes),
            refused=sum(len(change.refused) for change in changes),
            usage={seat: Usage.of(calls_of_seat) for seat, calls_of_seat in calls.items()},
        )

    @classmethod
    def read(cls, measures: Mapping[str, Any]) -> Makers:
        """Read the counts that are stored with the measures; without any, they are empty.

        Raises:
            ValueError: They are damaged.
        """
        stored = measures.get("makers")
        if stored:
            return _STORED.validate_python(stored)
        return Makers()

    @classmethod
    def together(cls, several: Iterable[Self]) -> Self:
        """The counts of many consultations as those of one."""
        all_makers = list(several)
        usage: dict[str, Usage] = {}
        for seat in SEATS:
            of_seat = [makers.usage[seat] for makers in all_makers if seat in makers.usage]
            if of_seat:
                usage[seat.value] = Usage.together(of_seat)
        return cls(
            made=_added(makers.made for makers in all_makers),
            interventions=_added(makers.interventions for makers in all_makers),
            proposed=sum(makers.proposed for makers in all_makers),
            refused=sum(makers.refused for makers in all_makers),
            usage=usage,
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
        row: dict[str, float | None] = {}
        for product in Product:
            for maker in Maker:
                row[f"{product}_{maker}"] = self.count(product, maker)
        for seat in SEATS:
            for kind in Intervention:
                row[f"interventions_{seat}_{kind}"] = self.interventions_of(seat, kind)
        row["thoughts_proposed"] = self.proposed
        row["thoughts_refused"] = self.refused
        for seat in SEATS:
            usage = self.usage.get(seat, Usage())
            for name, value in asdict(usage).items():
                row[f"{name}_{seat}"] = value
        return row


_STORED = TypeAdapter(Makers)
_Sums = defaultdict[str, Counter[str]]


def _added(several: Iterable[Counts]) -> Counts:
    sums: _Sums = defaultdict(Counter)
    for counts in several:
        for name, counts_of_name in counts.items():
            sums[name].update(counts_of_name)
    return _without_empty(sums)


def _without_empty(sums: _Sums) -> Counts:
    return {name: dict(counts) for name, counts in sums.items() if counts}


def maker_rows(columns: Sequence[Makers]) -> list[list[str]]:
    """Shares and interventions as rows of a table, or none if rules did everything."""
    if all(column.is_by_rules_alone for column in columns):
        return []
    return [*share_rows(columns), *intervention_rows(columns)]


def share_rows(columns: Sequence[Makers]) -> Iterator[list[str]]:
    """For each product how many there were, and the share of every maker in the table."""
    for product in Product:
        by_column = [column.shares(product) for column in columns]
        if not any(by_column):
            continue
        numbers = [str(column.number(product)) for column in columns]
        yield [row_labels.total(product.value), *numbers]
        for maker in Maker:
            if any(maker in shares for shares in by_column):
                cells = [_percent(shares, maker) for shares in by_column]
                yield [f"{product}: {maker} %", *cells]


def _percent(shares: Mapping[Maker, float], maker: Maker) -> str:
    if shares:
        return f"{100 * shares.get(maker, 0.0):.1f}"
    return "–"


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
        proposed = [str(column.proposed) for column in columns]
        yield [row_labels.total("memory: proposed"), *proposed]
        refused = [str(column.refused) for column in columns]
        yield [row_labels.total("memory: proposed, refused"), *refused]


def saved_usage(several: Iterable[Makers]) -> Usage:
    """What all seats of some consultations used together; in it, what sharing answers saved."""
    usages: list[Usage] = []
    for makers in several:
        usages += makers.usage.values()
    return Usage.together(usages)


def saved_note(several: Iterable[Makers]) -> list[str]:
    """The note under a table whose consultations were given answers that others had paid for."""
    usage = saved_usage(several)
    if not usage.saved_calls:
        return []
    tokens = "an unknown number of tokens"
    if usage.saved_tokens is not None:
        tokens = f"{usage.saved_tokens:,} tokens"
    price = "" if usage.saved_cost is None else f" and {usage.saved_cost:.4f} USD"
    calls = f"{usage.saved_calls:,} of {usage.calls:,} calls"
    return [
        f"{calls} were given an answer that the model had given before, which saved"
        f" {tokens}{price}; every column is charged in full"
    ]


def own_merit(columns: Iterable[Makers]) -> list[str]:
    """The note under measures of asking, if somebody else asked for the doctor."""
    askers: set[Maker] = set()
    for column in columns:
        askers.update(column.shares(Product.QUESTIONS))
    if all(maker.is_own for maker in askers):
        return []
    return [
        "key elements, order, repeats, deciding finding and tests count only what the doctor itself"
        " asked, not the questions of its strategy"
    ]


def maker_note(columns: Sequence[Makers]) -> str:
    """Explain the makers of a table in one line."""
    makers: set[Maker] = set()
    for column in columns:
        for product in Product:
            makers.update(column.shares(product))
    return "; ".join(f"{maker}: {_ABOUT[maker]}" for maker in Maker if maker in makers)


def seat_name(seat: Role) -> str:
    """A seat as tables write it."""
    if seat is Role.RAM:
        return "RAM"
    return seat.value


def mark(maker: Maker, backbone: str, language: Language) -> str:
    """Return the remark behind a speaker's name, or an empty text if their first try was used."""
    expected = {RULES: Maker.RULES, HUMAN: Maker.HUMAN}.get(backbone, Maker.MODEL)
    if maker is expected:
        return ""
    return f" ({load_texts(language, 'makers')[maker]})"


def making_lines(transcript: Transcript) -> Iterator[str]:
    """Lines for the end of a page: who made what, and what each role used.

    There are none if rules did everything.
    """
    makers = Makers.of(transcript)
    if makers.is_by_rules_alone:
        return
    products = []
    for product in Product:
        counts = [f"{makers.count(product, maker)} {maker}" for maker in makers.shares(product)]
        if counts:
            products.append(f"{product} {', '.join(counts)}")
    yield f"made by: {'; '.join(products)}"
    tokens_of_seats = []
    for seat in SEATS:
        if seat in makers.usage:
            tokens = makers.usage[seat].tokens
            number = "unknown" if tokens is None else f"{tokens:,}"
            tokens_of_seats.append(f"{seat_name(seat)} {number}")
    if tokens_of_seats:
        yield f"tokens: {'; '.join(tokens_of_seats)}"
