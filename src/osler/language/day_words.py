"""Words that name a day by another day, such as "yesterday", and the dates that they mean."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache

from osler.language import Language

_DAYS_BACK = {
    Language.EN: {
        "the day before yesterday": 2,
        "yesterday": 1,
        "last night": 1,
        "today": 0,
        "this morning": 0,
    },
    Language.ZH: {
        "大前天": 3,
        "前天": 2,
        "前日": 2,
        "昨天": 1,
        "昨日": 1,
        "昨晚": 1,
        "昨夜": 1,
        "今天": 0,
        "今日": 0,
        "今早": 0,
    },
}
"""How many days before the day on which it is said; a longer word stands before one in it."""
_COUNTED = {Language.EN: r"(\d{1,3}) days? ago", Language.ZH: r"(\d{1,3})天(?:以)?前"}


def with_dates(text: str, said: date, language: Language) -> str:
    """A text with the dates in place of words that name a day by the day on which it was said.

    Only what names one day is replaced: "three days ago" in figures, but no "last week".
    """

    def iso(match: re.Match[str]) -> str:
        counted = match[1]
        back = int(counted) if counted else _DAYS_BACK[language][match[0].lower()]
        return (said - timedelta(days=back)).isoformat()

    return _finder(language).sub(iso, text)


@cache
def _finder(language: Language) -> re.Pattern[str]:
    named = "|".join(map(re.escape, _DAYS_BACK[language]))
    either = f"{_COUNTED[language]}|{named}"
    if language is Language.EN:
        either = rf"\b(?:{either})\b"
    return re.compile(either, re.IGNORECASE)
