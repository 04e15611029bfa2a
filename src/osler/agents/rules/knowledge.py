"""Medical knowledge of the rules doctor: what to ask, and what the replies point to.

Items are found in a text by the doctor's own questions, by their names, or by the concepts that are
theirs.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, TypeAdapter

from osler.agents.rules.address import rephrase_for_speaker
from osler.agents.rules.plans import OtherTreatment, PlannedTreatment
from osler.language import Language, Speaker
from osler.language.lexicon import Phrases, concepts, terms
from osler.language.words import content, plain
from osler.ranking import reaches
from osler.records.schema import Sex

Floats = NDArray[np.float64]
Plain = Annotated[str, AfterValidator(plain)]
"""A text in plain letters."""
_TELLING = 5.0
"""Weight of shared words from which a reply is about the question.

`urine` has it by itself, `pain` has not.
"""
_CLEAR = {Language.EN: 0.75, Language.ZH: 0.55}
"""Share of a phrase from which a text mentions it.

It is lower in Chinese, which puts words between the parts of a compound.
"""
_EXACT = 0.93
"""Score from which a name clearly means a concept."""
_WHOLE = 0.999
"""Share from which a whole name is in a text."""
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


class _Definition(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, populate_by_name=True)


D = TypeVar("D", bound=_Definition)


class NumberRule(_Definition):
    """A finding that a number decides."""

    after: dict[Language, tuple[Plain, ...]] = {}
    """Words before the number; without any, the first number of the reply."""
    above: float = np.inf
    below: float = -np.inf


class Finding(_Definition):
    """Something a reply can show."""

    base: float = 0.1
    en: tuple[Plain, ...] = ()
    zh: tuple[Plain, ...] = ()
    number: NumberRule | None = None

    def cues(self, language: Language) -> tuple[str, ...]:
        """Words that show it."""
        return self.en if language is Language.EN else self.zh


class Item(_Definition):
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


class Condition(_Definition):
    """A disease as the doctor pictures it."""

    id: str
    name: dict[Language, str]
    icd10: tuple[str, ...]
    """The codes that it means; a shorter code takes in all that begin with it."""
    prior: float
    sex: str | None = None
    ages: tuple[float, float]
    findings: dict[str, float]
    treatment: PlannedTreatment
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
    conditions: dict[str, Condition] = {}
    for number in range(1, 5):
        for condition in _read(Condition, f"conditions-{number}"):
            conditions[condition.id] = condition
    item_of: dict[str, Item] = {}
    for item in items.values():
        item_of |= dict.fromkeys(item.findings, item)
    columns = {name: place for place, name in enumerate(item_of)}
    base = np.array([item.findings[name].base for name, item in item_of.items()])
    table = np.tile(base, (len(conditions), 1))
    for row, condition in zip(table, conditions.values(), strict=True):
        for name, probability in condition.findings.items():
            row[columns[name]] = probability
    # Nothing is certain: a probability of 0 or 1 could never be outweighed by other findings.
    table = np.clip(table, 0.01, 0.99)
    sizes = [len(item.findings) for item in items.values()]
    first = np.cumsum([0, *sizes])[:-1]
    return Knowledge(items, conditions, columns, first, item_of, table, entropy(table))


def _read(kind: type[D], *names: str) -> list[D]:
    """Return the definitions in these files, in their order."""
    folder = files("osler.agents.rules") / "knowledge"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    rows: list[Any] = []
    for name in names:
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        rows += yaml.load(text, Loader=loader)  # noqa: S506 -- safe
    return TypeAdapter(list[kind]).validate_python(rows)  # type: ignore[valid-type]  # known when it runs


def entropy(chances: Floats) -> Floats:
    """Return the entropy of yes-or-no chances, in nats."""
    against = 1 - chances
    value: Floats = -(chances * np.log(chances) + against * np.log(against))
    return value


@cache
def by_question(language: Language) -> dict[str, Item]:
    """Items by the exact question that the doctor asks for them.

    Each question is there in the words for every answerer and every patient.
    """
    by_text: dict[str, Item] = {}
    for item in knowledge().items.values():
        for speaker in (Speaker.PATIENT, Speaker.CAREGIVER):
            for sex in Sex:
                question = rephrase_for_speaker(item.ask[language], speaker, sex, language)
                by_text[plain(question)] = item
    return by_text


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
    words: dict[str, frozenset[str]] = {}
    for item in knowledge().items.values():
        text = " ".join((item.ask[language], *item.names[language]))
        words[item.id] = frozenset(content(text, language))
    return words


@cache
def _concepts_of(language: Language) -> dict[str, frozenset[str]]:
    """For each item the concepts that its names clearly mean."""
    by_item: dict[str, frozenset[str]] = {}
    for item in knowledge().items.values():
        own: set[str] = set()
        for name in item.names[language]:
            scores = concepts(language).best(name)
            own.update(concept for concept, score in scores.items() if reaches(score, _EXACT))
        by_item[item.id] = frozenset(own)
    return by_item


@cache
def _symptom_of(language: Language) -> dict[str, str]:
    """For each concept the id of the one symptom that means just it, or hardly more.

    If several mean it, as three kinds of headache do, the concept alone identifies none of them.
    """
    candidates: dict[str, dict[str, int]] = {}
    for item in knowledge().items.values():
        own = [c for c in _concepts_of(language)[item.id] if not c.startswith(_QUALITY)]
        if item.kind != "symptom" or len(own) > _FEW:
            continue
        for concept in own:
            candidates.setdefault(concept, {})[item.id] = len(own)
    symptoms: dict[str, str] = {}
    for concept, sizes in candidates.items():
        smallest = min(sizes.values())
        nearest = [item_id for item_id, size in sizes.items() if size == smallest]
        if len(nearest) == 1:
            symptoms[concept] = nearest[0]
    return symptoms


@cache
def _names(language: Language) -> Phrases:
    """Items by their names. One that is only `aches` is left out: every pain would match it."""
    index = concepts(language)
    telling: list[tuple[str, str]] = []
    for item in knowledge().items.values():
        for name in item.names[language]:
            weight = sum(map(index.weight, terms(name, language)))
            if reaches(weight, _TELLING):
                telling.append((name, item.id))
    return Phrases.of(telling, language)


@lru_cache(maxsize=16384)
def items_named(text: str, language: Language) -> list[Item]:
    """Return the items that a text mentions: by name, or by a concept that only they have."""
    named = _names(language).find(text)
    item_ids = {item_id for item_id, share in named.items() if reaches(share, _WHOLE)}
    symptom_of = _symptom_of(language)
    for concept, share in concepts(language).find(text).items():
        if concept in symptom_of and reaches(share, _CLEAR[language]):
            item_ids.add(symptom_of[concept])
    return [knowledge().items[item_id] for item_id in sorted(item_ids)]
