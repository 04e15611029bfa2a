"""The moments of a run that are rated, and what a rater sees of each.

Two memories are compared best at one patient's same turn, so moments that all columns have come
first. Among these the patients take turns, so that no patient fills the sheet.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial

from pydantic import BaseModel, ConfigDict

from osler.eval.rating.blinding import Mask, clean, without_form
from osler.eval.scoring import EXACT
from osler.locale import load_texts
from osler.runs.events import Concluded, Ending
from osler.runs.plan import COLUMN, Column
from osler.runs.store import RunFile
from osler.runs.store.scores import scored_consultations
from osler.runs.transcript import Transcript
from osler.seeds import derive

FIRST_RECALL = 3
"""The first turn with something to recall: a memory takes in a turn beside the next question."""
_SHORT = 240
"""Characters of an earlier question or reply that are shown."""

Place = tuple[str, int, int | None]
"""Case, trial and turn, which columns can share; None is the conclusion, whose turn differs in each
of them."""
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
    def column(self) -> Column:
        """The column that it belongs to, which the rater must not be able to tell."""
        return Column.from_row({name: getattr(self, name) for name in COLUMN})

    @property
    def place(self) -> Place:
        """Identifies the same moment of another column."""
        return self.case, self.trial, None if self.concludes else self.turn


def moments(run: RunFile) -> Iterator[Moment]:
    """Return all moments of consultations that ended with an answer.

    A failed one is not a doctor's work.
    """
    for consultation in scored_consultations(run, EXACT):
        if consultation.is_failed:
            continue
        moment = partial(
            Moment,
            cell=consultation.number,
            case=consultation.case,
            patient=consultation.patient,
            **consultation.column.as_row(),
            trial=consultation.trial,
        )
        for turn in range(FIRST_RECALL, consultation.turns + 1):
            yield moment(turn=turn, concludes=False)
        last = consultation.turns + 1
        if consultation.ending is not Ending.UNPARSED and last >= FIRST_RECALL:
            yield moment(turn=last, concludes=True)


def draw(every: Iterable[Moment], per_column: int, seed: int) -> list[Moment]:
    """Draw at most this many moments of every column, the same for the same seed."""
    places: dict[Place, dict[Column, Moment]] = defaultdict(dict)
    for moment in every:
        places[moment.place][moment.column] = moment
    counts: Counter[Column] = Counter()
    drawn = []
    for place in _in_order(places, seed):
        for column, moment in sorted(places[place].items()):
            if counts[column] < per_column:
                counts[column] += 1
                drawn.append(moment)
    return drawn


def _in_order(places: dict[Place, dict[Column, Moment]], seed: int) -> list[Place]:
    """Moments that most columns share come first.

    Of these, every case's first moment, then every case's second, and so on.
    """

    def chance(place: Place) -> tuple[int, int]:
        case, trial, turn = place
        return -len(places[place]), derive(seed, case, trial, f"rated turn {turn}")

    cases: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(places, key=chance):
        cases[place[0]].append(place)
    rounds: dict[Place, int] = {}
    for of_case in cases.values():
        rounds |= {place: number for number, place in enumerate(of_case)}

    def order(place: Place) -> tuple[int, int, int]:
        return -len(places[place]), rounds[place], derive(seed, place[0], 0, "rated case")

    return sorted(places, key=order)


def shown(transcript: Transcript, moment: Moment, mask: Mask) -> ItemTexts:
    """The moment as the rater reads it.

    Nothing of what came after, and no name of a column or a case.
    """
    language = transcript.header.language
    number = moment.turn
    words = load_texts(language, "rating")
    turns = {turn.number: turn for turn in transcript.turn_views}
    before = [words["patient"] + _short(turns[1].recalls[0].query)]
    for earlier in range(1, number - 1):
        turn = turns[earlier]
        before.append(words["doctor"] + _short(turn.shown_question(language)))
        if turn.reply is not None:
            before.append(words["patient"] + _short(turn.reply))
    previous = turns[number - 1]
    current = turns[number]
    question = previous.shown_question(language)
    reply = words["nothing"] if previous.reply is None else previous.reply
    last = f"{words['doctor']}{question}\n{words['patient']}{reply}"
    lines = without_form(current.recall.text if current.recall else "")
    recalled = "\n".join(f"• {line}" for line in lines) if lines else words["nothing"]
    conclusion = transcript.conclusion if moment.concludes else None
    step = _concluded(conclusion, words) if conclusion else current.shown_question(language)

    def blind(text: str) -> str:
        return clean(mask.hide(text, moment.case))

    return blind("\n".join(before)), blind(last), blind(recalled), blind(step)


def _short(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _SHORT:
        return line
    return f"{line[:_SHORT]}…"


def _concluded(conclusion: Concluded, words: Mapping[str, str]) -> str:
    text = words["concluded"].format(diagnosis=conclusion.diagnosis, treatment=conclusion.treatment)
    if conclusion.differential:
        text += words["differential"] + words["comma"].join(conclusion.differential)
    if conclusion.reasoning:
        text += words["reasoning"] + conclusion.reasoning
    return text
