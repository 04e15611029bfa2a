"""Reading without a model: words, sentences, people, numbers and medical concepts, in English and Chinese."""

from osler.language.base import Language, Speaker

__all__ = ["Language", "Speaker"]
