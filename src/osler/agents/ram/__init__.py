"""The retrieval-augmented module: reads what a question asks for and finds it in the patient's record."""

from osler.agents.ram.index import Match, RecordIndex
from osler.agents.ram.intent import Ask, Intent, read_intent

__all__ = ["Ask", "Intent", "Match", "RecordIndex", "read_intent"]
