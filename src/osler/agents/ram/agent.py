"""The retrieval module as a participant: it finds the entries that a question asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Case, Enquiry, Exchange, Question, Selection
from osler.agents.persona import Guard
from osler.agents.ram.evidence import read_asks
from osler.agents.ram.index import RecordIndex
from osler.agents.ram.past import past_about, past_of
from osler.agents.ram.redact import without_diagnosis
from osler.agents.ram.sheet import things_of_sheet
from osler.agents.rules.stated import check_statement
from osler.language import Language
from osler.language.lexicon.categories import categories_asked
from osler.locale import label
from osler.records.schema import RESULTS, Category, Entry, PatientRecord, Status
from osler.records.visits import PastExchange

_NO_REPORT = {Language.EN: "done, the report is missing", Language.ZH: "做过，报告缺失"}
MOST = 12
"""Maximum number of entries by rules."""
MOST_LISTED = 40
"""The same for a question that asks for a whole category of the record."""


@lru_cache(maxsize=256)
def index_of(record: PatientRecord) -> RecordIndex:
    """Return the index of a record, built once for consecutive consultations with that patient."""
    return RecordIndex(without_diagnosis(record))


class Ram(Participant):
    """Sits between doctor and patient, and is the only one that has the record."""

    def __init__(
        self,
        record: PatientRecord,
        case: Case,
        *,
        reports: bool = False,
        guard: Guard | None = None,
    ) -> None:
        """Take the record.

        With `reports` the doctor is given the reports of tests and examinations itself; the guard
        knows which entries the patient's persona does not tell plainly.
        """
        super().__init__(
            "ram", "Finds what the doctor's question asks for in the patient's record."
        )
        self._record, self._case, self._reports = record, case, reports
        self._guard = guard
        self._referred_entries: set[str] = set()
        """Names of entries for which the patient has already referred to the notes."""
        self._referred_past: set[int] = set()
        """The same for exchanges of earlier visits, by number."""

    @cached_property
    def _index(self) -> RecordIndex:
        """Built when it is first needed.

        Many consultations begin at once, and none waits for the others' records.
        """
        return index_of(self._record)

    @cached_property
    def _past(self) -> tuple[PastExchange, ...]:
        """What was said at earlier visits, if the patient has had any."""
        return past_of(self._record) if self._case.visited else ()

    async def respond(self, content: Any) -> Selection:
        """Augment a question."""
        text = content.text if isinstance(content, Question) else str(content)
        enquiry = content if isinstance(content, Enquiry) else Enquiry(text=text)
        chosen = await self.choose(enquiry)
        chosen = for_patient(chosen, self._record, enquiry.conversation)
        chosen = self._guarded(self._apart_from_earlier(chosen))
        return with_reports(chosen) if self._reports else chosen

    def _apart_from_earlier(self, selection: Selection) -> Selection:
        """Set apart what was told at earlier visits; asked a second time, people tell it again."""
        names = {entry.name for entry in selection.entries}
        again = names & self._referred_entries
        past_again = {exchange.number for exchange in selection.past} & self._referred_past
        selection = without_earlier(selection, self._record, again, past_again)
        self.note_referred(selection)
        return selection

    def _guarded(self, selection: Selection) -> Selection:
        """Say how the patient's persona tells the entries."""
        if self._guard is None:
            return selection
        names = [entry.name for entry in selection.known]
        tellings = self._guard.tellings_of(names)
        self.note_asked(names)
        return selection.model_copy(update={"tellings": tellings})

    def note_asked(self, names: Iterable[str]) -> None:
        """Note that these entries were asked for: asking again gets further."""
        if self._guard is not None:
            self._guard.note_asked(names)

    def note_referred(self, selection: Selection) -> None:
        """Note what the patient now refers to the notes, and tells when asked again.

        What the doctor states of it is confirmed or denied, and not referred to the notes.
        """
        question, language = selection.question, self._record.language
        for entry in selection.entries:
            is_stated = check_statement(question, (entry,), language) is not None
            if entry.name in selection.earlier and not is_stated:
                self._referred_entries.add(entry.name)
        for exchange in selection.past:
            if check_statement(question, (exchange,), language) is None:
                self._referred_past.add(exchange.number)

    async def choose(self, enquiry: Enquiry) -> Selection:
        """Return the entries that a question asks for."""
        return self.select(enquiry.text)

    def select(self, question: str) -> Selection:
        """Return the question with the entries it asks for by rules, and their scores."""
        language, speaker = self._record.language, self._record.speaker
        most = MOST_LISTED if categories_asked(question, language, speaker) else MOST
        matches = self._index.search(question)[:most]
        whole_question = read_asks(question, language, speaker)[0]
        selection = Selection(
            case=self._case,
            question=question,
            entries=tuple(match.entry for match in matches),
            scores=tuple(round(match.score, 4) for match in matches),
            asked_for=tuple(sorted(spoken.thing for spoken in whole_question.phrases)),
        )
        if self._past:
            selection = selection.model_copy(update={"past": past_about(selection, self._past)})
        if selection.entries or selection.past:
            return selection
        return selection.model_copy(update={"things": things_of_sheet(question, self._record)})


def for_patient(
    selection: Selection, record: PatientRecord, conversation: tuple[Exchange, ...]
) -> Selection:
    """Return the selection with what a patient has whatever is asked."""
    return selection.model_copy(update={"conversation": conversation, "person": record.person})


def without_earlier(
    selection: Selection,
    record: PatientRecord,
    again: Collection[str],
    past_again: Collection[int],
) -> Selection:
    """Return the selection with what was told at earlier visits, if any, set apart.

    Args:
        selection: What the question asks for.
        record: The patient's record.
        again: Names of entries that are told once more.
        past_again: Numbers of exchanges that are told once more.
    """
    told_earlier = record.told_earlier if selection.case.visited else frozenset()
    names = tuple(entry.name for entry in selection.entries if entry.name in told_earlier)
    return selection.model_copy(
        update={
            "earlier": tuple(name for name in names if name not in again),
            "told_again": tuple(name for name in names if name in again),
            "past": tuple(one for one in selection.past if one.number not in past_again),
            "past_again": tuple(one for one in selection.past if one.number in past_again),
        }
    )


def with_reports(selection: Selection) -> Selection:
    """Return the selection with its results set apart for the doctor.

    The patient reports the rest.
    """
    language = selection.case.language
    results = [entry for entry in selection.known if entry.category in RESULTS]
    lines = "\n".join(_report_line(entry, language) for entry in results)
    names = tuple(entry.name for entry in results)
    return selection.model_copy(update={"results": lines, "reported": names})


def _report_line(entry: Entry, language: Language) -> str:
    text = entry.report or label(entry.status, language)
    if entry.status is Status.PRESENT and not entry.report and entry.category is not Category.SIGN:
        text = _NO_REPORT[language]
    if language is Language.EN:
        when = f" ({entry.when})" if entry.when else ""
        return f"{entry.name}: {text}{when}"
    when = f"（{entry.when}）" if entry.when else ""
    return f"{entry.name}：{text}{when}"
