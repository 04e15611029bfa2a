"""The languages Osler speaks."""

from enum import StrEnum


class Language(StrEnum):
    """A record's language; prompts, rules, matching and judging follow it."""

    EN = "en"
    ZH = "zh"
