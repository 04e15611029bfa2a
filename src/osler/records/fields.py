"""Types of a record's fields: one line of text, an age, the order of examinations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator, WithJsonSchema

from osler.language import Language

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, halves of surrogate pairs, and what XML cannot hold."""


class Frozen(BaseModel):
    """Base of the record's parts: immutable, and no field that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def one_line(text: str) -> str:
    """Normalise to NFC and one line; refuse what no terminal, table or prompt should receive."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if found := _UNFIT.search(text):
        raise ValueError(f"contains the control or broken character U+{ord(found[0]):04X}; remove it")
    return text


def _not_empty(text: str) -> str:
    if not text:
        raise ValueError("is empty; write a text or leave the field out")
    return text


MaybeLine = Annotated[str, Field(max_length=4000), AfterValidator(one_line)]
"""One line, possibly empty."""
Line = Annotated[MaybeLine, AfterValidator(_not_empty)]
"""One line that says something."""


def same(left: str, right: str) -> bool:
    """Check whether two names are the same but for case and surrounding space."""
    return left.strip().casefold() == right.strip().casefold()


AgeUnit = Literal["years", "months", "weeks", "days"]
_PER_YEAR: dict[AgeUnit, float] = {"years": 1, "months": 12, "weeks": 365.25 / 7, "days": 365.25}
_OLDEST = 125
_LONGEST_AGE = 40
"""Characters of an age in words."""
_UNIT_WORDS: dict[str, AgeUnit] = {
    **{"year": "years", "yr": "years", "y": "years", "岁": "years", "周岁": "years", "年": "years"},
    **{"month": "months", "mo": "months", "个月": "months", "月": "months", "月龄": "months", "个月大": "months"},
    **{"week": "weeks", "wk": "weeks", "周": "weeks", "周龄": "weeks"},
    **{"day": "days", "天": "days", "日": "days", "日龄": "days"},
}
_ZH_UNITS: dict[AgeUnit, str] = {"years": "岁", "months": "个月", "weeks": "周", "days": "天"}
_STATED_AGE = re.compile(
    r"\d{1,3}[\s-]*(?:year|month|week|day)s?[\s-]*old|\d{1,3}\s*(?:周岁|岁|个月大|月龄|日龄)"
    r"|(?P<newborn>\b(?:newborn|neonate)\b|新生儿)",
    re.IGNORECASE,
)
_AGE = re.compile(r"(\d{1,5})\s*-?\s*([a-z]+?s?|[\u4e00-\u9fff]+?)?(?:\s*-?\s*old|大)?", re.IGNORECASE)


@dataclass(frozen=True)
class Age:
    """How old the patient is, with the unit: a newborn's days are whole numbers, too."""

    value: int
    unit: AgeUnit = "years"

    def __post_init__(self) -> None:
        """Refuse an age no person has."""
        if self.unit not in get_args(AgeUnit) or not 0 <= self.years <= _OLDEST:
            raise ValueError(f"is {self.value} {self.unit}; an age lies between 0 and {_OLDEST} years")

    @property
    def years(self) -> float:
        """The age in years."""
        return self.value / _PER_YEAR[self.unit]

    def label(self, language: Language) -> str:
        """As a person would say it: `84 years`, `8 months`, `84岁`, `8个月`."""
        if language is Language.ZH:
            return f"{self.value}{_ZH_UNITS[self.unit]}"
        return f"{self.value} {self.unit if self.value != 1 else self.unit[:-1]}"

    @classmethod
    def parse(cls, value: object) -> Age:
        """Read `84`, `84 years old`, `8-month-old`, `84岁`, `8个月`."""
        if isinstance(value, Age):
            return value
        text = " ".join(str(value).split()) if type(value) in (int, str) else ""
        found = _AGE.fullmatch(text) if len(text) <= _LONGEST_AGE else None
        word = (found[2] or "year").lower() if found else ""
        unit = _UNIT_WORDS.get(word) or _UNIT_WORDS.get(word.removesuffix("s"))
        if found is None or unit is None:
            given = repr(text[:_LONGEST_AGE]) if text else "not an age"
            raise ValueError(f"is {given}; write `84`, `8 months`, `3 weeks` or `5 days`")
        return cls(int(found[1]), unit)

    @classmethod
    def find(cls, text: str) -> Age | None:
        """Return the first age that a text states: `an 8-month-old boy`, `患者男，84岁`, `a newborn`."""
        for found in _STATED_AGE.finditer(text):
            with suppress(ValueError):
                return cls(0, "days") if found["newborn"] else cls.parse(found[0])
        return None


