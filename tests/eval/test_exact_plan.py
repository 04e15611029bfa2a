"""Plans that rules made are judged by their steps: the convention, and every plan of the rules
doctor for every patient."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from osler.agents.rules.knowledge import knowledge
from osler.agents.rules.plans import PlannedTreatment
from osler.eval.exact_plan import judge_steps
from osler.eval.reader.exact import RUNG
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records import PatientRecord, RecordPool
from osler.records.schema import Named, Treatment, Unsafe

READ = yaml.safe_load(Path(__file__).with_name("exact_plans.yaml").read_text(encoding="utf-8"))
"""For each patient the plans of each verdict, as they were read."""
UNSAFE_LINE = Unsafe(name="Aspirin", aliases=("ASA",), because="It gave him hives.")
DRAINED = Treatment(
    name="Drainage with vancomycin",
    aliases=("Washout plus vancomycin",),
    parts=(Named(name="Drainage", aliases=("Washout",)), Named(name="Vancomycin")),
    alternatives=("Teicoplanin with drainage",),
    unsafe=(UNSAFE_LINE,),
)


class Plan(NamedTuple):
    """A plan of the rules doctor and the condition that it is for."""

    condition: str
    treatment: PlannedTreatment


@cache
def plans() -> dict[str, Plan]:
    """Every plan by its name: the condition's, with the finding for which it is."""
    found = {}
    for name, condition in knowledge().conditions.items():
        found[name] = Plan(name, condition.treatment)
        for other in condition.unless:
            found[f"{name}/{other.finding}"] = Plan(name, other)
    return found


@cache
def patients() -> dict[str, dict[Language, PatientRecord]]:
    found: dict[str, dict[Language, PatientRecord]] = {}
    for record in RecordPool.open():
        found.setdefault(record.patient, {})[record.language] = record
    return found


@cache
def verdicts(patient: str, language: Language) -> dict[str, Verdict]:
    """What each plan is for a patient. Every patient's illness is the condition of the same
    name."""
    truth = patients()[patient][language].treatment
    assert truth is not None
    return {
        name: judge_steps(
            plan.treatment.named_steps(language),
            truth,
            plan.treatment.names_in_part(language),
            is_other_illness=plan.condition != patient,
        ).verdict
        for name, plan in plans().items()
    }


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ([["Drainage"], ["Vancomycin", "A glycopeptide"]], Verdict.CORRECT),
        ([["washout"], ["VANCOMYCIN "], ["Rest"]], Verdict.CORRECT),
        ([["Washout plus vancomycin"]], Verdict.CORRECT),
        ([["Teicoplanin with drainage"]], Verdict.CORRECT),
        ([["Vancomycin"], ["Rest"]], Verdict.PARTIAL),
        ([["Drainage of the abscess"], ["Rest"]], Verdict.UNDECIDED),
        ([["Drainage"], ["Vancomycin"], ["Paracetamol", "A.S.A."]], Verdict.UNSAFE),
        ([["Aspirin"]], Verdict.UNSAFE),
        ([["Low-dose aspirin"]], Verdict.UNDECIDED),
        ([], Verdict.UNDECIDED),
    ],
)
def test_the_first_verdict_that_fits(steps: Sequence[Sequence[str]], verdict: Verdict) -> None:
    opinion = judge_steps(steps, DRAINED, is_other_illness=False)
    assert (opinion.verdict, opinion.rung) == (verdict, RUNG)
    settled = Verdict.WRONG if verdict is Verdict.UNDECIDED else verdict
    assert judge_steps(steps, DRAINED, is_other_illness=True).verdict is settled


def test_a_treatment_without_parts_is_given_by_its_name_only() -> None:
    truth = Treatment(name="Clindamycin", alternatives=("Doxycycline",))
    assert judge_steps([["Doxycycline"]], truth, is_other_illness=True).verdict is Verdict.CORRECT
    assert (
        judge_steps([["An antibiotic"]], truth, is_other_illness=False).verdict is Verdict.UNDECIDED
    )


