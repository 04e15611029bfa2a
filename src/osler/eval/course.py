"""A consultation as its exchanges, and when each entry of the record came up in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from osler.eval.verbatim import has_name
from osler.language.lexicon.categories import categories_asked
from osler.records.schema import Entry, PatientRecord, Status
from osler.runs.events import Answered, Maker, Retrieved, Telling, Thing
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView
from osler.settings.names import OSLER


@dataclass(frozen=True)
class CourseExchange:
    """A question, the entries it returned, and the reply.

    No reply if the consultation broke off before it.
    """

    turn: int
    question: str
    maker: Maker
    """Who made the question."""
    entries: tuple[Entry, ...]
    """Entries that RAM returned for the patient, those that its persona hides included; not what
    was told at earlier visits."""
    asked: tuple[str, ...]
    """Names of those that were asked for (`asked_for`)."""
    things: tuple[Thing, ...]
    """The things that were asked for, one by one, if a model read the question."""
    answer: Answered | None
    tellings: Mapping[str, Telling] = field(default_factory=dict)
    """How the patient's persona tells entries that it does not tell plainly, by name."""
    told_earlier: tuple[str, ...] = ()
    """What earlier visits told about it: the patient may confirm it or refer to the notes."""

    @property
    def tellable(self) -> tuple[Entry, ...]:
        """The entries that the patient could answer from."""
        return tuple(
            entry
            for entry in self.entries
            if not self.tellings.get(entry.name, Telling.PLAIN).is_hidden
        )


@dataclass(frozen=True)
class Course:
    """When each entry came up."""

    exchanges: tuple[CourseExchange, ...]
    asked: dict[str, int]
    """For each entry that was asked for, by name, the turn in which it first was."""
    told: dict[str, int]
    """For each entry that was disclosed, the turn in which it first was."""
    patient_has_record: bool = False
    """Whether the patient had the whole record, and not what RAM selected alone."""

    @classmethod
    def of(cls, transcript: Transcript, record: PatientRecord) -> Course:
        """Read a transcript; names that the record does not have are ignored."""
        told_earlier = record.told_earlier if transcript.header.date else frozenset()
        exchanges = tuple(
            _exchange(turn, record, told_earlier)
            for turn in transcript.turn_views
            if turn.asked or turn.answered
        )
        course = cls._over(exchanges, {entry.name for entry in record.entries})
        return replace(course, patient_has_record=transcript.header.patient_agent != OSLER)

    @property
    def own(self) -> Course:
        """What the doctor itself asked.

        Without the questions of its strategy, and without silent turns.
        """
        own = tuple(one for one in self.exchanges if one.maker.is_own)
        return replace(self._over(own, self.asked), patient_has_record=self.patient_has_record)

    @classmethod
    def _over(cls, exchanges: tuple[CourseExchange, ...], known: Collection[str]) -> Course:
        asked: dict[str, int] = {}
        told: dict[str, int] = {}
        for one in reversed(exchanges):
            asked |= {name: one.turn for name in one.asked if name in known}
            told |= {
                name: one.turn
                for name in (one.answer.disclosed if one.answer else ())
                if name in known
            }
        return cls(exchanges, asked, told)


def _exchange(
    turn: TurnView, record: PatientRecord, told_earlier: Collection[str]
) -> CourseExchange:
    """A turn of the transcript with the record's own entries."""
    names = set(turn.retrieved_names)
    retrieved = [entry for entry in record.entries if entry.name in names]
    past: tuple[int, ...] = ()
    if turn.retrieved is not None:
        past = (*turn.retrieved.past, *turn.retrieved.past_again)
        told_earlier = set(told_earlier) - set(turn.retrieved.told_again)
    earlier_words = [own_words(entry) for entry in retrieved if entry.name in told_earlier]
    earlier_words += [exchange.text for exchange in record.past if exchange.number in past]
    return CourseExchange(
        turn=turn.number,
        question=turn.question,
        maker=turn.asked.maker if turn.asked else Maker.SILENT,
        entries=tuple(entry for entry in retrieved if entry.name not in told_earlier),
        tellings=turn.retrieved.tellings if turn.retrieved else {},
        asked=asked_for(record, turn.question, turn.retrieved, turn.answered),
        things=turn.retrieved.things if turn.retrieved else (),
        answer=turn.answered,
        told_earlier=tuple(earlier_words),
    )


def own_words(entry: Entry) -> str:
    """Return what the record says about an entry."""
    return f"{entry.report}\n{entry.said}"


def asked_for(
    record: PatientRecord, question: str, found: Retrieved | None, answer: Answered | None
) -> tuple[str, ...]:
    """Return the names of the entries that a question asked for.

    By its category, or as far as two readers agree.

    A question for a category asks for all of its entries, whatever RAM returned. Any other entry
    RAM returned. If a model is RAM, the reply must also disclose it, or the question have its name:
    a small model returns half of the record for any question, and that is not the doctor's merit.
    """
    told = answer.disclosed if answer else ()
    if found is None:
        return told
    brought = tuple(one.name for one in found.entries)
    categories = categories_asked(question, record.language, record.speaker)
    listed = tuple(
        entry.name
        for entry in record.entries
        if entry.category in categories and entry.status is not Status.NOT_DONE
    )
    if found.maker is Maker.RULES:
        return tuple(dict.fromkeys((*brought, *listed, *told)))
    if set(brought) <= set(told):
        return tuple(dict.fromkeys((*brought, *listed)))
    agreed = (name for name in brought if name in told or _is_named(question, record.entry(name)))
    return tuple(dict.fromkeys((*agreed, *listed)))


def _is_named(question: str, entry: Entry) -> bool:
    return any(has_name(question, name) for name in (entry.name, *entry.aliases))
