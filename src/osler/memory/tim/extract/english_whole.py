"""English sentences that say more whole than in pieces, and thoughts that say nothing.

A finding read out clause by clause loses what it is of: `The left is 3 mm, round and reacts`. Such a sentence is kept
as what the examination shows, word for word.
"""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import UNKNOWN, Question, Reading, Sketch
from osler.memory.tim.extract.english_question import TESTED
from osler.memory.tim.extract.english_results import verdict_of
from osler.memory.tim.extract.english_sentence import LEAD, TAIL
from osler.memory.tim.extract.english_topic import PATIENT

_HAVING = frozenset({"has", "has had", "experiences", "is experiencing", "has been experiencing"})
_EMPTY = re.compile(
    r"(?:(?:some|any|other|new|more|further|additional|different|several|the|of|these|those|my|his|her)\s+)*"
    r"(?:symptoms?|problems?|complaints?|issues?|things?)"
    r"(?: (?:besides|apart from|other than|in addition to)\b.*| currently| now)?",
    re.IGNORECASE,
)
SAW = re.compile(r"^(?:i|we|he|she|they) (?:also |only )?(?:saw|see|noticed)\s+", re.IGNORECASE)
"""Who has seen a finding is no part of it."""


def says_something(relation: str, object_: str) -> bool:
    """Whether it names anything; `I have other symptoms besides the cough` only says the question again."""
    return not (relation in _HAVING and _EMPTY.fullmatch(object_))


def kept_whole(sentence: str, heard: str, reading: Reading, asked: Question) -> None:
    """The sentence in one thought, where its clauses are torn from what they are about.

    What was heard is the sentence with the asides before it: the thought rests on all of it and tells the sentence.
    """
    if not reading.question.examined:
        return
    made = reading.sketches[reading.began :]
    if not made or any(sketch.certainty == UNKNOWN or (sketch.answer and sketch.negated) for sketch in made):
        return
    if not any(sketch.torn for sketch in made) and not (len(made) > 1 and _fall_apart(made)):
        return
    first = made[0]
    said = SAW.sub("", LEAD.sub("", TAIL.sub("", sentence)))
    said = re.sub(rf"^(?:the )?{re.escape(asked.topic)} show(?:ed|s)(?: that)? ", "", said, flags=re.IGNORECASE)
    # The sentence names its own test, if any; the one before it may have named another.
    subject, relation = (asked.topic, "shows") if asked.examined else (PATIENT, "says")
    whole = Sketch(subject, relation, said, heard, certainty=min(sketch.certainty for sketch in made))
    whole.reported = first.reported
    reading.sketches[reading.began :] = [whole]


def _fall_apart(made: list[Sketch]) -> bool:
    """Whether a part has no name of its own, or the sentence begins with the name that all of it stands under."""
    if any(not sketch.result and (sketch.relation == "shows" or sketch.subject == PATIENT) for sketch in made):
        return True
    denied = [sketch.relation == "shows no" for sketch in made]
    if any(denied) and not all(denied):
        return True
    first = made[0]
    named = first.subject == PATIENT and TESTED.search(first.object) is not None
    return named or bool(first.result and verdict_of(first.object) and not verdict_of(made[1].object))
