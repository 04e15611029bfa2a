"""Names and small values that settings are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

RULES = "rules"
HUMAN = "human"
WITHOUT_MODEL = frozenset({RULES, HUMAN})
PLAIN = "plain"
"""The strategy of a model as doctor, unless another one is named."""
OSLER = "osler"
"""The patient with a model that answers from what RAM selected, unless another one is named."""
ONE_STEP = "one-step"
"""The memory of a doctor who is told the whole record and asks nothing: the ceiling."""
ANSWER_TOKENS = 1000
"""Tokens that one answer of a model may take, its thinking included."""
RECALL_BUDGET = 2000
"""Tokens, by estimate, that a recall may take in the doctor's prompt."""

CONCURRENCY = 8
"""Consultations, or requests of a judge, at the same time."""
TIMEOUT = 60.0
"""Seconds to wait for one answer of a model."""
SHARE_OF_REPLIES = 0.1
"""Share of the patient's replies that a judge reads."""

Variants = tuple[tuple[str, str], ...]
"""Names with their values, sorted by name; each name once."""


@dataclass(frozen=True)
class Limits:
    """The most that may be used; None means no limit."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class ResultsFrom(StrEnum):
    """Where the doctor reads the results of tests and examinations."""

    PATIENT = "patient"
    """The patient tells them."""
    REPORT = "report"
    """RAM hands them to the doctor in the record's words."""


class Asking(StrEnum):
    """How much a doctor with a model is told to ask in a turn."""

    ONE = "one"
    """One question, or two that belong together."""
    MANY = "many"
    """As many things as it likes."""


class Feedback(StrEnum):
    """What a doctor is told after a case."""

    NONE = "none"
    """Nothing, and it keeps no lessons: the baseline, with the cases in the same order."""
    VERDICT = "verdict"
    """Whether its diagnosis and its treatment were right."""
    TRUTH = "truth"
    """The diagnosis and the treatment of the record."""


class Engine(StrEnum):
    """Where consultations run."""

    LOCAL = "local"
    RAY = "ray"
