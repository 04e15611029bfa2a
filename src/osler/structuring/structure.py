"""Structure one text into a record: ask a model for entries, check each against its source, ask once more, report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from osler.errors import OslerError, printable
from osler.language import Language, Speaker
from osler.language.reader import denies
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
    refused: list[tuple[EntryProposal, str]] = field(default_factory=list)
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
        opening, opening_used = self._complaint(facts, whole, truth)
        entries = _told_apart(entry for part in parts for entry in part.accepted)
        self._note_unused(parts, whole, opening_used)
        if not entries:
            raise StructuringError("no entry of the model's answer is supported by the text")
        known = {key: value for key, value in self._case.known.items() if value is not None}
        origin = known.get("source") or "free text"
        data = {
            "age": self._age(facts, whole),
            "sex": facts.sex,
            "speaker": facts.speaker,
            **({"treatment": {"name": facts.treatment}} if facts.treatment and facts.treatment in whole.text else {}),
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
        if self._cache is not None and (json_of(answer.text) or json_begun(answer.text)):
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
        quoted = whole.joined(whole.find(facts.diagnosis_source, facts.diagnosis))
        if not facts.diagnosis.strip() or not SourceText(quoted, self._language).find(facts.diagnosis):
            raise StructuringError("the text states no diagnosis; add it as a field or a line `Diagnosis: …`")
        return Diagnosis(name=facts.diagnosis.strip())

    def _complaint(self, facts: PatientProposal, whole: SourceText, truth: Diagnosis) -> tuple[str, tuple[int, ...]]:
        """The opening in the speaker's words if the text supports it, else the source's own."""
        numbers = whole.find(facts.complaint_source, facts.complaint)
        source = whole.joined(numbers)
        fault = quotation_fault(whole, numbers) or number_fault(facts.complaint, source, self._language)
        if names_truth(facts.complaint, truth):
            fault = "it names the diagnosis"
        if facts.complaint.strip() and not fault:
            return facts.complaint.strip(), numbers
        self.report.dropped.append(f"complaint {facts.complaint!r}: {fault or 'it is empty'}")
        for opening in (str(self._case.known.get("complaint") or ""), *whole.sentences):
            if opening.strip() and not names_truth(opening, truth):
                return opening.strip(), whole.find(opening)
        raise StructuringError("every sentence of the text names the diagnosis")

    async def _entries(self, part: _Part, truth: Diagnosis) -> None:
        text = _shown(part.source.text)
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
                refused="\n".join(f"- {one.model_dump_json()}: {reason}" for one, reason in refused) or _NONE,
                unused="\n".join(f"- {_shown(line)}" for line in part.unused) or _NONE,
            )
            self._take(part, again, truth)
            kept = {(one["category"], one["name"].casefold()) for one in part.accepted}
            part.refused += [(one, why) for one, why in refused if (one.category, one.name.casefold()) not in kept]
        lines = (f"{one.name} ({one.status}): {why} — {one.source!r}" for one, why in part.refused)
        self.report.dropped += dict.fromkeys(lines)
        if part.is_cut:
            self.report.dropped.append("the rest of an answer that could not be read to its end")

    def _take(self, part: _Part, answer: Completion, truth: Diagnosis) -> None:
        """Sort the entries of an answer into accepted and refused ones."""
        data = json_of(answer.text)
        part.is_cut = data is None or answer.finish == "length"
        rows = (data or json_begun(answer.text) or {}).get("entries")
        for row in rows if isinstance(rows, list) else []:
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

    def _fault(self, entry: EntryProposal, source: str, truth: Diagnosis) -> str:
        language = self._language
        if not entry.name.strip():
            return "it has no name"
        if names_truth(f"{entry.name}\n{entry.report}\n{entry.when}", truth):
            return f"it names the diagnosis ({truth.name}); say what was found, without that name"
        return (
            number_fault(f"{entry.name}\n{entry.report}\n{entry.when}", source, language)
            or wording_fault(entry.name, entry.report, source, language)
            or polarity_fault(entry.name, entry.report, entry.status, source, language)
        )

    def _entry(self, entry: EntryProposal, source: str, truth: Diagnosis) -> dict[str, Any]:
        """The fields of an accepted entry, without what its source does not support."""
        language, said, report = self._language, entry.said.strip(), entry.report.strip()
        fault = number_fault(said, source, language)
        if names_truth(said, truth):
            fault = "it names the diagnosis"
        elif said and entry.status is Status.ABSENT and not denies(said, language):
            fault = "it does not deny"
        if fault:
            self.report.dropped.append(f"own words of {entry.name!r} {said!r}: {fault}")
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

    def _note_unused(self, parts: Iterable[_Part], whole: SourceText, used: tuple[int, ...]) -> None:
        opening = {whole.sentences[number] for number in used}
        lines = [line for part in parts for line in part.unused if line not in opening]
        self.report.not_used = list(dict.fromkeys(lines))


def _shown(text: str) -> str:
    """A text that cannot close the prompt's delimiters."""
    return text.translate(_NO_MARKS)


def _told_apart(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, each under a name of its own; the same thing said twice is kept once."""
    names: dict[str, int] = {}
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for entry in entries:
        same = (entry["name"].casefold(), entry["status"], entry["report"].casefold())
        if same in seen:
            continue
        seen.add(same)
        count = names[same[0]] = names.get(same[0], 0) + 1
        kept.append(entry if count == 1 else {**entry, "name": f"{entry['name']} ({count})"})
    return kept