def _written_age(age: Age) -> int | str:
    return age.value if age.unit == "years" else f"{age.value} {age.unit}"


AgeField = Annotated[
    Age,
    PlainValidator(Age.parse),
    PlainSerializer(_written_age, return_type=int | str),
    WithJsonSchema({"type": ["integer", "string"], "examples": [84, "8 months"]}),
]

_WIDE = str.maketrans({"＞": ">", "＝": "=", "；": ";"})
_LONGEST_ORDER = 4000
Chain = tuple[tuple[str, ...], ...]
"""Ranks of names, the earliest first."""


@dataclass(frozen=True)
class ExamOrder:
    """The order in which the key examinations should be asked for, as chains of ranks.

    `A > B = C; D > E` is two chains, the first with the ranks (A) and (B, C). Names of different chains are not
    compared with each other unless they share a name.
    """

    chains: tuple[Chain, ...]

    @classmethod
    def parse(cls, value: object) -> ExamOrder:
        """Read the written form; `>` is "before", `=` is "same rank", `;` separates chains."""
        if isinstance(value, ExamOrder):
            return value
        if not isinstance(value, str) or len(value) > _LONGEST_ORDER:
            raise ValueError("is not a text of one line; write `First > Second = Third`")
        parts = " ".join(value.translate(_WIDE).split()).split(";")
        chains = tuple(_chain(part) for part in parts if part.strip())
        if not chains:
            raise ValueError("is empty; write `First > Second = Third`, or leave it out")
        order = cls(chains)
        order.before(str.casefold)
        return order

    def __str__(self) -> str:
        """The written form, which `parse` reads back as an equal order."""
        return "; ".join(" > ".join(" = ".join(rank) for rank in chain) for chain in self.chains)

    def names(self) -> list[str]:
        """Every name in it, once, in the order of first mention."""
        return list(dict.fromkeys(name for chain in self.chains for rank in chain for name in rank))

    def before(self, resolve: Callable[[str], str]) -> frozenset[tuple[str, str]]:
        """All pairs (earlier, later), transitive, names resolved to entries; ValueError if they go in a circle."""
        chains = [[[resolve(name) for name in rank] for rank in chain] for chain in self.chains]
        same_rank: dict[str, frozenset[str]] = {}
        for rank in (rank for chain in chains for rank in chain):
            together = frozenset(rank).union(*(same_rank.get(name, ()) for name in rank))
            same_rank |= dict.fromkeys(together, together)
        later: dict[frozenset[str], set[frozenset[str]]] = {rank: set() for rank in same_rank.values()}
        for chain in chains:
            for one, other in pairwise(chain):
                later[same_rank[one[0]]].add(same_rank[other[0]])
        try:
            order = list(TopologicalSorter(later).static_order())  # the latest first
        except CycleError as error:
            circle = " > ".join(min(rank) for rank in reversed(error.args[1]))
            raise ValueError(f"goes in a circle: {circle}; remove one of these steps") from None
        for group in order:
            later[group] = later[group].union(*(later[follower] for follower in later[group]))
        return frozenset((one, two) for group in order for other in later[group] for one in group for two in other)


def _chain(text: str) -> Chain:
    ranks = tuple(tuple(name.strip() for name in rank.split("=")) for rank in text.split(">"))
    if any(not name for rank in ranks for name in rank):
        raise ValueError(f"has an empty step in {text.strip()!r}; every `>` and `=` needs a name on both sides")
    return ranks


ExamOrderField = Annotated[
    ExamOrder,
    PlainValidator(ExamOrder.parse),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "examples": ["Urinary ultrasound > Enhanced MRI = CT urography"]}),
]
