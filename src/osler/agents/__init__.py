"""Who talks: doctor, patient and the retrieval module between them, each driven by a model, by rules or by a person."""
