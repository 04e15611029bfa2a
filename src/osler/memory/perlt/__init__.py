"""Semantic and episodic memory as in PerLTQA."""
