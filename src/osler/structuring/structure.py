"""Structure one text into a record: ask a model for entries, check each against its source, ask once more, report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from osler.agents.gate import mentions_name
from osler.errors import OslerError, printable
from osler.language import Language, Speaker
from osler.language.reader import denies
from osler.language.words import content
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
    names_truth,
    number_fault,
    polarity_fault,
    quotation_fault,
    wording_fault,
)

_ENTRY_TOKENS, _PATIENT_TOKENS = 3000, 600
_LONGEST_STORY = 6000
"""Characters of a text that the request for age, sex and complaint shows: its beginning and its end."""
_UNUSED_SHARE = 1 / 3
"""Share of unused sentences from which they are asked about again."""
_NO_MARKS = str.maketrans("<>", "‹›")
_NONE = "-"


class StructuringError(OslerError):
    """A text that did not become a record."""


class EntryProposal(BaseModel):
    """An entry as a model proposes it."""

    source: str
    category: Category
    name: str
    status: Status = Status.PRESENT
    report: str = ""
    said: str = ""
    when: str = ""
    aliases: list[str] = Field(default_factory=list)


class EntryProposals(BaseModel):
    """The answer to a request for entries."""

    entries: list[EntryProposal]


class PatientProposal(BaseModel):
    """The answer to the request for who the patient is and how the consultation opens."""

    age: str = ""
    sex: Sex = Sex.UNKNOWN
    speaker: Speaker = Speaker.PATIENT
    complaint_source: str = ""
    complaint: str = ""
    diagnosis_source: str = ""
    diagnosis: str = ""
    treatment: str = ""


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


@dataclass
class _Part:
    """One part of the text, with the entries that were accepted from it."""

    source: SourceText
    accepted: list[dict[str, Any]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    refused: list[tuple[EntryProposal, SupportFault]] = field(default_factory=list)
    is_cut: bool = False
    """Whether an answer could not be read to its end."""

    @property
    def unused(self) -> list[str]:
        return [text for number, text in enumerate(self.source.sentences) if number not in self.used]


class Structurer:
    """Turns one text into a record."""

    def __init__(self, case: TextCase, backbone: Backbone, cache: ResponseCache | None = None) -> None:
        """Take the text, a model, and where answers are kept that need not be asked for again."""
        self._case, self._backbone, self._cache = case, backbone, cache
        self._language = Language(case.known.get("language", case.language))
        self._used: set[str] = set()
        """Sentences that age, complaint or diagnosis rest on."""
        self.report = StructuringReport(case.id, left_out=case.left_out)

    async def record(self) -> PatientRecord:
        """Ask the model and return the checked record.

        Raises:
            StructuringError: The answers do not make a record.
            BackboneError: The model did not answer.
        """
        whole = SourceText("\n".join(self._case.paragraphs), self._language)
        facts = await self._patient(whole)
        truth = self._truth(facts, whole)
        parts = [_Part(SourceText(text, self._language)) for text in self._case.parts()]
        for part in parts:
            await self._entries(part, truth)
        opening, treatment = self._complaint(facts, whole, truth), self._treatment(facts, whole)
        entries = _told_apart((entry for part in parts for entry in part.accepted), self._language)
        unused = (line for part in parts for line in part.unused if line not in self._used)
        self.report.not_used = list(dict.fromkeys(unused))
        if not entries:
            raise StructuringError("no entry of the model's answer is supported by the text")
        known = {key: value for key, value in self._case.known.items() if value is not None}
        origin = known.get("source") or "free text"
        data = {
            "age": self._age(facts, whole),
            "sex": facts.sex,
            "speaker": facts.speaker,
            **treatment,
            **known,
            "id": self._case.id,
            "language": self._language,
            "source": f"{origin}; structured by {self._backbone.model}",
            "complaint": opening,
            "diagnosis": truth.model_dump(),
            "entries": entries,
        }
        read = check(RecordDraft(data), self._case.id)
        if read.record is None:
            raise StructuringError("; ".join(f"{one.field}: {one.reason}" for one in read.problems))
        self.report.entries = len(entries)
        return read.record

    async def _ask(self, name: str, schema: type[BaseModel], most: int, **slots: str) -> Completion:
        """Ask one prompt; an answer from the cache costs nothing."""
        messages = (ChatMessage("user", prompt(name, self._language).fill(**slots)),)
        key = request_key(self._backbone.identity or self._backbone.spec, 0, ChatRequest(messages, most, schema))
        if self._cache is not None and (kept := self._cache.get(key)):
            return kept
        answer = await ask(self._backbone.client, messages, schema=schema, max_tokens=most)
        self.report.answers.append(answer)
        if self._cache is not None and (json_begun(answer.text) or json_of(answer.text)):
            self._cache.put(key, answer)
        return answer

    async def _patient(self, whole: SourceText) -> PatientProposal:
        text = whole.text
        if len(text) > _LONGEST_STORY:
            text = f"{text[: _LONGEST_STORY // 2]}\n…\n{text[-_LONGEST_STORY // 2 :]}"
        answer = await self._ask("structure_patient", PatientProposal, _PATIENT_TOKENS, text=_shown(text))
        given = json_of(answer.text) or json_begun(answer.text) or {}
        proposal = PatientProposal()
        for key, value in given.items():  # each field by itself: one that is wrong leaves the others
            try:
                proposal = PatientProposal.model_validate({**proposal.model_dump(), key: value})
            except ValidationError:
                continue
        return proposal

    def _age(self, facts: PatientProposal, whole: SourceText) -> Age:
        if known := self._case.known.get("age"):
            return Age.parse(known)
        stated = Age.find(whole.text)
        try:
            proposed: Age | None = Age.parse(facts.age)
        except ValueError:
            proposed = None
        if proposed and not number_fault(str(proposed.value), whole.text, self._language):
            return proposed
        if stated is None:
            raise StructuringError("the text states no age; add it to the text")
        return stated

    def _truth(self, facts: PatientProposal, whole: SourceText) -> Diagnosis:
        if known := self._case.known.get("diagnosis"):
            return Diagnosis.model_validate(known)
        numbers, name = whole.find(facts.diagnosis_source, facts.diagnosis), facts.diagnosis.strip()
        if not name or not mentions_name(whole.joined(numbers), name):
            raise StructuringError("the text states no diagnosis; add it as a field or a line `Diagnosis: …`")
        self._used.update(whole.sentences[number] for number in numbers)
        return Diagnosis(name=name)

    def _treatment(self, facts: PatientProposal, whole: SourceText) -> dict[str, Any]:
        """The treatment of a text that states its diagnosis, too; a vignette tells only what was tried before."""
        name, numbers = facts.treatment.strip(), whole.find(facts.treatment)
        if "diagnosis" in self._case.known or not name or not numbers:
            return {}
        self._used.update(whole.sentences[number] for number in numbers)
        return {"treatment": {"name": name}}

    def _complaint(self, facts: PatientProposal, whole: SourceText, truth: Diagnosis) -> str:
        """The opening in the speaker's words if the text supports it, else the source's own."""
        numbers = whole.find(facts.complaint_source, facts.complaint)
        source = whole.joined(numbers)
        fault = quotation_fault(whole, numbers) or number_fault(facts.complaint, source, self._language)
        if names_truth(facts.complaint, truth):
            fault = SupportFault("names_diagnosis", truth.name)
        if facts.complaint.strip() and fault is None:
            self._used.update(whole.sentences[number] for number in numbers)
            return facts.complaint.strip()
        fault = fault if fault and facts.complaint.strip() else SupportFault("empty")
        self.report.dropped.append(f"complaint {facts.complaint!r}: {fault.reason()}")
        for opening in (str(self._case.known.get("complaint") or ""), *whole.sentences):
            if opening.strip() and not names_truth(opening, truth):
                self._used.add(opening)
                return opening.strip()
        raise StructuringError("every sentence of the text names the diagnosis")

    async def _entries(self, part: _Part, truth: Diagnosis) -> None:
        text, language = _shown(part.source.text), self._language
        answer = await self._ask("structure_entries", EntryProposals, _ENTRY_TOKENS, text=text)
        self._take(part, answer, truth)
        is_partly_used = len(part.unused) > _UNUSED_SHARE * len(part.source.sentences)
        if part.refused or part.is_cut or is_partly_used:
            refused, part.refused, part.is_cut = part.refused, [], False
            again = await self._ask(
                "structure_again",
                EntryProposals,
                _ENTRY_TOKENS,
                text=text,
                refused="\n".join(f"- {one.model_dump_json()}: {why.reason(language)}" for one, why in refused)
                or _NONE,
                unused="\n".join(f"- {_shown(line)}" for line in part.unused) or _NONE,
            )
            self._take(part, again, truth)
            kept = {(one["category"], one["name"].casefold()) for one in part.accepted}
            part.refused += [(one, why) for one, why in refused if (one.category, one.name.casefold()) not in kept]
        lines = (f"{one.name} ({one.status}): {why.reason()} — {one.source!r}" for one, why in part.refused)
        self.report.dropped += dict.fromkeys(lines)
        if part.is_cut:
            self.report.dropped.append("the rest of an answer that could not be read to its end")

    def _take(self, part: _Part, answer: Completion, truth: Diagnosis) -> None:
        """Sort the entries of an answer into accepted and refused ones."""
        rows, is_whole = _rows(answer.text)
        part.is_cut = not is_whole or answer.finish == "length"
        for row in rows:
            try:
                proposal = EntryProposal.model_validate(row)
            except ValidationError:
                self.report.dropped.append(f"{str(row)[:80]}: it has not the form of an entry")
                continue
            numbers = part.source.find(proposal.source, f"{proposal.name} {proposal.report}")
            source = part.source.joined(numbers)
            fault = quotation_fault(part.source, numbers) or self._fault(proposal, source, truth)
            if fault:
                part.refused.append((proposal, fault))
            else:
                part.accepted.append(self._entry(proposal, source, truth))
                part.used.update(numbers)

    def _fault(self, entry: EntryProposal, source: str, truth: Diagnosis) -> SupportFault | None:
        language, whole = self._language, f"{entry.name}\n{entry.report}\n{entry.when}"
        if not entry.name.strip():
            return SupportFault("no_name")
        if names_truth(whole, truth):
            return SupportFault("names_diagnosis", truth.name)
        return (
            number_fault(whole, source, language)
            or wording_fault(entry.name, entry.report, source, language)
            or polarity_fault(entry.name, entry.report, entry.status, source, language)
        )

    def _entry(self, entry: EntryProposal, source: str, truth: Diagnosis) -> dict[str, Any]:
        """The fields of an accepted entry, without what its source does not support."""
        language, said, report = self._language, entry.said.strip(), entry.report.strip()
        fault = number_fault(said, source, language)
        if names_truth(said, truth):
            fault = SupportFault("names_diagnosis", truth.name)
        elif said and entry.status is Status.ABSENT and not denies(said, language):
            fault = SupportFault("not_denied")
        if fault:
            self.report.dropped.append(f"own words of {entry.name!r} {said!r}: {fault.reason()}")
            said = ""
        if entry.status is Status.ABSENT and not denies(report, language):
            report = ""  # the name of what is absent, which affirms it if it stands alone
        aliases = [alias.strip() for alias in entry.aliases if alias.strip() and not names_truth(alias, truth)]
        return {
            "category": entry.category,
            "name": entry.name.strip(),
            "aliases": aliases,
            "status": entry.status,
            "report": report,
            "said": said,
            "when": entry.when.strip() or None,
            "source": source[:4000],
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


def _shown(text: str) -> str:
    """A text that cannot close the prompt's delimiters."""
    return text.translate(_NO_MARKS)


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
