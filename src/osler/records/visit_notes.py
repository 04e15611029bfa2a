"""What may be wrong with the earlier visits of a record, for `osler records validate`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from osler.language import Language
from osler.records.schema import PatientRecord

_TODAY = {
    Language.EN: re.compile(
        r"\b(?:today|this (?:morning|afternoon|evening|illness)|tonight|yesterday"
        r"|last (?:night|dose)|for the last|so far|yet|still|currently|at the moment"
        r"|(?<!years )(?<!months )(?<!days )now)\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "今[天早晨晚]|昨[天晚]|末次|最后一次|近[0-9]|目前|现在|眼下|至今|到现在|[这本]次|仍|还[在没会]"
    ),
}
"""Words for the day of the consultation."""


def visit_notes(record: PatientRecord) -> Iterator[str]:
    """Yield what a reader should look at again in the earlier visits, a line each."""
    for fact in record.key_facts:
        if not fact.exchanges:
            yield (
                f"key_facts: {fact.question!r} does not say which exchanges of visit {fact.visit}"
                " tell it, so nobody knows whether a memory recalls it; add exchanges"
            )
    for name in record.earlier:
        entry = record.entry(name)
        if word := _TODAY[record.language].search(f"{entry.report} {entry.said}"):
            yield (
                f"earlier: the entry {entry.name!r} speaks of the day of the consultation"
                f" ({word[0]!r}), and nobody tells it then; put that into an entry of its own"
            )
