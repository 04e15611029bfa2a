"""A doctor without a model.

Asks the question that best separates the likely diagnoses, and concludes when one leads.

It keeps nothing between turns. What it knows of earlier ones is what its memory recalls, so that
the memory decides how good it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.agents.rules.address import rephrase_for_speaker
from osler.agents.rules.findings import Findings, known_from
from osler.agents.rules.knowledge import Condition, Floats, Item, entropy, knowledge
from osler.agents.rules.lessons import learned_illnesses, weight_of_lessons
from osler.agents.rules.plans import PlannedTreatment
from osler.language import Language
from osler.ranking import all_seen, best, exceeds, ranked, reaches
from osler.records.schema import Sex
from osler.runs.lessons import Lesson

_SURE = 0.93
"""Share of belief at which one diagnosis is clearly ahead."""
_IDLE = 0.004
"""Expected gain, in nats, below which no question is worth asking."""
_OUT_OF_AGE = 0.15
"""Factor for a condition that is rare at the patient's age."""
_OTHER_SEX = 1e-9
"""Prior of a condition that only the other sex has; not 0, of which there is no logarithm."""
# History comes before the hands, the hands before the laboratory, and what is costly last.
_EFFORT = {"symptom": 1.0, "history": 0.9, "sign": 0.9, "test": 0.75, "examination": 0.7}
_SAFETY_QUESTIONS = 3
"""Maximum number of questions about what would make the treatment unsafe."""
_RESERVED_TURNS = 2
"""Turns at the end that are reserved for them."""
_CONSIDERED = 6
"""Conditions that a conclusion names: the diagnosis and its differential."""
_REASONS = 4
"""Maximum number of findings that a conclusion gives as its reasons."""
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


@dataclass(frozen=True)
class _Belief:
    """What is known now, and how likely that makes each condition."""

    findings: Findings
    asked: frozenset[str]
    log_odds: list[float]
    """The logarithm of how likely each condition is beside the likeliest.

    It separates rare conditions whose posteriors all round to nearly 0.
    """
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
        if isinstance(content, Briefing):
            briefing = content
        else:
            briefing = Briefing(case=self._case, turn=1, turns_left=1, reply=str(content))
        case = briefing.case
        belief = _believe(briefing)
        item = _next_item(belief, briefing) if briefing.turns_left > 0 else None
        if item is None:
            return _conclude(belief, case.language)
        question = item.ask[case.language]
        return Question(text=rephrase_for_speaker(question, case.speaker, case.sex, case.language))


def _believe(briefing: Briefing) -> _Belief:
    """Return what the briefing makes the doctor believe."""
    findings, asked_ids = known_from(briefing)
    medicine = knowledge()
    logs = _log_priors(briefing.case).copy()
    for name, is_present in findings.items():
        chances = medicine.table[:, medicine.findings[name]]
        logs += np.log(chances if is_present else 1 - chances)
    logs += weight_of_lessons(briefing.lessons)
    highest = float(logs.max())
    learned = _likelier_illness(briefing, findings, highest)
    # Relative to the highest, so that the exponentials of very unlikely conditions do not all
    # become 0.
    logs -= highest
    weights = np.exp(logs)
    log_odds = logs.tolist()
    return _Belief(
        findings=findings,
        asked=asked_ids,
        log_odds=log_odds,
        posterior=all_seen(weights / weights.sum()),
        lead=best(log_odds, tuple(medicine.conditions)),
        learned=learned,
    )


def _likelier_illness(briefing: Briefing, findings: Findings, highest: float) -> Lesson | None:
    """Return the likeliest illness known from lessons, if it beats every condition."""
    illnesses = learned_illnesses(briefing.lessons, findings, briefing.case.language)
    if not illnesses:
        return None
    lesson, log_likelihood = max(illnesses, key=lambda illness: illness[1])
    return lesson if exceeds(log_likelihood, highest) else None


@lru_cache(maxsize=256)
def _log_priors(case: Case) -> Floats:
    """Before anything was asked: the same in every turn of a consultation."""
    priors = [_prior(condition, case) for condition in knowledge().conditions.values()]
    logs: Floats = np.log(priors)
    return logs


def _prior(condition: Condition, case: Case) -> float:
    if condition.sex and case.sex is not Sex.UNKNOWN and condition.sex != case.sex.value:
        return _OTHER_SEX
    low, high = condition.ages
    return condition.prior if low <= case.years <= high else condition.prior * _OUT_OF_AGE


