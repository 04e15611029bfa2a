"""An English clause with a verb into a thought: who, what, the rest."""

from __future__ import annotations

import re
from dataclasses import replace

from osler.memory.tim.extract.clauses import UNKNOWN, Question, Reading, Sketch, listed
from osler.memory.tim.extract.english_grammar import Verb, expand, find_verb, subject_of, third_person_relation
from osler.memory.tim.extract.english_question import TESTED
from osler.memory.tim.extract.english_results import measure_of
from osler.memory.tim.extract.english_topic import COMPLAINT, PATIENT, lowered
from osler.memory.tim.extract.english_words import DENIES, PEOPLE, PRONOUNS, STAFF, TIME

_DONE = listed("done tested checked measured examined taken")
_POINTERS = listed("it that this one those them these")
_NO_THINGS = {PATIENT, COMPLAINT, "staff", "doctor", "nurse", "there"} | PRONOUNS | PEOPLE
_BEFORE_VERBS = PRONOUNS | {"and", "or"}
_SELF = listed("i he she we")
_OF_THINGS = listed(
    "goes go went comes came hurts hurt starts started spreads spread moves moved burns burned aches ached lasts "
    "lasted radiates radiated swells swelled happens happened worsens worsened gets begins began shoots itches throbs "
    "settles eases"
)
"""What a complaint does, and a person who is left out of the sentence does not."""
_FEW = 4
"""Words of a name."""
_LEADS_ON = re.compile(
    r"\b(?:when|if|as|because|that|than|while|until|where|how|what|unless|before|after|since|once)$", re.IGNORECASE
)
_ACTS_ON_IT = re.compile(r"^(?:makes?|made|helps?|helped|eases?|eased)\b|\bit\b", re.IGNORECASE)
"""`Lying flat makes it worse`: what `it` is stays the same, and is not the lying."""
_LOOSE = re.compile(r"(?:^|\s)(?:it|that|this|they|these|those|both|one)$", re.IGNORECASE)


def read_clause(core: str, piece: str, reading: Reading) -> Sketch | None:
    """A clause with a verb: who, what, the rest."""
    text, question = expand(core), reading.question
    verb = find_verb(text)
    if not verb or _goes_on(verb, text, reading):
        return None
    before, rest = verb.before(text), verb.rest(text)
    lead = _lead(before)
    if before.lower().endswith("there"):
        there = _existence(verb, rest, piece, question)
        return replace(there, object=", ".join(filter(None, (there.object, lead))))
    if re.match(r"\d", before):
        return None
    hangs = _hangs(before, lead)
    if not question.examined and (hangs or _has_no_subject(before, verb, rest, reading)):
        if reading.last and not reading.last.answer and _LEADS_ON.search(lead):
            return None
        # Its own words say it better than any subject that could be found for it.
        return Sketch(PATIENT, "says", core, piece, negated=verb.negated)
    subject, elliptical = _whom(before, verb, text, reading)
    relation, rest, negated = _polarity(third_person_relation(verb, before), rest)
    if rest.lower() in _POINTERS:
        rest = question.matter.removeprefix("whether ")
    elif rest.lower().startswith("it ") and not any(not sketch.answer for sketch in reading.sketches):
        rest = f"{question.thing} {rest[3:]}"
    if subject in {"staff", "nurse", "doctor"} and verb.main in {"measured", "counted"}:
        subject, relation, elliptical = measure_of(rest, question.topic) or question.topic, "was measured at", True
    elif verb.main in {"saw", "found", "heard"} and (subject == "staff" or (subject == PATIENT and question.examined)):
        subject, relation = question.topic, "shows"
    # `They measured both calves`: the values that follow are of these, and not of what was asked for.
    unnamed = relation == "was measured at" and not re.search(r"\d", rest)
    torn = question.examined and (hangs or bool(_LOOSE.search(before)))
    torn = torn and _DONE.isdisjoint({verb.main, *rest.lower().split()[:1]})
    done = re.match(r"(?:\w+ed|born|brought|seen|given|taken|found|told|sent|put)\b", rest) is not None
    measured = bool(re.search(r"\d", rest)) and relation in {"is", "was", "are", "were"} and not done
    negated = negated or bool(re.match(r"(?:nobody|nothing|none|neither|no)\b", before, re.IGNORECASE))
    sentence = f"{question.topic}: {piece}" if elliptical else piece
    # What was measured holds; what was with the patient may be over.
    relation = "is" if measured and subject not in {PATIENT, COMPLAINT} else relation
    if "," in text and text.split()[verb.end - 1].endswith(","):
        relation = f"{relation},"
    object_ = ", ".join(filter(None, (rest, lead)))
    return Sketch(subject, relation, object_, sentence, negated=negated, result=measured, torn=torn or unnamed)


