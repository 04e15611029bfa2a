"""A model that reads replies: the facts that one tells, and how two replies agree.

It fills in forms with quotes, and is not told which reply is a person's. What follows from a form
is computed here. A form that cannot be used is asked for once more; then the reply stays unread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from osler.eval.reader.ask_form import FormAnswer, UnusableFormError, ask_form
from osler.eval.reader.model_judge import check_quotes, enclosed, one_line
from osler.language import Language
from osler.models import Backbone
from osler.models.errors import unless_it_fails
from osler.prompts import phrases, prompt
from osler.records.schema import PatientRecord
from osler.runs.turns import total
from osler.seeds import derive

_FACTS, _PAIR, _LINES, _AGAIN = "validate_facts", "validate_pair", "validate_lines", "read_again"
_MOST_TOKENS = 1500
_LONGEST_REPLY, _LONGEST_ENTRY = 2000, 300
"""Characters that a reader is shown of a reply, and of each entry of the record."""

Result = TypeVar("Result")


class FormFact(BaseModel):
    """A fact that a reply tells, as a reader finds it."""

    words: str
    asked: bool
    entry: int


class FactsForm(BaseModel):
    """All facts of a reply."""

    facts: list[FormFact]


class FormPair(BaseModel):
    """A fact of two replies, as a reader finds it."""

    first: str
    second: str
    agree: bool


class PairForm(BaseModel):
    """All facts of two replies."""

    facts: list[FormPair]


@dataclass(frozen=True)
class ReadReply:
    """What a reply tells."""

    facts: int
    volunteered: int
    """Facts that were not asked for."""
    entries: frozenset[str]
    """Names of the record's entries that it tells of."""


@dataclass(frozen=True)
class ReadPair:
    """How a simulated reply agrees with the human one, counted in facts."""

    same: int = 0
    missing: int = 0
    """Told by the human alone."""
    extra: int = 0
    """Told by the simulated patient alone."""
    contradicting: int = 0

    @property
    def facts(self) -> int:
        """All of them."""
        return self.same + self.missing + self.extra + self.contradicting


@dataclass
class ReaderUsage:
    """What a reader used."""

    forms: int = 0
    tokens: int | None = 0
    """None if a server did not tell."""
    cost: float | None = 0.0

    def add(self, answer: FormAnswer[Result]) -> None:
        """Count a form."""
        self.forms += 1
        self.tokens = total([self.tokens, answer.tokens])
        self.cost = total([self.cost, answer.cost])


class ReplyReader:
    """Reads replies with a model at temperature 0."""

    def __init__(self, backbone: Backbone, seed: int = 0) -> None:
        """Take a model; the seed decides which reply of a pair it reads first."""
        self._backbone, self._seed = backbone, seed
        self.usage = ReaderUsage()
        self.unread = 0
        """Replies and pairs of which no form could be used."""

    @property
    def name(self) -> str:
        """The model and a hash of its prompts."""
        names = (_FACTS, _PAIR, _LINES, _AGAIN)
        whole = "".join(prompt(name, language).text for name in names for language in Language)
        return f"{self._backbone.spec}#{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    async def read_reply(
        self, question: str, reply: str, record: PatientRecord
    ) -> ReadReply | None:
        """Return what a reply tells; None if nobody could read it.

        Raises:
            BackboneError: The model cannot be reached at all.
        """
        language = record.language
        lines = entry_lines(record)

        def evaluate(form: FactsForm) -> ReadReply:
            check_quotes((fact.words for fact in form.facts), reply[:_LONGEST_REPLY], language)
            _check_entries(form, len(lines), language)
            numbers = {fact.entry for fact in form.facts if fact.entry}
            return ReadReply(
                facts=len(form.facts),
                volunteered=sum(not fact.asked for fact in form.facts),
                entries=frozenset(record.entries[number - 1].name for number in numbers),
            )

        request = prompt(_FACTS, language).fill(
            entries="\n".join(lines),
            question=enclosed(question, _LONGEST_REPLY),
            reply=enclosed(reply, _LONGEST_REPLY),
        )
        return await self._read(
            lambda: ask_form(self._backbone, request, FactsForm, evaluate, _MOST_TOKENS, language)
        )

    async def read_pair(
        self, question: str, human: str, simulated: str, language: Language
    ) -> ReadPair | None:
        """Return how two replies agree; None if nobody could read them.

        Raises:
            BackboneError: The model cannot be reached at all.
        """
        human_first = derive(self._seed, f"{question}\0{human}\0{simulated}", 0, "pair") % 2 == 0
        first, second = (human, simulated) if human_first else (simulated, human)

        def evaluate(form: PairForm) -> ReadPair:
            _check_pairs(form, first, second, language)
            return _counted(form, human_first=human_first)

        request = prompt(_PAIR, language).fill(
            question=enclosed(question, _LONGEST_REPLY),
            first=enclosed(first, _LONGEST_REPLY),
            second=enclosed(second, _LONGEST_REPLY),
        )
        return await self._read(
            lambda: ask_form(self._backbone, request, PairForm, evaluate, _MOST_TOKENS, language)
        )

    async def _read(self, ask: Callable[[], Awaitable[FormAnswer[Result]]]) -> Result | None:
        answer = await unless_it_fails(ask)
        if answer is None or answer.result is None:
            self.unread += 1
        if answer is None:
            return None
        self.usage.add(answer)
        return answer.result


def entry_lines(record: PatientRecord) -> list[str]:
    """The entries of a record, numbered from 1, as a reader is shown them."""
    template = phrases(_LINES, record.language)["entry"]
    lines: list[str] = []
    for number, entry in enumerate(record.entries, 1):
        told = one_line(" / ".join(filter(None, (entry.report, entry.said))))[:_LONGEST_ENTRY]
        line = template.format(
            number=number, name=one_line(entry.name), status=entry.status.value, told=told
        )
        lines.append(line)
    return lines


def _check_entries(form: FactsForm, count: int, language: Language) -> None:
    told = phrases(_LINES, language)["no_entry"]
    faults = []
    for fact in form.facts:
        if not 0 <= fact.entry <= count:
            faults.append(told.format(words=one_line(fact.words), number=fact.entry))
    if faults:
        raise UnusableFormError(faults)


def _check_pairs(form: PairForm, first: str, second: str, language: Language) -> None:
    told = phrases(_LINES, language)
    faults = []
    for fact in form.facts:
        if not fact.first.strip() and not fact.second.strip():
            faults.append(told["empty"])
        elif not fact.agree and not (fact.first.strip() and fact.second.strip()):
            faults.append(told["disagree"].format(words=one_line(fact.first or fact.second)))
    if faults:
        raise UnusableFormError(faults)
    for quotes, reply in (
        ([fact.first for fact in form.facts], first),
        ([fact.second for fact in form.facts], second),
    ):
        check_quotes(_there(quotes), reply[:_LONGEST_REPLY], language)


def _there(quotes: Sequence[str]) -> list[str]:
    return [quote for quote in quotes if quote.strip()]


def _counted(form: PairForm, *, human_first: bool) -> ReadPair:
    """Count the facts of a form by who tells them."""
    same = missing = extra = contradicting = 0
    for fact in form.facts:
        human, simulated = fact.first, fact.second
        if not human_first:
            human, simulated = simulated, human
        if not fact.agree:
            contradicting += 1
        elif not simulated.strip():
            missing += 1
        elif not human.strip():
            extra += 1
        else:
            same += 1
    return ReadPair(same, missing, extra, contradicting)
