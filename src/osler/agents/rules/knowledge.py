"""What the rules doctor knows of medicine: things to ask, what the replies show, and the conditions they point to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from osler.agents.rules.address import addressed
from osler.language import Language, Speaker
from osler.language.words import plain
from osler.records.schema import Sex

Floats = NDArray[np.float64]
Plain = Annotated[str, AfterValidator(plain)]
"""A text in plain letters."""


class _Known(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, populate_by_name=True)


T = TypeVar("T", bound=_Known)


class NumberRule(_Known):
    """A finding that a number decides."""

    after: dict[Language, tuple[Plain, ...]] = {}
    """Words the number stands behind; none: the first number of the reply."""
    above: float = np.inf
    below: float = -np.inf


class Finding(_Known):
    """Something a reply can show."""

    base: float = 0.1
    en: tuple[Plain, ...] = ()
    zh: tuple[Plain, ...] = ()
    number: NumberRule | None = None

    def cues(self, language: Language) -> tuple[str, ...]:
        """Words that show it."""
        return self.en if language is Language.EN else self.zh


class Item(_Known):
    """One thing to ask about."""

    id: str
    kind: str
    ask: dict[Language, str]
    names: dict[Language, tuple[str, ...]]
    findings: dict[str, Annotated[Finding, BeforeValidator(lambda row: row or {})]]

    @property
    def is_test(self) -> bool:
        """Whether it is reported by others, and not told by the patient."""
        return self.kind in {"test", "examination"}


class OtherTreatment(_Known):
    """What to do when a finding forbids the usual treatment."""

    finding: Annotated[str, Field(alias="if")]
    en: str
    zh: str

    def text(self, language: Language) -> str:
        """The treatment in a language."""
        return self.en if language is Language.EN else self.zh


class Condition(_Known):
    """A disease as the doctor pictures it."""

    id: str
    name: dict[Language, str]
    prior: float
    sex: str | None = None
    ages: tuple[float, float]
    findings: dict[str, float]
    treatment: dict[Language, str]
    unless: tuple[OtherTreatment, ...] = ()


class Knowledge(NamedTuple):
    """All of it, with the table of probabilities laid out for arithmetic."""

    items: dict[str, Item]
    conditions: dict[str, Condition]
    findings: dict[str, int]
    """Column of each finding; those of an item stand together, in the order of the items."""
    first_finding: NDArray[np.intp]
    """Column of the first finding of each item."""
    item_of: dict[str, Item]
    """The item of each finding."""
    table: Floats
    """(conditions, findings): how likely each finding is in each condition."""
    entropy: Floats
    """(conditions, findings): how uncertain each finding is in each condition."""


@cache
def knowledge() -> Knowledge:
    """Read the files once."""
    items = {item.id: item for item in _read(Item, "symptoms", "laboratory", "examinations")}
    conditions = {one.id: one for one in _read(Condition, *(f"conditions-{number}" for number in range(1, 5)))}
    item_of = {name: item for item in items.values() for name in item.findings}
    columns = {name: place for place, name in enumerate(item_of)}
    base = np.array([item.findings[name].base for name, item in item_of.items()])
    table = np.tile(base, (len(conditions), 1))
    for row, condition in zip(table, conditions.values(), strict=True):
        for name, probability in condition.findings.items():
            row[columns[name]] = probability
    table = np.clip(table, 0.01, 0.99)
    first = np.cumsum([0, *(len(item.findings) for item in items.values())])[:-1]
    return Knowledge(items, conditions, columns, first, item_of, table, entropy(table))


def _read(kind: type[T], *names: str) -> list[T]:
    """The items or conditions of some files."""
    rows: list[Any] = []
    for name in names:
        text = (files("osler.agents.rules") / "knowledge" / f"{name}.yaml").read_text(encoding="utf-8")
        rows += yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 -- safe
    return TypeAdapter(list[kind]).validate_python(rows)  # type: ignore[valid-type]  # known when it runs


def entropy(p: Floats) -> Floats:
    """Of yes-or-no chances, in nats."""
    value: Floats = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    return value


@cache
def by_question(language: Language) -> dict[str, Item]:
    """Items by the exact question the doctor asks for them, whoever answers and whoever it is about."""
    return {
        plain(addressed(item.ask[language], speaker, sex, language)): item
        for item in knowledge().items.values()
        for speaker in (Speaker.PATIENT, Speaker.CAREGIVER)
        for sex in Sex
    }