def _next_item(belief: _Belief, briefing: Briefing) -> Item | None:
    """Choose the next item, or None to conclude.

    The most telling item comes first; towards the end, what would make the treatment unsafe.
    """
    checks = _safety_checks(belief, briefing.case)
    unchecked = [item for item in checks if item.id not in belief.asked]
    is_sure = reaches(float(belief.posterior[belief.lead]), _SURE)
    if not is_sure and briefing.turns_left > min(len(unchecked), _RESERVED_TURNS):
        item = _most_telling(belief, briefing.case)
        if item is not None:
            return item
    for item in checks[:_SAFETY_QUESTIONS]:
        if item.id not in belief.asked:
            return item
    return None


def _safety_checks(belief: _Belief, case: Case) -> list[Item]:
    """Return the items whose findings forbid the usual treatment of the likeliest condition."""
    medicine = knowledge()
    lead = list(medicine.conditions.values())[belief.lead]
    items = [medicine.item_of[plan.finding] for plan in lead.unless]
    return [item for item in items if _fits(item, case)]


def _most_telling(belief: _Belief, case: Case) -> Item | None:
    """Return the item that removes most doubt for its effort; None if none is worth asking."""
    medicine = knowledge()
    chances = medicine.table.T @ belief.posterior
    gains = entropy(chances) - medicine.entropy.T @ belief.posterior
    # The findings are in the order of their items, so the best of each item is one pass.
    worth = np.maximum.reduceat(gains, medicine.first_finding) * _efforts(case)
    names = list(medicine.items)
    asked_places = [place for place, name in enumerate(names) if name in belief.asked]
    worth[asked_places] = 0.0
    place = best(worth.tolist(), names)
    if not exceeds(float(worth[place]), _IDLE):
        return None
    return medicine.items[names[place]]


@lru_cache(maxsize=256)
def _efforts(case: Case) -> Floats:
    """Weight of each item's gain by its effort; 0 for what may not be asked of this patient."""
    items = knowledge().items.values()
    return np.array([_EFFORT[item.kind] if _fits(item, case) else 0.0 for item in items])


def _fits(item: Item, case: Case) -> bool:
    """Nobody asks a man, a child or an old woman whether she is pregnant."""
    if item.id not in _FOR_WOMEN:
        return True
    return case.sex is not Sex.MALE and 12 <= case.years <= 55


def _conclude(belief: _Belief, language: Language) -> Conclusion:
    """Return the conclusion that a belief leads to."""
    conditions = list(knowledge().conditions.values())
    places = ranked(belief.log_odds, list(knowledge().conditions))[:_CONSIDERED]
    lead, *others = [conditions[place] for place in places]
    plan = _plan(lead, belief.findings)
    conclusion = Conclusion(
        diagnosis=lead.name[language],
        treatment=plan.text(language),
        steps=plan.named_steps(language),
        in_part=plan.names_in_part(language),
        differential=tuple(condition.name[language] for condition in others),
        reasoning=_reasoning(belief, language),
        codes=(lead.icd10, *(condition.icd10 for condition in others)),
    )
    if belief.learned is None:
        return conclusion
    return _with_learned(conclusion, belief.learned)


def _plan(condition: Condition, findings: Findings) -> PlannedTreatment:
    """Return the usual treatment, or the first other one that a finding asks for."""
    for plan in condition.unless:
        if findings.get(plan.finding):
            return plan
    return condition.treatment


def _reasoning(belief: _Belief, language: Language) -> str:
    """Name the findings that are most usual in the likeliest condition."""
    medicine = knowledge()
    present = [name for name, is_present in belief.findings.items() if is_present]
    shares = [float(medicine.table[belief.lead, medicine.findings[name]]) for name in present]
    telling = [present[place] for place in ranked(shares, present)[:_REASONS]]
    # Findings of one item have the same name: each is given once.
    names = dict.fromkeys(medicine.item_of[name].names[language][0] for name in telling)
    if not names:
        return ""
    if language is Language.EN:
        return f"Found: {', '.join(names)}."
    return f"依据：{'、'.join(names)}。"


def _with_learned(conclusion: Conclusion, lesson: Lesson) -> Conclusion:
    """Put an illness known from a lesson before what the conclusion says."""
    update: dict[str, Any] = {
        "diagnosis": lesson.diagnosis,
        "differential": (conclusion.diagnosis, *conclusion.differential[:-1]),
        # A lesson has only a name, so the illness has no codes.
        "codes": ((), *conclusion.codes[:-1]),
    }
    if lesson.treatment:
        update["treatment"] = lesson.treatment
        update["steps"] = ((lesson.treatment,),)
        update["in_part"] = ()
    return conclusion.model_copy(update=update)
