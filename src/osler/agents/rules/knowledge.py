"""What the rules doctor knows of medicine: things to ask, what the replies show, and the conditions they point to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from osler.agents.rules.address import addressed
from osler.language import Language, Speaker
from osler.language.words import plain
from osler.records.schema import Sex

KINDS = ("symptom", "sign", "history", "test", "examination")
_ITEM_FILES = ("symptoms", "laboratory", "examinations")


@dataclass(frozen=True)
class NumberRule:
    """A finding that a number decides."""

    after: tuple[str, ...]
    """Words the number stands behind; empty: the first number of the reply."""
    above: float | None
    below: float | None

    def fits(self, value: float) -> bool:
        """Whether the value lies outside of what is normal."""
        return (self.above is not None and value > self.above) or (self.below is not None and value < self.below)


@dataclass(frozen=True)
class Finding:
    """Something a reply can show."""

    id: str
    base: float
    cues: dict[Language, tuple[str, ...]]
    numbers: dict[Language, NumberRule] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One thing to ask about."""

    id: str
    kind: str
    ask: dict[Language, str]
    names: dict[Language, tuple[str, ...]]
    findings: tuple[Finding, ...]

    @property
    def is_test(self) -> bool:
        """Whether it is reported by others, and not told by the patient."""
        return self.kind in {"test", "examination"}


@dataclass(frozen=True)
class Plan:
    """What to do when a finding forbids the usual treatment."""

    finding: str
    text: dict[Language, str]


@dataclass(frozen=True)
class Condition:
    """A disease as the doctor pictures it."""

    id: str
    name: dict[Language, str]
    prior: float
    sex: str | None
    ages: tuple[float, float]
    findings: dict[str, float]
    treatment: dict[Language, str]
    unless: tuple[Plan, ...]


@dataclass(frozen=True)
class Knowledge:
    """All of it, with the table of probabilities laid out for arithmetic."""

    items: tuple[Item, ...]
    conditions: tuple[Condition, ...]
    findings: dict[str, int]
    """Column of each finding."""
    item_of: dict[str, Item]
    table: NDArray[np.float64]
    """(conditions, findings): how likely each finding is in each condition."""
    entropy: NDArray[np.float64]
    """(conditions, findings): how uncertain each finding is in each condition."""

    def item(self, name: str) -> Item:
        """The item with that id."""
        return self._by_id[name]

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}


@cache
def by_question(language: Language) -> dict[str, Item]:
    """Items by the exact question the doctor asks for them, whoever answers and whoever it is about."""
    return {
        plain(addressed(item.ask[language], speaker, sex, language)): item
        for item in knowledge().items
        for speaker in (Speaker.PATIENT, Speaker.CAREGIVER)
        for sex in Sex
    }


def entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of yes-or-no chances, in nats."""
    value: NDArray[np.float64] = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    return value


@cache
def knowledge() -> Knowledge:
    """Read the files once."""
    items = tuple(_item(row) for name in _ITEM_FILES for row in _rows(f"{name}.yaml"))
    conditions = tuple(_condition(row) for name in _condition_files() for row in _rows(name))
    findings = {finding.id: place for place, finding in enumerate(f for item in items for f in item.findings)}
    base = np.array([finding.base for item in items for finding in item.findings])
    table = np.tile(base, (len(conditions), 1))
    for place, condition in enumerate(conditions):
        for name, probability in condition.findings.items():
            table[place, findings[name]] = probability
    item_of = {finding.id: item for item in items for finding in item.findings}
    table = np.clip(table, 0.01, 0.99)
    return Knowledge(items, conditions, findings, item_of, table, entropy(table))


def _condition_files() -> list[str]:
    folder = files("osler.agents.rules") / "knowledge"
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("conditions"))


def _rows(name: str) -> list[dict[str, Any]]:
    text = (files("osler.agents.rules") / "knowledge" / name).read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    return rows


def _both(row: dict[str, Any]) -> dict[Language, str]:
    return {language: str(row[language.value]) for language in Language}


def _item(row: dict[str, Any]) -> Item:
    names = {language: tuple(map(str, row["names"][language.value])) for language in Language}
    found = tuple(_finding(name, spec or {}) for name, spec in row["findings"].items())
    return Item(row["id"], row["kind"], _both(row["ask"]), names, found)


def _finding(name: str, row: dict[str, Any]) -> Finding:
    cues = {language: tuple(plain(str(cue)) for cue in row.get(language.value, ())) for language in Language}
    numbers = {language: _number(row["number"], language) for language in Language} if "number" in row else {}
    return Finding(name, float(row.get("base", 0.1)), cues, numbers)


def _number(row: dict[str, Any], language: Language) -> NumberRule:
    after = row.get("after") or {}
    return NumberRule(
        tuple(plain(str(word)) for word in after.get(language.value, ())), row.get("above"), row.get("below")
    )


def _condition(row: dict[str, Any]) -> Condition:
    plans = tuple(Plan(plan["if"], _both(plan)) for plan in row.get("unless") or ())
    low, high = row["ages"]
    return Condition(
        row["id"],
        _both(row["name"]),
        float(row["prior"]),
        row.get("sex"),
        (float(low), float(high)),
        row["findings"],
        _both(row["treatment"]),
        plans,
    )
