"""Score a recall and an answer against the true answer of a probe, by words, denials and numbers.

The rules are conservative: what cannot be seen in the recall does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

from osler.eval.probes import claims
from osler.eval.probes.answering import RecalledStatement, about, statements
from osler.eval.probes.claims import AnswerKind, Signed
from osler.eval.probes.gold import Gold, MemoryProbe, ProbeQuestion
from osler.language import Language
from osler.language.words import numbers, plain
from osler.memory.base import Fact, Recall
from osler.ranking import exceeds, reaches
from osler.records.schema import Status

_SOME = 0.2
"""Share of a version's words from which some of it is told."""
MOST = 0.5
"""Share of a version's words from which it is there, and of a statement's words that must be the gold's."""
_TURNED = 0.25
"""Share that may be negated by a different wording; more is the opposite."""
_SURELY = 0.9
"""Share of a name's words in one statement that surely says something of the thing."""


@dataclass(frozen=True)
class Score:
    """The scores of one answer."""

    retrieval: int
    correctness: float
    coherence: float
    content: tuple[object, ...] | None
    """What the answer says, as far as it is scored: two answers with the same content agree. None: it says nothing."""


def score(probe: MemoryProbe, recall: Recall, answer: str, language: Language) -> Score:
    """Return all three scores of one answer."""
    correctness = correct(probe, recall, answer, language)
    says, figures = claims.claim(answer, language), frozenset(numbers(answer)) - frozenset(numbers(probe.thing))
    nothing = says is AnswerKind.UNKNOWN or not answer.strip()
    return Score(
        retrieval=int(retrieved(probe, recall, language)),
        correctness=correctness,
        coherence=coherent(probe, recall, answer, language),
        content=None if nothing else (says, figures, correctness),
    )


def correct(probe: MemoryProbe, recall: Recall, answer: str, language: Language) -> float:
    """1: all of what was asked is right. .5: part of it. 0: wrong, the opposite, made up, or not known although told.

    Whether something was there takes yes or no, or words that affirm or deny it. A finding, result or history takes
    all of the numbers that were told or, if there are none, half of the words; words without any number are part of
    it, other numbers are wrong. Since when takes the number with its unit. For what is not known, only saying so is
    right; that a test was not done is half of it. A test that was never done is half right when its result is called
    not known. A number that neither the patient nor the recall gave is made up.
    """
    gold, says, not_done = probe.gold, claims.claim(answer, language), claims.says_not_done(answer, language)
    if not answer.strip():
        return 0.0
    if gold.status is None:
        return 1.0 if says is AnswerKind.UNKNOWN else 0.5 * (not_done or claims.has("hedged", answer, language))
    if gold.status is Status.NOT_DONE:
        return 1.0 if not_done or says is AnswerKind.NO else 0.5 * (says is AnswerKind.UNKNOWN)
    if says is AnswerKind.UNKNOWN or _made_up(probe, recall, answer):
        return 0.0
    if gold.time:
        right = {number for number, _ in gold.time} <= set(numbers(answer))
        return 1.0 if gold.time <= claims.times(answer) else 0.5 * (right and not claims.times(answer))
    if probe.asks is ProbeQuestion.WHETHER and says in {AnswerKind.YES, AnswerKind.NO}:
        return float((says is AnswerKind.YES) is (gold.status is Status.PRESENT))
    said = claims.signed(claims.without_opening(answer, language), language)
    if turned_round(gold, said):
        return 0.0
    if gold.status is Status.ABSENT and says in {AnswerKind.YES, AnswerKind.NO}:
        return float(says is AnswerKind.NO)
    there = best_share(gold, said)
    if gold.numbers and probe.asks is not ProbeQuestion.WHETHER:
        given = frozenset(numbers(answer))
        part = bool(given & gold.numbers) or (reaches(there, MOST) and not given)
        return 1.0 if gold.numbers <= given else 0.5 * part
    return 1.0 if reaches(there, MOST) else 0.5 * reaches(there, _SOME)


