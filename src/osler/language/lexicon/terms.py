"""What texts and phrases are compared by."""

from __future__ import annotations

from functools import lru_cache
from operator import add

from osler.language import Language
from osler.language.words import canonical, content, words

LONGEST_RUN = 4
"""Words of a phrase that can be one term."""


@lru_cache(maxsize=1024)
def terms(text: str, language: Language) -> frozenset[str]:
    """What phrases are compared by: words; in Chinese pairs of characters too, since compounds segment differently."""
    row = tuple(map(canonical, content(text, language)))
    if language is Language.EN:
        return frozenset(row)
    level = "".join([word for word in row if "\u4e00" <= word[0] <= "\u9fff"])
    return frozenset(row).union(map(add, level, level[1:]))


def phrase_terms(phrase: str, language: Language) -> frozenset[str]:
    """A phrase's terms. `Throw up` is not `throw`: where one word has all the meaning, the run of words is the term."""
    found = terms(phrase, language)
    run = tuple(map(canonical, words(phrase, language)))
    if len(found) == 1 and 1 < len(run) <= LONGEST_RUN:
        return frozenset({" ".join(run)})
    # A single Chinese character on its own says nothing.
    return found if language is Language.EN or any(len(term) > 1 for term in found) else frozenset()
