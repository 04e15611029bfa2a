"""Subject, verb and rest of an English clause, by closed word classes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from osler.memory.tim.extract.clauses import listed
from osler.memory.tim.extract.english_words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    COPULAS,
    DETERMINERS,
    KIN,
    NOUNS_TOO,
    PASTS,
    PREPOSITIONS,
    PRONOUNS,
    STAFF,
    THIRDS,
    meant_by,
    third_person,
)

_SHORT = re.compile(
    r"\b(I|he|she|it|they|we|you|there|that|what|who|this|everything)['’](ve|s|m|re|d|ll)\b", re.IGNORECASE
)
_FULL = {"ve": "have", "m": "am", "re": "are", "d": "would", "ll": "will"}
_PARTICIPLE = re.compile(
    r"\s+(?:been|had|got|gone|come|never|become|taken|lost|always|just been|\w{2,}ed(?!\s+(?:by|with|to|in|on)\b))\b",
    re.IGNORECASE,
)
_DONE_BEFORE = re.compile(
    r"\s+(?:never |already |just |always )?"
    r"(?:been|had|eaten|drunk|gone|come|taken|seen|given|done|fallen|slept|lost|become|forgotten|\w{3,}ed)\b",
    re.IGNORECASE,
)
_PARTICLES = listed("up out on off down away over back in through")
_OWN = re.compile(r"^(?:(?:my|his|her|our|their|its|the|a|an|this|that|these|those)\s+)+", re.IGNORECASE)
_OF_THE_REST = frozenset({"all", "both", "just", "now", "almost", "even", "only"})
_OF_THE_VERB = ADVERBS - _OF_THE_REST
_PERSONS = frozenset({"i", "he", "she", "it", "they", "we", "you"})
_PARTICIPLES = listed("had got gone come taken seen eaten given become done fallen drunk slept wanted put run")
_NO_PARTICIPLE = DETERMINERS | PREPOSITIONS | listed("very so too little much well")
_BEFORE_NOUNS = DETERMINERS | PREPOSITIONS
_BESIDE_VERBS = ADVERBS | PREPOSITIONS
_IRREGULAR = listed(
    "drove spoke wrote swam flew bought sold met tore wore chose blew rode fed sent spent built held paid won "
    "understood bit led sank rang sang taught sought fought shut set bet spat knelt leant"
)
_NOT_PRESENT = PASTS.keys() | AUXILIARIES | _IRREGULAR
_PLURALS = listed("drops cuts burns works sweats changes tests checks")
"""What several things are called as often as what somebody does: `night sweats`."""
_SELF = frozenset({"i", "we", "me"})
_OTHER = frozenset({"he", "she"})
_THING = frozenset({"", "it", "that", "this", "they", "which", "you", "these", "those", "all"})


@dataclass(frozen=True)
class Verb:
    """Where the verb of a clause stands: words `start` to `end`."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def main(self) -> str:
        """The last word of it."""
        return self.words[-1].lower()

    @property
    def negated(self) -> bool:
        """Whether it denies."""
        return any(word in {"not", "never", "cannot"} or word.endswith("n't") for word in map(str.lower, self.words))

    def before(self, text: str) -> str:
        """The words in front of it."""
        return " ".join(text.split()[: self.start])

    def rest(self, text: str) -> str:
        """The words after it."""
        return " ".join(text.split()[self.end :])


@lru_cache(maxsize=1024)
def expand(text: str) -> str:
    """`I've` as `I have`, and `I'd eaten` as `I had eaten`."""

    def full(found: re.Match[str]) -> str:
        ending, after = found[2].lower(), text[found.end() :]
        if ending == "d" and _DONE_BEFORE.match(after):
            return f"{found[1]} had"
        if ending == "s":
            return f"{found[1]} {'has' if _PARTICIPLE.match(after) else 'is'}"
        return f"{found[1]} {_FULL[ending]}"

    return _SHORT.sub(full, text.replace("’", "'"))


@lru_cache(maxsize=1024)
def find_verb(text: str) -> Verb | None:
    """The first finite verb and what belongs to it. A clause is asked for it at every step, and looked at once."""
    words = [word.strip(".,;:!?\"'()").lower() for word in text.split()]
    start = next((place for place in range(len(words)) if _finite(words, place)), None)
    if start is None:
        return None
    end = _end(words, start)
    while start > 0 and words[start - 1] in ADVERBS:
        start -= 1
    return Verb(start, end, tuple(word.strip(".,;:!?") for word in text.split()[start:end]))


