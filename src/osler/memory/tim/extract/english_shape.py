"""Whether a triple that a model wrote in English has the shape of a fact: a thing, a verb, and what belongs to it.

Small models put the pieces of a sentence into any slot: `asthma has 30 years`, `patient started The pain started`.
"""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_sentence import pieces
from osler.memory.tim.extract.english_topic import lowered
from osler.memory.tim.extract.english_whole import says_something
from osler.memory.tim.extract.english_words import DETERMINERS, DURATION, PEOPLE, PRONOUNS, TIME
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content, plain

_TELLING = listed("says said say reports reported knows believes thinks shows showed reveals told states describes")
_HAVING = frozenset({"has", "had", "has had", "has been", "is", "was"})
_BEGINS = frozenset({"started", "starts", "start", "began", "begins"})
_DOING = re.compile(r"\w+ing (?:an?|the|my|his|her)\b", re.IGNORECASE)
"""What somebody did, and nobody has."""
_OPENERS = PRONOUNS | DETERMINERS | listed("i've i'm he's she's it's")


def mends_begun(draft: Draft) -> Draft:
    """`patient started fatigue` says that the patient has it; `started coughing` stays."""
    first = draft.object.split()[:1]
    if draft.subject != "patient" or plain(draft.relation) not in _BEGINS or not first:
        return draft
    if first[0].endswith("ing") or first[0] == "to" or TIME.search(draft.object) or re.search(r"\d", draft.object):
        return draft
    return draft.model_copy(update={"relation": "has", "object": lowered(draft.object)})


def is_shaped(draft: Draft) -> bool:
    """Whether its object is no clause of its own, and a length of time is not had by a thing."""
    if not says_something(draft.relation, draft.object):
        return False
    if plain(draft.relation) in _HAVING and _DOING.match(draft.object):
        return False
    verb = find_verb(expand(draft.object))
    first = draft.object.lower().split()[:1]
    telling = not _TELLING.isdisjoint(plain(draft.relation).split())
    if verb and (verb.start == 0 or (first and first[0] in _OPENERS and not telling)):
        return False
    person = draft.subject == "patient" or not PEOPLE.isdisjoint(plain(draft.subject).split())
    timed = DURATION.match(draft.object) or TIME.match(draft.object)
    return person or not (timed and plain(draft.relation) in _HAVING)


def in_one_clause(draft: Draft, sentence: str) -> bool:
    """Whether the words of its object were said together, and not picked from two clauses."""
    if plain(draft.object) in plain(sentence):
        return True
    own = set(content(draft.object, Language.EN))
    return any(own <= set(content(piece, Language.EN)) for piece in pieces(sentence))
