"""Structure one text into a record: ask a model for entries, check each against its source, ask once more, report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.agents.gate import mentions_name
from osler.errors import OslerError, printable
from osler.language import Language, Speaker
from osler.language.reader import denies
from osler.language.words import content, sentences
from osler.loosejson import json_begun, json_of
from osler.models import Backbone, ChatMessage, ChatRequest, Completion, ask
from osler.models.cache import ResponseCache, request_key
from osler.prompts import prompt
from osler.records.fields import Age
from osler.records.schema import Category, Diagnosis, PatientRecord, Sex, Status
from osler.records.validation import RecordDraft, check
from osler.structuring.source_text import TextCase
from osler.structuring.support import (
    SourceText,
    SupportFault,
    number_fault,
    polarity_fault,
    quotation_fault,
    truth_fault,
    wording_fault,
)

_LONGEST_STORY = 6000
"""Characters of a text that the request for age, sex and complaint shows: its beginning and its end."""
_UNUSED_SHARE = 1 / 3
"""Share of unused sentences from which they are asked about again."""
_LONGEST_SOURCE = 4000
_NO_MARKS = str.maketrans("<>", "‹›")
"""Keeps a text from closing the prompt's delimiters."""


class StructuringError(OslerError):
    """A text that did not become a record."""


class _Proposal(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)


class EntryProposal(_Proposal):
    """An entry as a model proposes it."""

    source: str
    category: Category
    name: str
    status: Status = Status.PRESENT
    report: str = ""
    said: str = ""
    when: str = ""
    aliases: list[str] = []


class EntryProposals(_Proposal):
    """The answer to a request for entries."""

    entries: list[EntryProposal]


class PatientProposal(_Proposal):
    """The answer to the request for who the patient is and how the consultation opens."""

    age: str = ""
    sex: Sex = Sex.UNKNOWN
    speaker: Speaker = Speaker.PATIENT
    complaint_source: str = ""
    complaint: str = ""
    diagnosis_source: str = ""
    diagnosis: str = ""
    treatment: str = ""


_MAX_TOKENS = {EntryProposals: 3000, PatientProposal: 600}


@dataclass
class StructuringReport:
    """What became of one text."""

    id: str
    entries: int = 0
    dropped: list[str] = field(default_factory=list)
    """Entries or fields that were refused, each with the reason."""
    not_used: list[str] = field(default_factory=list)
    """Sentences that no entry rests on."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that the model was not shown."""
    answers: list[Completion] = field(default_factory=list)
    """What the model was paid for."""

    def lines(self) -> Iterator[str]:
        """The report as lines to print."""
        yield f"{self.id}: {self.entries} entries, {len(self.dropped)} dropped, {len(self.not_used)} not used"
        yield from (f"  dropped: {printable(line)}" for line in self.dropped)
        yield from (f"  not used: {printable(line)}" for line in self.not_used)


class _CheckedAnswer(NamedTuple):
    """The entries of one answer, sorted into those that the text supports and the others."""

    accepted: list[dict[str, Any]]
    refused: list[tuple[EntryProposal, SupportFault]]
    is_cut: bool
    """Whether the answer could not be read to its end."""


