"""Structure one text into a record: a model makes entries, compares each with it, mends it once.

The single exact check is that an entry's quotation stands in it. Whether the text supports the
entry, its status, its numbers and times and whose it is, is for the model to judge, entry by entry.
No entry may name the diagnosis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from osler.agents.gate import mentions_name
from osler.errors import OslerError, printable
from osler.models import Backbone, Completion
from osler.models.cache import ResponseCache
from osler.records.fields import Age
from osler.records.schema import Diagnosis, PatientRecord, Sex
from osler.records.text_case import TextCase
from osler.records.validation import RecordDraft, check
from osler.structuring.forms import EntryProposal, PatientProposal, SupportFault, rows_of
from osler.structuring.quotations import SourceText, text_parts
from osler.structuring.requests import Requests

_LONGEST_STORY = 6000
"""Characters of a text that the requests about the patient show: its beginning and its end."""
_UNUSED_SHARE = 1 / 3
"""Share of a text, in sentences that no entry quotes, from which it is asked about again."""
_LONGEST_SOURCE = 4000
"""Characters of a source that are stored with its record."""


class StructuringError(OslerError):
    """A text that did not become a record."""


@dataclass
class StructuringReport:
    """What became of one text."""

    id: str
    entries: int = 0
    dropped: list[str] = field(default_factory=list)
    """Entries or fields that were refused, each with the reason."""
    not_used: list[str] = field(default_factory=list)
    """Sentences that no entry rests on."""
    notes: list[str] = field(default_factory=list)
    """What a reader should look at."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that the model was not shown."""
    answers: list[Completion] = field(default_factory=list)
    """What the model was paid for."""

    def lines(self) -> Iterator[str]:
        """The report as lines to print."""
        yield (
            f"{self.id}: {self.entries} entries, {len(self.dropped)} dropped, {len(self.not_used)}"
            " not used"
        )
        sections = {"dropped": self.dropped, "not used": self.not_used, "note": self.notes}
        for title, lines in sections.items():
            for line in lines:
                yield f"  {title}: {printable(line)}"


class _CheckedEntries(NamedTuple):
    """The entries of one answer, sorted into those that the text supports and the others."""

    accepted: list[EntryProposal]
    refused: list[tuple[EntryProposal, SupportFault]]
    is_cut: bool
    """Whether the answer could not be read to its end."""


