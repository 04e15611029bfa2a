"""Streams of cases: in a seeded order, each case with the lessons of those before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from osler.runs.events import Learned
from osler.runs.lessons import EXPERIENCE, STAGE, Lesson, NearCase, Stage
from osler.runs.plan import Cell, Column, Selector, stream_order
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.settings.names import Feedback
from osler.settings.run_settings import RunSettings
from osler.simulator.experience.nearness import Fingerprint, is_near_duplicate
from osler.simulator.experience.recall import Experience


@dataclass
class _Stream:
    """The cases of one column and trial."""

    feedback: Feedback
    learning: list[int] = field(default_factory=list)
    """Numbers of the consultations in order, without those that teach nothing."""
    after: list[int] = field(default_factory=list)
    """Those that follow once nothing more is learned: side by side, as each has the same
    lessons."""
    lessons: dict[int, tuple[Lesson, ...]] = field(default_factory=dict)
    """By the number of the consultation they are from."""

    def before(self, number: int) -> list[int]:
        """The consultations whose lessons this one may have."""
        if number not in self.learning:
            return self.learning
        return self.learning[: self.learning.index(number)]


class Streams:
    """The streams of a run: which consultation may start, and which lessons it has."""

    def __init__(self, run: RunFile, settings: RunSettings, todo: Collection[int]) -> None:
        """Read the plan, and the lessons of what has ended."""
        self._run = run
        self._todo = set(todo)
        self._cells: dict[int, Cell] = {}
        self._streams: dict[int, _Stream] = {}
        self._fingerprint = lru_cache(maxsize=100_000)(
            lambda case: Fingerprint.of(run.record(case))
        )
        if any(column.variant(EXPERIENCE) for column in run.columns()):
            self._read(settings)

    def __contains__(self, number: int) -> bool:
        """Whether a consultation is one of a stream."""
        return number in self._streams

    def _read(self, settings: RunSettings) -> None:
        grouped: dict[tuple[Column, int], dict[str, int]] = defaultdict(dict)
        again: dict[tuple[Column, int], list[int]] = defaultdict(list)
        for number, cell in self._run.cells(Selector()):
            if cell.column.variant(EXPERIENCE) is None:
                continue
            self._cells[number] = cell
            key = (cell.column.with_variant(STAGE, None), cell.trial)
            if cell.column.variant(STAGE) is None:
                grouped[key][cell.case] = number
            else:
                again[key].append(number)
        ended = {number for number, _ in self._run.cells(Selector(), ended=True)}
        for (column, trial), cases in grouped.items():
            order = [cases[case] for case in stream_order(cases, settings.seed, trial)]
            learns = len(order) - settings.transfer
            stream = _Stream(Feedback(column.variant(EXPERIENCE) or ""), order[:learns])
            stream.after = order[learns:] + again[column, trial]
            self._streams |= dict.fromkeys((*order, *again[column, trial]), stream)
            if self._todo & {*stream.learning, *stream.after}:
                for number in ended.intersection(stream.learning):
                    self._take_lessons(stream, number, self._run.transcript(number))

    def ready(self) -> Iterator[int]:
        """The consultations that can start now."""
        streams = {id(stream): stream for stream in self._streams.values()}
        for stream in streams.values():
            yield from self._next(stream)

    def ended(self, number: int, transcript: Transcript) -> Iterator[int]:
        """Take the lessons of a consultation; returns those that can start now."""
        stream = self._streams.get(number)
        self._todo.discard(number)
        if stream is not None and number in stream.learning:
            self._take_lessons(stream, number, transcript)
            yield from self._next(stream)

    def _next(self, stream: _Stream) -> list[int]:
        learning = [number for number in stream.learning if number in self._todo]
        return learning[:1] or [number for number in stream.after if number in self._todo]

    def _take_lessons(self, stream: _Stream, number: int, transcript: Transcript | None) -> None:
        lessons: list[Lesson] = []
        for event in transcript.of(Learned) if transcript else ():
            lessons += event.lessons
        stream.lessons[number] = tuple(lessons)

    def experience(self, number: int) -> Experience | None:
        """Return what the doctor of a consultation brings along; None if it stands alone."""
        stream = self._streams.get(number)
        if stream is None:
            return None
        own = self._fingerprint(self._cells[number].case)
        lessons: list[Lesson] = []
        nearness: dict[str, float] = {}
        kept_away: list[NearCase] = []
        for earlier in stream.before(number):
            its_lessons = stream.lessons.get(earlier)
            if not its_lessons:
                continue
            case = self._cells[earlier].case
            other = self._fingerprint(case)
            near = own.nearness(other)
            is_same = own.patient == other.patient
            if is_same or is_near_duplicate(near):
                kept_away.append(NearCase(case=case, nearness=near, same_patient=is_same))
            else:
                lessons += its_lessons
                nearness[case] = near
        return Experience(
            feedback=stream.feedback,
            stage=self._stage(stream, number),
            position=(stream.learning + stream.after).index(number),
            lessons=tuple(lessons),
            nearness=nearness,
            kept_away=tuple(kept_away),
        )

    def _stage(self, stream: _Stream, number: int) -> Stage:
        if self._cells[number].column.variant(STAGE) is not None:
            return Stage.AGAIN
        if number in stream.learning:
            return Stage.LEARNING
        return Stage.TRANSFER
