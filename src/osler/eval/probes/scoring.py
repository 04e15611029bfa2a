"""What an answer is worth against the truth and against what was recalled, by rules over words, denials and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from osler.eval.probes.evidence import Signed, opposed, signed, times
from osler.eval.probes.gold import Probe
from osler.eval.probes.retrieval import MOST, best_share, retrieved, turned_round
from osler.eval.probes.stance import Stance, calls_normal, hedges, in_language, stance, without_lead
from osler.eval.probes.statements import NOT_DONE, Statement, statements
from osler.eval.probes.wording import Asks
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
    correctness = correct(probe, recall.text, answer, language)
    figures = frozenset(numbers(answer)) - frozenset(numbers(probe.thing))
    return Score(
        retrieval=int(retrieved(probe, recall.text, language)),
        correctness=correctness,
        coherence=coherent(probe, recall.text, answer, language),
        content=(stance(answer, language), figures, correctness),
    )


def correct(probe: Probe, recalled: str, answer: str, language: Language) -> float:
    """1: all of what was asked is right. .5: part of it. 0: wrong, the opposite, made up, or not known although told.

    Whether something was there takes yes or no, or words that affirm or deny it. A finding, result or history takes
    all of the numbers that were told or, where there are none, half of the words; words without any number are part of
    it, other numbers are wrong. Since when takes the number with its
    unit. For what is not known, only saying so is right; that a test was not done is half of it. A test that was never
    done is half right when its result is called not known. A number that neither the patient nor the recalled text
    gave is made up.
    """
    gold, says, level = probe.gold, stance(answer, language), plain(answer)
    not_done = NOT_DONE[language].search(level) is not None
    if not level.strip():
        return 0.0
    if gold.status is None:
        hedged = not_done or hedges(answer, language)
        return 1.0 if says is Stance.UNKNOWN else 0.5 if hedged else 0.0
    if gold.status is Status.NOT_DONE:
        return 1.0 if not_done or says is Stance.NO else 0.5 if says is Stance.UNKNOWN else 0.0
    if says is Stance.UNKNOWN or _made_up(probe, recalled, answer):
        return 0.0
    if gold.time:
        right = {number for number, _ in gold.time} <= set(numbers(answer))
        return 1.0 if gold.time <= times(answer) else 0.5 if right and not times(answer) else 0.0
    said = signed(without_lead(answer, language), language)
    if probe.asks is Asks.WHETHER and says in {Stance.YES, Stance.NO}:
        return float((says is Stance.YES) is (gold.status is Status.PRESENT))
    if turned_round(gold, said):
        return 0.0
    return _part(probe, said, says, answer, language)


def _part(probe: Probe, said: Signed, says: Stance, answer: str, language: Language) -> float:
    """How much of the truth an answer tells that is not against it."""
    gold, best = probe.gold, best_share(probe.gold, said)
    if gold.status is Status.ABSENT and says in {Stance.YES, Stance.NO}:
        return float(says is Stance.NO)
    if gold.numbers and probe.asks is not Asks.WHETHER:
        given = frozenset(numbers(answer))
        in_words = reaches(best, MOST) or (gold.status is Status.NORMAL and calls_normal(answer, language))
        part = bool(given & gold.numbers) or (in_words and not given)
        return 1.0 if gold.numbers <= given else 0.5 if part else 0.0
    return 1.0 if reaches(best, MOST) else 0.5 if reaches(best, _SOME) else 0.0


def coherent(probe: Probe, recalled: str, answer: str, language: Language) -> float:
    """How well an answer fits its question and what was recalled.

    0: it is empty or in another language; it is about something else (no word or number for the thing, no yes or no);
    it tells a number that is neither recalled nor asked; or it contradicts a recalled statement, turning round more
    than half of its words. .5: it is vague: it hedges, or says not known of something that was told. 1: anything else,
    also an honest not known.
    """
    level, says, gold = plain(answer), stance(answer, language), probe.gold
    if not level.strip() or not in_language(answer, language):
        return 0.0
    if says is Stance.UNKNOWN:
        return 1.0 if gold.status is None else 0.5
    said = signed(without_lead(answer, language), language)
    on_topic = {word for word, _ in said} & gold.vocabulary or gold.numbers & frozenset(numbers(answer))
    direct = says in {Stance.YES, Stance.NO} or gold.time & times(answer)
    if not (on_topic or direct) or _made_up(probe, recalled, answer):
        return 0.0
    if any(_contradicts(said, statement) for statement in statements(recalled, language)):
        return 0.0
    return 0.5 if hedges(answer, language) else 1.0


def _contradicts(said: Signed, statement: Statement) -> bool:
    return statement.knows and exceeds(opposed(statement.said, said), MOST)


def _made_up(probe: Probe, recalled: str, answer: str) -> bool:
    known = {*numbers(recalled), *numbers(" ".join(probe.wordings)), *probe.gold.numbers}
    return bool(set(numbers(answer)) - known - {number for number, _ in probe.gold.time})
