"""Types of a record's fields: one line of text, an age, the order of examinations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise, product
from typing import Annotated, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
)

from osler.language import Language

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, halves of surrogate pairs, and what XML cannot hold."""


class Frozen(BaseModel):
    """Base of the record's parts: immutable, and no field that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def one_line(text: str) -> str:
    """Normalise to NFC and one line; refuse what no terminal, table or prompt should receive."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if unfit := _UNFIT.search(text):
        raise ValueError(
            f"contains the control or broken character U+{ord(unfit[0]):04X}; remove it"
        )
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
    **dict.fromkeys(("year", "yr", "y", "岁", "周岁", "年"), "years"),
    **dict.fromkeys(("month", "mo", "个月", "月", "月龄", "个月大"), "months"),
    **dict.fromkeys(("week", "wk", "周", "周龄"), "weeks"),
    **dict.fromkeys(("day", "天", "日", "日龄"), "days"),
}
_ZH_UNITS: dict[AgeUnit, str] = {"years": "岁", "months": "个月", "weeks": "周", "days": "天"}
_STATED_AGE = re.compile(
    r"\d{1,3}[\s-]*(?:year|month|week|day)s?[\s-]*old|\d{1,3}\s*(?:周岁|岁|个月大|月龄|日龄)"
    r"|(?P<newborn>\b(?:newborn|neonate)\b|新生儿)",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"(\d{1,5})\s*-?\s*([a-z]+?s?|[\u4e00-\u9fff]+?)?(?:\s*-?\s*old|大)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Age:
    """How old the patient is, with the unit: a newborn's days are whole numbers, too."""

    value: int
    unit: AgeUnit = "years"

    def __post_init__(self) -> None:
        """Refuse an age no person has."""
        if self.unit not in get_args(AgeUnit) or not 0 <= self.years <= _OLDEST:
            raise ValueError(
                f"is {self.value} {self.unit}; an age lies between 0 and {_OLDEST} years"
            )

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
        # The exact types: `True` is an int, too, and no age.
        text = " ".join(str(value).split()) if type(value) in (int, str) else ""
        match = _AGE.fullmatch(text) if len(text) <= _LONGEST_AGE else None
        unit = _unit_of(match[2] or "year") if match else None
        if match is None or unit is None:
            quotation = repr(text[:_LONGEST_AGE]) if text else "not an age"
            raise ValueError(f"is {quotation}; write `84`, `8 months`, `3 weeks` or `5 days`")
        return cls(int(match[1]), unit)

    @classmethod
    def find(cls, text: str) -> Age | None:
        """The first age that a text states: `an 8-month-old boy`, `患者男，84岁`, `a newborn`."""
        for match in _STATED_AGE.finditer(text):
            if match["newborn"]:
                return cls(0, "days")
            with suppress(ValueError):  # `200 years old` is no age
                return cls.parse(match[0])
        return None


def _unit_of(word: str) -> AgeUnit | None:
    word = word.lower()
    return _UNIT_WORDS.get(word) or _UNIT_WORDS.get(word.removesuffix("s"))


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

    `A > B = C; D > E` is two chains, the first with the ranks (A) and (B, C). Names of different
    chains are not compared with each other unless they share a name.
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
        order.before(str.casefold)  # refuses an order that goes in a circle
        return order

    def __str__(self) -> str:
        """The written form, which `parse` reads back as an equal order."""
        return "; ".join(map(_written_chain, self.chains))

    def names(self) -> list[str]:
        """Every name in it, once, in the order of first mention."""
        ranks = chain.from_iterable(self.chains)
        return list(dict.fromkeys(chain.from_iterable(ranks)))

    def before(self, resolve: Callable[[str], str]) -> frozenset[tuple[str, str]]:
        """All pairs (earlier, later), transitive, names resolved to entries.

        ValueError if they go in a circle.
        """
        groups = self._groups(resolve)
        later: dict[frozenset[str], set[frozenset[str]]] = {
            group: set() for group in groups.values()
        }
        for ranks in self.chains:
            for rank, next_rank in pairwise(ranks):
                later[groups[resolve(rank[0])]].add(groups[resolve(next_rank[0])])
        try:
            # "later" is what the sorter calls predecessors: the last examinations come out first.
            order = list(TopologicalSorter(later).static_order())
        except CycleError as error:
            circle = " > ".join(min(group) for group in reversed(error.args[1]))
            raise ValueError(f"goes in a circle: {circle}; remove one of these steps") from None
        pairs: set[tuple[str, str]] = set()
        for group in order:
            # Whatever follows has its own followers already, so one step gathers all of them.
            followers = later[group].union(*(later[follower] for follower in later[group]))
            later[group] = followers
            for follower in followers:
                pairs.update(product(group, follower))
        return frozenset(pairs)

    def _groups(self, resolve: Callable[[str], str]) -> dict[str, frozenset[str]]:
        """For each entry, all that share its rank, also by way of another chain."""
        groups: dict[str, frozenset[str]] = {}
        for rank in chain.from_iterable(self.chains):
            group = frozenset(map(resolve, rank))
            group = group.union(*(groups.get(name, ()) for name in group))
            groups |= dict.fromkeys(group, group)
        return groups


def _written_chain(ranks: Chain) -> str:
    return " > ".join(" = ".join(rank) for rank in ranks)


def _chain(text: str) -> Chain:
    ranks = tuple(_rank(step) for step in text.split(">"))
    if "" in chain.from_iterable(ranks):
        raise ValueError(
            f"has an empty step in {text.strip()!r}; every `>` and `=` needs a name on both sides"
        )
    return ranks


def _rank(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split("="))


ExamOrderField = Annotated[
    ExamOrder,
    PlainValidator(ExamOrder.parse),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(
        {"type": "string", "examples": ["Urinary ultrasound > Enhanced MRI = CT urography"]}
    ),
]
