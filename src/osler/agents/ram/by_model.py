"""Retrieval by a model.

One answer names every thing that a question asks for, and the entries about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from osler.agents.calls import Caller
from osler.agents.messages import Case, Enquiry, Selection
from osler.agents.persona import Guard
from osler.agents.prompt_slots import case_slots, past_text
from osler.agents.ram.agent import Ram
from osler.agents.ram.past import latest
from osler.agents.ram.redact import without_diagnosis
from osler.language import Language
from osler.locale import label
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, FailureKind
from osler.prompts import Prompt, phrases, prompt
from osler.records.schema import Entry, PatientRecord
from osler.runs.events import (
    ConsultationError,
    Ending,
    Implied,
    Intervened,
    Intervention,
    Journal,
    Maker,
    Role,
    Thing,
    Unrecorded,
)
from osler.settings.names import ANSWER_TOKENS

MOST = 40
"""Maximum number of entries for one question: nobody answers with a whole file."""
_TRIES = 2
_LONGEST_NAME = 120
"""Characters of a thing's name, and of an entry's number, that are read."""
_LONGEST_QUOTE = 1000
"""Characters of an unreadable answer that the model is shown again."""
_NUMBER = re.compile(r"\d{1,6}")
_BEFORE = {
    Language.EN: '\n\nThe exchange before this question:\nDoctor: "{question}"\nPatient: "{reply}"',
    Language.ZH: "\n\n这个问题之前的一问一答：\n医生：“{question}”\n患者：“{reply}”",
}


class AskedThing(BaseModel):
    """One thing that a question asks for, as a model answers."""

    asked: str
    entries: list[int]
    implied: Literal["", "yes", "no", "partly", "done"]
    nothing: Literal["", "denied", "not_done", "unknown", "person"]


class AskedThings(BaseModel):
    """The answer that is asked for."""

    things: list[AskedThing]


class AskedAgain(AskedThing):
    """The same where the patient has been here before."""

    since: bool


class AskedThingsAgain(BaseModel):
    """The answer that is asked for where the patient has been here before."""

    things: list[AskedAgain]


Word = TypeVar("Word", bound=StrEnum)


class _References(NamedTuple):
    """What the numbers of one thing refer to."""

    names: list[str]
    """Names of entries."""
    past: list[int]
    """Exchanges of earlier visits."""
    person: list[str]
    """Fields of the person sheet."""
    invalid: list[str]
    """Numbers of nothing, as the model wrote them."""


class ModelRam(Ram):
    """Asks a model what a question asks for; the rules take over if the model fails twice."""

    def __init__(
        self,
        record: PatientRecord,
        case: Case,
        backbone: Backbone,
        journal: Journal,
        *,
        answer_tokens: int = ANSWER_TOKENS,
        reports: bool = False,
        guard: Guard | None = None,
    ) -> None:
        """Take the record and the model. No prompt holds the diagnosis."""
        super().__init__(record, case, reports=reports, guard=guard)
        self._entries = without_diagnosis(record).entries
        numbered = enumerate(self._entries, start=1)
        self._lines = [f"{number}. {_line(entry, record.language)}" for number, entry in numbered]
        self._sheet = record.person.lines if record.person else {}
        self._form = AskedThingsAgain if self._past else AskedThings
        self._journal, self._answer_tokens = journal, answer_tokens
        self._call = Caller(backbone, Role.RAM, journal)

    async def choose(self, enquiry: Enquiry) -> Selection:
        """Return the entries that a question asks for, thing by thing."""
        language = self._case.language
        template = prompt("ram", language)
        request = ChatMessage("user", self._request(enquiry, template))
        messages = [request]
        failures: list[str] = []
        while len(failures) < _TRIES:
            try:
                answer = await self._call.text(
                    messages, template, schema=self._form, max_tokens=self._answer_tokens
                )
            except ConsultationError as error:
                if error.ending is not Ending.BACKBONE_FAILURE:
                    raise  # a limit ended the consultation
                failures.append(str(error))
                if error.kind == FailureKind.TOO_LONG:
                    break
                continue
            rows = _things_listed(answer)
            if rows is not None:
                maker = Maker.RETRIED if failures else Maker.MODEL
                return self._selection(enquiry, rows, answer, maker)
            failures.append("no list of things can be read")
            self._note(Intervention.UNREAD, answer, (failures[-1],), template)
            template = prompt("ram_repair", language)
            quoted = ChatMessage("assistant", answer[:_LONGEST_QUOTE])
            messages = [request, quoted, ChatMessage("user", template.fill())]
        self._note(Intervention.RULES, "", tuple(dict.fromkeys(failures)))
        return self.select(enquiry.text)

    def _request(self, enquiry: Enquiry, template: Prompt) -> str:
        before = ""
        if enquiry.before:
            before = _BEFORE[self._case.language].format(
                question=enquiry.before.question, reply=enquiry.before.reply
            )
        return template.fill(
            **case_slots(self._case),
            entries="\n".join([*self._lines, *self._past_lines(), *self._sheet_lines()]),
            rule_of_since=self._phrase_of_since("since"),
            since=self._phrase_of_since("since_in_form"),
            before=before,
            question=enquiry.text,
        )

    def _past_lines(self) -> Iterator[str]:
        """What was said at earlier visits, with numbers that follow those of the entries."""
        past = latest(self._past)
        if not past:
            return
        line = phrases("visits", self._case.language)
        yield f"\n{line['past_lines']}"
        for exchange in past:
            yield line["past_line"].format(
                number=len(self._entries) + exchange.number,
                date=exchange.date,
                said=past_text(exchange, self._case.language),
            )

    def _phrase_of_since(self, name: str) -> str:
        """What the prompt says of things asked for since an earlier visit; empty without one."""
        return phrases("visits", self._case.language)[name] if self._past else ""

    def _sheet_lines(self) -> Iterator[str]:
        """The person sheet, with numbers that follow those of earlier visits."""
        if not self._sheet:
            return
        line = phrases("person", self._case.language)
        first = self._first_of_sheet
        yield f"\n{line['heading']}"
        for number, (name, text) in enumerate(self._sheet.items(), start=first):
            yield f"{number}. [{line[name]}] {text}"

    @property
    def _first_of_sheet(self) -> int:
        return len(self._entries) + len(self._past) + 1

    def _selection(
        self, enquiry: Enquiry, rows: list[dict[str, Any]], answer: str, maker: Maker
    ) -> Selection:
        """Return the selection for the things in an answer, and note what of it is invalid."""
        things: list[Thing] = []
        invalid: list[str] = []
        for row in rows:
            references = self._references(row.get("entries"))
            invalid += [f"no entry has the number {written}" for written in references.invalid]
            thing = self._thing(row, references)
            if thing is not None:
                things.append(thing)
        if invalid:
            self._note(Intervention.UNREAD, answer, tuple(dict.fromkeys(invalid)))
        names = _entry_names(things)
        if len(names) > MOST:
            reason = f"{len(names)} entries, of which {MOST} are handed over"
            self._note(Intervention.SHORTENED, answer, (reason,))
            names = names[:MOST]
            things = list(_limited(things, frozenset(names)))
        by_name = {entry.name: entry for entry in self._entries}
        past_numbers: set[int] = set()
        for thing in things:
            past_numbers.update(thing.past)
        return Selection(
            case=self._case,
            question=enquiry.text,
            entries=tuple(by_name[name] for name in names),
            scores=(1.0,) * len(names),
            asked_for=tuple(thing.name for thing in things),
            things=tuple(things),
            maker=maker,
            past=tuple(exchange for exchange in self._past if exchange.number in past_numbers),
        )

    def _references(self, listed: Any) -> _References:
        """Return what numbers refer to: entries, then earlier visits, then the person sheet."""
        references = _References([], [], [], [])
        fields = list(self._sheet)
        for number, written in _numbers(listed):
            place = number or 0
            if 1 <= place <= len(self._entries):
                references.names.append(self._entries[place - 1].name)
            elif 1 <= place - len(self._entries) <= len(self._past):
                references.past.append(place - len(self._entries))
            elif 0 <= place - self._first_of_sheet < len(fields):
                references.person.append(fields[place - self._first_of_sheet])
            else:
                references.invalid.append(written)
        return references

    def _thing(self, row: dict[str, Any], references: _References) -> Thing | None:
        """Return one thing of an answer; None if it has neither a name nor an entry."""
        name = " ".join(str(row.get("asked") or "").split())[:_LONGEST_NAME]
        names, past, person = references.names, references.past, references.person
        if not name and not names:
            return None
        implied = _member(Implied, row.get("implied"))
        if implied and (names or person):
            # What these lines tell was not asked for, only what follows from it.
            implied_by = tuple(dict.fromkeys((*names, *person)))
            return Thing(name=name or implied_by[0], implied=implied, implied_by=implied_by)
        unrecorded = None
        if not (names or past or person):
            unrecorded = _member(Unrecorded, row.get("nothing")) or Unrecorded.UNKNOWN
        # What an entry tells now counts, whatever was said of it at earlier visits.
        if not self._record.told_earlier.issuperset(names):
            past = []
        return Thing(
            name=name or names[0],
            unrecorded=unrecorded,
            entries=tuple(dict.fromkeys(names)),
            past=tuple(dict.fromkeys(past)),
            person=tuple(dict.fromkeys(person)),
            since=row.get("since") is True,
        )

    def _note(
        self,
        kind: Intervention,
        draft: str,
        reasons: tuple[str, ...],
        template: Prompt | None = None,
    ) -> None:
        prompt_hash = template.hash if template else None
        self._journal.add(
            Intervened, Role.RAM, kind=kind, draft=draft, reasons=reasons, prompt=prompt_hash
        )


def _line(entry: Entry, language: Language) -> str:
    """Return one entry as a line, with everything a question may call it by."""
    category, status = label(entry.category, language), label(entry.status, language)
    text = entry.report or entry.said
    name, when = entry.name, ""
    if language is Language.EN:
        if entry.aliases:
            name += f" ({', '.join(entry.aliases)})"
        if text:
            text = f"; {text}"
        if entry.when:
            when = f" ({entry.when})"
        return f"[{category}] {name}: {status}{text}{when}"
    if entry.aliases:
        name += f"（{'、'.join(entry.aliases)}）"
    if text:
        text = f"；{text}"
    if entry.when:
        when = f"（{entry.when}）"
    return f"[{category}] {name}：{status}{text}{when}"


def _things_listed(answer: str) -> list[dict[str, Any]] | None:
    """Return the things of an answer as the model wrote them; None if it has no list of things."""
    rows = (json_of(answer) or {}).get("things")
    if not isinstance(rows, list):
        return None
    return rows if all(isinstance(row, dict) for row in rows) else None


def _numbers(listed: Any) -> Iterator[tuple[int | None, str]]:
    """The numbers of a list, each with how the model wrote it: 3, "3", "#3" or 3.0."""
    if listed is None:
        return
    for item in listed if isinstance(listed, list) else [listed]:
        written = str(item)[:_LONGEST_NAME]
        # `True` is an `int` in Python and no number here.
        match = None if isinstance(item, bool) else _NUMBER.search(written)
        yield (int(match[0]) if match else None), written


def _member(kind: type[Word], written: Any) -> Word | None:
    """Return the word of an answer that it is meant to be; None for any other."""
    word = str(written or "").strip().casefold().replace(" ", "_")
    return next((member for member in kind if member.value == word), None)


def _entry_names(things: Iterable[Thing]) -> list[str]:
    """Return the names of all entries of these things, each once."""
    names: dict[str, None] = {}
    for thing in things:
        names |= dict.fromkeys(thing.entries)
    return list(names)


def _limited(things: Sequence[Thing], names: frozenset[str]) -> Iterator[Thing]:
    """Keep only these entries of each thing; a thing without any of them is left out."""
    for thing in things:
        entries = tuple(name for name in thing.entries if name in names)
        if entries or not thing.entries:
            yield thing.model_copy(update={"entries": entries})
