"""An English clause with a verb into a thought: who, what, the rest."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import Question, Reading, Sketch, listed
from osler.memory.tim.extract.english_grammar import Verb, expand, find_verb, subject_of, third_person_relation
from osler.memory.tim.extract.english_question import TESTED
from osler.memory.tim.extract.english_results import measure_of
from osler.memory.tim.extract.english_topic import COMPLAINT, PATIENT
from osler.memory.tim.extract.english_words import DENIES, PEOPLE, PRONOUNS

_DONE = listed("done tested checked measured examined taken")
_POINTERS = listed("it that this one those them these")
_NO_THINGS = {PATIENT, COMPLAINT, "staff", "doctor", "nurse", "there"} | PRONOUNS | PEOPLE
_BEFORE_VERBS = PRONOUNS | {"and", "or"}


def read_clause(core: str, piece: str, reading: Reading) -> Sketch | None:
    """A clause with a verb: who, what, the rest."""
    text, question = expand(core), reading.question
    verb = find_verb(text)
    if not verb or _goes_on(verb, text, reading):
        return None
    before, rest = verb.before(text), verb.rest(text)
    if re.match(r"\d", before):
        return None
    if before.lower().endswith("there"):
        return _existence(verb, rest, piece, question)
    subject, elliptical = _whom(before, verb, reading)
    lead = _lead(before)
    relation, rest, negated = _polarity(third_person_relation(verb, before), rest)
    if before.lower() == "they" and re.match(r"(?:it|him|her|me)\b", rest, re.IGNORECASE):
        # Who does something to it is not what was asked about.
        subject, elliptical = "staff", False
    if rest.lower() in _POINTERS:
        rest = question.matter.removeprefix("whether ")
    elif rest.lower().startswith("it ") and not any(not sketch.answer for sketch in reading.sketches):
        rest = f"{question.thing} {rest[3:]}"
    if subject in {"staff", "nurse", "doctor"} and verb.main in {"measured", "counted"}:
        subject, relation, elliptical = measure_of(rest, question.topic) or question.topic, "was measured at", True
    elif subject == "staff" and verb.main in {"saw", "found", "heard"}:
        subject, relation = question.topic, "shows"
    measured = bool(re.search(r"\d", rest)) and relation in {"is", "was", "are", "were"}
    negated = negated or bool(re.match(r"(?:nobody|nothing|none|neither|no)\b", before, re.IGNORECASE))
    sentence = f"{question.topic}: {piece}" if elliptical else piece
    relation = "is" if measured else relation
    return Sketch(subject, relation, " ".join(filter(None, (rest, lead))), sentence, negated=negated, result=measured)


def _goes_on(verb: Verb, text: str, reading: Reading) -> bool:
    """`moved when I turned`, `that helps`: what the clause before it is about goes on."""
    same = not verb.before(text) or verb.before(text).lower() in {"that", "which"}
    return bool(same and not verb.negated and reading.last and not reading.last.answer)


def _whom(before: str, verb: Verb, reading: Reading) -> tuple[str, bool]:
    """The subject, and whether the question or an earlier clause had to supply it."""
    question, last = reading.question, before.lower().split()[-1:] or [""]
    earlier = reading.sketches[-1] if reading.sketches else None
    if last[0] in {"it", "that", "this"} and earlier and earlier.relation in {"has", "has had"} and not earlier.answer:
        return re.split(r",| for | since ", earlier.object)[0], True
    if last[0] in {"it", "that", "this"} and earlier and TESTED.search(earlier.object) and earlier.subject == PATIENT:
        return re.sub(r"^(?:an?|the|my|that|this)\s+", "", earlier.object), True
    if last[0] in {"and", "or"} and earlier:
        return earlier.subject, False
    if not before and question.subject == PATIENT:
        return PATIENT, True
    if last[0] in {"it", "that", "this"} and question.thing == COMPLAINT and _names(earlier):
        return earlier.subject if earlier else COMPLAINT, True
    thing = question.topic if verb.main in _DONE else question.thing
    subject = subject_of(before, thing, reading.kin, verb.main)
    if before.lower().startswith("its ") and earlier and not earlier.result and earlier.subject != PATIENT:
        return f"{earlier.subject} {subject}", False
    if question.holder == PATIENT and last[0] in {"it", "that", "this", "one"}:
        return before, False
    return re.sub(r"\bone$", thing, subject), subject == thing


def _names(earlier: Sketch | None) -> bool:
    """Whether the clause before was about a thing that `it` can mean."""
    return bool(earlier and not earlier.answer and earlier.subject.lower() not in _NO_THINGS)


def _lead(before: str) -> str:
    """What stood before a pronoun (`with the lamp they`), so that the triple does not lose it."""
    words = before.split()
    if len(words) < 3 or words[-1].lower() not in _BEFORE_VERBS:
        return ""
    return " ".join(words[:-1])


def _existence(verb: Verb, rest: str, piece: str, question: Question) -> Sketch:
    negated = verb.negated or rest.lower().startswith(("no ", "nothing", "none", "not "))
    what = re.sub(r"^(?:no|any|not)\s+", "", rest, flags=re.IGNORECASE) if negated else rest
    if question.examined:
        return Sketch(question.topic, "shows no" if negated else "shows", what, piece, negated=negated)
    return Sketch(PATIENT, "does not have" if negated else "has", what, piece, negated=negated)


def _polarity(relation: str, rest: str) -> tuple[str, str, bool]:
    """`has no fever` is `does not have fever`."""
    none = re.match(r"(?:no|never any)\s+(?!longer\b|more than\b)", rest, re.IGNORECASE)
    if none and relation in {"has", "had", "has had", "has got", "gets"}:
        turned = {"has": "does not have", "had": "did not have", "has had": "has not had", "gets": "does not get"}
        return turned.get(relation, "does not have"), rest[none.end() :], True
    rest = re.sub(r"^any\s+(?!for\b|since\b|in\b|of\b|at\b|more\b)", "", rest) if "not" in relation.split() else rest
    if relation in {"has not got"}:
        relation = "does not have"
    negated = bool(DENIES.search(relation)) or bool(
        re.match(r"(?:no|nothing|none|not|never|nobody)\b", rest, re.IGNORECASE)
    )
    return relation, rest, negated
