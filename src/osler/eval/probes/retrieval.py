"""Whether a recall holds the truth of a probe, by words, denials and numbers.

The rules are conservative: what cannot be seen in the recall does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.probes.answering import about
from osler.eval.probes.claims import says_not_done
from osler.eval.probes.gold import Gold, Probe
from osler.eval.probes.questions import Asks
from osler.eval.probes.signed_words import Signed, opposed, share, times, unsigned
from osler.eval.probes.statements import Statement, statements
from osler.language import Language
from osler.language.words import numbers
from osler.memory.base import Fact, Recall
from osler.ranking import exceeds, reaches
from osler.records.schema import Status

MOST = 0.5
"""Share of a version's words from which it is there, and of a statement's words that must be the gold's."""
_TURNED = 0.25
"""Share that may be turned round by a wording of its own; more is the opposite."""
_SURELY = 0.9
"""Share of a name's words in one statement that surely says something of the thing."""


def retrieved(probe: Probe, recall: Recall, language: Language) -> bool:
    """Whether the recall holds the truth.

    It does when the statements about the thing (half of their words are words for it) hold half of what there is to
    say, in the record's or the patient's words, each word affirmed or denied as it was; all the numbers the patient
    gave; for since when, the time with its unit; and hardly anything of it turned round. Of a thing that is not known
    the recall must say nothing at all; of a test that was not done, just that.
    """
    gold, everything = probe.gold, statements(recall, language)
    if gold.status is None:
        return not any(_names(statement, probe.thing, language) for statement in everything)
    if gold.status is Status.NOT_DONE:
        told = about(probe.thing, recall, language)
        return any(says_not_done(one.text, language) or _denies(one) for one in told)
    own = _own(gold, everything)
    there: Signed = frozenset().union(*(statement.said for statement in own))
    text = "\n".join(statement.text for statement in own)
    if gold.time:
        return gold.time <= times(text)
    has_numbers = gold.numbers <= frozenset(numbers(text))
    if turned_round(gold, there) or (probe.asks is not Asks.WHETHER and not has_numbers):
        return False
    return (bool(gold.numbers) and has_numbers) or reaches(best_share(gold, there), MOST)


def holds_some(probe: Probe, fact: Fact, language: Language) -> bool:
    """Whether one recalled fact says something of the truth: what the first k facts of a ranking are searched for."""
    gold = probe.gold
    for statement in statements(Recall(facts=(fact,)), language):
        if not _is_of(gold, statement):
            continue
        if gold.time:
            return gold.time <= times(statement.text)
        agrees = (version & statement.said and not opposed(version, statement.said) for version in gold.versions)
        return bool(gold.numbers & frozenset(numbers(statement.text))) or any(agrees)
    return False


def best_share(gold: Gold, there: Signed) -> float:
    """How much of the truth is there, in whichever of its versions is there most.

    One word of several is not enough for any of them: `pain` alone is not `eye pain`.
    """
    versions = [version for version in gold.versions if len(version) == 1 or len(version & there) > 1]
    return max((share(version, there) for version in versions), default=0.0)


def turned_round(gold: Gold, there: Signed) -> bool:
    """Whether every version of the truth stands there more turned round than as it was."""
    return bool(gold.versions) and all(
        exceeds(opposed(version, there), max(_TURNED, share(version, there) / 2)) for version in gold.versions
    )


def _own(gold: Gold, everything: Sequence[Statement]) -> list[Statement]:
    """The statements about the gold, and with them what names nothing in the same turn: `That was a week ago`."""
    about_it = [statement for statement in everything if _is_of(gold, statement)]
    turns = {statement.turn for statement in about_it} - {None}
    return about_it + [one for one in everything if not one.said and one.turn in turns]


def _is_of(gold: Gold, statement: Statement) -> bool:
    """Whether a statement is about the gold: half of its words are words for it, or all its weight is its numbers."""
    words = {word for word, _ in statement.said}
    if not words:
        return bool(gold.numbers & frozenset(numbers(statement.text)))
    return reaches(len(words & gold.vocabulary), MOST * len(words))


def _names(statement: Statement, thing: str, language: Language) -> bool:
    wanted = unsigned(thing, language)
    return bool(wanted) and reaches(len(wanted & {word for word, _ in statement.said}), _SURELY * len(wanted))


def _denies(statement: Statement) -> bool:
    return bool(statement.said) and not any(affirmed for _, affirmed in statement.said)
