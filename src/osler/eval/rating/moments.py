"""The moments of a run that are rated, and what a rater sees of each.

Two memories are compared best at one patient's same turn, so moments that all systems have come first. Among these the
patients take turns, so that no patient fills the sheet.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from osler.eval.rating.blinding import Mask, clean, without_form
from osler.locale import load_texts
from osler.runs.events import Answered, Asked, Concluded, Ending, Recalled
from osler.runs.plan import COLUMN, Column
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript, heard
from osler.seeds import derive

FIRST_RECALL = 3
"""The first turn with something to recall: a memory takes in a turn beside the next question."""
_SHORT = 240
"""Characters of an earlier question or reply that are shown."""

Place = tuple[str, int, int | None]
"""Case, trial and turn, which systems can share; None is the conclusion, whose turn differs in each of them."""
ItemTexts = tuple[str, str, str, str]
"""What a rater reads of a moment, in the order of the columns."""


class Moment(BaseModel):
    """A doctor's step at which a memory could have something to say."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    cell: int
    """The consultation's number in the run."""
    case: str
    patient: str
    backbone: str
    strategy: str
    memory: str
    variants: str
    """As JSON."""
    trial: int
    turn: int
    concludes: bool

    @cached_property
    def system(self) -> Column:
        """The system that made it, which the rater must not be able to tell."""
        return Column.from_row({name: getattr(self, name) for name in COLUMN})

    @property
    def place(self) -> Place:
        """Identifies the same moment of another system."""
        return self.case, self.trial, None if self.concludes else self.turn


def moments(run: RunFile) -> Iterator[Moment]:
    """Return all moments of consultations that ended with an answer; a failed one is not a doctor's work."""
    columns = ", ".join(f"cells.{name}" for name in COLUMN)
    told = f"cells.number AS cell, cells.record AS 'case', records.patient, {columns}, cells.trial, turns, ending"
    for row in run.rows(told, where="cells.state = 'done' AND turns IS NOT NULL"):
        shared = dict(row)
        questions, ending = shared.pop("turns"), shared.pop("ending")
        for turn in range(FIRST_RECALL, questions + 1):
            yield Moment(**shared, turn=turn, concludes=False)
        if ending != Ending.UNPARSED and questions + 1 >= FIRST_RECALL:
            yield Moment(**shared, turn=questions + 1, concludes=True)


def draw(every: Iterable[Moment], per_system: int, seed: int) -> list[Moment]:
    """Draw at most this many moments of every system, the same for the same seed."""
    places: dict[Place, dict[Column, Moment]] = defaultdict(dict)
    for moment in every:
        places[moment.place][moment.system] = moment
    taken: Counter[Column] = Counter()
    drawn = []
    for place in _in_order(places, seed):
        for system, moment in sorted(places[place].items()):
            if taken[system] < per_system:
                taken[system] += 1
                drawn.append(moment)
    return drawn


def _in_order(places: dict[Place, dict[Column, Moment]], seed: int) -> list[Place]:
    """Shared by most systems first; then every case's first moment, every case's second, and so on."""

    def chance(place: Place) -> tuple[int, int]:
        case, trial, turn = place
        return -len(places[place]), derive(seed, case, trial, f"rated turn {turn}")

    cases: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(places, key=chance):
        cases[place[0]].append(place)
    rounds = {place: number for some in cases.values() for number, place in enumerate(some)}
    return sorted(
        places, key=lambda place: (-len(places[place]), rounds[place], derive(seed, place[0], 0, "rated case"))
    )


def shown(transcript: Transcript, moment: Moment, mask: Mask) -> ItemTexts:
    """The moment as the rater reads it: nothing of what came after, and no name of a system or a case."""
    words, turn = load_texts(transcript.header.language, "rating"), moment.turn
    asked = {event.turn: heard(event, transcript.header.language) for event in transcript.of(Asked)}
    replies = {event.turn: event.reply for event in transcript.of(Answered)}
    recalls = {event.turn: event for event in transcript.of(Recalled)}
    before = [words["patient"] + _short(recalls[1].query)]
    for earlier in range(1, turn - 1):
        before += [words["doctor"] + _short(asked[earlier])]
        before += [words["patient"] + _short(replies[earlier])] if earlier in replies else []
    last = f"{words['doctor']}{asked[turn - 1]}\n{words['patient']}{replies.get(turn - 1, words['nothing'])}"
    lines = without_form(recalls[turn].recall.text)
    recalled = "\n".join(f"• {line}" for line in lines) if lines else words["nothing"]
    conclusion = transcript.conclusion
    step = _concluded(conclusion, words) if moment.concludes and conclusion is not None else asked[turn]

    def blind(text: str) -> str:
        return clean(mask.hide(text, moment.case))

    return blind("\n".join(before)), blind(last), blind(recalled), blind(step)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def _concluded(conclusion: Concluded, words: Mapping[str, str]) -> str:
    said = words["concluded"].format(diagnosis=conclusion.diagnosis, treatment=conclusion.treatment)
    if conclusion.differential:
        said += words["differential"] + words["comma"].join(conclusion.differential)
    return said + (words["reasoning"] + conclusion.reasoning if conclusion.reasoning else "")
