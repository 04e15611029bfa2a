"""The retrieval-augmented module: reads what a question asks for and finds it in the patient's record."""

from osler.agents.ram.index import Match, RecordIndex

__all__ = ["Match", "RecordIndex"]
