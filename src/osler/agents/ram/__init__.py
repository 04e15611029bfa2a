"""The retrieval-augmented module: finds what a question asks for in the patient's record."""

from osler.agents.ram.index import Match, RecordIndex

__all__ = ["Match", "RecordIndex"]
