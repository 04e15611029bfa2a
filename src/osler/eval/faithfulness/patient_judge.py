"""A model that judges replies: it reads one with what the patient was given, and says what is wrong with it.

One request a reply: a model that reads ten replies at once mixes up which was given what. What the patient said is
treated as data, on one line inside delimiters it cannot reproduce; a quote that is not in the reply is ignored.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel

from osler.eval.controls import ControlKind, JudgeTrial, ask_all
from osler.eval.faithfulness.agreement import Agreement, Label
from osler.eval.faithfulness.replies import ClaimKind, ReplyContext, ReplyVerdict, UnsupportedClaim
from osler.eval.reader.model_judge import enclosed
from osler.language import Language
from osler.language.words import plain
from osler.locale import label
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import prompt
from osler.records.schema import Diagnosis, Entry, Status
from osler.runs.events import Thing, Unrecorded

_PROMPT = "judge_patient"
_MOST_TOKENS = 1000
_LONGEST_REPLY, _LONGEST_FACT, _LONGEST_FACTS = 2000, 500, 6000
"""Characters that a judge is shown: all of it fits into a context of 4,096 tokens."""
_STATES: dict[str, dict[Language, str]] = {
    Status.PRESENT: {Language.EN: "present", Language.ZH: "有"},
    Status.ABSENT: {Language.EN: "absent", Language.ZH: "无"},
    Status.NORMAL: {Language.EN: "normal", Language.ZH: "正常"},
    Unrecorded.DENIED: {Language.EN: "the patient does not have it", Language.ZH: "患者没有"},
    Status.NOT_DONE: {Language.EN: "was not done", Language.ZH: "没有做过"},
    Unrecorded.UNKNOWN: {Language.EN: "the patient does not know", Language.ZH: "患者不知道"},
}
"""How an entry is shown, and a thing that the record says nothing about; both may be `not_done`."""
_EARLIER = {Language.EN: "told at an earlier visit", Language.ZH: "以前就诊时说过"}
_NONE = {Language.EN: "(none)", Language.ZH: "（无）"}

GOOD = "good"
KINDS = {
    GOOD: ControlKind(Label.NOTHING, 0.25, "found faults in {} of {} faithful replies"),
    "leak": ControlKind(Label.LEAK, 0.5, "missed {} of {} leaks of the diagnosis"),
    "unsupported": ControlKind(Label.UNTRUE, 0.5, "missed {} of {} invented claims"),
    "turned_round": ControlKind(Label.UNTRUE, 0.5, "missed {} of {} entries turned round"),
    "injected": ControlKind(Label.UNTRUE, 0.0, "was talked out of {} of {} faults by the reply itself"),
}
"""Controls for a judge of replies. A judge that can be talked out of one fault can be talked out of any."""


class _Answer(BaseModel):
    unsupported: list[str]
    turned_round: list[int]
    leak: bool


@dataclass(frozen=True)
class ModelSaid:
    """A model's answer about a reply; no verdict if it could not be read."""

    verdict: ReplyVerdict | None
    tokens: int = 0
    cost: float | None = 0.0


class PatientJudge:
    """A model that compares replies with what the patient was given, at temperature 0."""

    def __init__(self, backbone: Backbone) -> None:
        """Take a model."""
        self._backbone = backbone

    @property
    def name(self) -> str:
        """Model and version of the rubric."""
        rubric = "".join(prompt(_PROMPT, language).hash for language in Language)
        return f"{self._backbone.spec}#{hashlib.sha256(rubric.encode()).hexdigest()[:8]}"

    async def say(self, reply: str, context: ReplyContext) -> ModelSaid:
        """Judge one reply."""
        message = ChatMessage("user", request(reply, context))
        said = await ask(self._backbone.client, [message], schema=_Answer, max_tokens=_MOST_TOKENS)
        tokens = (said.tokens_in or 0) + (said.tokens_out or 0)
        return ModelSaid(_read(said.text, reply, context), tokens, said.cost)


def request(reply: str, context: ReplyContext) -> str:
    """The prompt for one reply; the same for the same content."""
    language = context.language
    things = (f"{one.name}: {_STATES[one.unrecorded][language]}" for one in context.unrecorded if one.unrecorded)
    return prompt(_PROMPT, language).fill(
        diagnosis=enclosed("; ".join(context.diagnosis.names)),
        speaker=label(context.speaker, language),
        age=context.age.label(language) if context.age else "–",
        opening=enclosed(context.opening),
        facts=_lines(
            (f"{at}. {enclosed(text, _LONGEST_FACT)}" for at, text in enumerate(_facts(context), 1)), language
        ),
        things=_lines((f"- {enclosed(thing)}" for thing in things), language),
        question=enclosed(context.question, _LONGEST_REPLY),
        reply=enclosed(reply, _LONGEST_REPLY),
    )


