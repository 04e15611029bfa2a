"""Whether a recalled text holds the truth of a probe, by rules over words, denials and numbers.

The rules are conservative: what cannot be seen in the text does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.probes.answering import about, claims
from osler.eval.probes.evidence import Signed, opposed, share, times
from osler.eval.probes.gold import Gold, Probe
from osler.eval.probes.statements import NOT_DONE, Statement, statements
from osler.eval.probes.wording import Asks
from osler.language import Language
from osler.language.words import numbers, plain
from osler.ranking import exceeds, reaches
from osler.records.schema import Status

MOST = 0.5
"""Share of a version's words from which it is there."""
_TURNED = 0.25
"""Share that may be turned round by a wording of its own; more is the opposite."""
_OWN = 0.5
"""Share of a statement's words that must be the gold's, for the statement to be about it."""


def retrieved(probe: Probe, recalled: str, language: Language) -> bool:
    """Whether the recalled text holds the truth.

    It does when the statements about the thing (half of their words are words for it) hold half of what there is to
    say, in the record's or the patient's words, each word affirmed or denied as it was; all the numbers the patient
    gave; for since when, the time with its unit; and hardly anything of it turned round. Of a thing that is not known
    the text must say nothing at all; of a test that was not done, just that.
    """
    gold = probe.gold
    if gold.status is None:
        return not claims(probe.thing, recalled, language)
    if gold.status is Status.NOT_DONE:
        return any(_says_not_done(statement, language) for statement in about(probe.thing, recalled, language))
    own = _own(gold, statements(recalled, language))
    there: Signed = frozenset().union(*(statement.said for statement in own))
    text = "\n".join(statement.text for statement in own)
    if gold.time:
        return gold.time <= times(text)
    if probe.asks is not Asks.WHETHER and not gold.numbers <= frozenset(numbers(text)):
        return False
    if gold.numbers and gold.numbers <= frozenset(numbers(text)):
        return not turned_round(gold, there)
    return reaches(best_share(gold, there), MOST) and not turned_round(gold, there)


def _own(gold: Gold, everything: Sequence[Statement]) -> list[Statement]:
    """The statements about the gold, and with them what names nothing in the same exchange: `That was a week ago`."""
    about_it = [statement for statement in everything if of_gold(statement, gold)]
    exchanges = {statement.exchange for statement in about_it} - {None}
    return about_it + [one for one in everything if not one.said and one.exchange in exchanges]


def _says_not_done(statement: Statement, language: Language) -> bool:
    denied = bool(statement.said) and not any(affirmed for _, affirmed in statement.said)
    return denied or NOT_DONE[language].search(plain(statement.text)) is not None


def of_gold(statement: Statement, gold: Gold) -> bool:
    """Whether a statement is about the gold: half of its words are words for it, or all its weight is its numbers."""
    if not statement.knows:
        return False
    words = {word for word, _ in statement.said}
    if not words:
        return bool(gold.numbers & frozenset(numbers(statement.text)))
    return reaches(len(words & gold.vocabulary), _OWN * len(words))


def holds_some(probe: Probe, text: str, language: Language) -> bool:
    """Whether one recalled item says something of the truth: what the first k items of a ranking are searched for."""
    gold = probe.gold
    for statement in statements(text, language):
        if not of_gold(statement, gold):
            continue
        if gold.time:
            if gold.time <= times(statement.text):
                return True
        elif gold.numbers & frozenset(numbers(statement.text)) or any(
            statement.said & version and not opposed(version, statement.said) for version in gold.versions
        ):
            return True
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
