"""English questions for a yes or a no: of the patient, of a thing, of a name to agree with."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import Question, listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_topic import COMPLAINT, LONGEST, PATIENT, WHO, short
from osler.memory.tim.extract.english_words import BASES, DETERMINERS, MODIFIERS, PREPOSITIONS, third_person

_OFTEN = r"(?:(?:ever|also|still|recently|currently|lately|usually|already|regularly|noticed|now|been)\s+)*"
_HAVING = (
    r"(?:have|had|having|got|get|seen|notice|noticed|experience|experienced|experiencing|felt|feel|suffer from|"
    r"suffered from)"
)
_HAS = (
    (re.compile(rf"(?:do|does|did) {WHO} {_OFTEN}{_HAVING} (.+)", re.IGNORECASE), "has", "does not have"),
    (re.compile(rf"(?:have|has|had) {WHO} {_OFTEN}{_HAVING} (.+)", re.IGNORECASE), "has had", "has not had"),
    (re.compile(r"(?:is|are|was|were) there (.+)|any (.+)", re.IGNORECASE), "has", "does not have"),
)
_DOES = re.compile(rf"(?:do|does|did) {WHO} {_OFTEN}(\w+)(?: (.+))?", re.IGNORECASE)
_HAS_DONE = re.compile(rf"(?:have|has) {WHO} {_OFTEN}(\w+)(?: (.+))?", re.IGNORECASE)
_IS = re.compile(rf"(?:are|is|were|was) {WHO} {_OFTEN}(allergic to|on|taking|\w+ing)?\s*(.*)", re.IGNORECASE)
_OF_THING = re.compile(r"(is|are|was|were|does|do|did|has|have|can|could|will) (.+)", re.IGNORECASE)
_CONFIRM = re.compile(r"(?P<what>.+?),? (?:is that (?:right|correct|so|it)|right|correct|yes)", re.IGNORECASE)
_MEASURED = re.compile(r"\s+(?:checked|measured|taken|done|examined)$")
_QUALITIES = listed("severe bad sharp dull strong sudden small large harsh dry wet")
_BEFORE_NOUN = MODIFIERS | DETERMINERS | _QUALITIES
_PARTICIPLE = re.compile(r"(?:been|become|come|gone|got|had|begun|spread|\w{3,}ed)$", re.IGNORECASE)


def asks_to_confirm(line: str) -> Question | None:
    """`The left ear, is that right?`: a name to agree with."""
    found = _CONFIRM.fullmatch(line)
    if not found or find_verb(expand(found["what"])):
        return None
    what = short(found["what"])
    return Question(COMPLAINT, COMPLAINT, "is", "is not", what, COMPLAINT, "is", f"whether it is {what}")


def asks_whether(line: str, examined: bool) -> Question | None:
    """`Do you have a fever?`, `Does the pain spread?`: what a yes and what a no mean."""
    found = _OF_THING.fullmatch(line)
    return (
        _whether_has(line, examined)
        or _whether_does(line)
        or _whether_has_done(line, examined)
        or _whether_is(line)
        or (_of_thing(found[1].lower(), found[2], examined) if found else None)
    )


def _whether_has(line: str, examined: bool) -> Question | None:
    """`Have you had a fever?`, `Any cough?`."""
    for pattern, yes, no in _HAS:
        found = pattern.fullmatch(line)
        if found:
            topic = _MEASURED.sub("", short(next(group for group in found.groups() if group)))
            yes, no = (yes, no) if examined else ("has", "does not have")
            value = "" if examined else "is"
            return Question(topic, PATIENT, yes, no, topic, topic, value, topic, examined, presumed=examined)
    return None


def _whether_does(line: str) -> Question | None:
    """`Do you smoke?`."""
    found = _DOES.fullmatch(line)
    if not found:
        return None
    verb, topic = found[1].lower(), short(found[2] or "")
    yes, no = third_person(verb), f"does not {verb}"
    return Question(topic or verb, PATIENT, yes, no, topic, PATIENT, yes, _whether(PATIENT, yes, topic))


def _whether_has_done(line: str, examined: bool) -> Question | None:
    """`Have you travelled abroad?`."""
    found = _HAS_DONE.fullmatch(line)
    if not found:
        return None
    yes, topic = f"has {found[1].lower()}", short(found[2] or "")
    no = yes.replace("has", "has not", 1)
    value, matter = "" if examined else "is", _whether(PATIENT, yes, topic)
    return Question(topic or found[1], PATIENT, yes, no, topic, topic or PATIENT, value, matter, examined)


def _whether_is(line: str) -> Question | None:
    """`Are you allergic to penicillin?`."""
    found = _IS.fullmatch(line)
    if not found:
        return None
    yes, topic = f"is {found[1].lower()}" if found[1] else "is", short(found[2])
    no, matter = yes.replace("is", "is not", 1), _whether(PATIENT, yes, topic)
    return Question(topic or yes, PATIENT, yes, no, topic, PATIENT, yes, matter)


def _whether(subject: str, yes: str, rest: str) -> str:
    return " ".join(filter(None, ("whether", subject, yes, rest)))


def _of_thing(verb: str, rest: str, examined: bool) -> Question:
    """A question about a thing: `is the pain ...`, `does it spread ...`, `has the throat been ...`."""
    subject, words = _parted(rest, verb in {"has", "have"})
    if verb in {"does", "do", "did"} and words:
        # `the pain in the belly spread`: the subject goes on to the verb.
        place = next((place for place, word in enumerate(words) if word.lower() in BASES), 0)
        if words[0].lower() in PREPOSITIONS and place:
            subject, words = " ".join([subject, *words[:place]]), words[place:]
        base = words[0].lower()
        yes, no, words = third_person(base), f"does not {base}", words[1:]
    elif verb in {"has", "have"} and words:
        yes, no, words = f"has {words[0]}", f"has not {words[0]}", words[1:]
    else:
        yes, no = {"is": ("is", "is not"), "are": ("is", "is not")}.get(verb, (verb, f"{verb} not"))
    if words and words[0].lower() in {"to", "in", "on", "after", "down"} and yes not in {"is", "was"}:
        yes, no, words = f"{yes} {words[0]}", f"{no} {words[0]}", words[1:]
    object_ = " ".join(words)
    topic = subject
    if re.search(r"\b(?:doctor|anyone|anybody|someone|specialist)$", subject):
        topic = re.sub(r"^(?:at|with|for|in|by|the|\W)+\s+", "", object_) or object_ or subject
    value = "" if examined else "is"
    matter = _whether(subject, yes, object_)
    return Question(topic, subject, yes, no, object_, topic, value, matter, examined, presumed=examined)


def _parted(rest: str, perfect: bool) -> tuple[str, list[str]]:
    """The subject of a question and what is asked of it."""
    pointed = re.match(r"(?:it|this|that)\b\s*(?!pain\b|cough\b)", rest, re.IGNORECASE)
    if pointed:
        return COMPLAINT, rest[pointed.end() :].split()[:LONGEST]
    words = short(rest).split() or [COMPLAINT]
    if perfect:
        size = next((place for place, word in enumerate(words) if place and _PARTICIPLE.match(word)), 1)
        return " ".join(words[:size]), words[size:]
    size = 1
    while size < len(words) - 1 and (words[size - 1].lower() in _BEFORE_NOUN):
        size += 1
    if size < len(words) and words[size].lower() == "of" and len(words) > size + 3:
        size += 3 if words[size + 1].lower() in DETERMINERS else 2
    return " ".join(words[:size]), words[size:]
