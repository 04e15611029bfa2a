"""Who made what as rows of a table: shares by maker, interventions, and what each seat's model used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from osler.runs.events import Intervention, Maker, Role
from osler.runs.makers import SEATS, Makers, Product, Usage, occurring

_NAMES = {Role.RAM: "RAM"}
_ABOUT = {
    Maker.MODEL: "a model's first answer",
    Maker.RETRIED: "its second, after the first was refused or could not be read",
    Maker.CUT: "its answer with a part cut out",
    Maker.STRATEGY: "asked by the doctor's strategy",
    Maker.RULES: "made by rules",
    Maker.SILENT: "the model said nothing",
    Maker.HUMAN: "a person",
}


@dataclass(frozen=True)
class ColumnMakers:
    """The consultations of a column that ended with an answer."""

    makers: Makers
    consultations: int


def maker_rows(columns: Sequence[ColumnMakers]) -> list[list[str]]:
    """All rows; none where rules did everything, since the column's name says so."""
    if all(column.makers.is_by_rules_alone for column in columns):
        return []
    makers = [column.makers for column in columns]
    return [*share_rows(makers), *intervention_rows(makers), *usage_rows(columns)]


def share_rows(columns: Sequence[Makers]) -> Iterator[list[str]]:
    """For each product how many there were, and the share of every maker that occurs in the table."""
    for product in Product:
        makers = occurring(columns, product)
        if not makers:
            continue
        yield [product.value, *(str(column.number(product)) for column in columns)]
        shares = [column.shares(product) for column in columns]
        for maker in makers:
            yield [f"{product}: {maker} %", *(_share(one.get(maker, 0.0), one) for one in shares)]


def intervention_rows(columns: Sequence[Makers]) -> Iterator[list[str]]:
    """How often what was done to whose words, and what of a memory's proposals was refused."""
    for seat in SEATS:
        for kind in Intervention:
            counts = [column.interventions.get(seat.value, {}).get(kind.value, 0) for column in columns]
            if any(counts):
                yield [f"{seat_name(seat)}: {kind}", *map(str, counts)]
    if any(column.proposed for column in columns):
        yield ["memory: proposed", *(str(column.proposed) for column in columns)]
        yield ["memory: proposed, refused", *(str(column.refused) for column in columns)]


def usage_rows(columns: Sequence[ColumnMakers]) -> Iterator[list[str]]:
    """Tokens and cost of a consultation by seat, of those that called a model."""
    values: tuple[tuple[str, Callable[[Usage], float | None], int], ...] = (
        ("tokens: {}", lambda used: used.tokens, 0),
        ("cost: {}, USD", lambda used: used.cost, 4),
    )
    for label, value, digits in values:
        for seat in SEATS:
            means = [_mean(column, seat, value) for column in columns]
            if any(means):
                told = ["–" if mean is None else f"{mean:.{digits}f}" for mean in means]
                yield [label.format(seat_name(seat)), *told]


def own_merit(columns: Iterable[Makers]) -> list[str]:
    """What has to be said under measures of asking, where somebody else asked for the doctor."""
    asked = {maker for column in columns for maker in column.shares(Product.QUESTIONS)}
    if all(maker.is_own for maker in asked):
        return []
    told = "key elements, order, repeats, deciding finding and tests count only what the doctor itself asked"
    return [f"{told}, not the questions of its strategy"]


def maker_note(columns: Sequence[Makers]) -> str:
    """What the makers of a table are, in a line."""
    there = {maker for product in Product for maker in occurring(columns, product)}
    return "; ".join(f"{maker}: {_ABOUT[maker]}" for maker in Maker if maker in there)


def seat_name(seat: Role) -> str:
    """A seat as tables write it."""
    return _NAMES.get(seat, seat.value)


def _mean(column: ColumnMakers, seat: Role, value: Callable[[Usage], float | None]) -> float | None:
    whole = value(column.makers.usage.get(seat.value, Usage()))
    return None if whole is None or not column.consultations else whole / column.consultations


def _share(share: float, all_of_it: object) -> str:
    return f"{100 * share:.1f}" if all_of_it else "–"