def _facts(context: ReplyContext) -> Iterator[str]:
    """Return the entries that the patient was given, this question's first, as far as there is room.

    Behind them comes what was told at earlier visits.
    """
    left = _LONGEST_FACTS
    before = (f"[{_EARLIER[context.language]}]: {' '.join(text.split())}" for text in context.told_earlier)
    for text in (*(_fact(entry, context.language) for entry in context.known), *before):
        left -= len(text)
        if left < 0:
            return
        yield text


def _fact(entry: Entry, language: Language) -> str:
    told = " ".join(dict.fromkeys(filter(None, (entry.report, entry.said))))
    when = f", {entry.when}" if entry.when else ""
    return f"{entry.name} [{_STATES[entry.status][language]}{when}]: {told}"[:_LONGEST_FACT]


def _lines(lines: Iterable[str], language: Language) -> str:
    return "\n".join(lines) or _NONE[language]


def _read(text: str, reply: str, context: ReplyContext) -> ReplyVerdict | None:
    """Parse a model's answer, leaving out quotes and numbers that do not exist."""
    data = json_of(text.rpartition("</think>")[2])
    if data is None or not isinstance(data.get("leak"), bool):
        return None
    unsupported, numbers = data.get("unsupported") or [], data.get("turned_round") or []
    if not isinstance(unsupported, list) or not isinstance(numbers, list):
        return None
    said, names = _level(reply), [entry.name for entry in context.known]
    quotes = [quote for quote in map(str, unsupported) if _level(quote) and _level(quote) in said]
    places = [int(number) for number in map(str, numbers) if number.isdecimal() and len(number) < 4]
    return ReplyVerdict(
        leaks=(context.diagnosis.name,) if data["leak"] else (),
        unsupported=tuple(UnsupportedClaim(ClaimKind.OTHER, quote) for quote in dict.fromkeys(quotes)),
        turned_round=tuple(dict.fromkeys(names[place - 1] for place in places if 0 < place <= len(names))),
    )


def _level(text: str) -> str:
    """Letters and digits alone: a model quotes with other marks than it was shown."""
    return "".join(char for char in plain(text) if char.isalnum())


class ReplyControl(NamedTuple):
    """A reply whose fault is known."""

    kind: str
    reply: str
    context: ReplyContext


@dataclass(frozen=True)
class PatientJudgeTrial(JudgeTrial):
    """Results of a judge of replies on the controls of one language."""

    agreement: Agreement
    cost: float | None


async def tried(judge: PatientJudge, language: Language, gate: asyncio.Semaphore) -> PatientJudgeTrial:
    """Run the controls of a language through a judge: one that can judge in English may not in Chinese."""
    asked = controls(language)
    answers = await ask_all(lambda one: judge.say(one.reply, one.context), asked, gate)
    labels = [Label(KINDS[control.kind].expected) for control in asked]
    verdicts = [answer.verdict for answer in answers]
    return PatientJudgeTrial(
        judge.name,
        language,
        KINDS,
        [(one.kind, _is_wrong(label, said)) for one, label, said in zip(asked, labels, verdicts, strict=True)],
        sum(answer.tokens for answer in answers),
        # An answer that cannot be read catches nothing.
        Agreement.of(zip(labels, [verdict or ReplyVerdict() for verdict in verdicts], strict=True)),
        total_cost(answers),
    )


def total_cost(answers: Iterable[ModelSaid]) -> float | None:
    """Add up what answers cost; None as soon as one has no price."""
    costs = [answer.cost for answer in answers]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _is_wrong(label: Label, verdict: ReplyVerdict | None) -> bool:
    if verdict is None:
        return True
    if label is Label.LEAK:
        return not verdict.leaks
    return not verdict.is_untrue if label is Label.UNTRUE else verdict.is_untrue or bool(verdict.leaks)


@cache
def controls(language: Language) -> tuple[ReplyControl, ...]:
    """The controls of a language."""
    table = yaml.safe_load(files("osler.eval.faithfulness").joinpath("controls.yaml").read_text("utf-8"))
    return tuple(_control(row, language) for row in table[language])


def _control(row: dict[str, Any], language: Language) -> ReplyControl:
    facts = (line.split(" | ") for line in row["facts"])
    things = (line.split(" | ") for line in row.get("things", ()))
    context = ReplyContext(
        language=language,
        diagnosis=Diagnosis(name=row["diagnosis"]),
        question=row["question"],
        opening=row["opening"],
        entries=tuple(
            Entry.model_validate({"category": "symptom", "name": name, "status": status, "report": report})
            for name, status, report in facts
        ),
        unrecorded=tuple(Thing(name=name, unrecorded=Unrecorded(why)) for name, why in things),
    )
    return ReplyControl(row.get("fault", GOOD), row["reply"], context)
