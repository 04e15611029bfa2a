"""Doctor, patient and the retrieval module between them, driven by a model, rules or a person."""
