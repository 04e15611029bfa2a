"""What a recall says, statement by statement: its facts, the replies of its exchanges, or else its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from osler.eval.probes.claims import Claim, claim, says_not_done, without_opening
from osler.eval.probes.signed_words import Signed, signed, unsigned, with_sign
from osler.language import Language
from osler.language.words import sentences
from osler.memory.base import Recall, Turn


@dataclass(frozen=True)
class Statement:
    """One thing that was recalled."""

    text: str
    said: Signed
    """Its words, each affirmed or denied."""
    topic: str = ""
    """What was asked when it was said."""
    turn: int | None = None


@lru_cache(maxsize=1024)
def statements(recall: Recall, language: Language) -> tuple[Statement, ...]:
    """Everything that is stated; what is only said not to be known is left out."""
    questions = {turn.number: turn.question for turn in recall.exchanges}
    found = [
        Statement(
            fact.triple,
            with_sign(unsigned(fact.triple, language), False) if fact.denied else signed(fact.triple, language),
            questions.get(fact.turn, ""),
            fact.turn,
        )
        for fact in recall.facts
    ]
    found += [statement for turn in recall.exchanges for statement in _replied(turn, language)]
    if not (recall.facts or recall.exchanges):
        found = [Statement(text, signed(text, language)) for text in sentences(recall.text, language)]
    return tuple(one for one in found if _tells(one.text, language))


def _replied(turn: Turn, language: Language) -> Iterator[Statement]:
    """The sentences of a reply and its reports; a bare yes or no says what was asked over again."""
    reply = f"{turn.reply}\n{turn.results}".strip()
    opening = claim(reply, language)
    if not unsigned(reply, language) and opening in {Claim.YES, Claim.NO}:
        asked = with_sign(unsigned(turn.question, language), opening is Claim.YES)
        yield Statement(reply, asked, turn.question, turn.number)
        return
    for sentence in sentences(reply, language):
        said = signed(without_opening(sentence, language), language)
        yield Statement(sentence, said, turn.question, turn.number)


def _tells(text: str, language: Language) -> bool:
    """Whether a sentence tells anything; that a test was not done is something, too."""
    return claim(text, language) is not Claim.UNKNOWN or says_not_done(text, language)