def _goes_on(verb: Verb, text: str, reading: Reading) -> bool:
    """`moved when I turned`, `that helps`, `it looks pink`: what the clause before it is about goes on."""
    before, last = verb.before(text).lower(), reading.last
    if not last or last.answer or last.certainty == UNKNOWN:
        return False
    if before in {"", "that", "which"} and not verb.negated:
        return True
    if before.endswith(" one") or (before in _SELF and verb.rest(text).lower().split()[:1] in (["that"], ["it"])):
        return not last.result
    if before in _SELF and TIME.fullmatch(verb.rest(text)):
        return True
    if reading.question.examined:
        return False
    if before == "they":
        return verb.main not in STAFF
    return before in {"it", "that", "this"} and not _one_thing(last)


def _one_thing(last: Sketch) -> bool:
    """Whether the clause before names one thing, in few words, that `it` can mean."""
    tested = last.subject == PATIENT and TESTED.search(last.object)
    name = last.object if tested or last.relation in {"has", "has had"} else last.subject
    if name == PATIENT or name in _NO_THINGS or len(name.split()) > _FEW:
        return name == COMPLAINT
    return not re.search(r"(?<![sui])s$|\band\b", name)


def _has_no_subject(before: str, verb: Verb, rest: str, reading: Reading) -> bool:
    """`Went through to the back` is not of the patient, nor is `I can wake him`, whoever says it."""
    if not before:
        alone = not reading.last or reading.last.answer
        return alone and not _OF_THINGS.isdisjoint(map(str.lower, verb.words))
    return before.lower() in {"i", "we"} and re.search(r"\b(?:him|her|he|she|his)\b", rest, re.IGNORECASE) is not None


def _hangs(before: str, lead: str) -> bool:
    """Whether the words before a pronoun are a clause, or lead into one: `more so when I`, `the skin burns and`."""
    if not lead:
        return False
    joined = before.lower().split()[-1] in {"that", "which", "who", "and", "or"}
    return joined or bool(_LEADS_ON.search(lead)) or find_verb(lead) is not None


def _whom(before: str, verb: Verb, text: str, reading: Reading) -> tuple[str, bool]:
    """The subject, and whether the question or an earlier clause had to supply it."""
    question, last = reading.question, before.lower().split()[-1:] or [""]
    earlier = reading.sketches[-1] if reading.sketches else None
    if before.lower() == "they":
        rest = verb.rest(text)
        # Who does something to it is not what was asked about; who has a thing is the patient.
        if re.match(r"(?:it|him|her|me)\b", rest, re.IGNORECASE):
            return "staff", False
        if verb.main in {"have", "had"} and not question.examined and not re.match(r"(?:to|us)\b", rest, re.IGNORECASE):
            return PATIENT, False
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
    named = thing != COMPLAINT and not question.examined
    return re.sub(r"\bone$", thing, subject) if named else subject, subject == thing


def _names(earlier: Sketch | None) -> bool:
    """Whether the clause before was about a thing that `it` can mean."""
    if not earlier or earlier.answer or len(earlier.subject.split()) > _FEW:
        return False
    if _ACTS_ON_IT.search(f"{earlier.relation} {earlier.object}"):
        return False
    return earlier.subject.lower() not in _NO_THINGS


def _lead(before: str) -> str:
    """What stood before a pronoun (`with the lamp they`), so that the triple does not lose it."""
    words = before.split()
    if len(words) < 3 or words[-1].lower() not in _BEFORE_VERBS:
        return ""
    return lowered(" ".join(words[:-1]))


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
