"""Embedders: text into vectors."""

from osler.memory.embedders.base import Embedder
from osler.memory.embedders.hash import HashEmbedder
from osler.memory.embedders.registry import open_embedder

__all__ = ["Embedder", "HashEmbedder", "open_embedder"]
