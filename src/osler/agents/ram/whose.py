"""Whether a question asks about somebody else: "Does your husband smoke?" is not answered by what a patient smokes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from osler.language import Language, Speaker
from osler.language.lexicon import concepts
from osler.language.relatives import asks_who_speaks, kin, relative_asked_about
from osler.records.schema import Category, Entry

_OF_OTHERS = frozenset(
    {Category.FAMILY_HISTORY, Category.BIRTH_HISTORY, Category.MARITAL_CHILDBEARING, Category.CONCERN}
)
_CONTACTS = frozenset(
    {
        *("sick-contacts", "passive-smoking", "partner-health", "nursery", "home", "carers-help", "bereavement"),
        *("family-illnesses", "parents-alive", "siblings-number", "children", "relatives-tested", "sexual-partners"),
    }
)
_CONTACT = re.compile(r"\bcontacts?\b|接触", re.IGNORECASE)


def of_another(question: str, parts: Sequence[str], speaker: Speaker, language: Language) -> bool:
    """Whether somebody else is asked about, and in each of its parts where it asks for several things."""
    if asks_who_speaks(question, speaker, language):
        return True
    return bool(relative_asked_about(question, speaker, language)) and all(
        re.search(kin(speaker, language), part, re.IGNORECASE) for part in parts
    )


def tells_of_others(entry: Entry, language: Language) -> bool:
    """Whether an entry may tell of somebody else: the family, who was ill nearby, a mother's pregnancy."""
    if entry.category in _OF_OTHERS or _CONTACT.search(entry.name):
        return True
    return not _CONTACTS.isdisjoint(concepts(language).find(entry.name))
