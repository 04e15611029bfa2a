"""English replies into thoughts."""

from __future__ import annotations

import re

from osler.memory.tim.extract.answers import others, picks, settled, weighty
from osler.memory.tim.extract.clauses import UNKNOWN, UNSURE, Question, Reading, Sketch, Titled, listed, whole
from osler.memory.tim.extract.english_clause import read_clause
from osler.memory.tim.extract.english_grammar import expand, find_verb, subject_of
from osler.memory.tim.extract.english_question import COMPLAINT, PATIENT, fits, read_question
from osler.memory.tim.extract.english_results import Result, measure_of, of_specimen, read_results, verdict_of
from osler.memory.tim.extract.english_sentence import LEAD, NO, NONE, TAIL, YES, cut, leads, pieces, titled
from osler.memory.tim.extract.english_words import (
    AUXILIARIES,
    DENIES,
    DURATION,
    KIN,
    PEOPLE,
    PREPOSITIONS,
    TIME,
)
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content, words

_UNKNOWN = re.compile(
    r"\b(?:(?:don't|do not|didn't) (?:really |actually )?(?:know|remember|recall)\b|no idea|(?:couldn't|can't|"
    r"cannot|could not) "
    r"(?:really )?(?:tell|say|remember)\b|wish i knew|not sure[.! ]*$|haven't noticed)",
    re.IGNORECASE,
)
_KNOWN_ENOUGH = re.compile(r"\b(?:that|as far as) (?:i|we) (?:know|can tell|remember)(?: of)?\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"^(?:and |so )?(?:you know|i'm afraid|doctor|they (?:said|told me)|it says|let me (?:read it|see)|"
    r"believe me|thank goodness|"
    r"(?:it's |i'm )?(?:good|glad|nice|lucky|right)(?: that)? you (?:ask|asked|mention|mentioned)"
    r"(?: (?:me|that|it|about (?:it|that)))*|(?:a |that's a )?good question|to be honest|"
    r"that's all(?: i know of| i know)?|if you want to know|i can tell you|but i don't|nobody ever asked me|"
    r"is that (?:bad|important|serious)|should i be worried about that|thanks|thank you|sorry|(?:oh|well|now|look|"
    r"honestly|okay|hm+)(?: (?:oh|well|now|no))?|they did (?:those|that|it)(?: too)?|i have the sheet here|"
    r"please|(?:do|does|did|is|are|am|was|have|has|can|should|will|would)(?:n't)? (?:i|it|he|she|that|they|we)\?|"
    r"additionally|furthermore|moreover|also|overall|however|in addition|"
    r"(?:that i know of|as far as (?:i|we) know))[?.! ]*$",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|i think|i guess|i believe|i suppose|might|may have|may be|could be|not sure|"
    r"not certain|it seems|seems to|presumably)\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"^(?:that|this|it) (?:was|is|happened)(?: all)? (?:from )?(?P<when>{TIME.pattern})[.! ]*$", re.IGNORECASE
)
_NOT = re.compile(r"^(?:not|never|nor)\s+(?P<what>.+)$", re.IGNORECASE)
_FRAME = re.compile(
    r"^(?P<who>[\w' -]{0,60}?)\b(?P<verb>says?|said|shows?|showed|told (?:me|us)|tells me|reads|found|"
    r"saw)(?: that)?\b:?\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"^(?:when|whenever|if|while|after|before|since|until|as soon as|once|because|where)\b", re.IGNORECASE
)
_SEEN = re.compile(
    r"\s+(?:(?:is|are|was|were|has been|have been) )?(?:found|seen|noted|present|detected|identified|observed|reported|"
    r"visible|appreciated|heard|felt)$",
    re.IGNORECASE,
)
_OWN_WORDS = re.compile(r"(?:yes|no|i|my|i'm|i've)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?:(?:and |during |in |of |for |after |at |with )?which|who|whose|whom)\b", re.IGNORECASE)
_STARTS = listed("i he she it they we everything there my his her the both")
_PAPERS = listed("sheet paper report printout letter form result results page")
_CAPITAL = re.compile(r"[A-Z][a-z]+(?![\w-]*[A-Z\d])\b")
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")
_VAGUE = frozenset(
    words("anything something medicine medicines drug food allergy allergies antibiotic pet", Language.EN)
)
_PERHAPS = re.compile(
    r"^(?:i (?:think|guess|believe|suppose) so|maybe|perhaps|possibly|probably|(?:i|it) (?:might|could|"
    r"may)(?: be| have)?)$",
    re.IGNORECASE,
)
_DOSE = re.compile(
    r"^(?:just |only )?(?:my )?(?P<name>[A-Za-z][A-Za-z -]{2,30}?),? \d[\d.]* ?(?:mg|mcg|µg|units?|tablets?|"
    r"puffs?)\b(?!/)",
    re.IGNORECASE,
)
_MARK = ", "


def think_english(question: str, reply: str) -> list[Draft]:
    """The facts of an English reply."""
    asked = read_question(question)
    reading = Reading(asked, _MARK)
    kin = ""
    for sentence in cut(reply):
        reading.began = len(reading.sketches)
        if _OWN_WORDS.match(sentence):
            # Whoever speaks of themselves again has stopped reading out a report.
            reading.question = asked
        dated, title = _DATED.match(TAIL.sub("", sentence)), titled(sentence, reading.question.examined)
        if dated and reading.sketches:
            reading.date(dated["when"], sentence)
            continue
        if title:
            reading.open(_under(title, sentence, reading.question))
            continue
        clauses = pieces(sentence)
        if leads(clauses):
            _wait(clauses[0], clauses.pop(0), reading)
        for piece in clauses:
            _read(piece, reading, kin)
            kin = next((word for word in re.findall(r"[a-z]+", piece.lower()) if word in KIN), kin)
    _flush(reading)
    return [_lowered(sketch).draft() for sketch in settled(reading.sketches, _MARK, Language.EN)]


def _under(title: Titled, sentence: str, question: Question) -> Sketch:
    """One thought with all that is said under a title: a value, a denial, or what was found."""
    name, said = of_specimen(title.name, question.topic), title.said
    if re.match(r"(?:[<>≤≥~]\s*)?\d", said) or verdict_of(said):
        return Sketch(name, "is", said, sentence, result=True)
    none = NONE.match(said)
    if none and len(pieces(said)) == 1:
        return Sketch(name, "shows no", none["what"], sentence, negated=True)
    return Sketch(name, "shows", said, sentence)


def _lowered(sketch: Sketch) -> Sketch:
    """Without the capital that only the beginning of a sentence gave."""
    sketch.subject, sketch.object = (
        text[0].lower() + text[1:] if _CAPITAL.match(text) and not _DAY.match(text) else text
        for text in (sketch.subject, sketch.object)
    )
    return sketch


def _flush(reading: Reading) -> None:
    """Words still waiting are kept with the last thought, or as what the patient says."""
    if reading.condition:
        reading.sketches.append(Sketch(reading.question.topic, "says", reading.condition, reading.waiting))
    elif reading.waiting and reading.sketches:
        reading.sketches[-1].hear(reading.waiting, _MARK)
    elif reading.waiting and content(reading.waiting, Language.EN):
        reading.sketches.append(Sketch(PATIENT, "says", reading.waiting, reading.waiting))
    reading.waiting = ""


def _read(piece: str, reading: Reading, kin: str) -> None:
    """One clause, by the first pattern that fits."""
    bare = TAIL.sub("", piece)
    if _answered(piece, bare, reading):
        return
    core = TAIL.sub("", LEAD.sub("", bare))
    if NONE.match(core):
        core = _SEEN.sub("", core)
    if verdict_of(core) and _verdict(core, piece, reading):
        return
    if _RELATIVE.match(core) and reading.last and not reading.last.answer:
        reading.last.add(bare, _MARK)
        return
    framed = _FRAME.match(expand(core))
    if framed and not _UNKNOWN.search(bare) and _framed(framed, piece, reading, kin):
        return
    _state(core, piece, reading, kin)


def _answered(piece: str, bare: str, reading: Reading) -> bool:
    """Whether the clause was no statement of its own: yes, no, not known, an aside."""
    if not bare or _ASIDE.match(bare):
        if bare:
            reading.aside(piece)
        return True
    if _UNKNOWN.search(_KNOWN_ENOUGH.sub("", bare)) and len(bare.split()) <= 12:
        _unknown(piece, bare, reading)
        return True
    if _PERHAPS.match(bare):
        answer = _resolved(reading.question, piece, negated=False)
        answer.certainty = UNSURE
        reading.open(answer)
        return True
    known = TAIL.sub("", _KNOWN_ENOUGH.sub("", bare))
    if YES.match(known) or NO.match(known):
        reading.open(_resolved(reading.question, piece, bool(NO.match(known))))
        return True
    return False


def _unknown(piece: str, bare: str, reading: Reading) -> None:
    topic = reading.question.matter
    of = re.search(
        r"\b(?:about|what|which|whether|if|how|when|the name of|my|his|her)\s+(?!that\b|it\b|this\b)(.+)$", bare, re.I
    )
    if of:
        topic = of[0].removeprefix("about ")
    already = [sketch for sketch in reading.sketches if sketch.relation == "does not know"]
    if already and not of:
        already[-1].hear(piece, _MARK)
        return
    sentence = piece if of else f"{topic}: {piece}"
    reading.open(Sketch(PATIENT, "does not know", topic, sentence, certainty=UNKNOWN))


def _resolved(question: Question, piece: str, negated: bool) -> Sketch:
    relation = question.no if negated else question.yes
    sentence = f"{question.topic}: {piece}"
    return Sketch(question.subject, relation, question.object, sentence, negated=negated, answer=True)


def _verdict(core: str, piece: str, reading: Reading) -> bool:
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
        sketch.object = f"{sketch.object} {verdict_of(core)}"
        sketch.hear(piece, _MARK)
    return True


def _framed(framed: re.Match[str], piece: str, reading: Reading, kin: str) -> bool:
    """`The scan says ...`: what follows is what counts, and the scan is where it comes from."""
    who, rest = framed["who"].strip(), framed["rest"].strip()
    named = subject_of(who, reading.question.topic, kin)
    if (who and find_verb(who)) or len(who.split()) > 6:
        return False
    named = reading.question.topic if named.lower().split()[-1:] and named.lower().split()[-1] in _PAPERS else named
    other = bool(set(who.lower().split()) & PEOPLE)
    person = other or named in {PATIENT, "staff", "doctor", reading.question.topic} or not who
    if person and (not rest or framed["verb"].lower() in {"found", "saw", "shows", "showed", "reads"}):
        return False
    if not person or (who.lower().split()[-1:] and who.lower().split()[-1] in _PAPERS):
        reading.about(named)
    if rest:
        _state(rest, piece, reading, kin, shown=not person)
    else:
        reading.aside(piece)
    return True


def _state(core: str, piece: str, reading: Reading, kin: str, shown: bool = False) -> None:
    """A statement: results, a denial, a clause with a verb, or a bare value."""
    condition, core = _condition(core)
    if condition and not core:
        _wait(condition, piece, reading)
        return
    examined = shown or reading.question.examined
    told = (reading.question.topic, "shows") if examined else (PATIENT, "says")
    made = whole(_statements(core, piece, reading, kin, shown), core, *told, Language.EN)
    hedged, when = UNSURE if _HEDGE.search(piece) else 1.0, TIME.search(f"{condition} {core}")
    for sketch in made:
        sketch.certainty = min(sketch.certainty, hedged)
        sketch.reported = when[0] if when else ""
        lead = condition or reading.condition
        if lead:
            sketch.object = f"{sketch.object}, {lead}" if sketch.object else lead
    if made:
        reading.condition = ""
        _repeated(made, reading)
    for sketch in made:
        reading.open(sketch)


def _condition(core: str) -> tuple[str, str]:
    """`since the pain began` and what follows it; nothing follows when the clause is only that."""
    verb = find_verb(expand(core)) if _SUBORDINATE.match(core) else None
    if not verb:
        return "", core
    words = expand(core).split()
    for place in range(verb.end, len(words) - 1):
        if words[place].lower() in _STARTS and words[place - 1].lower() not in PREPOSITIONS | AUXILIARIES:
            after = find_verb(" ".join(words[place:]))
            if after and 0 < after.start <= 4:
                return " ".join(words[:place]), " ".join(words[place:])
    return core, ""


def _wait(condition: str, piece: str, reading: Reading) -> None:
    """A condition goes on with the clause before it in the sentence, or waits for the one after it."""
    if reading.last and not reading.last.answer:
        reading.last.add(piece.rstrip(".!? "), _MARK)
        return
    reading.condition = _MARK.join(filter(None, (reading.condition, condition)))
    reading.aside(piece)


def _statements(core: str, piece: str, reading: Reading, kin: str, shown: bool) -> list[Sketch]:
    question = reading.question
    doses = [] if question.examined else _doses(core)
    if doses:
        return [Sketch(PATIENT, "takes", dose, piece) for dose in doses]
    medicine = question.holder == PATIENT and question.value in {"takes", "is taking", "is on"}
    results = [] if medicine else read_results(core)
    last = reading.last
    if len(results) == 1 and not results[0].name and last and not last.answer and not last.result:
        last.add(piece.rstrip(".!? "), _MARK)
        return []
    if results:
        return [_result(result, piece, question) for result in results]
    statement = _KNOWN_ENOUGH.sub("", core).strip() or core
    if _NOT.match(statement) and _continues(statement, piece, reading):
        return []
    sketch = _denial(statement, piece, question) or read_clause(statement, piece, reading, kin)
    if not sketch and _continues(statement, piece, reading):
        return []
    return [sketch or _bare(statement, piece, reading, shown)]


def _doses(core: str) -> list[str]:
    """The medicines of a clause that says nothing but names and doses."""
    parts = re.split(r"\s+(?:and|plus)\s+(?=[A-Za-z]+[a-z ]* \d)", core)
    named = [_DOSE.match(part) for part in parts]
    return parts if all(name and not find_verb(name["name"]) for name in named) else []


def _repeated(made: list[Sketch], reading: Reading) -> None:
    """Drop a bare yes or no when the clause after it says the same in full: `No, he has no asthma`."""
    answer, question = reading.last, reading.question
    if not answer or not answer.answer:
        return
    asked = weighty(Language.EN, question.subject, question.yes, question.object)
    said = {word for sketch in made for word in weighty(Language.EN, sketch.subject, sketch.relation, sketch.object)}
    same = made[0].negated == answer.negated
    vague = not answer.negated and bool(question.object) and set(content(question.object, Language.EN)) <= _VAGUE
    # A no denies all that was asked, so that only a clause that names all of it can stand for it.
    enough = len(asked) if answer.negated else len(asked) / 2
    part = answer.negated and said < asked and not others(question.object, Language.EN)
    if same and part and not made[0].reported:
        answer.hear(_MARK.join(sketch.sentence for sketch in made), _MARK)
        made.clear()
        return
    chosen = picks(made[0], answer, reading, Language.EN)
    if vague or chosen or (same and asked and len(asked & said) >= enough):
        reading.sketches.pop()
    elif not answer.negated:
        return
    heard = answer.sentence.removeprefix(f"{question.topic}: ")
    made[0].sentence = f"{heard}, {made[0].sentence}"


def _result(result: Result, piece: str, question: Question) -> Sketch:
    if result.name:
        return Sketch(of_specimen(result.name, question.topic), "is", result.value, piece, result=True)
    measure = measure_of(result.value, question.topic)
    if measure:
        return Sketch(measure, "is", result.value, f"{question.topic}: {piece}", result=True)
    if not question.presumed and question.value == "is":
        return Sketch(PATIENT, "says", result.value, f"{question.topic}: {piece}", result=True)
    relation = question.value if question.value not in {"", "says"} else "is"
    return Sketch(question.holder, relation, result.value, f"{question.topic}: {piece}", result=True)


def _denial(core: str, piece: str, question: Question) -> Sketch | None:
    """`no fever or chills`, `not in the arm`: a denial without a verb."""
    verb = find_verb(expand(core))
    none = NONE.match(core)
    if none and (not verb or verb.start > 3 or " that " in core):
        what = re.sub(r"\s+(?:at all|either|or anything(?: like that)?|whatsoever)$", "", none["what"])
        if question.examined:
            return Sketch(question.topic, "shows no", what, piece, negated=True)
        return Sketch(PATIENT, "does not have", what, piece, negated=True)
    negative = _NOT.match(core)
    if negative and not verb:
        return Sketch(question.topic, "is not", negative["what"], f"{question.topic}: {piece}", negated=True)
    return None


def _continues(core: str, piece: str, reading: Reading) -> bool:
    """Words without a verb after a statement of the same sentence go on with it."""
    last = reading.last
    if not last or last.answer or last.relation == "does not know" or DURATION.match(core):
        return False
    if _NOT.match(core) and (reading.question.thing == COMPLAINT or reading.question.examined):
        last.add(piece.rstrip(".!? "), _MARK)
        return True
    if last.negated and not re.match(
        r"(?:or|nor|and|in|on|at|for|since|not|except|of|to|with|including|such as|especially|like)\b",
        core,
        re.IGNORECASE,
    ):
        return False
    apart = DENIES.search(core) and not last.negated and not re.match(r"with(?:out)?\b", core, re.IGNORECASE)
    if apart or (last.result and reading.question.examined):
        return False
    last.add(piece.rstrip(".!? "), _MARK)
    when = TIME.search(core)
    last.reported = last.reported or (when[0] if when else "")
    return True


def _bare(core: str, piece: str, reading: Reading, shown: bool) -> Sketch:
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
