"""Replies that say not to know what they were given."""

from __future__ import annotations

import re
from collections.abc import Sequence

from osler.eval.measures.asking import is_result
from osler.eval.measures.not_told import tells_nothing
from osler.eval.measures.statements import clauses, mentions, own_words, tells
from osler.language import Language
from osler.language.words import numbers, plain, sentences
from osler.records.schema import Entry, Status

_IGNORANCE = {
    Language.EN: re.compile(
        r"\b(?:(?:do|does|did)(?:n't| not) (?:really |actually |even )?(?:know(?! of)|remember|recall)"
        r"|(?:can't|cannot|can not|couldn't|could not) (?:really )?(?:tell|say|remember|recall|answer|assist|help)"
        r"|not (?:really |quite |too |so )?(?:sure|certain)|no idea|unsure|wish i knew)\b"
    ),
    Language.ZH: re.compile(
        r"不(?:太|大|是很|怎么)?(?:清楚|知道|确定|记得|了解)|说不(?:上来|清|好)|(?:无法|不能|没法)(?:回答|提供|协助|帮助)|记不(?:得|清|住|太清)|想不起|不好说"
    ),
}
_DENIES = re.compile(r"^\W*(?:no|none|never|nope)\b|^\W*(?:没|无|从没|从来没)")


def refuses(reply: str, entries: Sequence[Entry], language: Language) -> bool:
    """Whether a reply only says not to know, or that nothing was done, although an entry has something to tell.

    That nothing was done refuses a result, not a symptom or a history: those it denies. Nor does a `no` refuse what
    is absent.
    """
    said = [plain(sentence) for sentence in sentences(reply, language)]
    ignorant = any(_IGNORANCE[language].search(sentence) for sentence in said)
    undone = any(tells_nothing(sentence, language) for sentence in said)
    if not (ignorant or undone):
        return False
    known = [entry for entry in entries if _has_content(entry, language)]
    refused = [entry for entry in known if ignorant or (undone and is_result(entry))]
    if not refused or any(entry.status is Status.ABSENT and _DENIES.match(plain(reply)) for entry in known):
        return False
    rest = " ".join(part for part in clauses(reply, language) if not _is_ignorant(part, language))
    figures = " ".join(numbers(reply))
    return not any(
        mentions(rest, entry.name, language) or tells(f"{rest} {figures}", entry, language) for entry in known
    )


def _is_ignorant(text: str, language: Language) -> bool:
    return bool(_IGNORANCE[language].search(text)) or tells_nothing(text, language)


def _has_content(entry: Entry, language: Language) -> bool:
    """Whether the record knows something of it, and its own words do not say otherwise."""
    own = sentences(own_words(entry), language)
    return entry.status is not Status.NOT_DONE and not any(_is_ignorant(plain(one), language) for one in own)
