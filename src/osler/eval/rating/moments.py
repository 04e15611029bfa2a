"""Which moments of a run are rated: as many of every column, and the same moments of each where it can be.

Two memories are compared best at one patient's same turn, so moments that all systems have come first. Among these the
patients take turns, so that no patient fills the sheet.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from osler.runs.events import Ending
from osler.runs.plan import COLUMN, Column
from osler.runs.store import RunFile
from osler.seeds import derive

FIRST_RECALL = 3
"""The first turn with something to recall: a memory takes in a turn beside the next question."""


class Place(NamedTuple):
    """A moment that several systems can share."""

    case: str
    trial: int
    turn: int | None
    """None: the conclusion, which comes at another turn in every consultation."""


@dataclass(frozen=True)
class RatedConsultation:
    """A consultation that moments can be taken from."""

    cell: int
    case: str
    patient: str
    system: Column
    """What the rater must not be able to tell."""
    trial: int
    questions: int
    concluded: bool

    def places(self) -> Iterator[Place]:
        """Its moments at which a memory could have something to say."""
        for turn in range(FIRST_RECALL, self.questions + 1):
            yield Place(self.case, self.trial, turn)
        if self.concluded and self.questions + 1 >= FIRST_RECALL:
            yield Place(self.case, self.trial, None)


class Drawn(NamedTuple):
    """A moment that goes onto the sheet."""

    held: RatedConsultation
    place: Place

    @property
    def turn(self) -> int:
        """The turn it happened in."""
        return self.held.questions + 1 if self.place.turn is None else self.place.turn


def consultations(run: RunFile) -> Iterator[RatedConsultation]:
    """All that ended with an answer; one that failed is no doctor's work, and is not rated."""
    columns = ", ".join(f"cells.{name}" for name in COLUMN)
    told = f"cells.number, cells.record, records.patient, {columns}, cells.trial, turns, ending"
    for row in run.rows(told, where="cells.state = 'done'"):
        yield RatedConsultation(
            cell=row["number"],
            case=row["record"],
            patient=row["patient"],
            system=Column.from_row(dict(row)),
            trial=row["trial"],
            questions=row["turns"],
            concluded=row["ending"] != Ending.UNPARSED,
        )


def draw(held: Iterable[RatedConsultation], per_system: int, seed: int) -> list[Drawn]:
    """At most so many moments of every system, the same for the same seed."""
    places: dict[Place, dict[Column, RatedConsultation]] = defaultdict(dict)
    for one in held:
        for place in one.places():
            places[place][one.system] = one
    taken: Counter[Column] = Counter()
    drawn = []
    for place in _in_order(places, seed):
        for system, one in sorted(places[place].items()):
            if taken[system] < per_system:
                taken[system] += 1
                drawn.append(Drawn(one, place))
    return drawn


def _in_order(places: dict[Place, dict[Column, RatedConsultation]], seed: int) -> list[Place]:
    """Shared by most systems first; then every case's first moment, every case's second, and so on."""
    cases: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(places, key=lambda place: (-len(places[place]), _chance(place, seed))):
        cases[place.case].append(place)
    rounds = {place: number for some in cases.values() for number, place in enumerate(some)}
    return sorted(
        places, key=lambda place: (-len(places[place]), rounds[place], derive(seed, place.case, 0, "rated case"))
    )


def _chance(place: Place, seed: int) -> int:
    return derive(seed, place.case, place.trial, f"rated turn {place.turn}")
