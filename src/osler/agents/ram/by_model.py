"""Retrieval by a model: one request names every thing that a question asks for, and the entries about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel

from osler.agents.calls import Caller
from osler.agents.messages import Case, Enquiry, Selection
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
    Intervened,
    Intervention,
    Journal,
    Maker,
    Role,
    Thing,
    Unrecorded,
)

MOST = 40
"""Maximum number of entries for one question: nobody answers with a whole file."""
_TRIES = 2
_LONGEST_NAME = 120
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
    nothing: Literal["", "denied", "not_done", "unknown"]


class AskedThings(BaseModel):
    """The answer that is asked for."""

    things: list[AskedThing]


class ModelRam(Ram):
    """Asks a model what a question asks for; the rules take over if the model fails twice."""

    def __init__(
        self,
        record: PatientRecord,
        case: Case,
        backbone: Backbone,
        journal: Journal,
        *,
        answer_tokens: int = 1000,
        reports: bool = False,
    ) -> None:
        """Take the record and the model. No prompt holds the diagnosis."""
        super().__init__(record, case, reports=reports)
        self._entries = without_diagnosis(record).entries
        numbered = enumerate(self._entries, start=1)
        self._lines = [f"{number}. {_line(entry, record.language)}" for number, entry in numbered]
        self._journal, self._most = journal, answer_tokens
        self._call = Caller(backbone, Role.RAM, journal)

    async def choose(self, enquiry: Enquiry) -> Selection:
        """Return the entries that a question asks for, thing by thing."""
        language = self._case.language
        template, repair = prompt("ram", language), prompt("ram_repair", language)
        request = ChatMessage("user", self._request(enquiry, template))
        messages = [request]
        failed: list[str] = []
        while len(failed) < _TRIES:
            asked = template if len(messages) == 1 else repair
            try:
                said = await self._call.text(messages, asked, schema=AskedThings, max_tokens=self._most)
            except ConsultationError as error:
                if error.ending is not Ending.BACKBONE_FAILURE:
                    raise  # a limit ended the consultation
                failed.append(str(error))
                if error.kind == FailureKind.TOO_LONG:
                    break
                continue
            if (read := self._read(said)) is not None:
                return self._chosen(enquiry, *read, said, Maker.RETRIED if failed else Maker.MODEL)
            failed.append("no list of things can be read")
            self._note(Intervention.UNREAD, said, (failed[-1],), asked)
            quoted = ChatMessage("assistant", said[:_LONGEST_QUOTE])
            messages = [request, quoted, ChatMessage("user", repair.fill())]
        self._note(Intervention.RULES, "", tuple(dict.fromkeys(failed)))
        return self.select(enquiry.text)

    def _request(self, enquiry: Enquiry, template: Prompt) -> str:
        language, before = self._case.language, enquiry.before
        lines = [*self._lines, *self._past_lines()]
        return template.fill(
            **case_slots(self._case),
            entries="\n".join(lines),
            before=_BEFORE[language].format(question=before.question, reply=before.reply) if before else "",
            question=enquiry.text,
        )

    def _past_lines(self) -> Iterator[str]:
        """What was said at earlier visits, with numbers that follow those of the entries."""
        line = phrases("visits", self._case.language)
        if past := latest(self._past):
            yield f"\n{line['past_lines']}"
        for one in past:
            said = past_text(one, self._case.language)
            yield line["past_line"].format(number=len(self._entries) + one.number, date=one.date, said=said)

    def _read(self, said: str) -> tuple[tuple[Thing, ...], tuple[str, ...]] | None:
        """Return the things of an answer, and its invalid references; None if it has no list of things."""
        listed = (json_of(said) or {}).get("things")
        if not isinstance(listed, list) or any(not isinstance(one, dict) for one in listed):
            return None
        things, lost = [], []
        for one in listed:
            name = " ".join(str(one.get("asked") or "").split())[:_LONGEST_NAME]
            names, past = [], []
            for number, given in _numbers(one.get("entries")):
                if number is not None and 1 <= number <= len(self._entries):
                    names.append(self._entries[number - 1].name)
                elif number is not None and 0 < number - len(self._entries) <= len(self._past):
                    past.append(number - len(self._entries))
                else:
                    lost.append(f"no entry has the number {given}")
            unrecorded = None if names or past else _why(one.get("nothing"))
            # What an entry tells now counts, whatever was said of it at earlier visits.
            past = past if self._record.told_earlier.issuperset(names) else []
            if name or names:
                told = {"entries": tuple(dict.fromkeys(names)), "past": tuple(dict.fromkeys(past))}
                things.append(Thing(name=name or names[0], unrecorded=unrecorded, **told))
        return tuple(things), tuple(dict.fromkeys(lost))

    def _chosen(
        self, enquiry: Enquiry, things: tuple[Thing, ...], lost: tuple[str, ...], said: str, maker: Maker
    ) -> Selection:
        if lost:
            self._note(Intervention.UNREAD, said, lost)
        names = list(dict.fromkeys(name for thing in things for name in thing.entries))
        if len(names) > MOST:
            self._note(Intervention.SHORTENED, said, (f"{len(names)} entries, of which {MOST} are handed over",))
            names = names[:MOST]
            things = tuple(_limited(things, frozenset(names)))
        by_name = {entry.name: entry for entry in self._entries}
        return Selection(
            case=self._case,
            question=enquiry.text,
            entries=tuple(by_name[name] for name in names),
            scores=(1.0,) * len(names),
            asked_for=tuple(thing.name for thing in things),
            things=things,
            maker=maker,
            past=tuple(one for one in self._past if any(one.number in thing.past for thing in things)),
        )

    def _note(self, kind: Intervention, draft: str, reasons: tuple[str, ...], template: Prompt | None = None) -> None:
        name = template.hash if template else None
        self._journal.add(Intervened, Role.RAM, kind=kind, draft=draft, reasons=reasons, prompt=name)


def _line(entry: Entry, language: Language) -> str:
    """Return one entry as a line, with everything a question may call it by."""
    category, state = label(entry.category, language), label(entry.status, language)
    told = entry.report or entry.said
    if language is Language.EN:
        names = f"{entry.name} ({', '.join(entry.aliases)})" if entry.aliases else entry.name
        when = f" ({entry.when})" if entry.when else ""
        return f"[{category}] {names}: {state}" + (f"; {told}" if told else "") + when
    names = f"{entry.name}（{'、'.join(entry.aliases)}）" if entry.aliases else entry.name
    when = f"（{entry.when}）" if entry.when else ""
    return f"[{category}] {names}：{state}" + (f"；{told}" if told else "") + when


def _numbers(given: Any) -> Iterator[tuple[int | None, str]]:
    """The numbers of a list as a model writes it, each with how it was written: 3, "3", "#3" or 3.0."""
    for one in given if isinstance(given, list) else [] if given is None else [given]:
        text = str(one)[:_LONGEST_NAME]
        hit = _NUMBER.search(text) if not isinstance(one, bool) else None
        yield (int(hit[0]) if hit else None), text


def _why(nothing: Any) -> Unrecorded:
    word = str(nothing or "").strip().casefold().replace(" ", "_")
    return next((why for why in Unrecorded if why.value == word), Unrecorded.UNKNOWN)


def _limited(things: tuple[Thing, ...], names: frozenset[str]) -> Iterator[Thing]:
    """Keep only these entries of each thing; a thing without any of them is left out."""
    for thing in things:
        kept = tuple(name for name in thing.entries if name in names)
        if kept or not thing.entries:
            yield thing.model_copy(update={"entries": kept})
