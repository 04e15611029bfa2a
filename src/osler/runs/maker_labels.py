"""Who made what, as pages of a consultation show it."""

from __future__ import annotations

from collections.abc import Iterator

from osler.language import Language
from osler.locale import load_texts
from osler.runs.events import Maker
from osler.runs.maker_rows import seat_name
from osler.runs.makers import SEATS, Makers, Product
from osler.runs.plan import HUMAN, RULES
from osler.runs.transcript import Transcript


def mark(maker: Maker, backbone: str, language: Language) -> str:
    """What stands behind a speaker's name; nothing where the one who has that seat said it at the first try."""
    expected = {RULES: Maker.RULES, HUMAN: Maker.HUMAN}.get(backbone, Maker.MODEL)
    return "" if maker is expected else f" ({load_texts(language, 'makers')[maker]})"


def making_lines(transcript: Transcript) -> Iterator[str]:
    """Who made what, and what each seat used, for the end of a page; nothing where rules did everything."""
    makers = Makers.of(transcript)
    if makers.is_by_rules_alone:
        return
    made = (
        f"{product} {', '.join(f'{makers.made[product.value][maker.value]} {maker}' for maker in shares)}"
        for product in Product
        if (shares := makers.shares(product))
    )
    yield f"made by: {'; '.join(made)}"
    if used := [(seat_name(seat), makers.usage[seat.value]) for seat in SEATS if seat.value in makers.usage]:
        told = (f"{name} {'unknown' if one.tokens is None else format(one.tokens, ',')}" for name, one in used)
        yield f"tokens: {'; '.join(told)}"
