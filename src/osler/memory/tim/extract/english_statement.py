"""An English clause that states something: a medicine, results, a denial, a clause with a verb, or a bare value."""

from __future__ import annotations

import re

from osler.language import Language
from osler.memory.tim.extract.answers import repeated
from osler.memory.tim.extract.clauses import UNSURE, Reading, Sketch, whole
from osler.memory.tim.extract.english_answer import KNOWN_ENOUGH
from osler.memory.tim.extract.english_clause import read_clause
from osler.memory.tim.extract.english_grammar import find_verb
from osler.memory.tim.extract.english_joined import NOT, continues, parted, wait
from osler.memory.tim.extract.english_results import read_results
from osler.memory.tim.extract.english_sentence import MARK
from osler.memory.tim.extract.english_topic import PATIENT, lowered
from osler.memory.tim.extract.english_value import bare_value, denial, measured
from osler.memory.tim.extract.english_words import TIME

_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|i think|i guess|i believe|i suppose|might|may have|may be|could be|not sure|"
    r"not certain|it seems|seems to|presumably)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(rf"{NOT.pattern}|without\b", re.IGNORECASE)
_DOSE = re.compile(
    r"^(?:just |only )?(?:my )?(?P<name>[A-Za-z][A-Za-z -]{2,30}?),? \d[\d.]* ?(?:mg|mcg|µg|units?|tablets?|"
    r"puffs?)\b(?!/)",
    re.IGNORECASE,
)


def state(core: str, piece: str, reading: Reading, shown: bool = False) -> None:
    """A statement: results, a denial, a clause with a verb, or a bare value."""
    condition, core = parted(core)
    if condition and not core:
        wait(condition, piece, reading)
        return
    examined = shown or reading.question.examined
    told = (reading.question.topic, "shows") if examined else (PATIENT, "says")
    made = whole(_statements(core, piece, reading, shown), core, *told, Language.EN)
    hedged, when = UNSURE if _HEDGE.search(piece) else 1.0, TIME.search(f"{condition} {core}")
    for sketch in made:
        sketch.certainty = min(sketch.certainty, hedged)
        sketch.reported = when[0] if when else ""
        lead = lowered(condition or reading.condition)
        if lead:
            sketch.object = f"{sketch.object}, {lead}" if sketch.object else lead
    if made:
        reading.condition = ""
        repeated(made, reading, Language.EN)
    for sketch in made:
        reading.open(sketch)


def _statements(core: str, piece: str, reading: Reading, shown: bool) -> list[Sketch]:
    """What the clause says, by the first pattern that fits; nothing when it goes on with the one before."""
    question = reading.question
    doses = [] if question.examined else _doses(core)
    if doses:
        return [Sketch(PATIENT, "takes", dose, piece) for dose in doses]
    medicine = question.holder == PATIENT and question.value in {"takes", "is taking", "is on"}
    results = [] if medicine else read_results(core)
    last = reading.last
    if len(results) == 1 and not results[0].name and last and not last.answer and not last.result:
        last.add(piece.rstrip(".!? "), MARK)
        return []
    if results:
        return [measured(result, piece, question) for result in results]
    statement = KNOWN_ENOUGH.sub("", core).strip() or core
    if _WITHOUT.match(statement) and continues(statement, piece, reading):
        return []
    sketch = denial(statement, piece, question) or read_clause(statement, piece, reading)
    if not sketch and continues(statement, piece, reading):
        return []
    return [sketch or bare_value(statement, piece, reading, shown)]


def _doses(core: str) -> list[str]:
    """The medicines of a clause that says nothing but names and doses."""
    parts = re.split(r"\s+(?:and|plus)\s+(?=[A-Za-z]+[a-z ]* \d)", core)
    named = [_DOSE.match(part) for part in parts]
    return parts if all(name and not find_verb(name["name"]) for name in named) else []