def test_what_is_given_in_part_makes_a_plan_partly_right() -> None:
    truth = Treatment(name="Clindamycin")
    for is_other_illness in (False, True):
        opinion = judge_steps(
            [["An antibiotic"]], truth, ["clindamycin"], is_other_illness=is_other_illness
        )
        assert opinion.verdict is Verdict.PARTIAL and "in part" in opinion.because
    assert (
        judge_steps([["Clindamycin"]], truth, ["Clindamycin"], is_other_illness=False).verdict
        is Verdict.CORRECT
    )


def test_the_reason_names_the_lines() -> None:
    def because(*steps: str, is_other_illness: bool = False) -> str:
        return judge_steps(
            [[step] for step in steps], DRAINED, is_other_illness=is_other_illness
        ).because

    assert because("Drainage", "ASA") == "gives Aspirin, which is unsafe: It gave him hives."
    assert because("Washout") == "gives Drainage, but not Vancomycin"
    assert because("Washout", "Vancomycin") == "gives Drainage; Vancomycin"
    assert because("Teicoplanin with drainage") == "gives Teicoplanin with drainage"
    assert (
        because("Rest", is_other_illness=True)
        == "treats another illness, and gives nothing of Drainage with vancomycin"
    )
    assert because("Rest") == "nobody has read it"


def test_every_patient_of_the_pool_was_read_and_has_a_condition_of_its_own() -> None:
    assert set(READ) == set(patients()) <= set(knowledge().conditions)
    assert all(set(records) == set(Language) for records in patients().values())


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("patient", sorted(READ))
def test_each_plan_has_the_verdict_that_was_read(patient: str, language: Language) -> None:
    read = {name: Verdict(verdict) for verdict, names in READ[patient].items() for name in names}
    assert set(read) <= set(plans())
    expected = {name: read.get(name, Verdict.WRONG) for name in plans()}
    assert verdicts(patient, language) == expected


def test_a_plan_has_the_same_verdict_in_both_languages() -> None:
    differing = [
        patient
        for patient in patients()
        if verdicts(patient, Language.EN) != verdicts(patient, Language.ZH)
    ]
    assert not differing


@pytest.mark.parametrize("language", Language)
def test_plans_for_the_own_illness_are_decided_but_for_those_with_a_reason(
    language: Language,
) -> None:
    undecided = {
        (patient, name)
        for patient in patients()
        for name, verdict in verdicts(patient, language).items()
        if verdict is Verdict.UNDECIDED
    }
    assert undecided == {
        (patient, name) for patient in READ for name in READ[patient].get("undecided", {})
    }
    assert all(plans()[name].condition == patient for patient, name in undecided)
    assert all(reason for patient in READ for reason in READ[patient].get("undecided", {}).values())
    assert len(undecided) <= 16, "every further plan needs a reader where none is asked"


@pytest.mark.parametrize("language", Language)
def test_a_plan_beside_its_opposite_is_told_apart(language: Language) -> None:
    """The finding that forbids the usual plan of a patient's own illness makes it unsafe, and the
    other one right."""
    for patient, finding in {
        "acute-pancreatitis": "ultrasound-gallstones",
        "angle-closure-glaucoma": "known-asthma",
        "cellulitis": "penicillin-allergy",
        "diabetic-ketoacidosis": "potassium-low",
        "gerd": "antiplatelet-use",
        "gout": "known-kidney-disease",
        "graves-disease": "pregnant",
        "hypothyroidism": "known-coronary-disease",
        "kawasaki-disease": "influenza-test-positive",
        "peptic-ulcer": "penicillin-allergy",
        "pneumonia": "penicillin-allergy",
        "pyelonephritis": "pregnant",
        "renal-colic": "known-kidney-disease",
        "scarlet-fever": "penicillin-allergy",
    }.items():
        found = verdicts(patient, language)
        assert found[f"{patient}/{finding}"] is Verdict.CORRECT, patient
        assert found[patient] is not Verdict.CORRECT, patient
