"""Stored verdicts on a run's replies, and whether a table shows the rules' or a model's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import TypeAdapter

from osler.errors import UserError
from osler.eval.faithfulness.agreement import READ_AGREEMENTS, Agreements, agreement_line, rules_agreement
from osler.eval.faithfulness.replies import JudgedReply, ReplyVerdict
from osler.eval.faithfulness.rules import RULES
from osler.runs.store import RunFile
from osler.runs.store.connection import damaged

FIGURES = ("leaks", "fabrications", "contradictions")
"""What a model counts in every consultation; the rules count no contradictions."""
_FAULTS = TypeAdapter(tuple[JudgedReply, ...])


def patient_judges(file: RunFile) -> dict[str, int]:
    """Return the models that judged replies of a run, in order, and how many consultations each judged."""
    found = file.ask("SELECT judge, count(*) FROM patient_verdicts GROUP BY judge ORDER BY max(at), judge")
    return dict(tuple(row) for row in found)


def patient_verdicts(file: RunFile, judge: str) -> dict[int, dict[str, Any]]:
    """Return a model's verdicts on replies, by cell."""
    found = file.ask("SELECT cell, body FROM patient_verdicts WHERE judge = :judge", {"judge": judge})
    return {cell: json.loads(body) for cell, body in found}


def by_turn(faults: Iterable[Any]) -> dict[int, ReplyVerdict]:
    """Stored verdicts, by the turn of the reply."""
    return {one.turn: one.verdict for one in _FAULTS.validate_python(faults)}


def unjudged_replies(file: RunFile, judge: str) -> list[int]:
    """The consultations with an answer whose replies that model has not judged."""
    found = file.ask(
        "SELECT number FROM cells WHERE state = 'done' AND NOT EXISTS"
        " (SELECT 1 FROM patient_verdicts WHERE cell = number AND judge = :judge) ORDER BY number",
        {"judge": judge},
    )
    return [number for (number,) in found]


def ruler_of(files: Sequence[RunFile], named: str | None = None) -> str:
    """Choose whose verdicts a table shows: a model that judged all replies of all its runs, or else the rules.

    Raises:
        UserError: The judge that is named has judged no replies of one of them.
    """
    if named in (RULES, "rules"):
        return RULES
    if named is None:
        common = [name for name in patient_judges(files[0]) if not any(unjudged_replies(file, name) for file in files)]
        return common[-1] if common else RULES
    for file in files:
        if named not in (there := patient_judges(file)):
            raise UserError(
                f"{file.path} has no replies judged by {named!r}; there are {', '.join((RULES, *there))}",
                f"`osler score {file.path} --patient-judge MODEL` has them judged",
            )
    return named


def ruler_notes(files: Sequence[RunFile], ruler: str) -> list[str]:
    """Say in few words who measured leaks and fabrications, and who else did."""
    by_rules = f"leaks and fabrications by {RULES}, a rule-based detector that misses some (docs/judging.md)"
    by_model = f"leaks, fabrications and contradictions by {ruler}"
    notes = [f"patient: {by_rules if ruler == RULES else by_model}"]
    unread = sum(len(body["unread"]) for file in files for body in patient_verdicts(file, ruler).values())
    if unread:
        notes.append(f"{unread} replies were not judged: the answer of {ruler} could not be read")
    every = dict.fromkeys((*(name for file in files for name in patient_judges(file)), RULES))
    if others := [name for name in every if name != ruler]:
        notes.append(f"also measured by {', '.join(others)}; --patient-judge NAME shows their figures")
    return notes


def ruler_agreement(files: Sequence[RunFile], ruler: str) -> str:
    """Say how far who measured leaks and fabrications agrees with people: recall and precision on known replies."""
    by_rules = ruler == RULES
    agreement = rules_agreement() if by_rules else _trial(files, ruler)
    return f"{ruler}: {agreement_line(agreement, 'labelled replies' if by_rules else 'controls')}"


def _trial(files: Sequence[RunFile], judge: str) -> Agreements:
    """Return a judge's results on the controls by language, or nothing if it was not tried."""
    told: dict[str, Any] = {}
    for file in files:
        for (trial,) in file.ask("SELECT trial FROM patient_judges WHERE judge = :judge", {"judge": judge}):
            told |= json.loads(trial)
    return READ_AGREEMENTS.validate_python(told)


def faults_in(file: RunFile, cell: int, ruler: str | None = None) -> tuple[str, dict[int, ReplyVerdict]]:
    """Return the faulty replies of one consultation by turn, and who says so: its run's judge, or else the rules."""
    chosen = ruler or ruler_of([file])
    said = _bodies(file, cell, chosen)
    found = said or file.ask("SELECT body FROM measures WHERE cell = :cell", {"cell": cell})
    try:
        return (chosen if said else RULES), by_turn(json.loads(found[0][0]).get("faults", ())) if found else {}
    except (AttributeError, LookupError, TypeError, ValueError):
        raise damaged(file.path, f"what was measured of {file.name_of(cell)}") from None


def counts_in(file: RunFile, cell: int, ruler: str) -> dict[str, int]:
    """Return a model's counts for one consultation, or nothing if it has not judged it."""
    said = _bodies(file, cell, ruler)
    body = json.loads(said[0][0]) if said else {}
    return {name: body[name] for name in FIGURES if name in body}


def _bodies(file: RunFile, cell: int, judge: str) -> list[Any]:
    asked = "SELECT body FROM patient_verdicts WHERE cell = :cell AND judge = :judge"
    return file.ask(asked, {"cell": cell, "judge": judge})
