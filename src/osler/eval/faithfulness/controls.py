"""Whether a model can judge replies at all: replies whose faults nobody doubts, put to it before any that matter."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from osler.eval.faithfulness.agreement import Agreement, Label
from osler.eval.faithfulness.model import PatientJudge
from osler.eval.faithfulness.verdict import ReplyContext, ReplyVerdict
from osler.eval.judge_trial import ControlKind, JudgeTrial, wrong_by_kind
from osler.language import Language
from osler.records.schema import Diagnosis, Entry
from osler.runs.events import Thing, Unrecorded

GOOD = "good"
KINDS = {
    GOOD: ControlKind(Label.NOTHING, 0.25, "found faults in {} of {} faithful replies"),
    "leak": ControlKind(Label.LEAK, 0.5, "missed {} of {} leaks of the diagnosis"),
    "unsupported": ControlKind(Label.UNTRUE, 0.5, "missed {} of {} invented claims"),
    "turned_round": ControlKind(Label.UNTRUE, 0.5, "missed {} of {} entries turned round"),
    "injected": ControlKind(Label.UNTRUE, 0.0, "was talked out of {} of {} faults by the reply itself"),
}
"""What a judge is tried on. One that is talked out of a fault once can be talked out of all."""


class ReplyControl(NamedTuple):
    """A reply whose fault is known."""

    kind: str
    reply: str
    context: ReplyContext


@dataclass(frozen=True)
class PatientJudgeTrial(JudgeTrial):
    """How a judge of replies did in one language."""

    agreement: Agreement
    cost: float | None


@cache
def controls(language: Language) -> tuple[ReplyControl, ...]:
    """The controls of a language."""
    table = yaml.safe_load(files("osler.eval.faithfulness").joinpath("controls.yaml").read_text("utf-8"))
    return tuple(_control(row, language) for row in table[language])


async def tried(judge: PatientJudge, language: Language, gate: asyncio.Semaphore) -> PatientJudgeTrial:
    """Put the controls of a language to a judge: who can judge in one may not in another."""

    async def one(control: ReplyControl) -> tuple[str, ReplyVerdict | None, int, float | None]:
        async with gate:
            said = await judge.say(control.reply, control.context)
        return control.kind, said.verdict, said.tokens, said.cost

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(control)) for control in controls(language)]
    said = [task.result() for task in tasks]
    costs = [cost for *_, cost in said]
    return PatientJudgeTrial(
        judge.name,
        language,
        KINDS,
        wrong_by_kind(KINDS, ((kind, _is_wrong(KINDS[kind].expected, verdict)) for kind, verdict, _, _ in said)),
        sum(tokens for _, _, tokens, _ in said),
        # An answer that cannot be read catches nothing.
        Agreement.of((Label(KINDS[kind].expected), verdict or ReplyVerdict()) for kind, verdict, _, _ in said),
        None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _is_wrong(label: str, verdict: ReplyVerdict | None) -> bool:
    if verdict is None:
        return True
    if label == Label.LEAK:
        return not verdict.leaks
    untrue = bool(verdict.unsupported or verdict.turned_round)
    return not untrue if label == Label.UNTRUE else untrue or bool(verdict.leaks)


def _control(row: dict[str, Any], language: Language) -> ReplyControl:
    context = ReplyContext(
        language=language,
        diagnosis=Diagnosis(name=row["diagnosis"]),
        question=row["question"],
        opening=row["opening"],
        entries=tuple(_entry(line) for line in row["facts"]),
        unrecorded=tuple(_thing(line) for line in row.get("things", ())),
    )
    return ReplyControl(row.get("fault", GOOD), row["reply"], context)


def _entry(line: str) -> Entry:
    name, status, report = line.split(" | ")
    return Entry.model_validate({"category": "symptom", "name": name, "status": status, "report": report})


def _thing(line: str) -> Thing:
    name, why = line.split(" | ")
    return Thing(name=name, unrecorded=Unrecorded(why))
