"""Whether a recalled text holds the truth of a probe, by rules over words, denials and numbers.

The rules are conservative: what cannot be seen in the text does not count.
"""

from __future__ import annotations

from osler.eval.probes.answering import claims
from osler.eval.probes.evidence import Signed, opposed, share, times
from osler.eval.probes.gold import Gold, Probe
from osler.eval.probes.statements import Statement, statements
from osler.eval.probes.wording import Asks
from osler.records.language import Language
from osler.words import numbers

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
    the text must say nothing at all.
    """
    gold = probe.gold
    if gold.status is None:
        return not claims(probe.thing, recalled, language)
    own = [statement for statement in statements(recalled, language) if of_gold(statement, gold)]
    there: Signed = frozenset().union(*(statement.said for statement in own))
    text = "\n".join(statement.text for statement in own)
    if gold.time:
        return gold.time <= times(text)
    if probe.asks is not Asks.WHETHER and not gold.numbers <= frozenset(numbers(text)):
        return False
    if gold.numbers and gold.numbers <= frozenset(numbers(text)):
        return not turned_round(gold, there)
    return best_share(gold, there) >= MOST and not turned_round(gold, there)


def of_gold(statement: Statement, gold: Gold) -> bool:
    """Whether a statement is about the gold: half of its words are words for it, or all its weight is its numbers."""
    if not statement.knows:
        return False
    words = {word for word, _ in statement.said}
    if not words:
        return bool(gold.numbers & frozenset(numbers(statement.text)))
    return len(words & gold.vocabulary) >= _OWN * len(words)


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
    """How much of the truth is there, in whichever of its versions is there most."""
    return max((share(version, there) for version in gold.versions), default=0.0)


def turned_round(gold: Gold, there: Signed) -> bool:
    """Whether every version of the truth stands there more turned round than as it was."""
    return bool(gold.versions) and all(
        opposed(version, there) > max(_TURNED, share(version, there) / 2) for version in gold.versions
    )
