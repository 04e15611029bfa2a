"""An age with its unit: a newborn's days and a grandmother's years are both whole numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from osler.language import Language

AgeUnit = Literal["years", "months", "weeks", "days"]

_PER_YEAR: dict[AgeUnit, float] = {"years": 1, "months": 12, "weeks": 365.25 / 7, "days": 365.25}
_OLDEST = 125
_LONGEST = 40
"""Characters of an age in words."""
_WORDS: dict[str, AgeUnit] = {
    **{"year": "years", "yr": "years", "y": "years", "岁": "years", "周岁": "years", "年": "years"},
    **{"month": "months", "mo": "months", "个月": "months", "月": "months", "月龄": "months", "个月大": "months"},
    **{"week": "weeks", "wk": "weeks", "周": "weeks", "周龄": "weeks"},
    **{"day": "days", "天": "days", "日": "days", "日龄": "days"},
}
_ZH: dict[AgeUnit, str] = {"years": "岁", "months": "个月", "weeks": "周", "days": "天"}
_FORM = re.compile(r"(\d{1,5})\s*-?\s*([a-z]+?s?|[\u4e00-\u9fff]+?)?(?:\s*-?\s*old|大)?", re.IGNORECASE)


@dataclass(frozen=True)
class Age:
    """How old the patient is."""

    value: int
    unit: AgeUnit = "years"

    def __post_init__(self) -> None:
        """Refuse an age no person has."""
        if self.unit not in get_args(AgeUnit) or not 0 <= self.years <= _OLDEST:
            raise ValueError(f"is {self.value} {self.unit}; an age lies between 0 and {_OLDEST} years")

    @property
    def years(self) -> float:
        """The age in years, for sorting and for rules about children and the old."""
        return self.value / _PER_YEAR[self.unit]

    def label(self, language: Language) -> str:
        """As a person would say it: `84 years`, `8 months`, `84岁`, `8个月`."""
        if language is Language.ZH:
            return f"{self.value}{_ZH[self.unit]}"
        return f"{self.value} {self.unit if self.value != 1 else self.unit[:-1]}"

    @classmethod
    def parse(cls, text: str) -> Age:
        """Read `84`, `84 years old`, `8-month-old`, `84岁`, `8个月`."""
        text = " ".join(text.split())
        found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
        word = (found[2] or "year").lower() if found else ""
        unit = _WORDS.get(word) or _WORDS.get(word.removesuffix("s"))
        if found is None or unit is None:
            raise ValueError(f"is {text[:_LONGEST]!r}; write `84`, `8 months`, `3 weeks` or `5 days`")
        return cls(int(found[1]), unit)


def _validate(value: Any) -> Age:
    if isinstance(value, Age):
        return value
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not an age; write `84`, `8 months`, `3 weeks` or `5 days`")
    return Age.parse(str(value))


def _dump(age: Age) -> int | str:
    return age.value if age.unit == "years" else f"{age.value} {age.unit}"


AgeField = Annotated[
    Age,
    PlainValidator(_validate),
    PlainSerializer(_dump, return_type=int | str),
    WithJsonSchema({"type": ["integer", "string"], "examples": [84, "8 months"]}),
]