def coherent(probe: MemoryProbe, recall: Recall, answer: str, language: Language) -> float:
    """Score how well an answer fits its question and what was recalled.

    0: it is empty or in another language; it is about something else (no word or number for the thing, no yes or no);
    it tells a number that is neither recalled nor asked; or it contradicts a recalled statement, turning round more
    than half of its words. .5: it is vague: it hedges, or says not known of something that was told. 1: anything else,
    also an honest not known.
    """
    says, gold = claims.claim(answer, language), probe.gold
    if not plain(answer).strip() or not claims.in_language(answer, language):
        return 0.0
    if says is AnswerKind.UNKNOWN:
        return 1.0 if gold.status is None else 0.5
    said = claims.signed(claims.without_opening(answer, language), language)
    on_topic = {word for word, _ in said} & gold.vocabulary or gold.numbers & frozenset(numbers(answer))
    direct = says in {AnswerKind.YES, AnswerKind.NO} or gold.time & claims.times(answer)
    if not (on_topic or direct) or _made_up(probe, recall, answer):
        return 0.0
    if any(exceeds(claims.opposed(statement.said, said), MOST) for statement in statements(recall, language)):
        return 0.0
    return 0.5 if claims.has("hedged", answer, language) else 1.0


def _made_up(probe: MemoryProbe, recall: Recall, answer: str) -> bool:
    known = {*numbers(recall.text), *numbers(" ".join(probe.wordings)), *probe.gold.numbers}
    return bool(set(numbers(answer)) - known - {number for number, _ in probe.gold.time})


def retrieved(probe: MemoryProbe, recall: Recall, language: Language) -> bool:
    """Check whether the recall contains the true answer.

    It does when the statements about the thing (half of their words are words for it) hold half of what there is to
    say, in the record's or the patient's words, each word affirmed or denied as it was; all the numbers the patient
    gave; for since when, the time with its unit; and hardly anything of it turned round. Of a thing that is not known
    the recall must say nothing at all; of a test that was not done, just that.
    """
    gold, everything = probe.gold, statements(recall, language)
    if gold.status is None:
        wanted = claims.unsigned(probe.thing, language)
        named = (len(wanted & {word for word, _ in statement.said}) for statement in everything)
        return not (wanted and any(reaches(count, _SURELY * len(wanted)) for count in named))
    if gold.status is Status.NOT_DONE:
        told = about(probe.thing, recall, language)
        denied = (bool(one.said) and not any(affirmed for _, affirmed in one.said) for one in told)
        return any(denied) or any(claims.says_not_done(one.text, language) for one in told)
    # Statements of the same turn that name nothing come with what is about the gold: `That was a week ago`.
    about_it = [statement for statement in everything if _is_of(gold, statement)]
    turns = {statement.turn for statement in about_it} - {None}
    own = about_it + [one for one in everything if not one.said and one.turn in turns]
    there: Signed = frozenset().union(*(statement.said for statement in own))
    text = "\n".join(statement.text for statement in own)
    if gold.time:
        return gold.time <= claims.times(text)
    has_numbers = gold.numbers <= frozenset(numbers(text))
    if turned_round(gold, there) or (probe.asks is not ProbeQuestion.WHETHER and not has_numbers):
        return False
    return (bool(gold.numbers) and has_numbers) or reaches(best_share(gold, there), MOST)


def holds_some(probe: MemoryProbe, fact: Fact, language: Language) -> bool:
    """Check whether one recalled fact says something true of the thing: used for the first k facts of a ranking."""
    gold = probe.gold
    for statement in statements(Recall(facts=(fact,)), language):
        if not _is_of(gold, statement):
            continue
        if gold.time:
            return gold.time <= claims.times(statement.text)
        agrees = (version & statement.said and not claims.opposed(version, statement.said) for version in gold.versions)
        return bool(gold.numbers & frozenset(numbers(statement.text))) or any(agrees)
    return False


def best_share(gold: Gold, there: Signed) -> float:
    """Return how much of the true answer is there, in whichever of its versions is there most.

    One word of several is not enough for any of them: `pain` alone is not `eye pain`.
    """
    versions = [version for version in gold.versions if len(version) == 1 or len(version & there) > 1]
    return max((claims.share(version, there) for version in versions), default=0.0)


def turned_round(gold: Gold, there: Signed) -> bool:
    """Check whether every version of the true answer is there more negated than as it was."""
    shares = [(claims.share(version, there), claims.opposed(version, there)) for version in gold.versions]
    return bool(shares) and all(exceeds(opposed, max(_TURNED, share / 2)) for share, opposed in shares)


def _is_of(gold: Gold, statement: RecalledStatement) -> bool:
    """Check whether a statement is about the gold: half of its words are words for it, or it is all numbers."""
    words = {word for word, _ in statement.said}
    if not words:
        return bool(gold.numbers & frozenset(numbers(statement.text)))
    return reaches(len(words & gold.vocabulary), MOST * len(words))
