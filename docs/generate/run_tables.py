"""The columns of a run's tables in Python, from a run of one patient without a model."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import osler
from docs.generate.markdown import code, table
from docs.generate.measures import measure_texts
from osler.runs.events import Intervention, Maker
from osler.runs.makers import SEATS

if TYPE_CHECKING:
    import pandas as pd

_FAMILIES = {
    "MAKER": tuple(maker.value for maker in Maker),
    "SEAT": tuple(seat.value for seat in SEATS),
    "KIND": tuple(kind.value for kind in Intervention),
}
"""Columns that differ in such a word alone are one row of the page."""

_TEXTS = {
    "record": "The record's id.",
    "case": "The record's id.",
    "patient": "The patient: the same in both languages.",
    "backbone": "The doctor's model.",
    "strategy": "The doctor's strategy; empty for `rules`.",
    "memory": "The doctor's memory.",
    "variants": "Other parts of the column's name, as JSON.",
    "trial": "Which repetition of the record.",
    "ending": "How the consultation ended.",
    "diagnosis": "The diagnosis that the doctor gave.",
    "treatment": "The treatment that the doctor gave.",
    "turns": "Questions and their replies.",
    "tokens_in": "Tokens of prompts, as charged to the column.",
    "tokens_out": "Tokens of answers, as charged to the column.",
    "cost": "Their cost in USD; nothing if a price is not known.",
    "seconds": "Duration of the consultation.",
    "failure": "What kind of failure ended it, if one did.",
    "message": "The failure in words.",
    "at": "When it ended; in `events()`, seconds since the consultation began.",
    "tokens_paid": "Tokens that were spent on it, failed attempts included.",
    "cost_paid": "What these cost in USD.",
    "diagnosis_verdict": "The verdict on the diagnosis.",
    "diagnosis_because": "What the verdict rests on.",
    "diagnosis_rank": "Place of the right diagnosis in the differential; 0 if it is not in it.",
    "treatment_verdict": "The verdict on the treatment.",
    "treatment_because": "What the verdict rests on.",
    "judge_tokens": "Tokens that the judge used.",
    "differential_judged": "Whether anybody has judged the differential.",
    "failed": "Whether it ended without an answer.",
    "judged": "Whether it has a verdict.",
    "diagnosis_right": "1 if the verdict is `correct`, else 0; nothing without a verdict.",
    "diagnosis_right_at_most": "The same, with `undecided` counted as right.",
    "treatment_right": "1 if the verdict is `correct`, else 0; nothing without a verdict.",
    "treatment_right_at_most": "The same, with `undecided` counted as right.",
    "cause": "Why it was lost, if `osler explain` has said so.",
    "lost_at": "The turn in which it was lost.",
    "missing": "What was missing, in one line.",
    "questions_MAKER": "Questions by who made them.",
    "retrievals_MAKER": "Retrievals by who made them.",
    "replies_MAKER": "Replies by who made them.",
    "thoughts_MAKER": "Thoughts by who formed them.",
    "interventions_SEAT_KIND": "How often Osler changed the words of that seat's model.",
    "thoughts_proposed": "Actions that the memory's model proposed.",
    "thoughts_refused": "Those of them that were refused.",
    "calls_SEAT": "Calls of that seat's model.",
    "saved_calls_SEAT": "Calls answered by an answer that another consultation had paid for.",
    "measure": "The measure's name, as in [measures](measures.md).",
    "value": "Its mean or share.",
    "low": "Lower end of the 95 % interval.",
    "high": "Upper end of the 95 % interval.",
    "n": "How many values it was counted from.",
    "against": "The column that this one is compared with.",
    "difference": "This column minus that one, over the consultations that both have.",
    "difference_at_least": "The difference if all undecided verdicts went against this column.",
    "difference_at_most": "The difference if all went for it.",
    "p_holm": "p of the paired test, corrected for all tests of the table.",
    "told_apart": "Whether the difference is larger than its noise.",
    "noise": "How far two equally good columns would differ by chance.",
    "noise_rerun": "How far running both again would move the difference.",
    "patients_needed": "Patients that would tell this difference apart.",
    "trials_needed": "Trials of each record that would do so with the same patients.",
}
"""Texts of columns that are not declared with a text of their own."""


def run_tables_page() -> str:
    """The columns of `scores()`, `turns()`, `events()` and `compare()`, with an example of each."""
    with tempfile.TemporaryDirectory() as folder:
        run = osler.simulate(
            cases=["gout-en"], memories=["tim"], out=Path(folder) / "example.osler", quiet=True
        )
        with run:
            frames = {
                "scores": run.scores(),
                "turns": run.turns(),
                "events": run.events(),
                "compare": run.compare(),
            }
            return "".join(_frame(name, frame) for name, frame in frames.items())


def _frame(name: str, frame: pd.DataFrame) -> str:
    first = frame.iloc[0].to_dict()
    texts = {**measure_texts(), **_TEXTS}
    rows: dict[str, tuple[str, str, str]] = {}
    for column, value in first.items():
        family = _family(str(column))
        rows.setdefault(family, (code(family), texts.get(family, ""), _short(value)))
    return f"## {name}()\n\n" + table(["column", "what it is", "example"], rows.values())


def _family(column: str) -> str:
    """The column's name, with MAKER, SEAT and KIND for the words that vary."""
    seat = rf"_({'|'.join(_FAMILIES['SEAT'])})"
    stepped_in = re.fullmatch(rf"interventions{seat}_({'|'.join(_FAMILIES['KIND'])})", column)
    if stepped_in:
        return "interventions_SEAT_KIND"
    maker = re.fullmatch(rf"(\w+)_({'|'.join(_FAMILIES['MAKER'])})", column)
    if maker:
        return f"{maker[1]}_MAKER"
    used = re.fullmatch(rf"(\w+){seat}", column)
    return f"{used[1]}_SEAT" if used else column


def _short(value: object) -> str:
    text = str(value)
    return code(text if len(text) <= 40 else f"{text[:37]}…").replace("``", "")
