"""Participants: doctor, patient and the retrieval module between them, each driven by a model, rules or a person."""