class Structurer:
    """Turns one text into a record."""

    def __init__(self, case: TextCase, backbone: Backbone, cache: ResponseCache | None = None) -> None:
        """Take the text, a model, and where answers are kept that need not be asked for again."""
        self._case, self._backbone, self._cache = case, backbone, cache
        self._language = Language(case.known.get("language", case.language))
        self._text = SourceText("\n".join(case.paragraphs), self._language)
        self._used: set[str] = set()
        """Sentences that something in the record rests on."""
        self.report = StructuringReport(case.id, left_out=case.left_out)

    async def record(self) -> PatientRecord:
        """Ask the model and return the checked record.

        Raises:
            StructuringError: The answers do not make a record.
            BackboneError: The model did not answer.
        """
        facts = await self._patient()
        truth = self._truth(facts)
        accepted: list[dict[str, Any]] = []
        for part in self._case.parts():
            accepted += await self._entries(part, truth)
        if not accepted:
            raise StructuringError("no entry of the model's answer is supported by the text")
        known = self._case.known
        data = {
            "age": self._age(facts),
            "sex": facts.sex,
            "speaker": facts.speaker,
            "treatment": self._treatment(facts),
            **known,
            "id": self._case.id,
            "language": self._language,
            "source": f"{known.get('source') or 'free text'}; structured by {self._backbone.model}",
            "complaint": self._complaint(facts, truth),
            "diagnosis": truth.model_dump(),
            "entries": _told_apart(accepted, self._language),
        }
        read = check(RecordDraft(data), self._case.id)
        if read.record is None:
            raise StructuringError("; ".join(f"{one.field}: {one.reason}" for one in read.problems))
        self.report.entries = len(read.record.entries)
        self.report.not_used = list(dict.fromkeys(self._unused(self._text.sentences)))
        return read.record

    def _unused(self, lines: Iterable[str]) -> list[str]:
        return [line for line in lines if line not in self._used]

    async def _ask(self, name: str, schema: type[_Proposal], **slots: str) -> Completion:
        """Ask one prompt; an answer from the cache costs nothing."""
        shown = {slot: text.translate(_NO_MARKS) for slot, text in slots.items()}
        messages, most = (ChatMessage("user", prompt(name, self._language).fill(**shown)),), _MAX_TOKENS[schema]
        key = request_key(self._backbone.identity or self._backbone.spec, 0, ChatRequest(messages, most, schema))
        if self._cache is not None and (kept := self._cache.get(key)):
            return kept
        answer = await ask(self._backbone.client, messages, schema=schema, max_tokens=most)
        self.report.answers.append(answer)
        if self._cache is not None and (json_begun(answer.text) or json_of(answer.text)):
            self._cache.put(key, answer)
        return answer

    async def _patient(self) -> PatientProposal:
        text = self._text.text
        if len(text) > _LONGEST_STORY:
            text = f"{text[: _LONGEST_STORY // 2]}\n…\n{text[-_LONGEST_STORY // 2 :]}"
        answer = await self._ask("structure_patient", PatientProposal, text=text)
        valid: dict[str, Any] = {}
        for key, value in (json_of(answer.text) or json_begun(answer.text) or {}).items():
            with suppress(ValidationError):  # each field by itself: one that is wrong leaves the others
                valid |= PatientProposal.model_validate({key: value}).model_dump(exclude_unset=True)
        return PatientProposal.model_validate(valid)

    def _age(self, facts: PatientProposal) -> Age:
        if known := self._case.known.get("age"):
            return Age.parse(known)
        with suppress(ValueError):
            proposed = Age.parse(facts.age)
            if not number_fault(str(proposed.value), self._text.text, self._language):
                return proposed
        if stated := Age.find(self._text.text):
            return stated
        raise StructuringError("the text states no age; add it to the text")

    def _truth(self, facts: PatientProposal) -> Diagnosis:
        if known := self._case.known.get("diagnosis"):
            return Diagnosis.model_validate(known)
        quoted = self._text.find(facts.diagnosis_source, facts.diagnosis)
        if not facts.diagnosis or not mentions_name(self._text.joined(quoted), facts.diagnosis):
            raise StructuringError("the text states no diagnosis; add it as a field or a line `Diagnosis: …`")
        self._used.update(quoted)
        return Diagnosis(name=facts.diagnosis)

    def _treatment(self, facts: PatientProposal) -> dict[str, str] | None:
        """The treatment of a text that states its diagnosis, too; a vignette tells only what was tried before."""
        quoted = self._text.find(facts.treatment)
        if "diagnosis" in self._case.known or not quoted:
            return None
        self._used.update(quoted)
        return {"name": facts.treatment}

    def _complaint(self, facts: PatientProposal, truth: Diagnosis) -> str:
        """The opening in the speaker's words if the text supports it, else the source's own."""
        quoted = self._text.find(facts.complaint_source, facts.complaint)
        fault = (
            (None if facts.complaint else SupportFault("empty"))
            or truth_fault(facts.complaint, truth)
            or quotation_fault(quoted, self._language)
            or number_fault(facts.complaint, self._text.joined(quoted), self._language)
        )
        if fault is None:
            self._used.update(quoted)
            return facts.complaint
        self.report.dropped.append(f"complaint {facts.complaint!r}: {fault.reason()}")
        for opening in (str(self._case.known.get("complaint") or "").strip(), *self._text.sentences):
            if opening and not truth_fault(opening, truth):
                self._used.add(opening)
                return opening
        raise StructuringError("every sentence of the text names the diagnosis")

    async def _entries(self, text: str, truth: Diagnosis) -> list[dict[str, Any]]:
        """Ask for the entries of a part of the text, and once more for what was refused, cut off or not used."""
        first = self._checked(await self._ask("structure_entries", EntryProposals, text=text), truth)
        lines = sentences(text, self._language)
        unused = self._unused(lines)
        if not (first.refused or first.is_cut or len(unused) > _UNUSED_SHARE * len(lines)):
            return first.accepted
        refused = [f"- {one.model_dump_json()}: {why.reason(self._language)}" for one, why in first.refused]
        slots = {"refused": "\n".join(refused) or "-", "unused": "\n".join(f"- {line}" for line in unused) or "-"}
        again = self._checked(await self._ask("structure_again", EntryProposals, text=text, **slots), truth)
        accepted = first.accepted + again.accepted
        kept = {(one["category"], one["name"].casefold()) for one in accepted}
        still = [(one, why) for one, why in first.refused if (one.category, one.name.casefold()) not in kept]
        dropped = (f"{one.name} ({one.status}): {why.reason()} — {one.source!r}" for one, why in again.refused + still)
        self.report.dropped += dict.fromkeys(dropped)
        if again.is_cut:
            self.report.dropped.append("the rest of an answer that could not be read to its end")
        return accepted

    def _checked(self, answer: Completion, truth: Diagnosis) -> _CheckedAnswer:
        rows, is_whole = _rows(answer.text)
        checked = _CheckedAnswer([], [], not is_whole or answer.finish == "length")
        for row in rows:
            try:
                proposal = EntryProposal.model_validate(row)
            except ValidationError:
                self.report.dropped.append(f"{str(row)[:80]}: it has not the form of an entry")
                continue
            quoted = self._text.find(proposal.source, f"{proposal.name} {proposal.report}")
            source = self._text.joined(quoted)
            fault = quotation_fault(quoted, self._language) or self._fault(proposal, source, truth)
            if fault:
                checked.refused.append((proposal, fault))
            else:
                checked.accepted.append(self._entry(proposal, source, truth))
                self._used.update(quoted)
        return checked

    def _fault(self, entry: EntryProposal, source: str, truth: Diagnosis) -> SupportFault | None:
        language, whole = self._language, f"{entry.name}\n{entry.report}\n{entry.when}"
        return (
            (None if entry.name else SupportFault("no_name"))
            or truth_fault(whole, truth)
            or number_fault(whole, source, language)
            or wording_fault(entry.name, entry.report, source, language)
            or polarity_fault(entry.name, entry.report, entry.status, source, language)
        )

    def _entry(self, entry: EntryProposal, source: str, truth: Diagnosis) -> dict[str, Any]:
        """The fields of an accepted entry, without what its source does not support."""
        affirms = entry.status is Status.ABSENT and not denies(entry.said, self._language)
        fault = truth_fault(entry.said, truth) or number_fault(entry.said, source, self._language)
        if entry.said and affirms:
            fault = fault or SupportFault("not_denied")
        if fault:
            self.report.dropped.append(f"own words of {entry.name!r} {entry.said!r}: {fault.reason()}")
        # A report that only names what is absent would affirm it.
        is_bare_name = entry.status is Status.ABSENT and not denies(entry.report, self._language)
        return {
            **entry.model_dump(),
            "aliases": [alias for alias in entry.aliases if alias and not truth_fault(alias, truth)],
            "report": "" if is_bare_name else entry.report,
            "said": "" if fault else entry.said,
            "when": entry.when or None,
            "source": source[:_LONGEST_SOURCE],
        }


def _rows(text: str) -> tuple[list[Any], bool]:
    """The entries of an answer, as an object or a bare list, and whether it could be read to its end."""
    listed = f'{{"entries": {text[max(text.find("["), 0) :]}}}'
    for reads in (json_of, json_begun):
        for written in (text, listed):
            rows = (reads(written) or {}).get("entries")
            if isinstance(rows, list):
                return rows, reads is json_of
    return [], False


def _told_apart(entries: Iterable[dict[str, Any]], language: Language) -> list[dict[str, Any]]:
    """The entries, each under a name of its own; what an entry of the same name and status says already is left out."""
    kept: list[dict[str, Any]] = []
    names: dict[str, int] = {}
    for entry in entries:
        name, said = entry["name"].casefold(), set(content(entry["report"], language))
        same = [one for one in kept if one["name"].casefold() == name and one["status"] == entry["status"]]
        if any(entry["status"] is Status.ABSENT or said <= set(content(one["report"], language)) for one in same):
            continue
        count = names[name] = names.get(name, 0) + 1
        kept.append(entry if count == 1 else {**entry, "name": f"{entry['name']} ({count})"})
    return kept
