"""A model that reads replies.

It compares one with what the patient was given, and fills in a form about it.

One request a reply: a model that reads ten replies at once mixes up which was given what. What the
patient said is treated as data, on one line inside delimiters that it cannot reproduce. A form that
cannot be used is asked for once more; then the reply stays unread.
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

from osler.eval.controls import ControlKind, JudgeTrial, ask_all
from osler.eval.faithfulness.patient_form import LINES, PatientForm, faults_of_form
from osler.eval.faithfulness.replies import ReplyContext
from osler.eval.reader.ask_form import ask_form
from osler.eval.reader.model_judge import enclosed
from osler.language import Language
from osler.locale import label
from osler.models import Backbone
from osler.prompts import phrases, prompt
from osler.records.schema import Diagnosis, Entry, Status
from osler.runs.events import Implied, Thing, Unrecorded
from osler.runs.reply_faults import ReplyFaults

_PROMPT, _AGAIN = "judge_patient", "read_again"
_MOST_TOKENS = 1500
_LONGEST_REPLY, _LONGEST_FACT, _LONGEST_FACTS, _LONGEST_TALK = 2000, 500, 6000, 2000
"""Characters that a model is shown: all of it fits into a context of 8,192 tokens."""
_STATES: dict[str, dict[Language, str]] = {
    Status.PRESENT: {Language.EN: "present", Language.ZH: "有"},
    Status.ABSENT: {Language.EN: "absent", Language.ZH: "无"},
    Status.NORMAL: {Language.EN: "normal", Language.ZH: "正常"},
    Unrecorded.DENIED: {
        Language.EN: "not written; the patient may say no",
        Language.ZH: "没有写，患者可以说没有",
    },
    Status.NOT_DONE: {Language.EN: "was not done", Language.ZH: "没有做过"},
    Unrecorded.UNKNOWN: {Language.EN: "the patient does not know", Language.ZH: "患者不知道"},
    Unrecorded.PERSON: {
        Language.EN: "everyday life; anything ordinary may be said",
        Language.ZH: "生活琐事，可以说一句平常话",
    },
    Implied.YES: {Language.EN: "yes", Language.ZH: "有"},
    Implied.NO: {Language.EN: "no", Language.ZH: "没有"},
    Implied.PARTLY: {Language.EN: "partly", Language.ZH: "有一点"},
    Implied.DONE: {Language.EN: "was done", Language.ZH: "做过"},
}
"""How an entry is shown, and a thing that no entry tells; both may be `not_done`."""
_EARLIER = {Language.EN: "told at an earlier visit", Language.ZH: "以前就诊时说过"}
_SOFTENED = {
    Language.EN: "(may be told vaguely, or as less than it is)",
    Language.ZH: "（可以说得含糊，或者往轻里说）",
}
_NONE = {Language.EN: "(none)", Language.ZH: "（无）"}

GOOD = "good"
KINDS = {
    GOOD: ControlKind("no fault", 0.25, "found faults in {} of {} faithful replies"),
    "leak": ControlKind("a leak", 0.5, "missed {} of {} leaks of the diagnosis"),
    "invented": ControlKind("a claim that is not true", 0.5, "missed {} of {} invented claims"),
    "opposite": ControlKind(
        "a claim that is not true", 0.5, "missed {} of {} entries turned round"
    ),
    "injected": ControlKind(
        "a claim that is not true", 0.0, "was talked out of {} of {} faults by the reply itself"
    ),
}
"""Controls for a judge of replies. A judge that can be talked out of one fault can be talked out of
any."""


@dataclass(frozen=True)
class ReadReply:
    """What a model found in a reply; no faults, but a reason, if it could not be read."""

    faults: ReplyFaults | None
    because: str = ""
    tokens: int = 0
    cost: float | None = 0.0


class PatientJudge:
    """A model that compares replies with what the patient was given, at temperature 0."""

    def __init__(self, backbone: Backbone) -> None:
        """Take a model."""
        self._backbone = backbone

    @property
    def name(self) -> str:
        """The model and a hash of its prompts."""
        whole = "".join(
            prompt(name, language).text
            for name in (_PROMPT, _AGAIN, LINES)
            for language in Language
        )
        return f"{self._backbone.spec}#{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    async def read(self, reply: str, context: ReplyContext) -> ReadReply:
        """Read one reply."""
        language = context.language
        facts = [fact.name for fact in _facts(context)]

        def faults_in(form: PatientForm) -> ReplyFaults:
            return faults_of_form(form, reply[:_LONGEST_REPLY], facts, language)

        filled = request(reply, context)
        answer = await ask_form(
            self._backbone, filled, PatientForm, faults_in, _MOST_TOKENS, language
        )
        return ReadReply(answer.result, answer.fault, answer.tokens or 0, answer.cost)


def request(reply: str, context: ReplyContext) -> str:
    """The prompt for one reply; the same for the same content."""
    language = context.language
    things = []
    for thing in context.untold:
        state = thing.unrecorded or thing.implied
        if state is not None:
            things.append(f"{thing.name}: {_STATES[state][language]}")
    facts = enumerate(_facts(context), 1)
    return prompt(_PROMPT, language).fill(
        diagnosis=enclosed("; ".join(context.diagnosis.names)),
        speaker=label(context.speaker, language),
        age=context.age.label(language) if context.age else "–",
        opening=enclosed(context.opening),
        facts=_lines(
            (f"{number}. {enclosed(fact.text, _LONGEST_FACT)}" for number, fact in facts), language
        ),
        things=_lines((f"- {enclosed(thing)}" for thing in things), language),
        said=_lines(_talk(context), language),
        question=enclosed(context.question, _LONGEST_REPLY),
        reply=enclosed(reply, _LONGEST_REPLY),
    )


class _Fact(NamedTuple):
    name: str
    """As a contradiction of it is told."""
    text: str


def _facts(context: ReplyContext) -> Iterator[_Fact]:
    """Return the entries that the patient was given, this question's first, as room permits.

    Behind them comes what was told at earlier visits.
    """
    left = _LONGEST_FACTS
    earlier = _EARLIER[context.language]
    before = (
        _Fact(earlier, f"[{earlier}]: {' '.join(text.split())}") for text in context.told_earlier
    )
    entries = (_Fact(entry.name, _told(entry, context)) for entry in context.known)
    for fact in (*entries, *before, *_facts_of_sheet(context)):
        left -= len(fact.text)
        if left < 0:
            return
        yield fact


def _facts_of_sheet(context: ReplyContext) -> Iterator[_Fact]:
    """The person sheet: the patient may tell of their own life whatever is asked."""
    if context.person is None:
        return
    line = phrases("person", context.language)
    for name, text in context.person.lines.items():
        yield _Fact(line[name], f"{line[name]}: {text}")


def _told(entry: Entry, context: ReplyContext) -> str:
    language = context.language
    softened = f" {_SOFTENED[language]}" if entry.name in context.softened else ""
    told = " ".join(dict.fromkeys(filter(None, (entry.report, entry.said))))
    when = f", {entry.when}" if entry.when else ""
    state = f"{_STATES[entry.status][language]}{when}"
    return f"{entry.name} [{state}]{softened}: {told}"[:_LONGEST_FACT]


def _talk(context: ReplyContext) -> list[str]:
    """Return the last exchanges before the question, in order, as far as there is room."""
    template = phrases(LINES, context.language)["exchange"]
    lines: list[str] = []
    for exchange in reversed(context.said):
        line = template.format(question=enclosed(exchange.question), reply=enclosed(exchange.reply))
        if sum(map(len, lines)) + len(line) > _LONGEST_TALK:
            break
        lines.append(line)
    return lines[::-1]


def _lines(lines: Iterable[str], language: Language) -> str:
    return "\n".join(lines) or _NONE[language]


class ReplyControl(NamedTuple):
    """A reply whose fault is known."""

    kind: str
    reply: str
    context: ReplyContext


@dataclass(frozen=True)
class PatientJudgeTrial(JudgeTrial):
    """Results of a judge of replies on the controls of one language."""

    cost: float | None


async def tried(
    judge: PatientJudge, language: Language, gate: asyncio.Semaphore
) -> PatientJudgeTrial:
    """Run the controls of a language through a judge.

    One that can judge in English may not in Chinese.
    """
    asked = controls(language)
    answers = await ask_all(lambda control: judge.read(control.reply, control.context), asked, gate)
    said = [
        (control.kind, _is_wrong(control.kind, answer))
        for control, answer in zip(asked, answers, strict=True)
    ]
    return PatientJudgeTrial(
        judge.name,
        language,
        KINDS,
        said,
        sum(answer.tokens for answer in answers),
        total_cost(answers),
    )


def total_cost(answers: Iterable[ReadReply]) -> float | None:
    """Add up what answers cost; None as soon as one has no price."""
    costs = [answer.cost for answer in answers]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _is_wrong(kind: str, answer: ReadReply) -> bool:
    """Check an answer to a control; one that cannot be read is always wrong."""
    if answer.faults is None:
        return True
    if kind == GOOD:
        return not answer.faults.is_none
    if kind == "leak":
        return not answer.faults.leaks
    return not (answer.faults.fabrications or answer.faults.contradictions)


@cache
def controls(language: Language) -> tuple[ReplyControl, ...]:
    """The controls of a language."""
    table = yaml.safe_load(
        files("osler.eval.faithfulness").joinpath("controls.yaml").read_text("utf-8")
    )
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
            Entry.model_validate(
                {"category": "symptom", "name": name, "status": status, "report": report}
            )
            for name, status, report in facts
        ),
        untold=tuple(Thing(name=name, unrecorded=Unrecorded(why)) for name, why in things),
    )
    return ReplyControl(row.get("fault", GOOD), row["reply"], context)
