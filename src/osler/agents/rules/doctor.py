"""A doctor without a model: asks what tells its suspicions apart, and ends when one of them leads.

It keeps nothing between turns. What it knows of earlier ones is what its memory recalls, so that the memory
decides how good it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.agents.participant import Briefing, Case, Conclusion, Participant, Question
from osler.agents.rules.address import addressed
from osler.agents.rules.findings import Findings
from osler.agents.rules.knowledge import Condition, Item, entropy, knowledge
from osler.agents.rules.known import known_from
from osler.language import Language
from osler.ranking import all_seen, best, exceeds, ranked, reaches
from osler.records.schema import Sex

Floats = NDArray[np.float64]

_SURE = 0.93
"""Share of belief at which one suspicion leads enough."""
_IDLE = 0.004
"""Expected gain, in nats, below which no question is worth asking."""
_OUT_OF_AGE = 0.15
# History comes before the hands, the hands before the laboratory, and what is costly last.
_EFFORT = {"symptom": 1.0, "history": 0.9, "sign": 0.9, "test": 0.75, "examination": 0.7}
_SAFETY_QUESTIONS = 3


@dataclass(frozen=True)
class _Belief:
    """What is known now, and how likely that makes each condition."""

    findings: Findings
    asked: frozenset[str]
    log_odds: list[float]
    """How likely each condition is beside the likeliest, as a logarithm: what is rare is told apart as well."""
    posterior: Floats
    lead: int
    """The likeliest condition; of equally likely ones the first by its id."""


class RulesDoctor(Participant):
    """Naive Bayes over its own knowledge, the next question by expected information."""

    def __init__(self, case: Case) -> None:
        """Know the case as any doctor does: age, sex, complaint."""
        super().__init__("doctor", "Diagnoses by rules, without a language model.")
        self._case = case

    async def respond(self, content: Any) -> Question | Conclusion:
        """Ask the most telling question, or conclude."""
        briefing = (
            content
            if isinstance(content, Briefing)
            else Briefing(case=self._case, turn=1, turns_left=1, reply=str(content))
        )
        belief = _believe(briefing)
        if briefing.turns_left > 0:
            question = _next_question(belief, briefing)
            if question is not None:
                case = briefing.case
                return Question(text=addressed(question.ask[case.language], case.speaker, case.sex, case.language))
        return _conclude(belief, briefing.case.language)


def _believe(briefing: Briefing) -> _Belief:
    findings, asked = known_from(briefing)
    logs = _log_odds(findings, briefing.case)
    weights = np.exp(logs)
    return _Belief(
        findings,
        asked,
        logs.tolist(),
        all_seen(weights / weights.sum()),
        best(logs.tolist(), _condition_ids()),
    )


@cache
def _condition_ids() -> tuple[str, ...]:
    return tuple(condition.id for condition in knowledge().conditions)


def _log_odds(findings: Findings, case: Case) -> Floats:
    known = knowledge()
    logs = _log_priors(case).copy()
    for name, there in findings.items():
        column = known.table[:, known.findings[name]]
        logs += np.log(column if there else 1 - column)
    logs -= logs.max()
    return logs


@lru_cache(maxsize=256)
def _log_priors(case: Case) -> Floats:
    """Before anything was asked: the same in every turn of a consultation."""
    logs: Floats = np.log([_prior(condition, case) for condition in knowledge().conditions])
    return logs


def _prior(condition: Condition, case: Case) -> float:
    if condition.sex and case.sex is not Sex.UNKNOWN and condition.sex != case.sex.value:
        return 1e-9
    low, high = condition.ages
    return condition.prior * (1.0 if low <= case.years <= high else _OUT_OF_AGE)


def _next_question(belief: _Belief, briefing: Briefing) -> Item | None:
    if not reaches(float(belief.posterior[belief.lead]), _SURE):
        item = _most_telling(belief, briefing.case)
        if item is not None and briefing.turns_left > _reserve(belief, briefing):
            return item
    return _safety_question(belief, briefing)


def _reserve(belief: _Belief, briefing: Briefing) -> int:
    """Turns to keep for what decides the treatment of the leading suspicion."""
    plans = _plans(belief.lead, briefing.case)
    open_questions = [plan for plan in plans if knowledge().item_of[plan].id not in belief.asked]
    return min(len(open_questions), 2)


def _most_telling(belief: _Belief, case: Case) -> Item | None:
    """The item whose answer is expected to take away most doubt for its effort; None where none is worth asking."""
    known = knowledge()
    p = known.table.T @ belief.posterior
    gains = entropy(p) - known.entropy.T @ belief.posterior
    # The findings stand in the order of their items, so the best of each item is one pass.
    worth = np.where(_fitting(case), np.maximum.reduceat(gains, _firsts()) * _efforts(), 0.0)
    worth[[place for asked in belief.asked if (place := _places().get(asked)) is not None]] = 0.0
    place = best(worth.tolist(), _item_ids())
    return known.items[place] if exceeds(float(worth[place]), _IDLE) else None


@cache
def _firsts() -> NDArray[np.intp]:
    """Where the findings of each item begin."""
    return np.cumsum([0, *(len(item.findings) for item in knowledge().items)])[:-1]


@cache
def _efforts() -> Floats:
    return np.array([_EFFORT[item.kind] for item in knowledge().items])


@cache
def _item_ids() -> tuple[str, ...]:
    return tuple(item.id for item in knowledge().items)


@cache
def _places() -> dict[str, int]:
    """Where each item stands."""
    return {name: place for place, name in enumerate(_item_ids())}


@lru_cache(maxsize=256)
def _fitting(case: Case) -> NDArray[np.bool_]:
    """Which items may be asked of this patient."""
    return np.array([_fits(item, case) for item in knowledge().items])


def _fits(item: Item, case: Case) -> bool:
    """Nobody asks a man, a child or an old woman whether she is pregnant."""
    return item.id not in _FOR_WOMEN or (case.sex is not Sex.MALE and 12 <= case.years <= 55)


_FOR_WOMEN = frozenset(
    {
        "pregnant",
        "breast-feeding",
        "planning-pregnancy",
        "combined-pill",
        "missed-period",
        "heavy-periods",
        "vaginal-bleeding",
        "vaginal-discharge",
    }
)


def _plans(lead: int, case: Case) -> list[str]:
    known = knowledge()
    return [plan.finding for plan in known.conditions[lead].unless if _fits(known.item_of[plan.finding], case)]


def _safety_question(belief: _Belief, briefing: Briefing) -> Item | None:
    """Before it ends: what would make the treatment of the leading suspicion unsafe."""
    known = knowledge()
    for finding in _plans(belief.lead, briefing.case)[:_SAFETY_QUESTIONS]:
        item = known.item_of[finding]
        if item.id not in belief.asked:
            return item
    return None


def _conclude(belief: _Belief, language: Language) -> Conclusion:
    known = knowledge()
    likeliest = ranked(belief.log_odds, _condition_ids())[:6]
    lead, *others = (known.conditions[place] for place in likeliest)
    text = lead.treatment[language]
    for plan in lead.unless:
        if belief.findings.get(plan.finding):
            text = plan.text[language]
            break
    found = [name for name, there in belief.findings.items() if there]
    shares = [float(known.table[belief.lead, known.findings[name]]) for name in found]
    telling = [found[place] for place in ranked(shares, found)[:4]]
    names = [known.item_of[name].names[language][0] for name in telling]
    joined = ", ".join(dict.fromkeys(names)) if language is Language.EN else "、".join(dict.fromkeys(names))
    reasoning = f"Found: {joined}." if language is Language.EN else f"依据：{joined}。"
    return Conclusion(
        diagnosis=lead.name[language],
        treatment=text,
        differential=tuple(condition.name[language] for condition in others),
        reasoning=reasoning if names else "",
    )
