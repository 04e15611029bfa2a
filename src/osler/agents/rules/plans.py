"""The rules doctor's treatment plans: their text, and what each consists of."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from osler.language import Language


class _PlanPart(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, populate_by_name=True
    )


class Recommendation(_PlanPart):
    """One thing that a plan can recommend: a drug, an operation, a measure."""

    en: tuple[str, ...]
    zh: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    """Recommendations that this one is a kind of, whose names it has as well."""
    in_part: dict[Language, tuple[str, ...]] = {}
    """Names of what it gives only in part.

    It gives the class of the drug, or the kind of the operation.
    """

    def own_names(self, language: Language) -> tuple[str, ...]:
        """Its names in a language, without those of its kinds."""
        return self.en if language is Language.EN else self.zh


def _as_choice(step: object) -> object:
    """A step that is no choice is written as its name alone."""
    return (step,) if isinstance(step, str) else step


def _check_names(step: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a step that `steps.yaml` does not have."""
    for name in step:
        if name not in recommendations():
            raise ValueError(f"steps.yaml has no {name!r}")
    return step


PlanStep = Annotated[
    tuple[str, ...],
    Field(min_length=1),
    BeforeValidator(_as_choice),
    AfterValidator(_check_names),
]
"""The names in `steps.yaml` of what a plan recommends; several are a choice."""


class PlannedTreatment(_PlanPart):
    """What to do for a patient with a condition."""

    en: str
    zh: str
    steps: Annotated[tuple[PlanStep, ...], Field(min_length=1)]
    """What the text recommends now, as a definite later step, or to be taken as needed.

    Tests and follow-up are none, nor is what it warns against, or does only if something happens.
    """

    def text(self, language: Language) -> str:
        """The plan in a language."""
        return self.en if language is Language.EN else self.zh

    def named_steps(self, language: Language) -> tuple[tuple[str, ...], ...]:
        """Each step by all its names in a language."""
        return tuple(_names(step, language) for step in self.steps)

    def names_in_part(self, language: Language) -> tuple[str, ...]:
        """Names of what the steps give only in part."""
        names: list[str] = []
        for step in self.steps:
            for name in step:
                names += recommendations()[name].in_part.get(language, ())
        return tuple(dict.fromkeys(names))


class OtherTreatment(PlannedTreatment):
    """What to do when a finding forbids the usual treatment."""

    finding: Annotated[str, Field(alias="if")]


def _names(step: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """All names of a step, each once: its own first, then those of its kinds."""
    names: list[str] = []
    waiting = list(step)
    while waiting:
        recommendation = recommendations()[waiting.pop(0)]
        names += recommendation.own_names(language)
        waiting += recommendation.kinds
    return tuple(dict.fromkeys(names))


@cache
def recommendations() -> dict[str, Recommendation]:
    """Read the file once."""
    text = (files("osler.agents.rules") / "knowledge" / "steps.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    rows = yaml.load(text, Loader=loader)  # noqa: S506 -- safe
    return TypeAdapter(dict[str, Recommendation]).validate_python(rows)
