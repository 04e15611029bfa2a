"""English words without a verb: a result, the verdict on one, a denial, a name. The question says what of."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import Question, Reading, Sketch
from osler.memory.tim.extract.english_fitting import fits
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_joined import NOT
from osler.memory.tim.extract.english_results import Result, measure_of, of_specimen, verdict_of
from osler.memory.tim.extract.english_sentence import MARK, NONE
from osler.memory.tim.extract.english_topic import COMPLAINT, PATIENT, lowered
from osler.memory.tim.extract.english_words import DENIES, DURATION, TIME

_TAKEN = re.compile(r"\b(?:takes?|taking|taken|medicines?|medications?|tablets|pills|drugs)\b", re.IGNORECASE)
"""Questions to which `no aspirin` says that it is not taken."""


def judge(core: str, piece: str, reading: Reading) -> bool:
    """`that is high`, after a result: part of it, or of all results of the sentence when it says `both` or `all`."""
    results = [sketch for sketch in reading.sketches[reading.began :] if sketch.result]
    if not results and reading.sketches and reading.sketches[-1].result:
        results = reading.sketches[-1:]
    if not results:
        return False
    everyone = re.match(r"(?:which (?:is|are) )?(?:both|all|they)\b", core, re.IGNORECASE)
    unjudged = [sketch for sketch in results if not sketch.judged]
    for sketch in (everyone and unjudged) or results[-1:]:
        sketch.judged = True
        sketch.object = f"{sketch.object}, {lowered(verdict_of(core))}"
        sketch.hear(piece, MARK)
    return True


def measured(result: Result, piece: str, question: Question) -> Sketch:
    """A measured value under its name, under what its unit tells, or under what was asked."""
    if result.name:
        return Sketch(of_specimen(result.name, question.topic), "is", result.value, piece, result=True)
    measure = measure_of(result.value, question.topic)
    if measure:
        return Sketch(measure, "is", result.value, f"{question.topic}: {piece}", result=True)
    if not question.presumed and question.value == "is":
        return Sketch(PATIENT, "says", result.value, f"{question.topic}: {piece}", result=True)
    relation = question.value if question.value not in {"", "says"} else "is"
    relation = "says" if question.holder == PATIENT and question.value == "says" else relation
    return Sketch(question.holder, relation, result.value, f"{question.topic}: {piece}", result=True)


def bare_value(core: str, piece: str, reading: Reading, shown: bool) -> Sketch:
    """A value or a name alone: the question says what of, unless the answer to it was no."""
    question = reading.question
    sentence = f"{question.topic}: {piece}"
    negated = bool(DENIES.search(core))
    if reading.denied and question.holder != COMPLAINT and not shown and not question.examined:
        return Sketch(PATIENT, "says", core, piece, negated=negated)
    if question.value == "says" or (question.value == "is" and not question.presumed and not DURATION.match(core)):
        return Sketch(PATIENT, "says", core, sentence, negated=negated)
    unnamed = question.thing == COMPLAINT and question.holder == question.topic != COMPLAINT
    if not fits(question.value, core, question.topic) or (unnamed and not (shown or question.examined)):
        return Sketch(PATIENT, "says", core, sentence, negated=negated)
    if DURATION.match(core):
        holder = question.thing if question.holder in {PATIENT, question.topic} else question.holder
        return Sketch(holder, "lasts", re.sub(r"^for ", "", core, flags=re.IGNORECASE), sentence)
    when = TIME.match(core)
    if when and when.end() >= len(core) - 6 and question.value not in {"takes", "is"}:
        return Sketch(question.holder, "began", core, sentence)
    if negated and not question.examined and re.match(r"(?:nothing|none|neither)\b", core, re.IGNORECASE):
        return Sketch(question.subject, question.yes, core, sentence, negated=True)
    if shown or question.examined:
        return Sketch(question.topic, "shows", core, sentence, negated=negated)
    relation = question.value or "is"
    if relation == "is allergic to" and len(core.split()) > 6:
        return Sketch(question.topic, "says", core, sentence, negated=negated)
    return Sketch(question.holder, relation, core, sentence, negated=negated)


def denial(core: str, piece: str, question: Question) -> Sketch | None:
    """`no fever or chills`, `not in the arm`: a denial without a verb."""
    verb = find_verb(expand(core))
    none = NONE.match(core)
    if none and (not verb or verb.start > 3 or " that " in core):
        what = re.sub(r"\s+(?:at all|either|or anything(?: like that)?|whatsoever)$", "", none["what"])
        if question.examined:
            return Sketch(question.topic, "shows no", what, piece, negated=True)
        allergy = "allerg" in f"{question.yes} {question.topic}"
        medicine = not allergy and _TAKEN.search(f"{question.yes} {question.value} {question.topic}")
        return Sketch(PATIENT, "does not take" if medicine else "does not have", what, piece, negated=True)
    negative = NOT.match(core)
    if negative and not verb:
        return Sketch(question.topic, "is not", negative["what"], f"{question.topic}: {piece}", negated=True)
    return None
