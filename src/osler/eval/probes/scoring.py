"""What an answer is worth against the truth and against what was recalled, by words, denials and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from osler.eval.probes.claims import Claim, claim, hedges, in_language, says_not_done, without_opening
from osler.eval.probes.gold import Probe
from osler.eval.probes.questions import Asks
from osler.eval.probes.retrieval import MOST, best_share, retrieved, turned_round
from osler.eval.probes.signed_words import opposed, signed, times
from osler.eval.probes.statements import statements
from osler.language import Language
from osler.language.words import numbers, plain
from osler.memory.base import Recall
from osler.ranking import exceeds, reaches
from osler.records.schema import Status

_SOME = 0.2
"""Share of a version's words from which some of it is told."""


@dataclass(frozen=True)
class Score:
    """One question to a memory, and what came of it."""

    retrieval: int
    correctness: float
    coherence: float
    content: tuple[object, ...]
    """What the answer says, as far as it is scored: two answers with the same content agree."""


def score(probe: Probe, recall: Recall, answer: str, language: Language) -> Score:
    """All three scores of one answer."""
    correctness = correct(probe, recall, answer, language)
    figures = frozenset(numbers(answer)) - frozenset(numbers(probe.thing))
    return Score(
        retrieval=int(retrieved(probe, recall, language)),
        correctness=correctness,
        coherence=coherent(probe, recall, answer, language),
        content=(claim(answer, language), figures, correctness),
    )


def correct(probe: Probe, recall: Recall, answer: str, language: Language) -> float:
    """1: all of what was asked is right. .5: part of it. 0: wrong, the opposite, made up, or not known although told.

    Whether something was there takes yes or no, or words that affirm or deny it. A finding, result or history takes
    all of the numbers that were told or, where there are none, half of the words; words without any number are part of
    it, other numbers are wrong. Since when takes the number with its unit. For what is not known, only saying so is
    right; that a test was not done is half of it. A test that was never done is half right when its result is called
    not known. A number that neither the patient nor the recall gave is made up.
    """
    gold, says, not_done = probe.gold, claim(answer, language), says_not_done(answer, language)
    if not answer.strip():
        return 0.0
    if gold.status is None:
        return 1.0 if says is Claim.UNKNOWN else 0.5 * (not_done or hedges(answer, language))
    if gold.status is Status.NOT_DONE:
        return 1.0 if not_done or says is Claim.NO else 0.5 * (says is Claim.UNKNOWN)
    if says is Claim.UNKNOWN or _made_up(probe, recall, answer):
        return 0.0
    if gold.time:
        right = {number for number, _ in gold.time} <= set(numbers(answer))
        return 1.0 if gold.time <= times(answer) else 0.5 * (right and not times(answer))
    if probe.asks is Asks.WHETHER and says in {Claim.YES, Claim.NO}:
        return float((says is Claim.YES) is (gold.status is Status.PRESENT))
    said = signed(without_opening(answer, language), language)
    if turned_round(gold, said):
        return 0.0
    if gold.status is Status.ABSENT and says in {Claim.YES, Claim.NO}:
        return float(says is Claim.NO)
    there = best_share(gold, said)
    if gold.numbers and probe.asks is not Asks.WHETHER:
        given = frozenset(numbers(answer))
        part = bool(given & gold.numbers) or (reaches(there, MOST) and not given)
        return 1.0 if gold.numbers <= given else 0.5 * part
    return 1.0 if reaches(there, MOST) else 0.5 * reaches(there, _SOME)


def coherent(probe: Probe, recall: Recall, answer: str, language: Language) -> float:
    """How well an answer fits its question and what was recalled.

    0: it is empty or in another language; it is about something else (no word or number for the thing, no yes or no);
    it tells a number that is neither recalled nor asked; or it contradicts a recalled statement, turning round more
    than half of its words. .5: it is vague: it hedges, or says not known of something that was told. 1: anything else,
    also an honest not known.
    """
    says, gold = claim(answer, language), probe.gold
    if not plain(answer).strip() or not in_language(answer, language):
        return 0.0
    if says is Claim.UNKNOWN:
        return 1.0 if gold.status is None else 0.5
    said = signed(without_opening(answer, language), language)
    on_topic = {word for word, _ in said} & gold.vocabulary or gold.numbers & frozenset(numbers(answer))
    direct = says in {Claim.YES, Claim.NO} or gold.time & times(answer)
    if not (on_topic or direct) or _made_up(probe, recall, answer):
        return 0.0
    if any(exceeds(opposed(statement.said, said), MOST) for statement in statements(recall, language)):
        return 0.0
    return 0.5 if hedges(answer, language) else 1.0


def _made_up(probe: Probe, recall: Recall, answer: str) -> bool:
    known = {*numbers(recall.text), *numbers(" ".join(probe.wordings)), *probe.gold.numbers}
    return bool(set(numbers(answer)) - known - {number for number, _ in probe.gold.time})
