"""What answers an English question without a statement of its own: yes, no, perhaps, not known, and words beside it."""

from __future__ import annotations

import re
from dataclasses import replace

from osler.memory.tim.extract.clauses import UNKNOWN, UNSURE, Question, Reading, Sketch
from osler.memory.tim.extract.english_sentence import MARK, NO, TAIL, YES
from osler.memory.tim.extract.english_topic import PATIENT
from osler.memory.tim.extract.english_words import PAPER, PEOPLE

NOT_KNOWN = re.compile(
    r"\b(?:(?:don't|do not|didn't) (?:really |actually )?(?:know|remember|recall)\b|no idea|(?:couldn't|can't|"
    r"cannot|could not) (?:really )?(?:tell(?! [\w ]+ (?:from|apart)\b)|say|remember)\b|wish i knew|"
    r"not sure[.! ]*$|haven't noticed)",
    re.IGNORECASE,
)
"""The patient has no answer."""
KNOWN_ENOUGH = re.compile(r"\b(?:that|as far as) (?:i|we) (?:know|can tell|remember)(?: of)?\b", re.IGNORECASE)
"""`that I know of` takes nothing back."""
_ASIDE = re.compile(
    r"^(?:and |so )?(?:you know|i'm afraid|doctor|they (?:said|told me)|it says|let me (?:read it|see|think)|"
    r"believe me|thank goodness|"
    r"(?:it's |i'm )?(?:good|glad|nice|lucky|right)(?: that)? you (?:ask|asked|mention|mentioned)"
    r"(?: (?:me|that|it|about (?:it|that)))*|(?:a |that's a )?good question|to be honest|"
    r"that's all(?: i know of| i know)?|if you want to know|i can tell you|but i don't|nobody ever asked me|"
    r"is that (?:bad|important|serious)|should i be worried about that|thanks|thank you|sorry|(?:oh|well|now|look|"
    r"honestly|okay|hm+)(?: (?:oh|well|now|no))?|they did (?:those|that|it)(?: too)?|i have the sheet here|"
    r"please|(?:do|does|did|is|are|am|was|have|has|can|should|will|would)(?:n't)? (?:i|it|he|she|that|they|we)|"
    r"though|anyway|too|i (?:nearly|almost) forgot|hang on|wait|where is it|here(?: it is)?|"
    r"(?:oh )?dear(?: me)?|now that you (?:ask|mention it)|"
    r"(?:that|it|this)(?:'s| is) what (?:scares|worries|frightens|bothers) (?:me|us)|"
    rf"(?:that|it|this)(?:'s| is) what (?:they|(?:the|my) (?:doctor|nurse)|{PAPER}) (?:says?|said|told (?:me|us))|"
    r"additionally|furthermore|moreover|also|overall|however|in addition|"
    r"(?:that i know of|as far as (?:i|we) know))[?.! ]*$",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"\b(?:about|what|which|whether|if|how|when|the name of|my|his|her)\s+(?!that\b|it\b|this\b)(.+)$", re.IGNORECASE
)
_PERHAPS = re.compile(
    r"^(?:i (?:think|guess|believe|suppose) so|maybe|perhaps|possibly|probably|(?:i|it) (?:might|could|"
    r"may)(?: be| have)?)$",
    re.IGNORECASE,
)
_RELATIVE_DOES = re.compile(
    rf"^(?:but |and |yes |well )?(?:only |just )?(?:both )?(?:my|his|her|our|the) "
    rf"(?P<who>(?:{'|'.join(sorted(PEOPLE))})(?: and (?:my |his |her |our )?(?:{'|'.join(sorted(PEOPLE))}))*) "
    r"(?:also )?(?:do|does|did|has|have|had|is|was|are|were)(?P<no>n't| not)?(?: too| as well)?$",
    re.IGNORECASE,
)
"""`My father does.`: the question says what."""


def answered(piece: str, bare: str, reading: Reading) -> bool:
    """Whether the clause was no statement of its own: yes, no, not known, an aside."""
    if not bare or _ASIDE.match(bare):
        if bare:
            reading.aside(piece)
        return True
    if NOT_KNOWN.search(KNOWN_ENOUGH.sub("", bare)) and len(bare.split()) <= 12:
        _unknown(piece, bare, reading)
        return True
    if _PERHAPS.match(bare):
        answer = _resolved(reading.question, piece, negated=False)
        answer.certainty = UNSURE
        reading.open(answer)
        return True
    known = TAIL.sub("", KNOWN_ENOUGH.sub("", bare))
    if YES.match(known) or NO.match(known):
        reading.open(_resolved(reading.question, piece, bool(NO.match(known))))
        return True
    of_kin = _RELATIVE_DOES.match(known)
    if of_kin and reading.question.yes and reading.question.object:
        answer = _resolved(reading.question, piece, bool(of_kin["no"]))
        who = re.sub(r"\b(?:my|his|her|our) ", "", of_kin["who"].lower())
        reading.open(replace(answer, subject=who, answer=False))
        return True
    return False


def _unknown(piece: str, bare: str, reading: Reading) -> None:
    """Not knowing what was asked, or what the clause itself names; once for one matter."""
    topic = reading.question.matter
    of = _OF_WHAT.search(bare)
    if of:
        topic = of[0].removeprefix("about ")
    already = [sketch for sketch in reading.sketches if sketch.relation == "does not know"]
    if already and not of:
        already[-1].hear(piece, MARK)
        return
    sentence = piece if of else f"{topic}: {piece}"
    reading.open(Sketch(PATIENT, "does not know", topic, sentence, certainty=UNKNOWN))


def _resolved(question: Question, piece: str, negated: bool) -> Sketch:
    """A yes or no, completed by the question."""
    relation = question.no if negated else question.yes
    sentence = f"{question.topic}: {piece}"
    return Sketch(question.subject, relation, question.object, sentence, negated=negated, answer=True)
