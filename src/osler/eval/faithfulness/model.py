"""A model as the ruler: it reads one reply with what the patient was given, and says what is wrong with it.

One request a reply: a model that reads ten replies at once mixes up which was given what. What the patient said is data
to it, on one line between marks that it cannot write; a quote that does not stand in the reply is no quote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from osler.eval.faithfulness.verdict import Claim, ClaimKind, ReplyContext, ReplyVerdict
from osler.eval.model_judge import enclosed
from osler.language import Language
from osler.language.words import plain
from osler.locale import label
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import prompt
from osler.records.schema import Entry, Status
from osler.runs.events import Unrecorded

_PROMPT = "judge_patient"
_MOST_TOKENS = 1000
_LONGEST_REPLY, _LONGEST_FACT, _LONGEST_FACTS = 2000, 500, 6000
"""Characters that a judge is shown: all of it fits into a context of 4,096 tokens."""
_STATES = {
    Language.EN: {
        Status.PRESENT: "present",
        Status.ABSENT: "absent",
        Status.NORMAL: "normal",
        Status.NOT_DONE: "not done",
        Unrecorded.DENIED: "the patient does not have it",
        Unrecorded.NOT_DONE: "was not done",
        Unrecorded.UNKNOWN: "the patient does not know",
    },
    Language.ZH: {
        Status.PRESENT: "有",
        Status.ABSENT: "无",
        Status.NORMAL: "正常",
        Status.NOT_DONE: "未做",
        Unrecorded.DENIED: "患者没有",
        Unrecorded.NOT_DONE: "没有做过",
        Unrecorded.UNKNOWN: "患者不知道",
    },
}
_NONE = {Language.EN: "(none)", Language.ZH: "（无）"}


class _Answer(BaseModel):
    unsupported: list[str]
    turned_round: list[int]
    leak: bool


@dataclass(frozen=True)
class ModelSaid:
    """What a model said of a reply; no verdict where its answer could not be read."""

    verdict: ReplyVerdict | None
    tokens: int = 0
    cost: float | None = 0.0


class PatientJudge:
    """A model that holds replies against what was handed over, at temperature 0."""

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
    states = _STATES[language]
    things = (f"{thing.name}: {states[thing.unrecorded]}" for thing in context.unrecorded if thing.unrecorded)
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
    """The entries that were handed over, this question's first, as far as there is room."""
    left = _LONGEST_FACTS
    for entry in context.known:
        text = _fact(entry, context.language)
        left -= len(text)
        if left < 0:
            return
        yield text


def _fact(entry: Entry, language: Language) -> str:
    told = " ".join(dict.fromkeys(filter(None, (entry.report, entry.said))))
    when = f", {entry.when}" if entry.when else ""
    return f"{entry.name} [{_STATES[language][entry.status]}{when}]: {told}"[:_LONGEST_FACT]


def _lines(lines: Iterable[str], language: Language) -> str:
    return "\n".join(lines) or _NONE[language]


def _read(text: str, reply: str, context: ReplyContext) -> ReplyVerdict | None:
    """What a model answered, less quotes and numbers that are not there."""
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
        unsupported=tuple(Claim(ClaimKind.OTHER, quote) for quote in dict.fromkeys(quotes)),
        turned_round=tuple(dict.fromkeys(names[place - 1] for place in places if 0 < place <= len(names))),
    )


def _level(text: str) -> str:
    """Letters and digits alone: a model quotes with other marks than it was shown."""
    return "".join(char for char in plain(text) if char.isalnum())
