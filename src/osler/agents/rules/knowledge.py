"""Medical knowledge of the rules doctor: things to ask, what the replies show, and the conditions they point to.

Items are found in a text by the doctor's own questions, by their names, or by the concepts that are theirs.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from osler.agents.rules.address import addressed
from osler.language import Language, Speaker
from osler.language.lexicon import Phrases, concepts, terms
from osler.language.words import content, plain
from osler.ranking import reaches
from osler.records.schema import Sex

Floats = NDArray[np.float64]
Plain = Annotated[str, AfterValidator(plain)]
"""A text in plain letters."""
_TELLING = 5.0
"""Weight of shared words from which a reply is about the question: `pain` alone is not enough, `urine` is."""
_CLEAR = {Language.EN: 0.75, Language.ZH: 0.55}
"""Share of a phrase from which a text mentions it; Chinese puts words between the parts of a compound."""
_EXACT, _WHOLE = 0.93, 0.999
_QUALITY = (
    "pain-",
    "relation-",
    "onset-",
    "aggravating",
    "relieving",
    "time-of-day",
    "triggers",
    "course",
    "constant-",
)
"""Concepts of what a symptom is like, which belong to no single symptom."""
_FEW = 2
"""Items with more concepts than this cannot be identified from just one of them."""


class _Known(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, populate_by_name=True)


T = TypeVar("T", bound=_Known)


class NumberRule(_Known):
    """A finding that a number decides."""

    after: dict[Language, tuple[Plain, ...]] = {}
    """Words before the number; without any, the first number of the reply."""
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
        """Whether others report it, rather than the patient."""
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
    """Column of each finding; those of an item are together, in the order of the items."""
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
    rows: list[Any] = []
    for name in names:
        text = (files("osler.agents.rules") / "knowledge" / f"{name}.yaml").read_text(encoding="utf-8")
        rows += yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 -- safe
    return TypeAdapter(list[kind]).validate_python(rows)  # type: ignore[valid-type]  # known when it runs


def entropy(p: Floats) -> Floats:
    """Return the entropy of yes-or-no chances, in nats."""
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


def is_about(item: Item, text: str, language: Language) -> bool:
    """Check whether a sentence is about what was asked."""
    index = concepts(language)
    if index.find(text).keys() & _concepts_of(language)[item.id]:
        return True
    shared = _words_of(language)[item.id].intersection(content(text, language))
    return reaches(sum(map(index.weight, shared)), _TELLING)


@cache
def _words_of(language: Language) -> dict[str, frozenset[str]]:
    """For each item the content words of its question and its names."""
    return {
        item.id: frozenset(content(" ".join((item.ask[language], *item.names[language])), language))
        for item in knowledge().items.values()
    }


@cache
def _concepts_of(language: Language) -> dict[str, frozenset[str]]:
    """For each item the concepts that its names clearly mean."""
    index = concepts(language)
    return {
        item.id: frozenset(
            c for name in item.names[language] for c, score in index.best(name).items() if reaches(score, _EXACT)
        )
        for item in knowledge().items.values()
    }


@cache
def _meant_by(language: Language) -> dict[str, str]:
    """For each concept the one symptom that means just it, or hardly more.

    If several mean it, as three kinds of headache do, the concept alone identifies none of them.
    """
    meant: dict[str, dict[str, int]] = {}
    for item in knowledge().items.values():
        own = {concept for concept in _concepts_of(language)[item.id] if not concept.startswith(_QUALITY)}
        if item.kind == "symptom" and len(own) <= _FEW:
            for concept in own:
                meant.setdefault(concept, {})[item.id] = len(own)
    nearest = {
        concept: [name for name, size in sizes.items() if size == min(sizes.values())]
        for concept, sizes in meant.items()
    }
    return {concept: names[0] for concept, names in nearest.items() if len(names) == 1}


@cache
def _names(language: Language) -> Phrases:
    """Items by their names. One that is only `aches` is left out: every pain would match it."""
    index = concepts(language)
    pairs = ((name, item.id) for item in knowledge().items.values() for name in item.names[language])
    telling = (
        (name, thing) for name, thing in pairs if reaches(sum(map(index.weight, terms(name, language))), _TELLING)
    )
    return Phrases.of(telling, language)


@lru_cache(maxsize=16384)
def items_named(text: str, language: Language) -> list[Item]:
    """Return the items that a text mentions: by name, or by a concept that only they have."""
    found = {name for name, share in _names(language).find(text).items() if reaches(share, _WHOLE)}
    spoken = {name for name, share in concepts(language).find(text).items() if reaches(share, _CLEAR[language])}
    found |= {_meant_by(language)[concept] for concept in spoken & _meant_by(language).keys()}
    return [knowledge().items[name] for name in sorted(found)]