def _finite(words: list[str], place: int) -> bool:
    """Whether the word is a verb that says when; many verbs are nouns after an article or a preposition."""
    word = words[place]
    if word in AUXILIARIES:
        return not (word == "may" and place and words[place - 1] in PREPOSITIONS)
    before = [earlier for earlier in words[:place] if earlier not in ADVERBS]
    last = before[-1] if before else ""
    if last in _PERSONS and len(before) == 1 and word not in _BESIDE_VERBS:
        return True
    if word in _PLURALS and last not in PRONOUNS:
        return False
    known = word in BASES or word in PASTS or word in THIRDS
    if known and place == 1 and last in {"that", "this"} and word not in BASES:
        return True
    if not known or last in _BEFORE_NOUNS:
        return False
    if last in PRONOUNS:
        return True
    if word in NOUNS_TOO:
        return False
    many = last.endswith("s") and not last.endswith(("ous", "ss", "us", "is"))
    return word in PASTS or word in THIRDS or many


def _end(words: list[str], start: int) -> int:
    """Auxiliaries, adverbs of the verb and the main verb, with a particle."""
    end = start + 1
    copula = words[start] in COPULAS
    needs_main = words[start] in AUXILIARIES and not copula
    while end < len(words) and (words[end] in _OF_THE_VERB or words[end] in {"be", "been"}):
        copula = copula or words[end] in {"be", "been"}
        needs_main = needs_main and words[end] not in {"be", "been"}
        end += 1
    if end >= len(words):
        return end
    if needs_main and _participle(words, start, end):
        end += 1
    elif copula and (words[end].endswith("ing") or (words[end : end + 2] == ["allergic", "to"])):
        end += 2 if words[end] == "allergic" else 1
    if end < len(words) - 1 and words[end] in _PARTICLES and words[end - 1] not in AUXILIARIES and not copula:
        end += 1
    return end


def _participle(words: list[str], start: int, end: int) -> bool:
    word = words[end]
    if words[start] in {"has", "have", "had", "hasn't", "haven't", "hadn't"}:
        return word in _PARTICIPLES or word in PASTS or word.endswith("ed")
    return word not in _NO_PARTICIPLE


def subject_of(before: str, topic: str, kin: str, verb: str = "") -> str:
    """Whom the words before the verb mean: the patient, a relative, a thing, or the question's topic."""
    words = before.split()
    last = words[-1].lower().strip(",") if words else ""
    if last in _SELF:
        return "patient"
    if last in _OTHER:
        return meant_by(last, kin) or "patient"
    if last == "they" and verb in STAFF:
        return "staff"
    if last in _THING:
        return topic
    if last in PRONOUNS:
        return last
    named = _OWN.sub("", before).strip(" ,")
    if kin and re.match(r"(?:his|her)\b", before, re.IGNORECASE) and not set(named.lower().split()) & KIN:
        return f"{kin}'s {named}"
    return named or topic


def third_person_relation(verb: Verb, before: str) -> str:
    """The verb as it is said of the patient: `I don't take` is `does not take`."""
    words: list[str] = []
    for word in verb.words:
        low = word.lower()
        if low.endswith("n't"):
            words += [{"ca": "can", "wo": "will"}.get(low[:-3], low[:-3]), "not"]
        elif low == "cannot":
            words += ["can", "not"]
        else:
            words.append(low)
    # An adverb before the verb stays there: `also have` is `also has`.
    adverbs = next((place for place, word in enumerate(words) if word not in ADVERBS), 0)
    leading, words = words[:adverbs], words[adverbs:]
    first = words[0]
    owner = before.lower().split()[-1:] or [""]
    if len(words) > 1 and first in {"do", "does"} and words[1] != "not":
        words = words[1:]
        first = words[0]
    if (owner[0] in {"i", "we", ""} and first in BASES and first not in PASTS) or (
        owner[0] in {"i", "we"} and len(words) == 1 and _present(first)
    ):
        words[0] = third_person(first)
    words[0] = {"am": "is", "have": "has", "do": "does"}.get(words[0], words[0])
    return " ".join(leading + words)


def _present(verb: str) -> bool:
    """Whether a verb that is in no list looks like a present tense."""
    return verb not in _NOT_PRESENT and not verb.endswith(("ed", "s"))
