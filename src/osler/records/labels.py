"""From the words of a table or a source to the values of a record."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from osler.language import Language
from osler.locale import label
from osler.records.schema import Sex

__all__ = ["EN", "ZH", "from_label", "label", "language_of", "sex_from"]

EN, ZH = Language.EN, Language.ZH

T = TypeVar("T", bound=StrEnum)

_SEX_WORDS = {
    Sex.FEMALE: {"female", "f", "woman", "girl", "女", "女性"},
    Sex.MALE: {"male", "m", "man", "boy", "男", "男性"},
    Sex.UNKNOWN: {"unknown", "不详", "未知"},
}


def from_label(kind: type[T], text: str) -> T | None:
    """The value a word stands for, in either language, by label or by its plain value."""
    wanted = text.strip().casefold()
    for value in kind:
        if wanted in {value.value, *(label(value, language).casefold() for language in Language)}:
            return value
    return None


def sex_from(text: str) -> Sex | None:
    """The sex a cell or a phrase's word names."""
    wanted = text.strip().casefold()
    return next((sex for sex, words in _SEX_WORDS.items() if wanted in words), None)


def language_of(text: str) -> Language:
    """Chinese when a third of the letters are Chinese characters; clinical Chinese is full of Latin abbreviations."""
    letters = [char for char in text if char.isalpha()]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    return ZH if letters and chinese * 3 >= len(letters) else EN
