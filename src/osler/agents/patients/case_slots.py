"""Slots for patients whose prompt holds the case, as AgentClinic's, CRAFT-MD's and PatientSim's."""

from __future__ import annotations

from collections.abc import Iterable

from osler.agents.messages import Selection
from osler.agents.patients.settings import PatientSettings
from osler.agents.prompt_slots import conversation_text, entry_text, person_text, speaker_slots
from osler.prompts import phrases
from osler.records.schema import RESULTS, Entry
from osler.settings.names import ResultsFrom
from osler.settings.personas import Confusion, HistoryRecall, PersonaFactors


def case_slots(
    settings: PatientSettings, selection: Selection, *, with_results: bool = False
) -> dict[str, str]:
    """Slots for the case, the conversation and the question.

    Args:
        settings: With the entries of the record.
        selection: The question, and what RAM found for it.
        with_results: Whether the case holds all results. Without, the patient is shown those that
            RAM found for the question; where RAM hands them to the doctor, none.
    """
    in_case = settings.history
    if with_results and settings.run.results is ResultsFrom.PATIENT:
        in_case = settings.entries
    # A result of the case is not shown once more below it.
    asked_for = [
        entry for entry in selection.entries if entry.category in RESULTS and entry not in in_case
    ]
    results = _lines(asked_for, selection)
    if results:
        heading = phrases("patient_lines", settings.case.language)["results_asked_for"]
        results = f"\n\n{heading}\n{results}"
    return {
        **speaker_slots(settings.case),
        "case": _lines(in_case, selection),
        "person": person_text(selection),
        "conversation": conversation_text(selection),
        "results": results,
        "question": selection.question,
    }


def _lines(entries: Iterable[Entry], selection: Selection) -> str:
    line = phrases("patient_lines", selection.case.language)["note"]
    return "\n".join(
        line.format(name=entry.name, told=entry_text(entry, selection)) for entry in entries
    )


def axes_of(factors: PersonaFactors | None) -> dict[str, str]:
    """Return the axes of `patientsim` that a persona sets; without one, none."""
    if factors is None:
        return {}
    return {
        "personality": factors.personality,
        "language": factors.language,
        "recall": "high" if factors.recall is HistoryRecall.FULL else "low",
        "confusion": "normal" if factors.confusion is Confusion.NONE else "high",
    }
