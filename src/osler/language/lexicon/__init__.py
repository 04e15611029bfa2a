"""What medical words mean: concepts that a text speaks of, in both languages."""

from osler.language.lexicon.phrases import Phrases, broad_parts, concepts, named
from osler.language.lexicon.thesaurus import answered_by, terms

__all__ = ["Phrases", "answered_by", "broad_parts", "concepts", "named", "terms"]
