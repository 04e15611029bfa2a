"""Scores: read transcripts, never run agents."""