class Structurer:
    """Turns one text into a record."""

    def __init__(
        self, case: TextCase, backbone: Backbone, cache: ResponseCache | None = None
    ) -> None:
        """Take the text, a model, and where answers are kept that need not be asked for again."""
        self._case = case
        self._model = backbone.model
        self._text = SourceText("\n".join(case.paragraphs), case.language)
        self._requests = Requests(backbone, cache, case.language)
        self.report = StructuringReport(
            case.id, left_out=case.left_out, answers=self._requests.answers
        )

    async def record(self) -> PatientRecord:
        """Ask the model and return the checked record.

        Raises:
            StructuringError: The answers do not make a record.
            BackboneError: The model did not answer.
        """
        facts = await self._patient()
        truth = self._truth(facts)
        accepted: list[EntryProposal] = []
        for part in text_parts(self._case.paragraphs, self._case.language):
            accepted += await self._entries(part, truth)
        if not accepted:
            raise StructuringError("no entry of the model's answer is supported by the text")
        result = check(RecordDraft(self._record_fields(facts, truth, accepted)), self._case.id)
        if result.record is None:
            problems = [f"{problem.field}: {problem.reason}" for problem in result.problems]
            raise StructuringError("; ".join(problems))
        self.report.entries = len(result.record.entries)
        self.report.not_used = self._text.unused()
        return result.record

    def _record_fields(
        self, facts: PatientProposal, truth: Diagnosis, accepted: Sequence[EntryProposal]
    ) -> dict[str, Any]:
        """The fields of the record; what the source itself gives wins over what the model says."""
        stated = self._case.known
        return {
            "age": self._age(facts),
            "sex": facts.sex,
            "speaker": facts.speaker,
            "treatment": {"name": facts.treatment} if facts.treatment else None,
            **stated,
            "id": self._case.id,
            "language": self._case.language,
            "source": f"{stated.get('source') or 'free text'}; structured by {self._model}",
            "complaint": self._complaint(facts, truth),
            "diagnosis": truth.model_dump(),
            "entries": _with_unique_names(self._fields(entry, truth) for entry in accepted),
        }

    async def _patient(self) -> PatientProposal:
        """Ask who the patient is. What the text does not support is left empty and reported."""
        text = self._text.text
        if len(text) > _LONGEST_STORY:
            half = _LONGEST_STORY // 2
            text = f"{text[:half]}\n…\n{text[-half:]}"
        answer = await self._requests.patient(text)
        proposal = PatientProposal.read(answer.text)
        quotations = {
            "complaint": proposal.complaint_source,
            "diagnosis": proposal.diagnosis,
            "treatment": proposal.treatment,
        }
        statements: dict[str, str] = {}
        for name, value in self._open_fields(proposal).items():
            if name in quotations and not self._text.find(quotations[name]):
                self._drop(f"{name} {value!r}", SupportFault("not_quoted"))
            else:
                statements[name] = value
        rows = [{"statement": name, "value": value} for name, value in statements.items()]
        faults = await self._requests.faults("structure_verify_patient", text, rows)
        supported: dict[str, str] = {}
        for (name, value), fault in zip(statements.items(), faults, strict=True):
            if fault is not None:
                self._drop(f"{name} {value!r}", fault)
                continue
            supported[name] = value
            if name in quotations:
                self._text.use(quotations[name])
        if "diagnosis" in supported:
            self._text.use(proposal.diagnosis_source)
        return PatientProposal.model_validate({**supported, "speaker": proposal.speaker})

    def _open_fields(self, proposal: PatientProposal) -> dict[str, str]:
        """What was proposed for fields that the source itself leaves open."""
        stated = set(self._case.known) - {"complaint"}
        if "diagnosis" in stated:
            # A vignette without its diagnosis tells only what was tried before.
            stated.add("treatment")
        names = {"age", "sex", "complaint", "diagnosis", "treatment"} - stated
        values = proposal.model_dump(mode="json", include=names)
        return {name: value for name, value in values.items() if value and value != Sex.UNKNOWN}

    def _drop(self, subject: str, fault: SupportFault) -> None:
        self.report.dropped.append(f"{subject}: {fault.reason()}")

    def _age(self, facts: PatientProposal) -> Age:
        stated = self._case.known.get("age")
        if stated:
            return Age.parse(stated)
        try:
            return Age.parse(facts.age)
        except ValueError:
            raise StructuringError("the text states no age; add it to the text") from None

    def _truth(self, facts: PatientProposal) -> Diagnosis:
        stated = self._case.known.get("diagnosis")
        if stated:
            return Diagnosis.model_validate(stated)
        if not facts.diagnosis:
            raise StructuringError(
                "the model found no diagnosis that the text states; add it as a field, or name"
                " another model"
            )
        return Diagnosis(name=facts.diagnosis)

    def _complaint(self, facts: PatientProposal, truth: Diagnosis) -> str:
        """The opening in the speaker's words, or else the source's own."""
        if facts.complaint:
            fault = _naming_fault(facts.complaint, truth)
            if fault is None:
                return facts.complaint
            self._drop(f"complaint {facts.complaint!r}", fault)
        own = str(self._case.known.get("complaint") or "").strip()
        for opening in filter(None, (own, *self._text.sentences)):
            if not _naming_fault(opening, truth):
                self._text.use(opening)
                self.report.notes.append(f"the complaint is in the words of the text: {opening}")
                return opening
        raise StructuringError("every sentence of the text names the diagnosis")

    async def _entries(self, text: str, truth: Diagnosis) -> list[EntryProposal]:
        """Ask for the entries of a part of the text.

        Ask once more for those that were refused, cut off, or missing for too many sentences.
        """
        answer = await self._requests.entries("structure_entries", text)
        first = await self._check_entries(answer, text, truth)
        sentences = [sentence for sentence in self._text.sentences if sentence in text]
        unused = [sentence for sentence in self._text.unused() if sentence in sentences]
        has_gaps = len(unused) > _UNUSED_SHARE * len(sentences)
        if not first.refused and not first.is_cut and not has_gaps:
            return first.accepted
        second = await self._ask_again(first, text, unused, truth)
        # What the second answer does not propose again stays refused, and is reported as well.
        proposed = {entry.name.casefold() for entry in second.accepted}
        proposed |= {entry.name.casefold() for entry, _ in second.refused}
        for entry, fault in second.refused:
            self._drop_entry(entry, fault)
        for entry, fault in first.refused:
            if entry.name.casefold() not in proposed:
                self._drop_entry(entry, fault)
        if second.is_cut:
            self.report.dropped.append("the rest of an answer that could not be read to its end")
        return first.accepted + second.accepted

    def _drop_entry(self, entry: EntryProposal, fault: SupportFault) -> None:
        self._drop(f"{entry.name} ({entry.status}) — {entry.source!r}", fault)

    async def _ask_again(
        self, first: _CheckedEntries, text: str, unused: Sequence[str], truth: Diagnosis
    ) -> _CheckedEntries:
        language = self._case.language
        refused = [
            f"- {entry.model_dump_json()}: {fault.reason(language)}"
            for entry, fault in first.refused
        ]
        slots = {
            "refused": "\n".join(refused) or "-",
            "unused": "\n".join(f"- {sentence}" for sentence in unused) or "-",
        }
        answer = await self._requests.entries("structure_again", text, **slots)
        return await self._check_entries(answer, text, truth)

    async def _check_entries(
        self, answer: Completion, text: str, truth: Diagnosis
    ) -> _CheckedEntries:
        """Sort the entries of an answer; the model compares those with an exact quotation."""
        rows, is_whole = rows_of(answer, "entries")
        checked = _CheckedEntries([], [], is_cut=not is_whole)
        quoted: list[EntryProposal] = []
        for row in rows:
            try:
                entry = EntryProposal.model_validate(row)
            except ValidationError:
                self.report.dropped.append(f"{str(row)[:80]}: it has not the form of an entry")
                continue
            exact_fault = self._exact_fault(entry, truth)
            if exact_fault is not None:
                checked.refused.append((entry, exact_fault))
            else:
                quoted.append(entry)
        rows = [entry.model_dump(mode="json", exclude={"aliases"}) for entry in quoted]
        faults = await self._requests.faults("structure_verify", text, rows)
        for entry, fault in zip(quoted, faults, strict=True):
            if fault is not None:
                checked.refused.append((entry, fault))
            else:
                checked.accepted.append(entry)
                self._text.use(entry.source)
        return checked

    def _exact_fault(self, entry: EntryProposal, truth: Diagnosis) -> SupportFault | None:
        if not entry.name:
            return SupportFault("no_name")
        if not self._text.find(entry.source):
            return SupportFault("not_quoted")
        return _naming_fault("\n".join((entry.name, entry.report, entry.said, entry.when)), truth)

    def _fields(self, entry: EntryProposal, truth: Diagnosis) -> dict[str, Any]:
        """The fields of an entry, with its source as the text has it."""
        aliases = [alias for alias in entry.aliases if alias and not _naming_fault(alias, truth)]
        source = self._text.quote(self._text.find(entry.source)[0])
        return {
            **entry.model_dump(),
            "aliases": aliases,
            "when": entry.when or None,
            "source": source[:_LONGEST_SOURCE],
        }


def _naming_fault(text: str, truth: Diagnosis) -> SupportFault | None:
    """Find that a text that an agent may be told names the diagnosis."""
    is_named = any(mentions_name(text, name) for name in truth.names if len(name) > 1)
    if is_named:
        return SupportFault("names_diagnosis", truth.name)
    return None


def _with_unique_names(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, each under a name of its own; what is the same but for its source is dropped."""
    contents: set[tuple[str, str, str]] = set()
    names: Counter[str] = Counter()
    unique: list[dict[str, Any]] = []
    for entry in entries:
        name = entry["name"].casefold()
        content = (name, entry["status"], entry["report"].casefold())
        if content in contents:
            continue
        contents.add(content)
        names[name] += 1
        if names[name] > 1:
            entry = {**entry, "name": f"{entry['name']} ({names[name]})"}
        unique.append(entry)
    return unique
