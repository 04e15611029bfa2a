"""What rulers said of a run's replies, as it is stored, and whose word a table shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from osler.errors import UserError
from osler.eval.faithfulness.agreement import Agreement, agreement_line, rules_agreement
from osler.eval.faithfulness.rules import RULES
from osler.eval.faithfulness.verdict import JudgedReply, ReplyVerdict, by_turn
from osler.language import Language
from osler.runs.store import RunFile
from osler.runs.store.connection import damaged

FIGURES = ("leaks", "fabrications", "contradictions")
"""What a ruler counts of every consultation."""


@dataclass(frozen=True)
class JudgedReplies:
    """What a model said of one consultation's replies."""

    replies: int
    unread: tuple[int, ...]
    """Turns of which its answer could not be read; they are in no count."""
    faults: tuple[JudgedReply, ...]

    def to_json(self) -> dict[str, Any]:
        """As it is stored: with its counts, so that no table has to count again."""
        verdicts = [one.verdict for one in self.faults]
        return {
            "leaks": sum(bool(one.leaks) for one in verdicts),
            "fabrications": sum(bool(one.unsupported) for one in verdicts),
            "contradictions": sum(bool(one.turned_round) for one in verdicts),
            **asdict(self),
        }


def patient_judges(file: RunFile) -> dict[str, int]:
    """The models that judged replies of a run, in the order they came, and of how many consultations."""
    found = file.ask("SELECT judge, count(*) FROM patient_verdicts GROUP BY judge ORDER BY max(at), judge")
    return dict(tuple(row) for row in found)


def patient_verdicts(file: RunFile, judge: str) -> dict[int, dict[str, Any]]:
    """What a model said of replies, by cell."""
    found = file.ask("SELECT cell, body FROM patient_verdicts WHERE judge = :judge", {"judge": judge})
    return {cell: json.loads(body) for cell, body in found}


def unjudged_replies(file: RunFile, judge: str) -> list[int]:
    """The consultations with an answer whose replies that model has not judged."""
    found = file.ask(
        "SELECT number FROM cells WHERE state = 'done' AND NOT EXISTS"
        " (SELECT 1 FROM patient_verdicts WHERE cell = number AND judge = :judge) ORDER BY number",
        {"judge": judge},
    )
    return [number for (number,) in found]


def ruler_of(files: Sequence[RunFile], named: str | None = None) -> str:
    """Whose figures a table of these runs shows: a model that judged all replies of all of them, or else the rules.

    Raises:
        UserError: The ruler that is named has judged no replies of one of them.
    """
    if named is not None and named != RULES and named != "rules":
        for file in files:
            if named not in (there := patient_judges(file)):
                raise UserError(
                    f"{file.path} has no replies judged by {named!r}; there are {', '.join((RULES, *there))}",
                    f"`osler score {file.path} --patient-judge MODEL` has them judged",
                )
        return named
    if named is not None:
        return RULES
    common = [name for name in patient_judges(files[0]) if not any(unjudged_replies(file, name) for file in files)]
    return common[-1] if common else RULES


def ruler_notes(files: Sequence[RunFile], ruler: str) -> list[str]:
    """Who measured leaks and fabrications, and how far it agrees with people; and who else did."""
    what = "patient: leaks, fabrications and contradictions"
    others = [name for name in dict.fromkeys(name for file in files for name in patient_judges(file)) if name != ruler]
    if ruler == RULES:
        notes = [f"{what} by {RULES}; {agreement_line(rules_agreement(), 'labelled replies')}"]
    else:
        notes = [f"{what} by {ruler}; {agreement_line(_trial(files, ruler), 'controls')}"]
        unread = sum(len(body["unread"]) for file in files for body in patient_verdicts(file, ruler).values())
        if unread:
            notes.append(f"{unread} replies were not judged: the answer of {ruler} could not be read")
        others.append(RULES)
    if others:
        notes.append(f"also measured by {', '.join(others)}; --patient-judge NAME shows their figures")
    return notes


def faults_in(file: RunFile, cell: int, ruler: str | None = None) -> tuple[str, dict[int, ReplyVerdict]]:
    """The faulty replies of one consultation by turn, and who says so: the ruler of its run, where that judged it."""
    chosen = ruler or ruler_of([file])
    said = file.ask(
        "SELECT body FROM patient_verdicts WHERE cell = :cell AND judge = :judge", {"cell": cell, "judge": chosen}
    )
    found = said or file.ask("SELECT body FROM measures WHERE cell = :cell", {"cell": cell})
    try:
        return (chosen if said else RULES), by_turn(json.loads(found[0][0]).get("faults", ())) if found else {}
    except (AttributeError, LookupError, TypeError, ValueError):
        raise damaged(file.path, f"what was measured of {file.name_of(cell)}") from None


def counts_in(file: RunFile, cell: int, ruler: str) -> dict[str, int]:
    """What a model counted in one consultation; nothing where it has not judged it."""
    said = file.ask(
        "SELECT body FROM patient_verdicts WHERE cell = :cell AND judge = :judge", {"cell": cell, "judge": ruler}
    )
    body = json.loads(said[0][0]) if said else {}
    return {name: body[name] for name in FIGURES if name in body}


def _trial(files: Sequence[RunFile], judge: str) -> dict[Language, Agreement]:
    """How a judge did on the controls, by language; nothing where it was not tried."""
    told: dict[Language, Agreement] = {}
    for file in files:
        for (trial,) in file.ask("SELECT trial FROM patient_judges WHERE judge = :judge", {"judge": judge}):
            told |= {Language(name): Agreement.from_json(one) for name, one in json.loads(trial).items()}
    return told
