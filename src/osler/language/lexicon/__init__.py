"""The meaning of medical words: concepts that a text mentions, in both languages."""

from osler.language.lexicon.phrases import Phrases, broad_parts, concepts, named
from osler.language.lexicon.thesaurus import answered_by, terms

__all__ = ["Phrases", "answered_by", "broad_parts", "concepts", "named", "terms"]
