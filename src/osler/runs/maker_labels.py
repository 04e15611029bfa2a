"""Words for who made something and for what was done to it, in both languages, as pages of a consultation use them."""

from __future__ import annotations

from collections.abc import Iterator

from osler.runs.events import Intervention, Maker
from osler.language import Language
from osler.runs.maker_rows import seat_name
from osler.runs.makers import SEATS, Makers, Product
from osler.runs.plan import HUMAN, RULES
from osler.runs.transcript import Transcript

MAKERS = {
    Language.EN: {maker: maker.value for maker in Maker},
    Language.ZH: {
        Maker.MODEL: "模型",
        Maker.RETRIED: "重试",
        Maker.CUT: "删减",
        Maker.STRATEGY: "策略",
        Maker.RULES: "规则",
        Maker.SILENT: "沉默",
        Maker.HUMAN: "真人",
    },
}
INTERVENTIONS = {
    Language.EN: {kind: kind.value for kind in Intervention},
    Language.ZH: {
        Intervention.REFUSED: "被拒",
        Intervention.UNREAD: "无法读取",
        Intervention.SHORTENED: "截短",
        Intervention.CUT: "删减",
        Intervention.RULES: "规则代替",
        Intervention.REUSED: "沿用",
        Intervention.OVERFLOW: "超出上下文",
    },
}


def mark(maker: Maker, backbone: str, language: Language) -> str:
    """What stands behind a speaker's name; nothing where the one who has that seat said it at the first try."""
    expected = {RULES: Maker.RULES, HUMAN: Maker.HUMAN}.get(backbone, Maker.MODEL)
    return "" if maker is expected else f" ({MAKERS[language][maker]})"


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
