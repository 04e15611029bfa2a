"""Participants that need no model: the baseline of every table, deterministic under a seed."""
