"""The rules doctor's plans carry their steps, and nobody else's conclusion does."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import ValidationError

from osler.agents.doctors.registry import ForeignDoctor
from osler.agents.messages import Briefing, Conclusion, Question
from osler.agents.parsing import conclusion_of, named_of
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.knowledge import knowledge
from osler.agents.rules.plans import PlannedTreatment, recommendations
from osler.language import Language
from osler.records import RecordPool
from osler.runs.events import Concluded, Role
from osler.simulator.build import case_of

POOL = RecordPool.open()


def every_plan() -> list[PlannedTreatment]:
    conditions = knowledge().conditions.values()
    return [plan for condition in conditions for plan in (condition.treatment, *condition.unless)]


@pytest.mark.parametrize("language", Language)
def test_every_plan_has_steps_with_names(language: Language) -> None:
    for plan in every_plan():
        steps = plan.named_steps(language)
        assert len(steps) == len(plan.steps) > 0
        for names in steps:
            assert names and all(name.strip() == name != "" for name in names)
            assert len(set(names)) == len(names), plan.text(language)


def test_every_recommendation_is_in_a_plan_or_a_kind_of_one_that_is() -> None:
    known = recommendations()
    used = {name for plan in every_plan() for step in plan.steps for name in step}
    waiting = list(used)
    while waiting:
        kinds = set(known[waiting.pop()].kinds)
        waiting += kinds - used
        used |= kinds
    assert used == set(known)


def test_a_choice_has_the_names_of_all_and_of_their_kinds() -> None:
    plan = PlannedTreatment.model_validate(
        {"en": "-", "zh": "-", "steps": ["colchicine", ["naproxen", "paracetamol"]]}
    )
    colchicine, choice = plan.named_steps(Language.EN)
    assert "Colchicine" in colchicine and "NSAID" not in colchicine
    assert {"Naproxen", "NSAID", "Paracetamol"} <= set(choice)
    assert "非甾体抗炎药" in plan.named_steps(Language.ZH)[1]


@pytest.mark.parametrize("steps", [[], [[]], ["snake oil"], [["naproxen", "snake oil"]]])
def test_a_plan_without_steps_or_with_an_unknown_one_is_refused(steps: list[object]) -> None:
    with pytest.raises(ValidationError, match="steps"):
        PlannedTreatment.model_validate({"en": "-", "zh": "-", "steps": steps})


@pytest.mark.parametrize("record", ["gout-en", "gout-zh"])
def test_the_rules_doctor_says_the_steps_of_the_plan_that_it_gives(record: str) -> None:
    case = case_of(POOL.get(record))
    said = asyncio.run(
        RulesDoctor(case).respond(Briefing(case=case, turn=1, turns_left=0, reply=case.complaint))
    )
    assert isinstance(said, Conclusion)
    plan = next(plan for plan in every_plan() if plan.text(case.language) == said.treatment)
    assert said.steps == plan.named_steps(case.language) != ()


def test_a_model_cannot_say_steps() -> None:
    answer = {
        "diagnosis": "Gout",
        "treatment": "Rest",
        "differential": ["Gout"],
        "steps": [["Oral prednisolone"]],
    }
    for parsed in (conclusion_of(json.dumps(answer)), named_of(json.dumps(answer))):
        assert parsed is not None and parsed.treatment == "Rest" and parsed.steps == ()


class Boastful:
    """A doctor from elsewhere that claims steps which its plan does not have."""

    async def respond(self, briefing: Briefing) -> Question | Conclusion:
        return Conclusion(diagnosis="Gout", treatment="Rest", steps=(("Oral prednisolone",),))


async def test_nor_can_a_doctor_from_elsewhere() -> None:
    case = case_of(POOL.get("gout-en"))
    briefing = Briefing(case=case, turn=1, turns_left=0, reply=case.complaint)
    said = await ForeignDoctor("boastful", Boastful(), case).respond(briefing)
    assert isinstance(said, Conclusion)
    assert said.treatment == "Rest" and said.steps == ()


def test_a_conclusion_that_was_stored_without_steps_is_read() -> None:
    stored = Concluded(turn=3, role=Role.DOCTOR, diagnosis="Gout", treatment="Rest").model_dump(
        mode="json"
    )
    del stored["steps"]
    assert Concluded.model_validate(stored).steps == ()
    again = Concluded(
        turn=3, role=Role.DOCTOR, diagnosis="Gout", treatment="Rest", steps=(("Rest", "Bed rest"),)
    )
    assert Concluded.model_validate_json(again.model_dump_json()) == again
