"""Reading without a model: words, sentences, people, numbers and concepts, in both languages."""

from osler.language.base import Language, Speaker

__all__ = ["Language", "Speaker"]
