"""English replies into thoughts: each sentence by its clauses, each clause by the first pattern that fits."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import content
from osler.memory.tim.extract.answers import settled
from osler.memory.tim.extract.clauses import Question, Reading, Sketch, Titled, listed
from osler.memory.tim.extract.english_answer import NOT_KNOWN, answered
from osler.memory.tim.extract.english_breath import one_by_one
from osler.memory.tim.extract.english_grammar import expand, find_verb, subject_of
from osler.memory.tim.extract.english_joined import wait
from osler.memory.tim.extract.english_person import is_told_of, relative
from osler.memory.tim.extract.english_question import read_question
from osler.memory.tim.extract.english_report import as_reported
from osler.memory.tim.extract.english_results import of_specimen, verdict_of
from osler.memory.tim.extract.english_sentence import LEAD, MARK, NO, NONE, RANGE, TAIL, YES, cut, leads, pieces, titled
from osler.memory.tim.extract.english_statement import state
from osler.memory.tim.extract.english_topic import PATIENT, lowered
from osler.memory.tim.extract.english_value import judge
from osler.memory.tim.extract.english_whole import SAW, kept_whole, says_something
from osler.memory.tim.extract.english_words import ADVERBS, PEOPLE, TIME
from osler.memory.tim.thought import Draft

_MONTH = (
    r"(?:back )?in (?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?"
)
_DATED = re.compile(
    rf"^(?:that|this|it) (?:was|is|happened)(?: all)? (?:from )?(?P<when>{TIME.pattern}|{_MONTH})[.! ]*$",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?P<who>[\w' -]{0,60}?)\b(?P<verb>says?|said|shows?|showed|told (?:me|us)|tells me|reads|found|"
    r"saw)(?: that)?\b:?\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_SEEN = re.compile(
    r"\s+(?:(?:is|are|was|were|has been|have been) )?(?:found|seen|noted|present|detected|identified|observed|reported|"
    r"visible|appreciated|heard|felt|mentioned|described)$",
    re.IGNORECASE,
)
_OWN_WORDS = re.compile(r"(?:yes|no|i|my|i'm|i've|he|she|his|her|they|we)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?:(?:and |during |in |of |for |after |at |with )?which|who|whose|whom)\b", re.IGNORECASE)
_PAPERS = listed("sheet paper report printout letter form result results page")
_SYMBOL = 2
"""Letters of `Na` and `Hb`, which are written so."""
_CAPITAL = re.compile(r"A(?= [a-z\d])|[A-Z][a-z]+(?![\w-]*[A-Z\d])\b")
_ASKS = re.compile(
    r"(?:so |and |but )?(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|am|what|why|how)\b"
    r"[^.!]*\?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"there (?:is|was|are|were)(?:n't| not)? .*\b(?:in|on|with|of|around|behind) (?:it|them)$", re.IGNORECASE
)
"""`there was no blood in it`: of what the thought before says."""
_DOCTOR = re.compile(r"^(?:(?:the|a|my|his|her) )?(?:doctor|nurse|specialist|surgeon|consultant) who\b", re.IGNORECASE)
_NEVER = re.compile(r"^(?:has never|never|has not had)|\bnobody has\b", re.IGNORECASE)
"""What was never done was not done on that day; what has not expanded by then has its day."""
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")


def think_english(question: str, reply: str) -> list[Draft]:
    """The facts of an English reply."""
    asked = read_question(question)
    reading = Reading(asked, MARK)
    for sentence in cut(one_by_one(reply)):
        reading.began = len(reading.sketches)
        if reading.kin and is_told_of(question, reply):
            # Of a patient who is spoken of, `she` is the patient again when a sentence begins.
            reading.kin = ""
        if sentence.endswith("?") and reading.sketches and _ASKS.match(sentence):
            reading.sketches[-1].hear(sentence, " ")
            continue
        if not asked.examined or _OWN_WORDS.match(sentence):
            # Whoever speaks of themselves again, or was not asked for a report, has stopped reading one out.
            reading.question = asked
        dated, title = _DATED.match(TAIL.sub("", sentence)), titled(sentence, reading.question.examined)
        if dated and reading.sketches:
            reading.date(dated["when"], sentence, _NEVER)
            # With its time a result is told: what follows may be of another test.
            reading.question = asked
            continue
        if title:
            reading.open(_under(title, sentence, reading.question))
            continue
        clauses, waiting = pieces(sentence), reading.waiting
        if asked.is_open and len(clauses) > 1 and _means_nothing(clauses):
            reading.aside(clauses.pop(0))
        if leads(clauses):
            wait(clauses[0], clauses.pop(0), reading)
        for piece in clauses:
            _read(piece, reading)
            reading.kin = relative(piece) or reading.kin
        kept_whole(sentence, f"{waiting}{MARK}{sentence}" if waiting else sentence, reading, asked)
    _flush(reading)
    made = settled(reading.sketches, MARK, Language.EN)
    return [
        _lowered(as_reported(sketch, asked.topic)).draft()
        for sketch in made
        if says_something(sketch.relation, sketch.object)
    ]


def _means_nothing(clauses: list[str]) -> bool:
    """Whether a yes or no only leads into what a question for names or values is answered with."""
    return bool(NO.match(clauses[0]) or (YES.match(clauses[0]) and find_verb(expand(clauses[1]))))


def _under(title: Titled, sentence: str, question: Question) -> Sketch:
    """One thought with all that is said under a title: a value, a denial, or what was found."""
    name, said = of_specimen(title.name, question.topic), re.sub(r"^Shows? ", "", title.said)
    if re.match(r"(?:[<>≤≥~]\s*)?\d", said) or verdict_of(said):
        return Sketch(name, "is", said, sentence, result=True)
    none = NONE.match(said)
    if none and len(pieces(said)) == 1:
        return Sketch(name, "shows no", none["what"], sentence, negated=True)
    return Sketch(name, "shows", said, sentence)


def _lowered(sketch: Sketch) -> Sketch:
    """Without the capital that only the beginning of a sentence gave."""
    sketch.subject, sketch.object = (
        text[0].lower() + text[1:] if _CAPITAL.match(text) and not _DAY.match(text) and len(text) > _SYMBOL else text
        for text in (sketch.subject, sketch.object)
    )
    return sketch


def _flush(reading: Reading) -> None:
    """Words still waiting are kept with the last thought, or as what the patient says."""
    if reading.condition:
        reading.sketches.append(Sketch(PATIENT, "says", reading.condition, reading.waiting))
    elif reading.waiting and reading.sketches:
        reading.sketches[-1].hear(reading.waiting, MARK)
    elif reading.waiting and content(reading.waiting, Language.EN):
        reading.sketches.append(Sketch(PATIENT, "says", reading.waiting, reading.waiting))
    reading.waiting = ""


def _read(piece: str, reading: Reading) -> None:
    """One clause, by the first pattern that fits."""
    bare = TAIL.sub("", piece)
    if answered(piece, bare, reading):
        return
    core = TAIL.sub("", LEAD.sub("", bare))
    if NONE.match(core):
        core = _SEEN.sub("", core)
    core = SAW.sub("", core) if reading.question.examined else core
    if verdict_of(core) and judge(core, piece, reading):
        return
    told = reading.sketches[-1] if reading.sketches and not reading.sketches[-1].answer else None
    if told and ((RANGE.match(core) and told.result) or (_WITHIN.match(core) and told.certainty)):
        told.add(lowered(core), MARK)
        return
    if _RELATIVE.match(core) and reading.last and not reading.last.answer:
        reading.last.add(bare, MARK)
        return
    framed = _FRAME.match(expand(core))
    if framed and not NOT_KNOWN.search(bare) and _framed(framed, piece, reading):
        return
    state(core, piece, reading)


def _framed(framed: re.Match[str], piece: str, reading: Reading) -> bool:
    """`The scan says ...`: what follows is what counts, and the scan is where it comes from."""
    who, rest = framed["who"].strip(), framed["rest"].strip()
    who = "The doctor" if _DOCTOR.match(who) else " ".join(word for word in who.split() if word.lower() not in ADVERBS)
    named = subject_of(who, reading.question.topic, reading.kin)
    if (who and find_verb(who)) or len(who.split()) > 6:
        return False
    named = reading.question.topic if _is_paper(named) else named
    other = bool(set(who.lower().split()) & PEOPLE)
    if named == PATIENT and re.match(r"(?:he|she)\b", rest, re.IGNORECASE):
        reading.open(Sketch(PATIENT, "says", rest, piece))
        return True
    person = other or named in {PATIENT, "staff", "doctor", reading.question.topic} or not who
    if person and (not rest or framed["verb"].lower() in {"found", "saw", "shows", "showed", "reads"}):
        return False
    if not person or _is_paper(who):
        reading.about(named)
    if rest:
        state(rest, piece, reading, shown=not person)
    else:
        reading.aside(piece)
    return True


def _is_paper(name: str) -> bool:
    """Whether it is what a result is read from, and not what was examined."""
    return not _PAPERS.isdisjoint(name.lower().split()[-1:])
