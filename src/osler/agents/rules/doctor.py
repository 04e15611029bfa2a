"""A doctor without a model: asks the question that best separates the likely diagnoses, and concludes when one leads.

It keeps nothing between turns. What it knows of earlier ones is what its memory recalls, so that the memory decides how
good it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.agents.rules.address import addressed
from osler.agents.rules.findings import Findings, known_from
from osler.agents.rules.knowledge import Condition, Floats, Item, entropy, knowledge
from osler.agents.rules.lessons import learned_illnesses, weight_of_lessons
from osler.language import Language
from osler.ranking import all_seen, best, exceeds, ranked, reaches
from osler.records.schema import Sex
from osler.runs.lessons import Lesson

_SURE = 0.93
"""Share of belief at which one diagnosis is clearly ahead."""
_IDLE = 0.004
"""Expected gain, in nats, below which no question is worth asking."""
_OUT_OF_AGE = 0.15
# History comes before the hands, the hands before the laboratory, and what is costly last.
_EFFORT = {"symptom": 1.0, "history": 0.9, "sign": 0.9, "test": 0.75, "examination": 0.7}
_SAFETY_QUESTIONS, _RESERVED_TURNS = 3, 2
"""Questions about what would make a treatment unsafe, and turns that are kept for them."""
_FOR_WOMEN = frozenset(
    {
        *("pregnant", "breast-feeding", "planning-pregnancy", "combined-pill"),
        *("missed-period", "heavy-periods", "vaginal-bleeding", "vaginal-discharge"),
    }
)


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
    learned: Lesson | None = None
    """An illness known from a lesson alone, if it is likelier than any condition."""


class RulesDoctor(Participant):
    """Naive Bayes over its own knowledge, the next question by expected information."""

    def __init__(self, case: Case) -> None:
        """Know the case as any doctor does: age, sex, complaint."""
        super().__init__("doctor", "Diagnoses by rules, without a language model.")
        self._case = case

    async def respond(self, content: Any) -> Question | Conclusion:
        """Ask the most telling question, or conclude."""
        is_briefing = isinstance(content, Briefing)
        briefing = content if is_briefing else Briefing(case=self._case, turn=1, turns_left=1, reply=str(content))
        case, belief = briefing.case, _believe(briefing)
        item = _next_item(belief, briefing) if briefing.turns_left > 0 else None
        if item is None:
            return _conclude(belief, case.language)
        return Question(text=addressed(item.ask[case.language], case.speaker, case.sex, case.language))


def _believe(briefing: Briefing) -> _Belief:
    findings, asked = known_from(briefing)
    known = knowledge()
    logs = _log_priors(briefing.case).copy()
    for name, there in findings.items():
        column = known.table[:, known.findings[name]]
        logs += np.log(column if there else 1 - column)
    logs += weight_of_lessons(briefing.lessons)
    highest = float(logs.max())
    illnesses = learned_illnesses(briefing.lessons, findings, briefing.case.language)
    lesson, log = max(illnesses, key=lambda pair: pair[1], default=(None, highest))
    logs -= highest
    weights, log_odds = np.exp(logs), logs.tolist()
    return _Belief(
        findings,
        asked,
        log_odds,
        all_seen(weights / weights.sum()),
        best(log_odds, tuple(known.conditions)),
        lesson if exceeds(log, highest) else None,
    )


@lru_cache(maxsize=256)
def _log_priors(case: Case) -> Floats:
    """Before anything was asked: the same in every turn of a consultation."""

    def prior(condition: Condition) -> float:
        if condition.sex and case.sex is not Sex.UNKNOWN and condition.sex != case.sex.value:
            return 1e-9
        low, high = condition.ages
        return condition.prior * (1.0 if low <= case.years <= high else _OUT_OF_AGE)

    logs: Floats = np.log(list(map(prior, knowledge().conditions.values())))
    return logs


def _next_item(belief: _Belief, briefing: Briefing) -> Item | None:
    """Choose the next item: the most telling; before the end, what would make the treatment unsafe."""
    known, case = knowledge(), briefing.case
    plans = list(known.conditions.values())[belief.lead].unless
    checks = [check for plan in plans if _fits(check := known.item_of[plan.finding], case)]
    unchecked = [check for check in checks if check.id not in belief.asked]
    if not reaches(float(belief.posterior[belief.lead]), _SURE):
        item = _most_telling(belief, case)
        if item is not None and briefing.turns_left > min(len(unchecked), _RESERVED_TURNS):
            return item
    return next((check for check in checks[:_SAFETY_QUESTIONS] if check.id not in belief.asked), None)


def _most_telling(belief: _Belief, case: Case) -> Item | None:
    """Return the item whose answer removes most doubt for its effort, or None if none is worth asking."""
    known = knowledge()
    p = known.table.T @ belief.posterior
    gains = entropy(p) - known.entropy.T @ belief.posterior
    # The findings are in the order of their items, so the best of each item is one pass.
    worth = np.maximum.reduceat(gains, known.first_finding) * _efforts(case)
    names = list(known.items)
    worth[[place for place, name in enumerate(names) if name in belief.asked]] = 0.0
    place = best(worth.tolist(), names)
    return known.items[names[place]] if exceeds(float(worth[place]), _IDLE) else None


@lru_cache(maxsize=256)
def _efforts(case: Case) -> Floats:
    """Weight of each item's gain by its effort; 0 for what may not be asked of this patient."""
    return np.array([_EFFORT[item.kind] if _fits(item, case) else 0.0 for item in knowledge().items.values()])


def _fits(item: Item, case: Case) -> bool:
    """Nobody asks a man, a child or an old woman whether she is pregnant."""
    return item.id not in _FOR_WOMEN or (case.sex is not Sex.MALE and 12 <= case.years <= 55)


def _conclude(belief: _Belief, language: Language) -> Conclusion:
    known, conditions = knowledge(), list(knowledge().conditions.values())
    lead, *others = (conditions[place] for place in ranked(belief.log_odds, list(known.conditions))[:6])
    plan = next((plan for plan in lead.unless if belief.findings.get(plan.finding)), None)
    found = [name for name, there in belief.findings.items() if there]
    shares = [float(known.table[belief.lead, known.findings[name]]) for name in found]
    telling = [found[place] for place in ranked(shares, found)[:4]]
    names = dict.fromkeys(known.item_of[name].names[language][0] for name in telling)
    reasoning = f"Found: {', '.join(names)}." if language is Language.EN else f"依据：{'、'.join(names)}。"
    said = Conclusion(
        diagnosis=lead.name[language],
        treatment=plan.text(language) if plan else lead.treatment[language],
        differential=tuple(condition.name[language] for condition in others),
        reasoning=reasoning if names else "",
    )
    if belief.learned is None:
        return said
    others_named = (said.diagnosis, *said.differential[:-1])
    told = {"diagnosis": belief.learned.diagnosis, "treatment": belief.learned.treatment or said.treatment}
    return said.model_copy(update={**told, "differential": others_named})
