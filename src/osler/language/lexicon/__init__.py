"""What medical words mean: concepts and categories that a text speaks of, in both languages."""

from osler.language.lexicon.phrases import Phrases, answered_by, broad_parts, categories, concepts, named, related
from osler.language.lexicon.terms import terms

__all__ = ["Phrases", "answered_by", "broad_parts", "categories", "concepts", "named", "related", "terms"]
