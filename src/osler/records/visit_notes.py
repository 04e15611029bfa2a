"""What may be wrong with the earlier visits of a record: for whoever writes one, and for `osler records validate`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from osler.language import Language
from osler.records.pool import RecordPool
from osler.records.schema import PatientRecord
from osler.records.visits import KeyFact

Told = Mapping[str, Sequence[str]]
"""What was said at earlier visits: by patient, the text of each exchange."""

_MOST_OTHERS = 0.2
"""Share of other patients whose visits may hold what a right answer holds; a drug is taken by some, a wife by most."""
_TODAY = {
    Language.EN: re.compile(
        r"\b(?:today|this (?:morning|afternoon|evening|illness)|tonight|yesterday|last (?:night|dose)"
        r"|for the last|so far|yet|still|currently|at the moment"
        r"|(?<!years )(?<!months )(?<!days )now)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "今[天早晨晚]|昨[天晚]|末次|最后一次|近[0-9]|目前|现在|眼下|至今|到现在|[这本]次|仍|还[在没会]"
    ),
}
"""Words for the day of the consultation."""


@cache
def bundled_visits(language: Language) -> Told:
    """Return what the bundled patients of a language said at their earlier visits."""
    records = RecordPool.open().only(languages=[language])
    return {record.patient: tuple(one.text for one in record.past) for record in records if record.visits}


def visit_notes(record: PatientRecord) -> Iterator[str]:
    """Yield what a reader should look at again in the earlier visits, a line each."""
    for fact in record.key_facts:
        yield from _key_fact_notes(fact, record)
    for name in record.earlier:
        entry = record.entry(name)
        if word := _TODAY[record.language].search(f"{entry.report} {entry.said}"):
            yield (
                f"earlier: the entry {entry.name!r} speaks of the day of the consultation ({word[0]!r}), and nobody"
                " tells it then; put that into an entry of its own"
            )


def _key_fact_notes(fact: KeyFact, record: PatientRecord) -> Iterator[str]:
    """Yield whether a question answers itself, and which accepted texts anybody says."""
    if fact.is_right(fact.question) or fact.is_outdated(fact.question):
        yield f"key_facts: {fact.question!r} holds all that an answer needs; word the question, or accept, otherwise"
    others = {who: texts for who, texts in bundled_visits(record.language).items() if who != record.patient}
    for place, group in enumerate(fact.accept):
        for text in group:
            accept = (*fact.accept[:place], (text,), *fact.accept[place + 1 :])
            with_it = fact.model_copy(update={"accept": accept})
            told = sum(any(map(with_it.is_right, texts)) for texts in others.values())
            if told > _MOST_OTHERS * len(others):
                yield (
                    f"key_facts: {fact.question!r} accepts {text!r}, which is said so of {told} of {len(others)} other"
                    " patients; accept what only a right answer says, or add a group with what the fact is about"
                )
