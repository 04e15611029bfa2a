"""English clauses that belong to another: conditions before or after it, and words that go on with it."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import Reading, listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_sentence import MARK
from osler.memory.tim.extract.english_topic import COMPLAINT
from osler.memory.tim.extract.english_words import AUXILIARIES, DENIES, PREPOSITIONS, TIME

_SUBORDINATE = re.compile(
    r"^(?:when|whenever|if|while|after|before|since|until|as soon as|once|because|where)\b", re.IGNORECASE
)
_STARTS = listed("i he she it they we everything there my his her the both")
_BEFORE_NOUNS = PREPOSITIONS | AUXILIARIES
NOT = re.compile(r"^(?:not|never|nor)\s+(?P<what>.+)$", re.IGNORECASE)


def parted(core: str) -> tuple[str, str]:
    """`since the pain began` and what follows it; nothing follows when the clause is only that."""
    verb = find_verb(expand(core)) if _SUBORDINATE.match(core) else None
    if not verb:
        return "", core
    words = expand(core).split()
    for place in range(verb.end, len(words) - 1):
        if words[place].lower() in _STARTS and words[place - 1].lower() not in _BEFORE_NOUNS:
            after = find_verb(" ".join(words[place:]))
            if after and 0 < after.start <= 4:
                return " ".join(words[:place]), " ".join(words[place:])
    return core, ""


def wait(condition: str, piece: str, reading: Reading) -> None:
    """A condition goes on with the clause before it in the sentence, or waits for the one after it."""
    if reading.last and not reading.last.answer:
        reading.last.add(piece.rstrip(".!? "), MARK)
        return
    reading.condition = MARK.join(filter(None, (reading.condition, condition)))
    reading.aside(piece)


def continues(core: str, piece: str, reading: Reading) -> bool:
    """Words without a verb after a statement of the same sentence go on with it."""
    last = reading.last
    if not last or last.answer or last.relation == "does not know":
        return False
    if NOT.match(core) and (reading.question.thing == COMPLAINT or reading.question.examined):
        last.add(piece.rstrip(".!? "), MARK)
        return True
    if last.negated and not re.match(
        r"(?:or|nor|and|in|on|at|for|since|not|except|of|to|with|including|such as|especially|like)\b",
        core,
        re.IGNORECASE,
    ):
        return False
    apart = DENIES.match(core) and not last.negated and not re.match(r"with(?:out)?\b", core, re.IGNORECASE)
    if apart or (last.result and reading.question.examined):
        return False
    last.add(piece.rstrip(".!? "), MARK)
    when = TIME.search(core)
    last.reported = last.reported or (when[0] if when else "")
    return True
