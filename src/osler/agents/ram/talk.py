"""What looks like a question and asks for nothing: "I'll put a drop in your eye now, all right?"."""

from __future__ import annotations

import re

from osler.language import Language

_TAG = {
    Language.EN: re.compile(
        r"[,.!;]\s+(?:(?:and )?(?:is|does|would|will) (?:that|this|it) (?:be |sound |make )?"
        r"(?:okay|ok|all right|alright|clear|fine|sense|good|fair|reasonable)(?: (?:with|to|for|by) you)?"
        r"|all right|alright|okay|ok|shall (?:we|i)|right|agreed|understood"
        r"|(?:are you )?ready|do you (?:follow|understand|agree)|can you (?:manage|do) that|fair enough"
        r"|if (?:you don['’]t mind|that['’]s all right))\s*[?.]?$",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        r"[，,。！](?:这样|[您你]看|[您你]说|那|大家|咱们|[您你]们?|都)*(?:安排)?(?:[您你]觉得)?"
        r"(?:行|好|成|可以|没问题|同意|放心|能做到|做得到|能接受|愿意|答应)(?:吗|吧|么|不行|不好|不成|不)[？?]?$"
        r"|[，,。！](?:[您你]|都|能)*(?:记住|记得住|记好|记清|听明白|明白|听懂|清楚|准备好|想好)了?(?:吗|吧|么|没有?)[？?]?$"
    ),
}
"""A word that waits for a nod, by itself after what was said: a question that ends in one has it in its own clause."""

_EXAMINES = {
    Language.EN: re.compile(
        r"\b(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i['’]d like to|may i)\b.{0,25}"
        r"\b(?:listen|feel|press|look|check|examine|measure|tap|weigh"
        r"|take (?:your|his|her) (?:temperature|pulse|blood pressure))\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"我(?:来|先|再|给|帮|想|要|[您你他她]|孩子)*(?:听|摸|按|看看|量|测|查|敲|叩|检查)"),
}
"""Who announces an examination wants to know what it shows."""

_THING = {
    Language.EN: re.compile(
        r"(?:(?:and|so|now|then)\b,?\s*)*(?:your|his|her|their)(?:\s+[\w'’-]+){1,3}", re.IGNORECASE
    ),
    Language.ZH: re.compile(r"(?:那|那么|还有|另外)*[您你他她]的[^，,。！]{1,8}"),
}
"""A thing by itself: who then says "is that all right?" asks for it."""


def is_talk(text: str, language: Language) -> bool:
    """Whether the doctor tells, announces or advises, and only waits for a yes."""
    tag = _TAG[language].search(text.strip())
    if tag is None or _EXAMINES[language].search(text):
        return False
    return not _THING[language].fullmatch(text.strip()[: tag.start()])
